"""What type checkers must object to. Never run: an `ignore` that nothing needs is an error to mypy."""

from __future__ import annotations

from nnrp_wire import wire
from nnrp_wire.wire import Misspelt  # type: ignore[attr-defined]


def refused(packet: wire.Packet, header: wire.CommonHeader, writable: bytearray) -> None:
    wire.Packet()  # type: ignore[call-arg]
    wire.ClientHello(b"")  # type: ignore[arg-type]
    wire.parse_packet("text")  # type: ignore[arg-type]
    wire.parse_packet(b"", max_bytes=1)  # type: ignore[call-arg]
    wire.parse_packet(buf=b"")  # type: ignore[call-arg]
    header.session_id = 1  # type: ignore[misc]
    header.replace(session=1)  # type: ignore[call-arg]
    wire.ClientHello.build(session_id=1)  # type: ignore[call-arg]
    wire.CommonHeader.build_into(writable, 0, magic="NNRP")  # type: ignore[arg-type]
    print(packet.metadata.operation_id)  # type: ignore[union-attr]
    wire.build_packet(wire.MessageType.PING, sesion_id=1)  # type: ignore[call-arg]
    wire.build_frame_submit(b"", session_id=1, frame_id=1)  # type: ignore[call-arg]
    wire.build_result_push_into(writable, 0, b"", session_id=1)  # type: ignore[call-arg]
    wire.build_frame_submit(b"", session_id=1, frame_id=1, operation_id=1, _finish=list)  # type: ignore[call-arg]
    wire.TypedPayload(b"", payload_kind=1)  # type: ignore[call-arg]
    wire.ResultSlot(1, 2, 3).result_push(b"", session_id=1)  # type: ignore[call-arg]
    wire.ResultSlot(1, 2, 3).finished = True  # type: ignore[misc]
    wire.frame_submit_body(packet).references.append(header)  # type: ignore[attr-defined]


class Other(wire.Packet):  # type: ignore[misc]
    """A final class."""


nothing = Misspelt
