"""The exception tree, and what each error carries (wire.md section 10)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from wirekit import data, raw

from nnrp_wire import errors, wire
from nnrp_wire.errors import (
    FieldOutOfRange,
    NnrpError,
    ReaderOverrun,
    SlotFinished,
    UsageError,
    WireError,
)

CODEC_CLASSES = [name for name, row in data.table()["errors"].items() if row["layer"] == "codec"]
HEADER = data.plain_messages()["ping"]
SUBMIT = raw.typed_submit([b"{}"])


def test_codec_owns_seventeen_classes():
    assert len(CODEC_CLASSES) == 17


@pytest.mark.parametrize("name", CODEC_CLASSES)
def test_one_class_per_error_class(name):
    kind = getattr(errors, data.class_name(name))
    assert issubclass(kind, WireError)
    assert kind.error_class == name
    assert kind is getattr(wire, data.class_name(name))
    assert kind.__doc__


def test_the_tree():
    assert issubclass(NnrpError, Exception)
    assert WireError.__mro__[1:3] == (NnrpError, ValueError)
    assert issubclass(UsageError, NnrpError)
    assert not issubclass(UsageError, WireError), "peers' faults and our caller's faults are different branches"
    assert issubclass(FieldOutOfRange, (UsageError,))
    assert issubclass(FieldOutOfRange, ValueError)
    for kind in (SlotFinished, ReaderOverrun):
        assert issubclass(kind, UsageError)
        assert not issubclass(kind, ValueError)


def test_session_and_carrier_classes_belong_to_the_floors_above():
    for name, row in data.table()["errors"].items():
        if row["layer"] != "codec":
            assert not hasattr(errors, data.class_name(name)), name


def caught(call: Callable[[], object]) -> WireError:
    with pytest.raises(WireError) as info:
        call()
    return info.value


def carries(error: WireError, **expected: object) -> None:
    assert {name: getattr(error, name) for name in expected} == expected
    assert isinstance(error.rule, str)
    assert error.rule
    assert isinstance(error.stage, wire.Stage)


# One case for each class, with the exact attributes.


def test_source_too_short():
    error = caught(lambda: wire.ClientHello.parse(bytes(63)))
    assert type(error) is errors.SourceTooShort
    carries(error, layout="client_hello", expected=64, found=63, stage=wire.Stage.LAYOUT)
    assert isinstance(error.offset, int)


def test_destination_too_short():
    error = caught(lambda: wire.TransportProbe.build_into(bytearray(15), 0))
    assert type(error) is errors.DestinationTooShort
    carries(error, layout="transport_probe", expected=16, found=15, stage=wire.Stage.LAYOUT)


def test_invalid_magic():
    error = caught(lambda: wire.parse_header(b"HTTP" + HEADER[4:]))
    assert type(error) is errors.InvalidMagic
    carries(error, layout="common_header", field="magic", offset=0, stage=wire.Stage.LAYOUT)


def test_unsupported_version_major():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 4, 2, 1)))
    assert type(error) is errors.UnsupportedVersionMajor
    carries(error, layout="common_header", field="version_major", offset=4, expected=1, found=2)


def test_unsupported_wire_format():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 5, 1, 1)))
    assert type(error) is errors.UnsupportedWireFormat
    carries(error, layout="common_header", field="wire_format", offset=5, expected=0, found=1)


def test_invalid_header_length():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 7, 44, 1)))
    assert type(error) is errors.InvalidHeaderLength
    carries(error, layout="common_header", field="header_len", offset=7, expected=40, found=44)


def test_reserved_bits_set():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 8, 0x41, 4)))
    assert type(error) is errors.ReservedBitsSet
    carries(error, layout="common_header", field="flags", offset=8, expected=0x3F, found=0x41)


def test_unknown_message_type():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 6, 0x7F, 1)))
    assert type(error) is errors.UnknownMessageType
    carries(error, layout="common_header", field="message_type", offset=6, found=0x7F)


def test_unknown_enum_value():
    error = caught(lambda: wire.SessionClose.parse(raw.layout("session_close", close_reason=99)))
    assert type(error) is errors.UnknownEnumValue
    carries(error, layout="session_close", field="close_reason", offset=0, found=99, stage=wire.Stage.LAYOUT)
    assert "close_reason" in str(error)


def test_non_zero_reserved_field():
    error = caught(lambda: wire.SessionOpen.parse(raw.layout("session_open", reserved0=7)))
    assert type(error) is errors.NonZeroReservedField
    carries(error, layout="session_open", field="reserved0", offset=22, expected=0, found=7)


def test_invalid_protocol_combination():
    error = caught(lambda: wire.FrameSubmit.parse(raw.layout("frame_submit")))
    assert type(error) is errors.InvalidProtocolCombination
    carries(error, layout="frame_submit", field="operation_id", offset=40, found=0)
    assert error.rule == "operation_id != 0"


def test_packet_length_mismatch():
    error = caught(lambda: wire.parse_packet(SUBMIT + b"x"))
    assert type(error) is errors.PacketLengthMismatch
    carries(error, expected=len(SUBMIT), found=len(SUBMIT) + 1, stage=wire.Stage.LAYOUT)


def test_declared_length_mismatch():
    packet = wire.parse_packet(raw.packet("error", raw.layout("error", diagnostic_bytes=5), b"four"))
    error = caught(lambda: wire.check_body(packet))
    assert type(error) is errors.DeclaredLengthMismatch
    carries(error, expected=5, found=4, stage=wire.Stage.BODY)


def test_message_length_overflow():
    error = caught(lambda: wire.parse_packet(raw.packet("ping", meta_len=raw.U32_MAX, body_len=1)))
    assert type(error) is errors.MessageLengthOverflow
    carries(error, stage=wire.Stage.LAYOUT)


def test_frame_too_large():
    error = caught(lambda: wire.parse_packet(SUBMIT, max_packet_bytes=len(SUBMIT) - 1))
    assert type(error) is errors.FrameTooLarge
    carries(error, expected=len(SUBMIT) - 1, found=len(SUBMIT), stage=wire.Stage.LAYOUT)


def test_unexpected_message():
    packet = wire.parse_packet(raw.packet("session_close_ack", raw.layout("session_close_ack") + b"??"))
    error = caught(lambda: wire.check_message(packet))
    assert type(error) is errors.UnexpectedMessage
    carries(error, field="meta_len", expected=16, found=18, stage=wire.Stage.MESSAGE)


def test_invalid_recovery_ticket():
    error = caught(lambda: wire.parse_recovery_ticket(b"NRTK"))
    assert type(error) is errors.InvalidRecoveryTicket
    assert error.layout == "recovery_ticket_prefix"


def test_every_class_has_a_case_above():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert set(CODEC_CLASSES) <= tested


# Places.


def test_metadata_errors_of_a_packet_are_placed_in_the_packet():
    broken = raw.patch(SUBMIT, 40 + 15, 1, 1)
    error = caught(lambda: wire.parse_packet(broken))
    carries(error, layout="frame_submit", field="reserved0", offset=55, stage=wire.Stage.LAYOUT)


def test_layout_errors_are_placed_in_the_layout_wherever_it_lies():
    shifted = b"\0" * 3 + raw.layout("session_open", reserved0=7)
    error = caught(lambda: wire.SessionOpen.parse(shifted, 3))
    carries(error, field="reserved0", offset=22)


def test_builder_errors_carry_the_same_attributes():
    parsed = caught(lambda: wire.SessionOpen.parse(raw.layout("session_open", reserved0=7)))
    built = caught(lambda: wire.SessionOpen.build(reserved0=7))
    for name in ("error_class", "layout", "field", "offset", "expected", "found", "rule", "stage"):
        assert getattr(built, name) == getattr(parsed, name), name


def test_stages_are_named_by_the_call_that_ran_them():
    partial = wire.parse_packet(raw.packet("partial_result", raw.layout("partial_result")))
    assert caught(lambda: wire.check_message(partial)).stage is wire.Stage.MESSAGE
    stale = wire.parse_packet(raw.result(b"", result_class=2))
    wire.check_message(stale)
    assert caught(lambda: wire.check_message(stale, strict=True)).stage is wire.Stage.SENDER
    assert caught(lambda: wire.frame_submit_body(wire.parse_packet(raw.submit(b"")))).stage is wire.Stage.BODY


def test_body_errors_name_layout_and_field_of_the_region():
    descriptors, frames = raw.typed([b"{}"])
    broken = raw.patch(descriptors, 14, 5, 2)
    packet = wire.parse_packet(
        raw.submit(raw.body(descriptors=broken, frames=frames), payload_kind_bitmap=16, payload_frame_count=1)
    )
    error = caught(lambda: wire.frame_submit_body(packet))
    assert type(error) is errors.NonZeroReservedField
    carries(error, layout="typed_payload_descriptor", field="reserved0", found=5, stage=wire.Stage.BODY)
    assert 0 <= error.offset < len(packet)


# What an error says and is.


def test_message_is_one_readable_line():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 8, 0x41, 4)))
    text = str(error)
    assert "\n" not in text
    assert "common_header" in text
    assert "flags" in text
    assert len(text) < 400


def test_errors_are_plain_exceptions():
    error = caught(lambda: wire.parse_header(b""))
    assert isinstance(error, ValueError)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert repr(error).startswith("SourceTooShort(")


def test_errors_travel_between_processes():
    error = caught(lambda: wire.parse_header(raw.patch(HEADER, 8, 0x41, 4)))
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(made) is type(error)
        assert str(made) == str(error)
        for name in ("layout", "field", "offset", "expected", "found", "rule", "stage"):
            assert getattr(made, name) == getattr(error, name)


def test_the_same_error_again_is_another_object():
    """A raised exception is written to by the interpreter; handing out one object twice would mix two tracebacks."""
    one, other = (caught(lambda: wire.parse_header(b"")) for _ in range(2))
    assert one is not other
    assert str(one) == str(other)


def test_wrong_types_are_type_errors():
    for thing in ("text", 5, None, object(), [1, 2]):
        with pytest.raises(TypeError):
            wire.parse_header(thing)
        with pytest.raises(TypeError):
            wire.parse_packet(thing)
        with pytest.raises(TypeError):
            wire.TransportProbe.parse(thing)
        with pytest.raises(TypeError):
            wire.PacketReader().feed(thing)
        with pytest.raises(TypeError):
            wire.is_utf8(thing)
    for call in (wire.check_message, wire.check_body, wire.message_tails, wire.frame_submit_body):
        with pytest.raises(TypeError):
            call(SUBMIT)
        with pytest.raises(TypeError):
            call(None)


def test_the_tree_is_drawn_in_the_module():
    text = errors.__doc__ or ""
    for name in ["NnrpError", "WireError", "UsageError", *map(data.class_name, CODEC_CLASSES)]:
        assert name in text
