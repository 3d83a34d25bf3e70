"""The two ends of a live exchange: a plain socket that speaks through nnrp_wire alone, and the peer's deployed runtime.

The peer's calls block or take slices of a second, so it runs in a thread; whatever it raises is raised in the test.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from nnrp.client import NativeClientConnection, NativeClientOptions, connect_native_client_connection
from nnrp.core import TransportPolicy
from nnrp.server import (
    NativeServer,
    NativeServerBootstrapOptions,
    NativeServerProviderRoute,
    listen_native_server,
)

from nnrp_wire import wire

PATIENCE = 40.0
"""Seconds for any one step; a loaded machine may need many of them, a quick one none."""


class Line:
    """One end of a TCP connection. Every packet that arrives passes every stage of a strict receiver."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._socket.settimeout(PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = wire.PacketReader()
        self.received: list[wire.Packet] = []

    def send(self, *packets: bytes) -> None:
        self._socket.sendall(b"".join(packets))

    def next(self) -> wire.Packet | None:
        """The next packet; None when the peer has closed."""
        while (packet := self._reader.next_packet()) is None:
            chunk = self._socket.recv(65536)
            if not chunk:
                assert self._reader.buffered_bytes == 0, "closed inside a packet"
                return None
            self._reader.feed(chunk)
        wire.check_message(packet, strict=True)
        wire.check_body(packet)
        self.received.append(packet)
        return packet

    def expect(self, kind: wire.MessageType) -> wire.Packet:
        packet = self.next()
        assert packet is not None, f"closed instead of {kind.name}"
        assert packet.message_type is kind
        return packet

    def close(self) -> None:
        self._socket.close()


class _Beside(threading.Thread):
    """A coroutine in a thread of its own; `finish` waits for it and raises what it raised."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        super().__init__(daemon=True)
        self._make = make
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._make())
        except BaseException as error:
            self._error = error

    def finish(self) -> None:
        self.join(PATIENCE)
        assert not self.is_alive(), "the peer does not come to an end"
        if self._error is not None:
            raise self._error


@contextmanager
def _with(beside: _Beside, line: Line) -> Iterator[Line]:
    """The line, while the peer runs beside; what the test raises is worth more than how the peer took it."""
    try:
        yield line
    except BaseException:
        line.close()
        beside.join(PATIENCE)
        raise
    line.close()
    beside.finish()


@contextmanager
def peer_server(app: Callable[[NativeServer], Coroutine[Any, Any, None]]) -> Iterator[Line]:
    """`app` on the peer's runtime server, and a line that is connected to it."""
    options = NativeServerBootstrapOptions(
        endpoint="nnrp://127.0.0.1/test",
        provider_routes={"tcp": NativeServerProviderRoute("tcp://127.0.0.1:0")},
        transport_policy=TransportPolicy.FORCE_TCP,
    )
    with listen_native_server(options) as server:
        host, _, port = server.bound_provider_endpoints["tcp"].address.rpartition(":")
        connected = socket.create_connection((host, int(port)), PATIENCE)
        beside = _Beside(lambda: app(server))
        beside.start()
        with _with(beside, Line(connected)) as line:
            yield line


@contextmanager
def peer_client(app: Callable[[NativeClientConnection], Coroutine[Any, Any, None]]) -> Iterator[Line]:
    """`app` on the peer's runtime client, and the line it has connected to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        async def connected() -> None:
            options = NativeClientOptions(
                endpoint=f"nnrp://127.0.0.1:{port}/test", transport_policy=TransportPolicy.FORCE_TCP
            )
            with connect_native_client_connection(options) as connection:
                await app(connection)

        beside = _Beside(connected)
        beside.start()
        listener.settimeout(PATIENCE)
        try:
            accepted, _ = listener.accept()
        except TimeoutError:
            beside.finish()  # why nobody came
            raise
        with _with(beside, Line(accepted)) as line:
            yield line
