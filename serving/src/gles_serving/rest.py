"""uvicorn's side of REST: what it does not bound, and an end that answers what has arrived.

uvicorn's parser, httptools, has no bound on the size of a request's head. h11 has one, but takes a
third more time for each request, and answers with 400.
"""

import asyncio
import json
import select
from http import HTTPStatus
from typing import Any, Iterable, List, Optional

from kserve.protocol.dataplane import DataPlane
from kserve.protocol.rest.server import _RefreshingServer
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

# Of a request's line and headers together.
MOST_HEAD_BYTES = 64 << 10
_TOO_LARGE = f"the request's line and headers have more than {MOST_HEAD_BYTES} bytes"
# How long the end of the server waits for a queue of connections that does not become empty.
_ACCEPT_SECONDS = 1.0


def _readable(sockets: Iterable[Any]) -> bool:
    """Whether a socket has something to read, a connection to accept, or an end to tell."""
    poll = select.poll()
    for sock in sockets:
        if sock.fileno() >= 0:
            poll.register(sock.fileno(), select.POLLIN)
    return bool(poll.poll(0))


class State(ServerState):
    """What the connections of a server share. ending: they close after their next answer."""

    ending = False


class Protocol(HttpToolsProtocol):
    """uvicorn's connection, with a bound on the head of a request (and on what follows a body in
    chunks), and errors in the protocol's form."""

    server_state: State
    url = b""
    _head = 0  # bytes since the last head or part of a body was complete

    def _head_is_open(self) -> bool:
        return self.scope is not None and "method" not in self.scope

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if self._head > MOST_HEAD_BYTES and not self.transport.is_closing():
            self.logger.warning(_TOO_LARGE)
            self.send_400_response(_TOO_LARGE)

    def on_headers_complete(self) -> None:
        self._head = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if self._head > MOST_HEAD_BYTES:
            raise ValueError(_TOO_LARGE)  # has uvicorn call send_400_response()
        self._head = 0
        before = self.cycle
        super().on_headers_complete()
        if self.server_state.ending and self.cycle is not before:
            self.cycle.keep_alive = False
            if before is not None:  # the client did not wait for its answer
                before.keep_alive = True

    def on_body(self, body: bytes) -> None:
        self._head = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Ends the connection with the reason: 414, 431, or 400 and `msg`."""
        status = HTTPStatus.BAD_REQUEST
        if self._head > MOST_HEAD_BYTES:
            too_long = len(self.url) > MOST_HEAD_BYTES
            status = HTTPStatus.REQUEST_URI_TOO_LONG if too_long else \
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            msg = _TOO_LARGE
        body = json.dumps({"error": msg}).encode()
        head = (f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n")
        self.transport.write(head.encode() + body)
        self.transport.close()

    def shutdown(self) -> None:
        """uvicorn's, but a connection that has a request to read stays for the answer."""
        idle = self.cycle is None or self.cycle.response_complete
        if not idle or not (self._head_is_open()
                            or _readable([self.transport.get_extra_info("socket")])):
            super().shutdown()


class Server(_RefreshingServer):
    """kserve's, that accepts and answers at its end what has arrived."""

    def __init__(self, config: Any, data_plane: DataPlane):
        super().__init__(config)
        self.server_state = State()
        self._data_plane = data_plane

    async def shutdown(self, sockets: Optional[List[Any]] = None) -> None:
        """uvicorn's. Closing a listener resets what waits to be accepted, so that comes first."""
        self._data_plane.draining = True
        self.server_state.ending = True
        loop = asyncio.get_running_loop()
        end = loop.time() + _ACCEPT_SECONDS
        listeners = [sock for server in self.servers for sock in server.sockets]
        while _readable(listeners) and loop.time() < end:
            await asyncio.sleep(0.001)
        for server in self.servers:
            server.close()
        for _ in range(3):  # what was accepted at last becomes one of the connections
            await asyncio.sleep(0)
        await super().shutdown(sockets)
