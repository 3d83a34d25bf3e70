"""Every single-byte change of every layout and packet agrees with the slow reading of the rules."""

from __future__ import annotations

import pytest
from wirekit import data, oracle, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

FLIPS = [1 << bit for bit in range(8)]


def verdict(call, *arguments) -> str | None:
    """The error class, or None. Anything but a WireError is a failure."""
    try:
        call(*arguments)
    except WireError as error:
        return error.error_class
    return None


def values_at(byte: int) -> set[int]:
    """The eight single-bit flips, the two ends, and one step in each direction."""
    found = {byte ^ flip for flip in FLIPS} | {0, 0xFF, (byte + 1) & 0xFF, (byte - 1) & 0xFF}
    return found - {byte}


def changed(source: bytes, at: int, value: int) -> bytes:
    return source[:at] + bytes((value,)) + source[at + 1 :]


@pytest.mark.parametrize("name", data.table()["layouts"])
def test_layout(name):
    """All 255 other values at every byte: refused exactly when the table refuses, with the same class."""
    view_class = wire.VIEWS[name]
    source = max(data.layout_seeds()[name], key=lambda found: sum(byte != 0 for byte in found))
    for at in range(len(source)):
        for value in range(256):
            mutant = changed(source, at, value)
            expected = oracle.layout_error(name, mutant)
            assert verdict(view_class.parse, mutant) == expected, (at, value)
            if expected is None:
                view = view_class.parse(mutant)
                assert bytes(view) == mutant
                assert view.as_dict() == raw.read(name, mutant)
                assert bytes(view_class.build(**view.as_dict())) == mutant


def test_two_bytes_of_every_layout():
    """Two breaches at once: the first check of the table wins."""
    for name, seeds in data.layout_seeds().items():
        view_class, source = wire.VIEWS[name], seeds[0]
        for first in range(len(source)):
            for second in range(first + 1, len(source), 3):
                mutant = changed(changed(source, first, source[first] ^ 0xFF), second, source[second] ^ 0x80)
                assert verdict(view_class.parse, mutant) == oracle.layout_error(name, mutant), (name, first, second)


def test_packet_header_and_metadata():
    """Every packet vector: each byte of header and metadata, in bytes and in mutable memory."""
    for name, source in data.packets().items():
        head = 40 + raw.read("common_header", source)["meta_len"]
        for at in range(head):
            for value in values_at(source[at]):
                mutant = changed(source, at, value)
                expected = oracle.packet_error(mutant)
                assert verdict(wire.parse_packet, mutant) == expected, (name, at, value)
                assert verdict(wire.parse_packet, bytearray(mutant)) == expected, (name, at, value)
                if expected is None:
                    packet = wire.parse_packet(mutant)
                    assert packet.to_bytes() == mutant
                    ruling = oracle.rule_error(mutant, "message")
                    assert verdict(wire.check_message, packet) == ruling, (name, at, value)


def test_packet_rules_in_strict_mode():
    """Message and sender stage of every message against the table, byte by byte of the metadata."""
    for name, source in data.packets().items():
        for at in range(40, 40 + raw.read("common_header", source)["meta_len"]):
            for value in values_at(source[at]):
                mutant = changed(source, at, value)
                if oracle.packet_error(mutant) is None:
                    packet = wire.parse_packet(mutant)
                    expected = oracle.rule_error(mutant, "message") or oracle.rule_error(mutant, "sender")
                    found = verdict(lambda packet=packet: wire.check_message(packet, strict=True))
                    assert found == expected, (name, at, value)


def regions(body: wire.DataPlaneBody) -> list[object]:
    """Everything a body offers, read to the last byte, so that a bad span would be touched."""
    found: list[object] = [body.prelude and bytes(body.prelude), body.camera and bytes(body.camera)]
    parts = (body.objects, body.typed_payloads, body.extensions)
    found += [[(bytes(one), bytes(payload)) for one, payload in part] for part in parts]
    found.append([bytes(block) for block in body.references])
    found.append(tuple(body.tile_ids or ()))
    found += [
        (bytes(one.descriptor), one.codec_ids, one.lengths, [bytes(payload) for payload in one.payloads])
        for one in body.sections
    ]
    return found


def test_body_bytes():
    """Each byte of every body vector: both ways in agree over both kinds of memory; what is accepted is readable."""
    for row in data.vectors("body"):
        source = bytes.fromhex(row["hex"])
        cut = {"frame_submit": wire.frame_submit_body, "result_push": wire.result_push_body}[row["metadata_layout"]]
        for at in range(40, len(source)):
            for value in values_at(source[at]):
                mutant = changed(source, at, value)
                if oracle.packet_error(mutant) is not None:
                    continue
                packet, moving = wire.parse_packet(mutant), wire.parse_packet(bytearray(mutant))
                found = verdict(wire.check_body, packet)
                assert verdict(cut, packet) == found, (row["id"], at, value)
                assert verdict(cut, moving) == found, (row["id"], at, value)
                assert verdict(wire.check_body, moving) == found, (row["id"], at, value)
                if found is None:
                    assert regions(cut(packet)) == regions(cut(moving))
                else:
                    assert found in (
                        "source_too_short",
                        "unknown_enum_value",
                        "reserved_bits_set",
                        "non_zero_reserved_field",
                        "invalid_protocol_combination",
                        "message_length_overflow",
                    )


def test_tails_of_every_message():
    """Length fields of metadata changed bit by bit: tails add up or are refused, and are readable when they do."""
    for source in data.packets().values():
        head = 40 + raw.read("common_header", source)["meta_len"]
        if source[6] in (0x10, 0x12):
            continue
        for at in range(40, head):
            for flip in FLIPS:
                mutant = changed(source, at, source[at] ^ flip) + b""
                if oracle.packet_error(mutant) is None:
                    packet = wire.parse_packet(mutant)
                    try:
                        tails = wire.message_tails(packet)
                    except WireError as error:
                        assert error.error_class == "declared_length_mismatch"
                    else:
                        assert b"".join(bytes(tail) for tail in tails.values()) == bytes(packet.body)


def test_recovery_ticket_bytes():
    source = raw.layout("recovery_ticket_prefix", version=1, session_id=1, token_len=5, resume_window_ms=1) + b"token"
    for at in range(28):
        for value in range(256):
            mutant = changed(source, at, value)
            found = verdict(wire.parse_recovery_ticket, mutant)
            expected = oracle.layout_error("recovery_ticket_prefix", mutant)
            if expected is None and raw.read("recovery_ticket_prefix", mutant)["token_len"] != 5:
                expected = "invalid_recovery_ticket"
            assert found == expected, (at, value)
