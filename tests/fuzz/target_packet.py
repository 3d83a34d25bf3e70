"""Any bytes as a packet and as all else that can be parsed: documented errors, and what is accepted can be rebuilt.

Input: what to parse(1) | its arguments | bytes.
"""

from __future__ import annotations

import itertools

from fuzz_support import Choices, everything, rebuilt, verdict

from nnrp_wire import wire

VIEWS = list(wire.VIEWS.values())


def packet(choices: Choices) -> None:
    source = choices.rest()
    everything(source)
    accepted, _ = verdict(wire.parse_packet, source)
    if accepted is not None:
        assert accepted.to_bytes() is source
        assert rebuilt(accepted) == source
        assert wire.parse_packet(source) == accepted
        assert hash(accepted.copy()) == hash(accepted)


def packet_inside(choices: Choices) -> None:
    """A packet behind other bytes: the answers of the same bytes alone, and offsets counted from its start."""
    pos, limit = choices.number(), choices.number(2)
    source = choices.rest()
    alone = verdict(wire.parse_packet, source[pos:], max_packet_bytes=limit)
    inside = verdict(wire.parse_packet, source, pos, max_packet_bytes=limit)
    assert inside == alone


def view(choices: Choices) -> None:
    cls = choices.pick(VIEWS)
    source = choices.rest()
    found, _ = verdict(cls.parse, source)
    if found is None:
        return
    values = found.as_dict()
    assert bytes(found) == source[: cls.size]
    assert cls.build(**values) == found == found.replace(**values) == found.copy()
    assert hash(found.copy()) == hash(found)
    for name in found.__match_args__:
        assert getattr(found, name) == values[name]
    repr(found)


def pair(choices: Choices) -> None:
    """Two packets back to back: does the second answer the first?"""
    source = choices.rest()
    both, _ = verdict(lambda: list(itertools.islice(wire.iter_packets(source), 2)))
    if both is None or len(both) < 2:
        return
    try:
        verdict(wire.check_pair, *both)
    except TypeError as error:
        assert "is not the request of" in str(error)  # anything else is a bug


def control_extensions(choices: Choices) -> None:
    block = choices.rest()
    entries, _ = verdict(wire.control_extensions, block)
    if entries is not None:
        made = b""
        for head, value in entries:
            made += bytes(head) + bytes(value) + bytes(-len(value) % 8)
        assert made == block


def typed_region(choices: Choices) -> None:
    bitmap, count = choices.number(), choices.number()
    descriptors, frames = choices.piece(24 * (choices.number() % 8)), choices.rest()
    rows, _ = verdict(wire.typed_region, descriptors, frames, bitmap, count)
    if rows is not None:
        assert b"".join(bytes(row) for row, _ in rows) == descriptors
        assert b"".join(bytes(payload) for _, payload in rows) == frames


def reference_region(choices: Choices) -> None:
    mode, mask = choices.number(), choices.number(4)
    region = choices.rest()
    rows, _ = verdict(wire.reference_region, region, mode, mask)
    if rows is not None:
        assert b"".join(map(bytes, rows)) == region


def extension_region(choices: Choices) -> None:
    descriptors, payloads = choices.piece(16 * (choices.number() % 8)), choices.rest()
    rows, _ = verdict(wire.extension_region, descriptors, payloads)
    if rows is not None:
        assert b"".join(bytes(payload) for _, payload in rows) == payloads


def recovery_ticket(choices: Choices) -> None:
    source = choices.rest()
    found, _ = verdict(wire.parse_recovery_ticket, source)
    if found is not None:
        prefix, token = found
        fields = {name: value for name, value in prefix.as_dict().items() if name != "token_len"}
        assert wire.build_recovery_ticket(token, **fields) == source


def utf8(choices: Choices) -> None:
    source = choices.rest()
    try:
        source.decode("utf-8")
        good = True
    except UnicodeDecodeError:
        good = False
    assert wire.is_utf8(source) is good


def columns(choices: Choices) -> None:
    """Many equal layouts at once, against one view after the other."""
    cls = choices.pick(VIEWS)
    source = choices.rest()
    one_by_one = [verdict(cls.parse, source, at)[0] for at in range(0, len(source), cls.size)]
    rows, error = verdict(wire.columns, cls, source)
    if rows is None:
        assert None in one_by_one
        assert error is not None
        return
    assert None not in one_by_one
    assert len(rows) == len(one_by_one)
    assert rows.tobytes() == source


TARGETS = (
    packet,
    packet_inside,
    view,
    pair,
    control_extensions,
    typed_region,
    reference_region,
    extension_region,
    recovery_ticket,
    utf8,
    columns,
)


def one_input(data: bytes) -> None:
    choices = Choices(data)
    choices.pick(TARGETS)(choices)
