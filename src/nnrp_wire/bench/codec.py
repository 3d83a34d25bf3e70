"""The codec cases: header, FRAME_SUBMIT, RESULT_PUSH and PARTIAL_RESULT, read and built.

Each contender does the whole of a case the quickest way its public interface offers. `struct` is the program somebody
writes who has no library: it reads or writes all fields in one call, knows beforehand which message it has, and checks
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nnrp_wire import wire
from nnrp_wire.bench import formats, nnrp_py, workload
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import OURS, Contender, StatementCase
from nnrp_wire.bench.workload import Sample

# What a program gives anew with every packet.
IDENTITY: Mapping[str, object] = {
    "session_id": workload.SESSION_ID,
    "frame_id": workload.FRAME_ID,
    "operation_id": workload.OPERATION_ID,
    "result_sequence": workload.RESULT_SEQUENCE,
    "delta_sequence": workload.RESULT_SEQUENCE,
}

Observer = Callable[[Mapping[str, Any]], object]


def read_fields(view: object, names: Mapping[str, int]) -> dict[str, int]:
    return {name: int(getattr(view, name)) for name in names}


def packet_bytes(names: Mapping[str, Any]) -> object:
    return bytes(names["packet"])


def expected_reading(sample: Sample) -> dict[str, object]:
    return {
        "header": sample.header,
        "metadata": sample.metadata,
        "prelude": sample.prelude,
        "descriptor": sample.descriptor,
        "payload": sample.payload,
    }


def our_reading(sample: Sample) -> Observer:
    def observe(names: Mapping[str, Any]) -> object:
        packet, body, payload = names["packet"], names.get("body"), names["payload"]
        reading: dict[str, object] = {
            "header": read_fields(packet.header, sample.header),
            "metadata": read_fields(packet.metadata, sample.metadata),
            "prelude": None,
            "descriptor": None,
            "payload": bytes(payload) if isinstance(payload, memoryview) and payload.readonly else payload,
        }
        if sample.prelude is not None and body is not None:
            reading["prelude"] = read_fields(body.prelude, sample.prelude)
            reading["descriptor"] = bytes(body.typed_payloads[0][0])
        return reading

    return observe


def struct_reading(sample: Sample) -> Observer:
    def observe(names: Mapping[str, Any]) -> object:
        if tuple(names["values"]) != sample.values:
            return names["values"]
        return {**expected_reading(sample), "payload": bytes(names["payload"])}

    return observe


def header_contenders(rivals: Rivals) -> Sequence[Contender]:
    data = workload.LONE_HEADER_BYTES

    def struct_header(names: Mapping[str, Any]) -> object:
        fields = dict(zip(workload.HEADER.fields, names["header"], strict=True))
        return {name: fields[name] for name in workload.LONE_HEADER_FIELDS}

    return [
        Contender(
            OURS,
            "header = parse_header(data)",
            {"data": data, "parse_header": wire.parse_header},
            lambda names: read_fields(names["header"], workload.LONE_HEADER_FIELDS),
        ),
        Contender(
            "struct",
            "header = unpack_from(data)",
            {"data": data, "unpack_from": workload.LONE_HEADER_STRUCT.unpack_from},
            struct_header,
        ),
        *(nnrp_py.header(peer, data, workload.LONE_HEADER_FIELDS) for peer in nnrp_py.installed(rivals)),
    ]


def struct_parse(sample: Sample) -> Contender:
    return Contender(
        "struct",
        "values = unpack_from(data)\npayload = memoryview(data)[size:]",
        {"data": sample.packet, "unpack_from": sample.layout.unpack_from, "size": sample.layout.size},
        struct_reading(sample),
    )


def struct_build(sample: Sample) -> Contender:
    """One `pack` call; what a program knows beforehand stands in it as literals."""
    lengths = {
        "body_len": f"size + {sample.header['body_len'] - len(sample.payload)}",
        "typed_payload_frame_bytes": "size",
        "length": "size",
        "body_bytes": "size",
    }
    names: dict[str, object] = {"pack": sample.layout.pack, "content": sample.payload}
    arguments = []
    for field, value in zip(sample.fields, sample.values, strict=True):
        if field in IDENTITY:
            names[field] = value
            arguments.append(field)
        else:
            arguments.append(lengths.get(field, repr(value)))
    statement = f"size = len(content)\npacket = pack({', '.join(arguments)}) + content"
    return Contender("struct", statement, names, packet_bytes)


PARSE_TYPED = """\
packet = parse_message(data)
body = parse_body(packet)
payload = body.payload(0)
"""

PARSE_PARTIAL = """\
packet = parse_message(data)
payload = packet.body
"""


def submit_parse_contenders(rivals: Rivals) -> Sequence[Contender]:
    sample = workload.SUBMIT
    names = {
        "data": sample.packet,
        "parse_message": wire.parse_message,
        "parse_body": wire.frame_submit_body,
    }
    ours = Contender(OURS, PARSE_TYPED, names, our_reading(sample))
    peers = [nnrp_py.submit_parse(peer, sample) for peer in nnrp_py.installed(rivals)]
    others = [form.parser(expected_reading(sample)) for form in formats.installed(rivals)]
    return [ours, struct_parse(sample), *peers, *others]


def fields_contenders(rivals: Rivals) -> Sequence[Contender]:
    """As submit_parse_contenders, and every field becomes a Python object."""
    sample = formats.SAMPLE
    readings = (("packet", workload.HEADER), ("metadata", workload.FRAME_SUBMIT), ("descriptor", workload.DESCRIPTOR))
    reads = ", ".join(f"{view}.{name}" for view, record in readings for name in formats.meaningful(record))
    names = {
        "data": sample.packet,
        "parse_message": wire.parse_message,
        "parse_body": wire.frame_submit_body,
    }
    statement = f"{PARSE_TYPED}metadata = packet.metadata\ndescriptor = body.typed_payloads[0][0]\nvalues = ({reads})"

    def observe(seen: Mapping[str, Any]) -> object:
        return formats.message_of(seen["values"], seen["payload"])

    def observe_struct(seen: Mapping[str, Any]) -> object:
        found = dict(zip(sample.fields, seen["values"], strict=True))
        return formats.message_of([found[name] for name in formats.FIELDS], seen["payload"])

    by_hand = struct_parse(sample)
    return [
        Contender(OURS, statement, names, observe),
        Contender(by_hand.name, by_hand.statement, by_hand.names, observe_struct),
        *(form.reader() for form in formats.installed(rivals)),
    ]


def push_parse_contenders(rivals: Rivals) -> Sequence[Contender]:
    sample = workload.PUSH
    names = {
        "data": sample.packet,
        "parse_message": wire.parse_message,
        "parse_body": wire.result_push_body,
    }
    ours = Contender(OURS, PARSE_TYPED, names, our_reading(sample))
    return [ours, struct_parse(sample), *(nnrp_py.push_parse(peer, sample) for peer in nnrp_py.installed(rivals))]


def partial_parse_contenders(rivals: Rivals) -> Sequence[Contender]:
    sample = workload.PARTIAL
    names = {"data": sample.packet, "parse_message": wire.parse_message}
    ours = Contender(OURS, PARSE_PARTIAL, names, our_reading(sample))
    return [ours, struct_parse(sample), *(nnrp_py.partial_parse(peer, sample) for peer in nnrp_py.installed(rivals))]


def submit_build_contenders(rivals: Rivals) -> Sequence[Contender]:
    sample = workload.SUBMIT
    statement = "packet = build(content, session_id=session_id, frame_id=frame_id, operation_id=operation_id)"
    names = {"content": sample.payload, "build": wire.build_frame_submit}
    ours = Contender(OURS, statement, {**names, **IDENTITY}, packet_bytes)
    peers = [nnrp_py.submit_build(peer, sample) for peer in nnrp_py.installed(rivals)]
    others = [form.builder(sample.packet) for form in formats.installed(rivals)]
    return [ours, struct_build(sample), *peers, *others]


def push_build_contenders(rivals: Rivals) -> Sequence[Contender]:
    sample = workload.PUSH
    statement = "packet = build(content, session_id=session_id, frame_id=frame_id)"
    names = {"content": sample.payload, "build": wire.build_result_push}
    ours = Contender(OURS, statement, {**names, **IDENTITY}, packet_bytes)
    return [ours, struct_build(sample), *(nnrp_py.push_build(peer, sample) for peer in nnrp_py.installed(rivals))]


def partial_build_contenders(rivals: Rivals) -> Sequence[Contender]:
    sample = workload.PARTIAL
    # One slot per operation and one packet per token; the first packet is the one compared with the rivals'.
    slot = wire.ResultSlot(
        workload.SESSION_ID, workload.OPERATION_ID, workload.FRAME_ID, next_sequence=workload.RESULT_SEQUENCE
    )
    ours = Contender(
        OURS,
        "packet = partial_result(content)",
        {"content": sample.payload, "partial_result": slot.partial_result},
        packet_bytes,
    )
    return [ours, struct_build(sample), *(nnrp_py.partial_build(peer, sample) for peer in nnrp_py.installed(rivals))]


RIVALS = ("struct", "nnrp_py")
WITH_FORMATS = (*RIVALS, *formats.FORMATS)

CASES = (
    StatementCase("parse_header", workload.LONE_HEADER_FIELDS, header_contenders, RIVALS),
    StatementCase("frame_submit_1k_parse", expected_reading(workload.SUBMIT), submit_parse_contenders, WITH_FORMATS),
    StatementCase("frame_submit_1k_fields", formats.MESSAGE, fields_contenders, ("struct", *formats.FORMATS)),
    StatementCase("frame_submit_1k_build", workload.SUBMIT.packet, submit_build_contenders, WITH_FORMATS),
    StatementCase("result_push_parse", expected_reading(workload.PUSH), push_parse_contenders, RIVALS),
    StatementCase("result_push_build", workload.PUSH.packet, push_build_contenders, RIVALS),
    StatementCase("partial_result_parse", expected_reading(workload.PARTIAL), partial_parse_contenders, RIVALS),
    StatementCase("partial_result_build", workload.PARTIAL.packet, partial_build_contenders, RIVALS),
)
