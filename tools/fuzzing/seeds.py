"""First inputs of every fuzz target, made of the vectors. What stands before the subject is said in the target."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HEADER = 40
FRAME_SUBMIT, RESULT_PUSH = 0x10, 0x12

Row = dict[str, Any]


@cache
def vectors() -> list[Row]:
    rows: list[Row] = json.loads((ROOT / "tests/vectors/vectors.json").read_text(encoding="utf-8"))["vectors"]
    return rows


def hexed(*kinds: str) -> Iterator[tuple[Row, bytes]]:
    return ((row, bytes.fromhex(row["hex"])) for row in vectors() if row["kind"] in kinds)


def packets() -> list[bytes]:
    return [data for _, data in hexed("packet", "body", "flow_routing")]


@cache
def layouts() -> dict[str, Row]:
    found: dict[str, Row] = json.loads((ROOT / "schema/wire.json").read_text(encoding="utf-8"))["layouts"]
    return found


@cache
def layout_numbers() -> dict[str, int]:
    """The index that the core has for a layout, by its name."""
    text = (ROOT / "csrc/include/nnrp/table_generated.h").read_text(encoding="utf-8")
    names = re.findall(r"^ +NNRP_L_(\w+)[,\n]", text, re.MULTILINE)
    return {name.lower(): number for number, name in enumerate(names)}


def little(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def header() -> Iterator[bytes]:
    for row, data in hexed("layout"):
        if row["layout"] == "common_header":
            yield b"\0" + data
    for data in packets():
        yield b"\0" + data[:HEADER]
        yield b"\1" + data


def metadata() -> Iterator[bytes]:
    examples = {row["layout"]: data for row, data in hexed("layout") if row["expect"] == "ok"}
    for row, data in hexed("layout", "semantic"):
        name = row["layout"]
        for message in range(3 if row["kind"] == "semantic" else 1):
            yield bytes((layout_numbers()[name], message)) + data
        request = layouts()[name].get("request")
        if request is not None:
            yield bytes((layout_numbers()[name], 0)) + data + bytes(HEADER) + examples[request]
    for row, data in hexed("packet", "body", "flow_routing"):
        if row.get("metadata_layout") is not None:
            meta_len = int.from_bytes(data[12:16], "little")
            yield (
                bytes((layout_numbers()[row["metadata_layout"]], 0)) + data[HEADER : HEADER + meta_len] + data[:HEADER]
            )


def packet() -> Iterator[bytes]:
    for data in packets():
        yield b"\0" + data
        yield b"\x82" + data


def body() -> Iterator[bytes]:
    for data in packets():
        if data[6] in (FRAME_SUBMIT, RESULT_PUSH):
            yield bytes((0, data[6] != FRAME_SUBMIT)) + data[HEADER:]


def streams() -> Iterator[bytes]:
    whole = packets()
    for first in range(0, len(whole), 3):
        yield b"".join(whole[first : first + 3])
    yield b"".join(whole[:12])


def stream() -> Iterator[bytes]:
    pieces = itertools.cycle([b"\0\0\0\0", b"\0\1\1\x27\x0f", b"\0\4\2\0\x28\x63", b"\1\2\0\xff"])
    for data, front in zip(streams(), pieces, strict=False):
        yield front + data


def tile_index() -> Iterator[bytes]:
    data = [b"", b"\1\0", b"\4\0\5\0\xff\xff", b"\4\0\1\0\xfa\xff", bytes(range(0, 64, 3)), b"\x81", b"\0\0\1"]
    for mode, way, index in itertools.product(range(4), range(4), data):
        yield bytes((mode, way)) + little(4, 4) + (little(len(index) // 2, 4) if way == 1 else b"") + index


def tables() -> Iterator[bytes]:
    for row, data in hexed("typed_region"):
        count, other = row["payload_frame_count"], len(row.get("payload_hex") or "") // 2
        yield bytes((0, row["payload_kind_bitmap"] & 0xFF)) + little(count, 2) + little(other, 2) + data
    for row, data in hexed("reference_region"):
        yield bytes((1, row["submit_mode"])) + little(row["object_ref_mask"] & 0xFFFF, 2) + little(0, 2) + data
    yield bytes((2, 0)) + little(0, 2) + little(7, 2) + bytes.fromhex("01800000000000000000000007000000")
    for extension in control_extension_blocks():
        yield bytes((3, 0, 0, 0, 0, 0)) + extension
    yield bytes((4, 0, 0, 0, 0, 0)) + b"\3\0abc\0\0\4\0" + "\U0001f512".encode()
    for text in ("plain ascii text", "über", "\u20ac\ud7ff\ue000", "\U0001f512\U0010ffff", "a" * 20 + "é"):
        yield bytes((5, 0, 9, 0, 0, 0)) + text.encode()
    for broken in (b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"abc\xe2\x82"):
        yield bytes((5, 0, 2, 0, 0, 0)) + broken


def control_extension_blocks() -> Iterator[bytes]:
    """Every known value behind its entry header, an unknown one, and two entries together."""
    blocks = []
    for name, layout in layouts().items():
        code = layout.get("ext_type")
        value = next((data for row, data in hexed("layout") if row["layout"] == name and row["expect"] == "ok"), None)
        if code is not None and value is not None:
            blocks.append(little(code, 2) + little(0, 2) + little(len(value), 4) + value + bytes(-len(value) % 8))
    blocks.append(little(0x7777, 2) + little(0, 2) + little(3, 4) + b"abc" + bytes(5))
    yield from blocks
    yield blocks[0] + blocks[-1]


def columns() -> Iterator[bytes]:
    for row, data in hexed("layout"):
        number = layout_numbers()[row["layout"]]
        yield bytes((number, 0, 3)) + data * 3
        yield bytes((number, 1, 2)) + little(0, 2) + little(len(data), 2) + data * 2
    for row, data in hexed("packet", "body", "flow_routing"):
        if row.get("metadata_layout"):
            yield bytes((layout_numbers()[row["metadata_layout"]], 3, 2)) + data * 2


C_SEEDS = {
    "header": header,
    "metadata": metadata,
    "packet": packet,
    "body": body,
    "stream": stream,
    "tile_index": tile_index,
    "tables": tables,
    "columns": columns,
}


# The Python targets.


def py_reader() -> Iterator[bytes]:
    ways = itertools.cycle([b"\0\0\0\0", b"\0\2\x27\4\0\0\x63\1", b"\3\1\xff\3\7\6", b"\1\0\x09\5"])
    for data, front in zip(streams(), ways, strict=False):
        yield front + data


def py_packet() -> Iterator[bytes]:
    for data in packets():
        yield b"\0" + data
        yield b"\1" + b"\3" + little(400, 2) + b"abc" + data
    for row, data in hexed("layout"):
        yield bytes((2, layout_numbers()[row["layout"]])) + data
    examples = {data[6]: data for data in packets()}
    for request, answer in ((0x01, 0x02), (0x07, 0x08), (0x1B, 0x1C)):
        yield b"\3" + examples[request] + examples[answer]
    for seed in tables():
        rest = seed[6:]
        rows = bytes((len(rest) // 24,)) if seed[0] == 0 else bytes((len(rest) // 16,))
        front = {0: b"\5" + seed[1:3] + rows, 1: b"\6" + seed[1:3] + bytes(3), 2: b"\7" + rows, 3: b"\4", 5: b"\x09"}
        if seed[0] in front:
            yield front[seed[0]] + rest + (bytes(int.from_bytes(seed[4:6], "little")) if seed[0] in (0, 2) else b"")
    for row, data in hexed("layout"):
        if row["layout"] == "recovery_ticket_prefix":
            yield b"\x08" + data
        if row["expect"] == "ok":
            yield bytes((10, layout_numbers()[row["layout"]])) + data * 2


def py_memory() -> Iterator[bytes]:
    return (b"\0" + data for data in packets())


def py_builders() -> Iterator[bytes]:
    """Nothing published says what a builder is asked: the hunt starts from a few bytes for each builder."""
    for target in range(10):
        yield bytes((target,))
        yield bytes((target, *range(1, 80)))
        yield bytes((target,)) + b"\x01\x05" * 40


PYTHON_SEEDS = {"reader": py_reader, "packet": py_packet, "memory": py_memory, "builders": py_builders}
