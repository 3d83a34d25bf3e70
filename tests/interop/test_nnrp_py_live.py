"""The peer's deployed runtime over loopback TCP: it takes our bytes, and its own pass every stage of a strict receiver.

What a test sends, the peer's application must see with the same header, metadata and tail; and the other way round.
"""

from __future__ import annotations

import asyncio
from typing import Any

import interop_peer as peer
import pytest
from interop_live import PATIENCE, Line, peer_client, peer_server
from nnrp import core, runtime
from nnrp.client import (
    NativeClientConnection,
    NativeClientSessionOptions,
    SubmitIdentity,
    SubmitPolicy,
    SubmitRequest,
    TypedPayload,
    TypedPayloadSubmitInput,
)
from nnrp.native import NativeRuntimeServerSession, NativeRuntimeSession
from nnrp.schema import StreamSemantics
from nnrp.server import NativeServer, NativeServerAcceptOptions
from wirekit import data

from nnrp_wire import wire
from nnrp_wire.wire import MessageType

pytestmark = pytest.mark.timeout(240)

HELLO = {
    "min_version_major": 1,
    "max_version_major": 1,
    "supported_wire_format_bitmap": 1,
    "supported_profile_bitmap": 0b11,
    "supported_payload_kind_bitmap": 0x73,
    "max_lane_count": 1,
}
OPEN = {"profile_id": 2, "schema_id": 0x1001, "schema_version": 3, "max_in_flight_operations": 4}
LATER = 1 << 42  # a time far away, in ms

Message = tuple[str, dict[str, int], tuple[bytes, ...]]

# What either role may say about operation 9 and its session (frame 1), to whoever is at the other end.
EITHER: list[Message] = [
    ("PRIORITY_UPDATE", {"operation_id": 9, "control_sequence": 1, "priority_class": 1, "priority_delta": -3}, ()),
    ("DEADLINE", {"operation_id": 9, "control_sequence": 2, "deadline_unix_ms": LATER}, ()),
    ("EXPIRE_AT", {"operation_id": 9, "control_sequence": 3, "deadline_unix_ms": LATER, "flags": 1}, ()),
    ("BUDGET_UPDATE", {"operation_id": 9, "token_budget": 5, "flags": 1}, ()),
    ("ROUTE_HINT", {"operation_id": 9, "route_id": 92, "executor_class": 3}, (b"hint",)),
    ("EXECUTION_HINT", {"operation_id": 9, "affinity_class": 4}, (b"",)),
    ("PROGRESS", {"operation_id": 9, "progress_sequence": 1, "stage_code": 5, "percent_x100": 2500}, (b"{}",)),
    ("TRACE_CONTEXT", {"trace_id": 77, "span_id": 2, "stage_code": 1}, (b"baggage",)),
    ("BACKPRESSURE", {"credit_window": 8, "pressure_level": 1, "retry_after_ms": 5, "flags": 1}, ()),
    ("CREDIT_UPDATE", {"credit_window": 8}, ()),
    ("CAPABILITY_NEGOTIATION", {"profile_id": 2, "cost_model_id": 1, "limit_bytes": 4096}, (b"",)),
    ("DEGRADE_PROFILE", {"profile_id": 2}, (b"",)),
    ("OBJECT_DECLARE", {"object_id": 5, "object_kind": 1, "session_id": 1, "byte_size": 10}, (b"ext",)),
    ("OBJECT_REF", {"object_id": 5, "operation_id": 9, "offset": 1, "length": 4}, (b"ext",)),
    ("OBJECT_PATCH", {"object_id": 5, "delta_sequence": 1, "region_bytes": 5}, (b"ext", b"delta")),
    ("OBJECT_DELTA", {"object_id": 5, "delta_sequence": 2, "region_bytes": 5}, (b"", b"delta")),
    ("OBJECT_RELEASE", {"object_id": 5, "operation_id": 9, "source_role": 1}, (b"done",)),
    ("CACHE_REFERENCE", {"cache_namespace": 1, "cache_key_hi": 3, "cache_key_lo": 2, "profile_id": 2}, (b"ref!",)),
    ("CACHE_MISS", {"cache_namespace": 1, "cache_key_lo": 2, "miss_reason": 1}, (b"gone",)),
    ("CACHE_INVALIDATE", {"invalidate_scope": 3, "cache_namespace": 1, "cache_key_lo": 2}, ()),
    ("FLOW_UPDATE", {"scope_kind": 1, "session_credit": 3, "flow_flags": 1}, ()),
    ("ERROR_RECOVERABLE", {"error_code": 7, "error_scope": 1, "retry_after_ms": 9}, (b"busy",)),
    ("RETRY_AFTER", {"retry_after_ms": 50, "jitter_ms": 5}, (b"later",)),
]


def event_of(packet: wire.Packet, event: runtime.NativeRuntimeEvent) -> None:
    """The peer's event says what the packet says."""
    assert event.header.message_type.name == packet.message_type.name
    for name in ("session_id", "frame_id", "flags", "view_id", "route_id", "trace_id"):
        assert getattr(event.header, name) == getattr(packet, name)
    if packet.metadata is not None:
        found = peer.fields(packet.metadata.layout_name, event.metadata.value)
        assert found == {name: packet.metadata.as_dict()[name] for name in found}
    tail = event.tail
    assert tail.body + tail.diagnostic + tail.metadata_body + tail.delta == bytes(packet.body)


def built(message: Message, **routing: int) -> bytes:
    name, fields, tails = message
    # The runtime takes a TRACE_CONTEXT only with the metadata's trace id in its header, or with 0.
    trace = {"trace_id": fields["trace_id"]} if name == "TRACE_CONTEXT" else {}
    return wire.build_message(MessageType[name], fields, *tails, **{**routing, **trace})


def as_peer_metadata(message: Message) -> Any:
    """The metadata of a message as the peer's own object, lengths of tails included."""
    name, fields, tails = message
    layout = data.table()["messages"][name.lower()]["metadata"]
    lengths = [part["length_field"] for part in data.table()["messages"][name.lower()]["body"]]
    view = wire.VIEWS[layout].build(**fields, **dict(zip(lengths, map(len, tails), strict=True)))
    return peer.constructed(layout, view.as_dict())


def handshake(line: Line) -> None:
    hello = wire.build_message(MessageType.CLIENT_HELLO, HELLO)
    line.send(hello)
    answer = line.expect(MessageType.SERVER_HELLO_ACK)
    wire.check_pair(wire.parse_packet(hello), answer)
    assert answer.metadata.accepted_profile_bitmap & 2


def opened(line: Line, **changes: int) -> wire.Packet:
    request = wire.build_message(MessageType.SESSION_OPEN, {**OPEN, **changes})
    line.send(request)
    answer = line.expect(MessageType.SESSION_OPEN_ACK)
    wire.check_pair(wire.parse_packet(request), answer)
    return answer


def closed(line: Line, session_id: int, last_operation_id: int) -> None:
    line.send(
        wire.build_message(
            MessageType.SESSION_CLOSE,
            {"close_reason": 1, "last_operation_id": last_operation_id, "session_close_tag": 5},
            session_id=session_id,
        )
    )
    answer = line.expect(MessageType.SESSION_CLOSE_ACK)
    assert (answer.session_id, answer.metadata.last_operation_id) == (session_id, last_operation_id)


async def accepted(server: NativeServer) -> NativeRuntimeServerSession:
    return await server.accept(NativeServerAcceptOptions(timeout_ms=int(PATIENCE * 1000)))


async def until_close(session: NativeRuntimeServerSession, events: list[Any]) -> None:
    """Collect what arrives up to SESSION_CLOSE, and let the runtime acknowledge that."""
    while True:
        event = await session.next_event(PATIENCE)
        operation, said = event.as_submit(), event.as_runtime()
        if operation is not None:
            events.append(operation.submit)
        elif said is not None:
            events.append(said)
            if said.header.message_type is core.MessageType.SESSION_CLOSE:
                session.close()
                return


def submits(session_id: int) -> list[bytes]:
    """Operation 9, and four more to be ended by the client: each body another one."""
    bodies: list[dict[str, Any]] = [
        {"payloads": b'{"n":1}'},
        {"payloads": [wire.TypedPayload(b"chunk", wire.PayloadKind.TOKEN_CHUNK, profile_id=2), b"{}"]},
        {"tensor": wire.Tensor(tile_ids=[3, 9], sections=[wire.Section(1, [b"ab", b"c"])], camera=b"cam")},
        {
            "tensor": wire.Tensor(tile_count=2, section_count=0),
            "references": [wire.ObjectReferenceBlock.build(object_kind=2, cache_key_lo=7)],
        },
        {"payloads": b"", "extensions": [wire.Extension(b"more", 1)], "objects": [(7, b"prompt")]},
    ]
    return [
        wire.build_frame_submit(
            body.pop("payloads", ()),
            session_id=session_id,
            frame_id=number,
            operation_id=8 + number,
            view_id=number,
            route_id=4,
            trace_id=1 << 60,
            flags=wire.HeaderFlags.CAN_DROP,
            **body,
        )
        for number, body in enumerate(bodies, 1)
    ]


def test_runtime_server_takes_what_we_build() -> None:
    events: list[Any] = []

    async def app(server: NativeServer) -> None:
        await until_close(await accepted(server), events)

    with peer_server(app) as line:
        handshake(line)
        session_id = opened(line).session_id
        place = {"session_id": session_id, "frame_id": 1}
        sent = submits(session_id)
        sent += [built(message, **place, view_id=6, route_id=7, flags=2) for message in EITHER]
        source = {"source_role": 1, "control_sequence": 4}
        sent += [
            built(
                ("CANCEL", {"operation_id": 10, "reason_code": 1, **source}, (b"enough",)), **{**place, "frame_id": 2}
            ),
            built(("ABORT", {"operation_id": 11, "flags": 1, **source}, (b"",)), **{**place, "frame_id": 3}),
            wire.build_message(MessageType.FRAME_CANCEL, session_id=session_id, frame_id=4),
            built(
                ("SUPERSEDE", {"old_operation_id": 13, "new_operation_id": 9, "drop_reason_code": 2}, (b"newer",)),
                **{**place, "frame_id": 5},
            ),
        ]
        line.send(*sent)
        closed(line, session_id, 13)
        assert line.received[-1].message_type is MessageType.SESSION_CLOSE_ACK

    assert len(events) == len(sent) + 1
    for source_bytes, event in zip(sent, events, strict=False):
        event_of(wire.parse_packet(source_bytes), event)


def test_runtime_server_opens_and_refuses_sessions() -> None:
    async def app(server: NativeServer) -> None:
        first = await accepted(server)
        second = await accepted(server)
        await asyncio.gather(until_close(first, []), until_close(second, []))

    with peer_server(app) as line:
        handshake(line)
        # Any number of refusals, each with its reason as text; the connection stays usable.
        for change, code in (({"profile_id": 1}, 0x10002), ({"schema_id": 5}, 0x10003), ({"priority_class": 2}, 0)):
            answer = opened(line, **change)
            assert answer.metadata.session_error_code == code
            if code:
                assert (answer.metadata.session_status, answer.metadata.session_id) == (1, 0)
                [_, text] = wire.message_tails(answer).values()
                assert wire.is_utf8(text)
                assert text
        first = line.received[-1].session_id
        resumable = opened(line, session_flags=1, client_session_tag=99)
        assert resumable.metadata.session_flags_ack & 1
        [token, _] = wire.message_tails(resumable).values()
        assert len(token) == resumable.metadata.resume_token_bytes == 24
        assert resumable.session_id != first
        closed(line, first, 0)
        closed(line, resumable.session_id, 0)


def test_we_take_what_the_runtime_server_sends() -> None:
    said = [message for message in EITHER if message[0] not in NOT_FROM_A_SERVER]

    async def app(server: NativeServer) -> None:
        session = await accepted(server)
        first = await session.receive_submit(PATIENCE)
        second = await session.receive_submit(PATIENCE)
        third = await session.receive_submit(PATIENCE)
        for number in (1, 2):
            await first.send_partial_result(runtime.PartialResultMetadata(9, number, 0, number, 3, 0), b"tok")
        for message in said:
            name, _, tails = message
            if name == "PROGRESS":
                await first.send_progress(as_peer_metadata(message), *tails)
            elif name in ("OBJECT_PATCH", "OBJECT_DELTA"):
                extension, delta = tails
                getattr(session, SERVER_CALLS[name])(as_peer_metadata(message), delta, extension)
            else:
                getattr(session, SERVER_CALLS[name])(as_peer_metadata(message), *tails)
        await first.send_result(
            core.ResultPushMetadata(*[0] * 12, payload_kind_bitmap=16, payload_frame_count=1),
            bytes(wire.parse_packet(wire.build_result_push(b'{"done":1}', session_id=1, frame_id=1)).body),
        )
        await second.send_result(core.ResultPushMetadata(*[0] * 12, payload_kind_bitmap=0))
        await third.send_result_drop(runtime.ResultDropReasonMetadata(11, 1, 3, 2, 0, 4), b"gone")
        await until_close(session, [])

    with peer_server(app) as line:
        handshake(line)
        session_id = opened(line).session_id
        line.send(*submits(session_id)[:3])
        for number in (1, 2):
            part = line.expect(MessageType.PARTIAL_RESULT)
            assert (part.session_id, part.frame_id, part.metadata.operation_id) == (session_id, 1, 9)
            assert (part.metadata.result_sequence, bytes(part.body)) == (number, b"tok")
        for message in said:
            name, fields, tails = message
            packet = line.expect(MessageType[name])
            assert packet.session_id == session_id
            assert {field: getattr(packet.metadata, field) for field in fields} == fields
            assert tuple(map(bytes, wire.message_tails(packet).values())) == tails
        result = line.expect(MessageType.RESULT_PUSH)
        [(descriptor, payload)] = wire.result_push_body(result).typed_payloads
        assert (result.frame_id, descriptor.payload_kind, bytes(payload)) == (1, 16, b'{"done":1}')
        empty = line.expect(MessageType.RESULT_PUSH)
        assert (empty.frame_id, len(empty.body), wire.result_push_body(empty).prelude) == (2, 0, None)
        dropped = line.expect(MessageType.RESULT_DROP_REASON)
        assert (dropped.frame_id, dropped.metadata.operation_id, bytes(dropped.body)) == (3, 11, b"gone")
        closed(line, session_id, 11)


NOT_FROM_A_SERVER = {
    "PRIORITY_UPDATE",
    "DEADLINE",
    "EXPIRE_AT",
    "BUDGET_UPDATE",
    "ROUTE_HINT",
    "EXECUTION_HINT",
    "FLOW_UPDATE",
}
"""Messages that the peer's session object has no call for."""

SERVER_CALLS = {
    "TRACE_CONTEXT": "send_trace_context",
    "BACKPRESSURE": "send_backpressure",
    "CREDIT_UPDATE": "send_credit_update",
    "CAPABILITY_NEGOTIATION": "negotiate_capabilities",
    "DEGRADE_PROFILE": "degrade_profile",
    "OBJECT_DECLARE": "declare_object",
    "OBJECT_REF": "reference_object",
    "OBJECT_RELEASE": "release_object",
    "OBJECT_PATCH": "patch_object",
    "OBJECT_DELTA": "send_object_delta",
    "CACHE_REFERENCE": "reference_cache",
    "CACHE_MISS": "report_cache_miss",
    "CACHE_INVALIDATE": "invalidate_cache",
    "ERROR_RECOVERABLE": "send_recoverable_error",
    "RETRY_AFTER": "send_retry_after",
}
CLIENT_CALLS = {
    **SERVER_CALLS,
    "PRIORITY_UPDATE": "update_priority",
    "DEADLINE": "update_deadline",
    "EXPIRE_AT": "expire_at",
    "BUDGET_UPDATE": "update_budget",
    "ROUTE_HINT": "send_route_hint",
    "EXECUTION_HINT": "send_execution_hint",
}
NOT_FROM_A_CLIENT = {"PROGRESS", "BACKPRESSURE", "CREDIT_UPDATE", "FLOW_UPDATE", "ERROR_RECOVERABLE", "RETRY_AFTER"}


# The other way round: our packets make the server.


def welcome(line: Line) -> None:
    hello = line.expect(MessageType.CLIENT_HELLO)
    offered = hello.metadata
    answer = wire.build_message(
        MessageType.SERVER_HELLO_ACK,
        {
            "selected_version_major": 1,
            "accepted_profile_bitmap": offered.supported_profile_bitmap & 2,
            "accepted_payload_kind_bitmap": offered.supported_payload_kind_bitmap,
            "max_lane_count": 1,
            "max_concurrent_frames": 64,
            "latency_budget_ms": offered.latency_budget_ms,
            "max_body_bytes": 64 << 20,
            "token_ttl_ms": 120_000,
        },
    )
    wire.check_pair(hello, wire.parse_packet(answer))
    line.send(answer)


def admit(line: Line, session_id: int) -> None:
    request = line.expect(MessageType.SESSION_OPEN)
    asked = request.metadata
    resumable = asked.session_flags & 1
    answer = wire.build_message(
        MessageType.SESSION_OPEN_ACK,
        {
            "session_id": session_id,
            "accepted_profile_id": asked.profile_id,
            "accepted_priority_class": asked.priority_class,
            "session_flags_ack": resumable,
            "schema_id": asked.schema_id,
            "schema_version": asked.schema_version,
            "granted_operation_credit": 64,
            "max_in_flight_operations": 64,
            "lease_ttl_ms": 30_000,
            "resume_window_ms": 120_000,
            "server_session_tag": session_id,
        },
        b"t" * 24 if resumable else b"",
        session_id=session_id,
    )
    wire.check_pair(request, wire.parse_packet(answer))
    line.send(answer)


def farewell(line: Line) -> None:
    close = line.expect(MessageType.SESSION_CLOSE)
    line.send(
        wire.build_message(
            MessageType.SESSION_CLOSE_ACK,
            {"close_status": 2, "last_operation_id": close.metadata.last_operation_id},
            session_id=close.session_id,
        )
    )


def submit_request(number: int, raw: bytes) -> SubmitRequest:
    payload = TypedPayload(core.PayloadKind.STRUCTURED_EVENT, raw, stream_semantics=StreamSemantics.SNAPSHOT)
    identity = SubmitIdentity(operation_id=8 + number, frame_id=number)
    return SubmitRequest.typed_payload(TypedPayloadSubmitInput(identity, SubmitPolicy(), (payload,)))


async def said_to(session: NativeRuntimeSession, count: int) -> list[runtime.NativeRuntimeEvent]:
    """The next packets as the application sees them, without the runtime's own notes about operations."""
    events: list[runtime.NativeRuntimeEvent] = []
    while len(events) < count:
        event = await session.next_event(PATIENCE)
        if isinstance(event, runtime.NativeRuntimeEvent):
            events.append(event)
    return events


def test_runtime_client_takes_what_we_build() -> None:
    events: list[Any] = []
    place = {"session_id": 1, "frame_id": 1}
    slots = [wire.ResultSlot(1, 8 + number, number, trace_id=1 << 50) for number in (1, 2, 3)]
    sent = [
        slots[0].partial_result(b'{"delta":"Hel"}'),
        slots[0].partial_result(b'{"delta":"lo"}'),
        *(built(message, **place, view_id=6, route_id=7, flags=2) for message in EITHER),
        built(("RESULT_HINT", {"applied_budget_policy": 2, "retry_after_ms": 5}, ()), **place),
        slots[0].result_push(b'{"done":1}', extensions=[wire.Extension(b"more", 1)]),
        slots[1].result_push(),
        slots[2].result_drop_reason(3, b"gone"),
        wire.build_message(MessageType.RESULT_DROP, session_id=1, frame_id=4),
    ]

    async def app(connection: NativeClientConnection) -> None:
        session = await connection.open_session(NativeClientSessionOptions(max_in_flight_operations=8))
        for number in (1, 2, 3, 4):
            await session.async_submit_operation(submit_request(number, b"{}"))
        events.extend(await said_to(session, len(sent)))
        await asyncio.to_thread(session.close)

    with peer_client(app) as line:
        welcome(line)
        admit(line, 1)
        for _ in range(4):
            line.expect(MessageType.FRAME_SUBMIT)
        line.send(*sent)
        farewell(line)

    for source, event in zip(sent, events, strict=True):
        event_of(wire.parse_packet(source), event)


def test_we_take_what_the_runtime_client_sends() -> None:
    said = [message for message in EITHER if message[0] not in NOT_FROM_A_CLIENT]

    async def app(connection: NativeClientConnection) -> None:
        session = await connection.open_session(NativeClientSessionOptions(allow_resume=True))
        other = await connection.open_session()
        for number in (1, 2, 3, 4, 5):
            await session.async_submit_operation(submit_request(number, b'{"n":%d}' % number))
        for message in said:
            name, _, tails = message
            call = getattr(session, CLIENT_CALLS[name])
            if name in ("OBJECT_PATCH", "OBJECT_DELTA"):
                extension, delta = tails
                call(as_peer_metadata(message), delta, extension)
            else:
                call(as_peer_metadata(message), *tails)
        session.cancel_operation(runtime.ControlRequestMetadata(10, 1, 1, 1, 0, 6), b"enough")
        session.abort_operation(runtime.ControlRequestMetadata(11, 2, 0, 1, 1, 0))
        session.cancel(frame_id=4)
        session.supersede(runtime.SupersedeMetadata(13, 9, 3, 2, 0, 5), b"newer")
        await asyncio.to_thread(session.close)
        await asyncio.to_thread(other.close)

    with peer_client(app) as line:
        welcome(line)
        admit(line, 1)
        admit(line, 2)
        for number in (1, 2, 3, 4, 5):
            submit = line.expect(MessageType.FRAME_SUBMIT)
            assert (submit.session_id, submit.frame_id, submit.metadata.operation_id) == (1, number, 8 + number)
            [(descriptor, payload)] = wire.frame_submit_body(submit).typed_payloads
            assert (descriptor.payload_kind, bytes(payload)) == (16, b'{"n":%d}' % number)
        for name, fields, tails in said:
            packet = line.expect(MessageType[name])
            assert packet.session_id == 1
            assert {field: getattr(packet.metadata, field) for field in fields} == fields
            assert tuple(map(bytes, wire.message_tails(packet).values())) == tails
        cancel = line.expect(MessageType.CANCEL)
        assert (cancel.frame_id, cancel.metadata.operation_id, bytes(cancel.body)) == (2, 10, b"enough")
        abort = line.expect(MessageType.ABORT)
        assert (abort.frame_id, abort.metadata.operation_id, abort.metadata.flags) == (3, 11, 1)
        assert line.expect(MessageType.FRAME_CANCEL).frame_id == 4
        replaced = line.expect(MessageType.SUPERSEDE)
        assert (replaced.frame_id, replaced.metadata.old_operation_id, bytes(replaced.body)) == (5, 13, b"newer")
        farewell(line)
        farewell(line)


def test_a_deadline_may_come_before_its_submit() -> None:
    """What the runtime's submit-and-poll call sends first, for an operation not yet known."""
    results: list[Any] = []

    async def app(connection: NativeClientConnection) -> None:
        session = await connection.open_session()
        found = await session.async_submit_and_poll_result(submit_request(1, b"{}"), timeout_ms=int(PATIENCE * 1000))
        results.append(found)
        await asyncio.to_thread(session.close)

    with peer_client(app) as line:
        welcome(line)
        admit(line, 1)
        deadline = line.expect(MessageType.DEADLINE)
        assert (deadline.frame_id, deadline.metadata.operation_id) == (1, 9)
        assert deadline.metadata.deadline_unix_ms > 1 << 40
        submit = line.expect(MessageType.FRAME_SUBMIT)
        slot = wire.ResultSlot(1, submit.metadata.operation_id, submit.frame_id)
        line.send(slot.result_push(b'{"ok":true}'))
        farewell(line)
    assert len(results) == 1
