"""Input that ends at an unreadable page: reading one byte too far would end the process (picohttpparser's test).

Everything runs in a child process, so that a crash is a failed test and not a lost run.
"""

from __future__ import annotations

import textwrap

from wirekit import child

PRELUDE = """
from wirekit import data, raw
from wirekit.memory import guarded
from nnrp_wire import wire
from nnrp_wire.errors import NnrpError

def quiet(call, *arguments):
    try:
        return call(*arguments)
    except NnrpError:
        return None
"""


def in_child(code: str) -> None:
    assert child.run(PRELUDE + textwrap.dedent(code) + "\nprint('done')\n") == "done\n"


def test_the_guard_works():
    """The page after the data really cannot be read, or the tests below say nothing."""
    done = child.start("""
        import ctypes
        from wirekit.memory import guarded
        with guarded() as memory:
            assert bytes(memory.at_end(b"abc")) == ctypes.string_at(memory.end - 3, 3)
            print("read up to the end", flush=True)
            ctypes.string_at(memory.end - 3, 4)
    """)
    assert done.stdout == "read up to the end\n", done.stderr
    assert done.returncode != 0, "the next byte ends the process"


def test_layouts():
    in_child("""
        with guarded() as memory:
            for name, seeds in data.layout_seeds().items():
                view_class = wire.VIEWS[name]
                for source in seeds:
                    for size in range(len(source) + 1):
                        view = quiet(view_class.parse, memory.at_end(source[:size]))
                        if view is not None:
                            assert bytes(view) == source and view.as_dict() == raw.read(name, source)
                    for pos in (1, 7, len(source) - 1, len(source)):
                        assert quiet(view_class.parse, memory.at_end(source), pos) is None
    """)


def test_packets_and_their_stages():
    in_child("""
        with guarded(8) as memory:
            rows = [*data.packets().values(), *(bytes.fromhex(row["hex"]) for row in data.vectors("body"))]
            for source in rows:
                for size in range(len(source) + 1):
                    packet = quiet(wire.parse_packet, memory.at_end(source[:size]))
                    if size < len(source):
                        assert packet is None
                        continue
                    assert packet.to_bytes() == source
                    quiet(wire.check_message, packet)
                    quiet(wire.check_body, packet)
                    cuts = {0x10: wire.frame_submit_body, 0x12: wire.result_push_body}
                    body = quiet(cuts.get(packet.message_type, wire.message_tails), packet)
                    if isinstance(body, dict):
                        list(map(bytes, body.values()))
                    elif body:
                        for part in (body.objects, body.typed_payloads, body.extensions):
                            for one, payload in part:
                                bytes(one), bytes(payload)
                        for section in body.sections:
                            list(map(bytes, section.payloads))
                    del packet, body
    """)


def test_bodies_whose_lengths_lie():
    """Every 32-bit word of every body overwritten with numbers just past and far past the end."""
    in_child("""
        with guarded(8) as memory:
            for row in data.vectors("body"):
                source = bytes.fromhex(row["hex"])
                start = 40 + raw.read("common_header", source)["meta_len"]
                rest = len(source) - start
                for at in range(start, len(source) - 3, 4):
                    for lie in (rest - 1, rest, rest + 1, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF):
                        packet = wire.parse_packet(memory.at_end(raw.patch(source, at, max(lie, 0), 4)))
                        quiet(wire.check_body, packet)
                        del packet
    """)


def test_regions_and_small_codings():
    in_child("""
        with guarded(8) as memory:
            region, frames = raw.typed([b"abc", b"", b"de"])
            references = raw.reference(1) + raw.reference(7)
            for size in range(len(region) + 1):
                for count in range(4):
                    quiet(wire.typed_region, memory.at_end(region[:size]), frames, 16, count)
            for size in range(len(references) + 1):
                quiet(wire.reference_region, memory.at_end(references[:size]), 1, 1)
            for mode in range(4):
                for coded in (b"", b"\\x01", b"\\x01\\x02\\x03", b"\\x01\\0\\x02\\0", bytes(range(1, 64))):
                    for count in range(0, 70):
                        quiet(wire.tile_index_decode, mode, memory.at_end(coded), count)
            for text in ("plain é € 😀".encode() * 9, b"\\xe2\\x82", b"\\xf0\\x9f\\x98", b"a" * 64):
                for size in range(len(text) + 1):
                    wire.is_utf8(memory.at_end(text[:size]))
            block = raw.pad8(raw.layout("control_extension_entry_header", ext_type=0x4000, ext_len=5) + b"12345") * 2
            for size in range(len(block) + 1):
                quiet(wire.control_extensions, memory.at_end(block[:size]))
            ticket = raw.layout("recovery_ticket_prefix", version=1, session_id=1, token_len=5, resume_window_ms=1)
            for size in range(len(ticket + b"token") + 1):
                quiet(wire.parse_recovery_ticket, memory.at_end((ticket + b"token")[:size]))
    """)


def test_streams_and_scans():
    in_child("""
        with guarded(8) as memory:
            stream = b"".join(list(data.packets().values())[:12])
            for size in range(0, len(stream) + 1, 3):
                view = memory.at_end(stream[:size])
                reader = wire.PacketReader()
                reader.feed(view)
                for packet in reader:
                    packet.to_bytes()
                quiet(wire.scan, view)
                quiet(lambda: [packet.to_bytes() for packet in wire.iter_packets(view)])
                del view, reader
    """)


def test_declared_lengths_of_the_field_case():
    """C-01, with each packet directly before the unreadable page."""
    in_child("""
        from wirekit.lying import VARIANTS
        with guarded() as memory:
            for source, expected in VARIANTS.values():
                view = memory.at_end(source)
                quiet(lambda: wire.check_body(wire.parse_packet(view)))
                reader = wire.PacketReader()
                quiet(lambda: (reader.feed(view), reader.next_packet()))
                del view, reader
    """)
