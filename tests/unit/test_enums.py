"""Enums, masks, registries and error codes as Python types (wire.md section 11)."""

from __future__ import annotations

import enum

import pytest
from wirekit import data

from nnrp_wire import wire

TABLE = data.table()


def member_name(name: str) -> str:
    return name.upper().replace(".", "_")


@pytest.mark.parametrize("name", TABLE["enums"])
def test_enum_members_are_the_table(name):
    kind = getattr(wire, data.class_name(name))
    assert issubclass(kind, enum.IntEnum)
    expected = {member_name(text): int(value) for value, text in TABLE["enums"][name]["values"].items()}
    assert {member.name: int(member) for member in kind} == expected


@pytest.mark.parametrize("name", TABLE["open_registries"])
def test_open_registry_members_are_the_table(name):
    kind = getattr(wire, data.class_name(name))
    assert issubclass(kind, enum.IntEnum)
    expected = {member_name(text): int(value) for value, text in TABLE["open_registries"][name]["values"].items()}
    assert {member.name: int(member) for member in kind} == expected


@pytest.mark.parametrize("name", TABLE["error_codes"])
def test_error_codes_are_the_table(name):
    kind = getattr(wire, data.class_name(name))
    assert issubclass(kind, enum.IntEnum)
    expected = {member_name(text): int(value, 16) for value, text in TABLE["error_codes"][name].items()}
    assert {member.name: int(member) for member in kind} == expected


@pytest.mark.parametrize("name", TABLE["masks"])
def test_mask_bits_are_the_table(name):
    kind = getattr(wire, data.class_name(name))
    assert issubclass(kind, enum.IntFlag)
    expected = {member_name(text): int(bit, 16) for bit, text in TABLE["masks"][name]["bits"].items()}
    assert {member: int(value) for member, value in kind.__members__.items()} == expected
    known = 0
    for bit in kind:
        known |= bit
    assert known == int(TABLE["masks"][name]["known_mask"], 16)


def test_names_a_reader_of_the_protocol_would_type():
    assert wire.MessageType.FRAME_SUBMIT == 0x10
    assert wire.MessageType(0x49) is wire.MessageType.RETRY_AFTER
    assert wire.HeaderFlags.ACK_REQUIRED | wire.HeaderFlags.KEYFRAME == 0x21
    assert wire.RuntimeProfile.RUNTIME_CONTROL == 256
    assert wire.SessionErrorCode.AUTH_FAILED == 0x00010001
    assert wire.LossTolerancePolicy.INHERIT_SESSION == 255
    assert [stage.name for stage in wire.Stage] == ["LAYOUT", "MESSAGE", "SENDER", "PAIR", "BODY"]


def test_every_message_type_of_the_catalogue_is_there():
    assert {member.name.lower(): int(member) for member in wire.MessageType} == {
        name: data.message_code(name) for name in TABLE["messages"]
    }
    assert len(wire.MessageType) == 51


def test_closed_enum_reads_as_its_member():
    view = wire.SessionOpen.build(priority_class=1)
    assert view.priority_class is wire.SessionPriorityClass.BALANCED
    header = wire.parse_header(data.plain_messages()["frame_submit"])
    assert header.message_type is wire.MessageType.FRAME_SUBMIT


def test_mask_reads_as_flags():
    view = wire.SessionOpen.build(session_flags=5)
    assert view.session_flags == wire.SessionFlags.ALLOW_RESUME | wire.SessionFlags.ALLOW_CACHE_LEASES
    assert isinstance(view.session_flags, wire.SessionFlags)
    assert isinstance(wire.SessionOpen.build().session_flags, wire.SessionFlags), "no bit set is still a flag value"


def test_flags_without_a_layout_rule_keep_unknown_bits_as_a_number():
    """object_ref_mask is checked at the message stage, so a layout may hold any u32 there (wire.md 6.1)."""
    known = wire.FrameSubmit.build(operation_id=1, object_ref_mask=0xF).object_ref_mask
    assert isinstance(known, wire.SubmitObjectRefMask)
    unknown = wire.FrameSubmit.build(operation_id=1, object_ref_mask=0x1F).object_ref_mask
    assert type(unknown) is int
    assert unknown == 0x1F


def test_open_registry_reads_as_member_when_known_and_as_number_when_not():
    view = wire.ControlRequest.build(reason_code=1)
    assert view.reason_code is wire.ReasonCode.USER_CANCELLED
    private = wire.ControlRequest.build(reason_code=0x8001).reason_code
    assert type(private) is int
    assert private == 0x8001


def test_error_code_registry_is_open():
    assert wire.Error.build(error_code=1).error_code is wire.ErrorMessageCode.UNSUPPORTED_VERSION
    assert wire.Error.build(error_code=0xFFFF).error_code == 0xFFFF


def test_numbers_and_magic_read_plain():
    header = wire.parse_header(data.plain_messages()["ping"])
    assert header.magic == b"NNRP"
    assert type(header.magic) is bytes
    assert type(header.session_id) is int
    assert type(wire.Error.build(is_fatal=1).is_fatal) is int


def test_signed_field_keeps_its_sign():
    view = wire.Scheduling.build(priority_delta=-5)
    assert view.priority_delta == -5
    assert bytes(view)[18:20] == b"\xfb\xff"
    assert wire.Scheduling.parse(bytes(view)).as_dict()["priority_delta"] == -5


def test_builders_take_enum_members_and_numbers_alike():
    by_name = wire.SessionClose.build(
        close_reason=wire.SessionCloseReason.IDLE_TIMEOUT, in_flight_policy=wire.InFlightPolicy.ABORT
    )
    assert by_name == wire.SessionClose.build(close_reason=3, in_flight_policy=1)


def test_as_dict_holds_plain_numbers_that_equal_the_members():
    fields = wire.SessionOpen.build(priority_class=2, session_flags=1).as_dict()
    assert fields["priority_class"] == wire.SessionPriorityClass.BACKGROUND
    assert fields["session_flags"] == wire.SessionFlags.ALLOW_RESUME
    assert all(isinstance(value, (int, bytes)) for value in fields.values())
