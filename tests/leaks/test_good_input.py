"""Good packets, over and over, leave nothing behind either."""

from __future__ import annotations

import textwrap

from wirekit import child
from wirekit.memory import SLACK

PRELUDE = """
from wirekit import data, memory, raw
from nnrp_wire import wire

def grown(work, rounds, warm=3):
    for _ in range(warm):
        work()
    memory.settle()
    before = memory.resident_bytes()
    for _ in range(rounds):
        work()
    memory.settle()
    return memory.resident_bytes() - before
"""


def in_child(code: str) -> int:
    """How many bytes the process grew by."""
    return int(child.run(PRELUDE + textwrap.dedent(code)))


def test_parsing_and_reading_everything():
    growth = in_child("""
        sources = [*data.packets().values(), *(bytes.fromhex(row["hex"]) for row in data.vectors("body", ok=True))]
        sources = [*sources, *map(bytearray, sources)]

        def once():
            for source in sources:
                packet = wire.parse_packet(source)
                repr(packet), packet.to_bytes(), packet.copy(), packet.header.as_dict(), packet == packet.copy()
                if packet.metadata is not None:
                    packet.metadata.as_dict(), packet.metadata.replace(), hash(packet.metadata), repr(packet.metadata)
                if packet.message_type not in (0x10, 0x12):
                    try:
                        wire.message_tails(packet)
                    except wire.DeclaredLengthMismatch:
                        pass
                    continue
                cut = wire.frame_submit_body if packet.message_type == 0x10 else wire.result_push_body
                try:
                    body = cut(packet)
                except wire.WireError:
                    continue
                list(body.objects), list(body.references), list(body.typed_payloads), list(body.extensions)
                body.camera, body.tile_ids, [section.payloads for section in body.sections], repr(body), body.prelude

        print(grown(once, 250))
    """)
    assert growth < SLACK


def test_reading_streams():
    growth = in_child("""
        stream = b"".join(data.packets().values())
        big = raw.packet("close", b"", bytes(300_000))

        def once():
            reader = wire.PacketReader()
            for size in (1000, 97, 13):
                for at in range(0, len(stream), size):
                    reader.feed(stream[at : at + size])
                    for packet in reader:
                        packet.body
            for at in range(0, len(big), 50_000):
                reader.feed(big[at : at + 50_000])
            for packet in reader:
                packet.to_bytes()
            reader.feed(stream[:333])
            list(wire.iter_packets(stream)), wire.scan(stream), wire.is_utf8(stream)

        print(grown(once, 150))
    """)
    assert growth < SLACK


def test_building():
    growth = in_child("""
        big = bytes(100_000)
        target = bytearray(200_000)
        found = data.layout_seeds()
        seeds = [(wire.VIEWS[name], raw.read(name, seed)) for name in found for seed in found[name]]

        def once():
            for view_class, fields in seeds:
                view_class.build(**fields), view_class.build_into(target, 0, **fields)
            options = {"session_id": 1, "frame_id": 2, "operation_id": 3}
            for payload in (b"small", big):
                wire.build_frame_submit(wire.TypedPayload(payload), **options)
                wire.build_frame_submit_buffers(wire.TypedPayload(payload), **options)
                wire.build_frame_submit_into(target, 0, wire.TypedPayload(payload), **options)
                wire.build_partial_result(payload, result_sequence=1, **options)
                wire.build_partial_result_buffers(payload, result_sequence=1, **options)
                wire.build_packet(0x05, None, payload)
            slot = wire.ResultSlot(1, 2, 3)
            slot.partial_result(b"x")
            slot.result_push(wire.TypedPayload(b"y"))
            wire.tile_index_encode(3, range(100))
            wire.build_recovery_ticket(b"token", session_id=1, resume_window_ms=1)

        print(grown(once, 300))
    """)
    assert growth < SLACK


def test_members_made_on_first_use_are_bounded():
    """Every flag value of every mask is asked for: what is kept is at most one member per value, not one per read."""
    growth = in_child("""
        views = [wire.parse_header(raw.packet("ping", flags=flags)) for flags in range(64)]

        def once():
            for view in views:
                view.flags, view.message_type, view.as_dict()

        print(grown(once, 5000))
    """)
    assert growth < SLACK
