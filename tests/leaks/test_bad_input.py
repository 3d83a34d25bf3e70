"""A million bad packets of many kinds: no memory stays behind (msgpack-python #671, hiredis-py #204, aioquic #273).

In a child process, so that what other tests keep does not blur the picture.
"""

from __future__ import annotations

import textwrap

from wirekit import child
from wirekit.memory import SLACK

PRELUDE = """
import gc
from wirekit import data, memory, raw
from wirekit.lying import VARIANTS
from nnrp_wire import wire
from nnrp_wire.errors import NnrpError, WireError

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


BAD = """
bad = []                                            # (call, source): each is refused
for source in data.packets().values():
    for mutant in (
        source[:-1], source + b"x", b"XXXX" + source[4:], raw.patch(source, 4, 9, 1), raw.patch(source, 5, 9, 1),
        raw.patch(source, 6, 0xEE, 1), raw.patch(source, 7, 9, 1), raw.patch(source, 8, 0x40, 1), source[:39],
        raw.patch(source, 12, 0xFFFFFFFF, 4), raw.patch(source, 16, 0xFFFFFFFF, 4),
    ):
        bad.append((wire.parse_packet, mutant))
        bad.append((wire.parse_packet, bytearray(mutant)))
for row in data.vectors("layout", ok=False):
    bad.append((wire.VIEWS[row["layout"]].parse, bytes.fromhex(row["hex"])))
    bad.append((wire.VIEWS[row["layout"]].parse, bytearray.fromhex(row["hex"])))
for row in data.vectors("body", ok=False):
    for wrap in (bytes, bytearray):
        packet = wire.parse_packet(wrap(bytes.fromhex(row["hex"])))
        bad.append((wire.check_body, packet))
        cut = wire.frame_submit_body if packet.message_type == 0x10 else wire.result_push_body
        bad.append((cut, packet))
for source, _ in VARIANTS.values():
    bad.append((lambda source: wire.check_body(wire.parse_packet(source)), source))
ping = data.plain_messages()["ping"]
for broken in (b"X" * 60, raw.patch(ping, 8, 0x40, 1), raw.packet("ping", body_len=1 << 31)):
    def stream(source):
        reader = wire.PacketReader()
        reader.feed(ping + source[:20])
        list(reader)
        reader.feed(source[20:])
        list(reader)
    bad.append((stream, broken))
    bad.append((lambda source: list(wire.iter_packets(source)), ping + broken))
bad.append((wire.parse_recovery_ticket, b"NRTK" + bytes(40)))
bad.append((wire.control_extensions, b"\\x01\\x01\\0\\0\\x09\\0\\0\\0" + bytes(16)))
bad.append((lambda source: wire.typed_region(source, b"", 16, 1), b"x" * 24))
bad.append((lambda source: wire.reference_region(source, 1, 1), b"x" * 24))
bad.append((lambda source: wire.tile_index_decode(3, source, 9), bytearray(9)))
kinds = set()

def once():
    for call, source in bad:
        try:
            call(source)
        except WireError as error:
            kinds.add(error.error_class)
        else:
            raise AssertionError((call, source))
"""


def test_a_million_bad_packets():
    growth = in_child(
        BAD
        + """
rounds = 1_000_000 // len(bad) + 1
growth = grown(once, rounds)
assert rounds * len(bad) >= 1_000_000
assert len(kinds) >= 14, kinds
print(growth)
"""
    )
    assert growth < SLACK


def test_refused_builds():
    growth = in_child("""
        rows = [row for row in data.vectors("layout", ok=False) if "fields" in row]
        target = bytearray(100)

        def once():
            for row in rows:
                fields = {name: v.encode() if isinstance(v, str) else v for name, v in row["fields"].items()}
                view_class = wire.VIEWS[row["layout"]]
                for call in (lambda: view_class.build(**fields), lambda: view_class.build_into(target, 0, **fields),
                             lambda: view_class.build(nothing=1), lambda: view_class.build_into(b"", 0),
                             lambda: view_class.build(**{**fields, next(iter(fields)): 1 << 99})):
                    try:
                        call()
                    except (NnrpError, TypeError, BufferError):
                        continue
                    raise AssertionError(row)

        print(grown(once, 150))
    """)
    assert growth < SLACK


def test_wrong_arguments():
    growth = in_child("""
        good = data.plain_messages()["ping"]
        packet = wire.parse_packet(good)
        strided = memoryview(good * 2)[::2]
        calls = [
            lambda: wire.parse_packet(strided), lambda: wire.parse_header("text"), lambda: wire.parse_packet(good, -1),
            lambda: wire.parse_packet(good, 1 << 70), lambda: wire.PacketReader().feed(strided),
            lambda: wire.scan(strided), lambda: wire.frame_submit_body(packet),
            lambda: wire.check_pair(packet, packet), lambda: wire.check_body(None),
            lambda: wire.payload_kinds(0x80), lambda: wire.payload_kind_bitmap([3]), lambda: hash(packet.header[0]),
            lambda: wire.tile_index_encode(1, [70000]), lambda: wire.patch_header(good, session_id=1),
            lambda: wire.build_packet(0, None), lambda: wire.build_packet(0x20, b"", strided),
            lambda: wire.PacketReader(max_packet_bytes="x"), lambda: wire.ResultSlot(), lambda: wire.TypedPayload(),
        ]

        def once():
            for call in calls:
                try:
                    call()
                except Exception:
                    continue
                raise AssertionError(call)

        print(grown(once, 8000))
    """)
    assert growth < SLACK
