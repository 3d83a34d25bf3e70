"""Recovery tickets: a local record, not a message (wire.md section 9, "Recovery ticket"; S-25)."""

from __future__ import annotations

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire
from nnrp_wire.errors import InvalidRecoveryTicket

FIELDS = {"session_id": 7, "resume_window_ms": 9}


def ticket(token: bytes = b"token", **fields: int | str) -> bytes:
    values = {"version": 1, "token_len": len(token), **FIELDS, **fields}
    return raw.layout("recovery_ticket_prefix", values) + token


def test_parse():
    source = ticket(flags=1, resume_from_operation_id=5)
    prefix, token = wire.parse_recovery_ticket(source)
    assert type(prefix) is wire.RecoveryTicketPrefix
    assert (prefix.session_id, prefix.resume_window_ms, prefix.resume_from_operation_id) == (7, 9, 5)
    assert prefix.flags == wire.RecoveryTicketFlags.RESUME_FROM_OPERATION_ID_PRESENT
    assert isinstance(token, memoryview)
    assert token.readonly
    assert bytes(token) == b"token"
    assert memory.address_of(token) == memory.address_of(source) + 28


def test_build_is_the_inverse():
    assert wire.build_recovery_ticket(b"token", **FIELDS) == ticket()
    full = wire.build_recovery_ticket(b"t" * 4096, **FIELDS, flags=1, resume_from_operation_id=5)
    assert full == ticket(b"t" * 4096, flags=1, resume_from_operation_id=5)
    assert type(full) is bytes
    for token in (bytearray(b"token"), memoryview(b"token")):
        assert wire.build_recovery_ticket(token, **FIELDS) == ticket()


BAD = [
    {"magic": "NRTX"},
    {"version": 0},
    {"version": 2},
    {"flags": 2, "resume_from_operation_id": 1},
    {"session_id": 0},
    {"resume_window_ms": 0},
    {"flags": 1},
    {"resume_from_operation_id": 1},
    {"token_len": 0},
    {"token_len": 4},
    {"token_len": 6},
    {"token_len": raw.U32_MAX},
]


@pytest.mark.parametrize("fields", BAD)
def test_every_failure_is_the_one_class(fields):
    with pytest.raises(InvalidRecoveryTicket) as caught:
        wire.parse_recovery_ticket(ticket(**fields))
    assert caught.value.error_class == "invalid_recovery_ticket"


@pytest.mark.parametrize("fields", [row for row in BAD if "token_len" not in row])
def test_builder_refuses_the_same(fields):
    values = {name: value.encode() if isinstance(value, str) else value for name, value in fields.items()}
    with pytest.raises(InvalidRecoveryTicket):
        wire.build_recovery_ticket(b"token", **{**FIELDS, **values})


@pytest.mark.parametrize("token", [b"", b"t" * 4097])
def test_token_length(token):
    with pytest.raises(InvalidRecoveryTicket):
        wire.parse_recovery_ticket(ticket(token))
    with pytest.raises(InvalidRecoveryTicket):
        wire.build_recovery_ticket(token, **FIELDS)


def test_every_truncation_and_a_byte_too_many():
    source = ticket()
    for size in range(len(source)):
        with pytest.raises(InvalidRecoveryTicket):
            wire.parse_recovery_ticket(source[:size])
    for other in (source[:-1], source + b"x"):
        with pytest.raises(InvalidRecoveryTicket) as caught:
            wire.parse_recovery_ticket(other)
        assert data.broken_rule(caught.value) == "recovery_ticket_is_exact"


def test_prefix_alone_accepts_its_28_bytes():
    """The prefix checks alone accept 28 bytes; a whole ticket must be exact."""
    source = ticket()[:28]
    assert wire.RecoveryTicketPrefix.parse(source).token_len == 5
    with pytest.raises(InvalidRecoveryTicket):
        wire.parse_recovery_ticket(source)


def test_unknown_fields():
    with pytest.raises(TypeError, match="no_such_field"):
        wire.build_recovery_ticket(b"token", **FIELDS, no_such_field=1)
