"""WebSockets whose messages are bounded while they arrive.

uvicorn keeps every frame of a message until the last one, up to Streamlit's `maxMessageSize`, which is meant for what
the server sends; and it answers pings even if nobody reads the answers. Streamlit keeps the last message of a session
until the next one comes, as bytes and as read.

Upstream: https://github.com/python-websockets/websockets/issues/1602; https://github.com/Kludex/uvicorn/pull/2983 keeps
the frames.
"""

import asyncio

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

RELIES_ON = {
    "uvicorn/protocols/websockets/websockets_sansio_impl.py": (
        "self.conn",
        "self.frames",
        "self.queue",
        "self.read_paused",
        "def handle_cont",
        "def send_receive_event_to_app",
        "def pause_writing",
    )
}

_LONG = 100_000  # bytes
_NOTHING = BackMsg(app_heartbeat=True).SerializeToString()


def longest_message() -> int:
    """Most bytes that a browser may send at once: the values of all fields of a page, pasted texts included."""
    return int(st.get_option("server.maxWidgetStateSize")) * 1_000_000


class Socket(WebSocketsSansIOProtocol):
    """uvicorn's protocol, which also tells how much it keeps of a message that has not fully arrived."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.conn.max_message_size = longest_message()
        self._rest = bytearray()
        self.has_spoken = False

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.conn.reader.discard()
        self.frames, self._rest = [], bytearray()

    @property
    def n_unfinished(self) -> int:
        return len(self.conn.reader.buffer) + sum(map(len, self.frames)) + len(self._rest)

    def handle_cont(self, event: Frame) -> None:
        """Join the frames of a message as they arrive: kept one by one, a million of a few bytes take far more."""
        self._rest += event.data
        if event.fin:
            self.frames.append(bytes(self._rest))
            self._rest.clear()
            self.send_receive_event_to_app()

    def send_receive_event_to_app(self) -> None:
        """Have a long message followed by one that asks for nothing, so that it is not kept."""
        is_long = sum(map(len, self.frames)) > _LONG
        super().send_receive_event_to_app()
        if is_long:
            self.queue.put_nowait({"type": "websocket.receive", "bytes": _NOTHING})
        self.has_spoken = True

    def pause_writing(self) -> None:
        """Read nothing from a client that does not read."""
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()
