"""How the package `nnrp-py` does the work of the codec cases: by its pure Python codecs, which are its only ones.

Of several public ways the quickest that still does the work was taken:

- reading: `NnrpPacket.unpack`, the metadata class, then `validate_*_body`, which cuts and checks all regions. With a
  single typed frame the frame region it returns *is* the payload, so the descriptors are not unpacked once more. A
  PARTIAL_RESULT has no body function; its one length is compared by hand, `decode_runtime_control_metadata` is slower.
- building: a plain `TypedPayloadFrame`, because the packet builders normalise each frame again anyway, and
  `build_*_typed_payload_packet(...).pack()`; for PARTIAL_RESULT `NnrpPacket.build(...).pack()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nnrp_wire.bench import workload
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import Contender
from nnrp_wire.bench.workload import Sample

NAME = "nnrp_py"


@dataclass(frozen=True)
class Peer:
    """The two modules whose public names are used; the package ships no stubs."""

    core: Any
    runtime: Any


def installed(rivals: Rivals) -> Sequence[Peer]:
    """The peer, or nothing where it is missing (`rivals` then says why)."""
    modules = rivals.modules.get(NAME)
    return [] if modules is None else [Peer(modules["nnrp.core"], modules["nnrp.runtime"])]


# Wire name -> attribute of `NnrpHeader`, where they differ.
HEADER_ATTRIBUTES = {"message_type": "msg_type"}


def header_fields(header: Any, names: Mapping[str, int]) -> dict[str, int]:
    return {name: int(getattr(header, HEADER_ATTRIBUTES.get(name, name))) for name in names}


def metadata_fields(metadata: Any, names: Mapping[str, int]) -> dict[str, int]:
    return {name: int(getattr(metadata, name)) for name in names}


def header(peer: Peer, data: bytes, fields: Mapping[str, int]) -> Contender:
    names = {"data": data, "unpack": peer.core.NnrpHeader.unpack}
    return Contender(NAME, "header = unpack(data)", names, lambda seen: header_fields(seen["header"], fields))


PARSE_TYPED = """\
packet = unpack_packet(data)
metadata = unpack_metadata(packet.metadata)
body = validate_body(metadata, packet.body)
payload = body.typed_payload_frame_region
"""


def _typed_parse(peer: Peer, sample: Sample, metadata_class: str, validate: str) -> Contender:

    def observe(names: Mapping[str, Any]) -> object:
        body = names["body"]
        return {
            "header": header_fields(names["packet"].header, sample.header),
            "metadata": metadata_fields(names["metadata"], sample.metadata),
            "prelude": metadata_fields(body.prelude, sample.prelude or {}),
            "descriptor": bytes(body.typed_payload_descriptor_region),
            "payload": bytes(names["payload"]),
        }

    names = {
        "data": sample.packet,
        "unpack_packet": peer.core.NnrpPacket.unpack,
        "unpack_metadata": getattr(peer.core, metadata_class).unpack,
        "validate_body": getattr(peer.core, validate),
    }
    return Contender(NAME, PARSE_TYPED, names, observe)


def submit_parse(peer: Peer, sample: Sample) -> Contender:
    return _typed_parse(peer, sample, "FrameSubmitMetadata", "validate_frame_submit_body")


def push_parse(peer: Peer, sample: Sample) -> Contender:
    return _typed_parse(peer, sample, "ResultPushMetadata", "validate_result_push_body")


PARSE_PARTIAL = """\
packet = unpack_packet(data)
metadata = unpack_metadata(packet.metadata)
payload = packet.body
if metadata.body_bytes != len(payload):
    raise ValueError
"""


def partial_parse(peer: Peer, sample: Sample) -> Contender:

    def observe(names: Mapping[str, Any]) -> object:
        return {
            "header": header_fields(names["packet"].header, sample.header),
            "metadata": metadata_fields(names["metadata"], sample.metadata),
            "prelude": None,
            "descriptor": None,
            "payload": names["payload"],
        }

    names = {
        "data": sample.packet,
        "unpack_packet": peer.core.NnrpPacket.unpack,
        "unpack_metadata": peer.runtime.PartialResultMetadata.unpack,
    }
    return Contender(NAME, PARSE_PARTIAL, names, observe)


def _packet(names: Mapping[str, Any]) -> object:
    return names["packet"]


def _typed_build(peer: Peer, sample: Sample, builder: str, arguments: str) -> Contender:
    statement = (
        "frame = TypedPayloadFrame(kind, content, stream_semantics=semantics)\n"
        f"packet = build({arguments}, frames=(frame,)).pack()"
    )
    names = {
        "build": getattr(peer.core, builder),
        "TypedPayloadFrame": peer.core.TypedPayloadFrame,
        "kind": peer.core.PayloadKind.STRUCTURED_EVENT,
        "semantics": workload.SNAPSHOT,
        "content": sample.payload,
        "session_id": workload.SESSION_ID,
        "frame_id": workload.FRAME_ID,
        "operation_id": workload.OPERATION_ID,
    }
    return Contender(NAME, statement, names, _packet)


def submit_build(peer: Peer, sample: Sample) -> Contender:
    arguments = "session_id=session_id, frame_id=frame_id, operation_id=operation_id"
    return _typed_build(peer, sample, "build_frame_submit_typed_payload_packet", arguments)


def push_build(peer: Peer, sample: Sample) -> Contender:
    arguments = "session_id=session_id, frame_id=frame_id"
    return _typed_build(peer, sample, "build_result_push_typed_payload_packet", arguments)


BUILD_PARTIAL = """\
metadata = PartialResultMetadata(operation_id, result_sequence, 0, result_sequence, len(content), 0).pack()
packet = build(
    version_major=1,
    wire_format=wire_format,
    msg_type=msg_type,
    session_id=session_id,
    frame_id=frame_id,
    metadata=metadata,
    body=content,
).pack()
"""


def partial_build(peer: Peer, sample: Sample) -> Contender:
    names = {
        "build": peer.core.NnrpPacket.build,
        "PartialResultMetadata": peer.runtime.PartialResultMetadata,
        "wire_format": peer.core.WireFormat.CURRENT,
        "msg_type": peer.core.MessageType.PARTIAL_RESULT,
        "content": sample.payload,
        "session_id": workload.SESSION_ID,
        "frame_id": workload.FRAME_ID,
        "operation_id": workload.OPERATION_ID,
        "result_sequence": workload.RESULT_SEQUENCE,
    }
    return Contender(NAME, BUILD_PARTIAL, names, _packet)
