"""A phone's connection to the server: HTTP/1.1 over one socket, light enough for a thousand of them in one process."""

import asyncio
import json
from contextlib import suppress
from urllib.parse import urlsplit


class Wire:
    """Requests one after the other; a lost connection is a ConnectionError, and the next request makes another.

    A connection that the server closed while it was idle is replaced at once, as browsers do.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str, student: str, seconds: float) -> tuple[int, dict[str, object]]:
        """Status and JSON object of the answer."""
        return await self._ask(f"GET {path} HTTP/1.1\r\nHost: phone\r\nX-Student: {student}\r\n\r\n", seconds)

    async def post(self, path: str, body: str, seconds: float) -> tuple[int, dict[str, object]]:
        """As `get`."""
        head = f"POST {path} HTTP/1.1\r\nHost: phone\r\nContent-Length: {len(body.encode())}\r\n\r\n"
        return await self._ask(head + body, seconds)

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

    async def _ask(self, request: str, seconds: float) -> tuple[int, dict[str, object]]:
        try:
            async with asyncio.timeout(seconds):
                if self._streams is not None and self._streams[0].at_eof():
                    self.close()
                if self._streams is None:
                    self._streams = await asyncio.open_connection(self._host, self._port)
                reader, writer = self._streams
                writer.write(request.encode())
                await writer.drain()
                return await _answer(reader)
        except (OSError, ValueError, EOFError) as error:
            self.close()
            raise ConnectionError(str(error)) from None
        except BaseException:  # cancelled in the middle of an answer
            self.close()
            raise


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, object]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
    length = next(int(line.partition(":")[2]) for line in head if line.startswith("content-length:"))
    body = {}
    content = await reader.readexactly(length)
    with suppress(ValueError):
        body = json.loads(content)
    return int(head[0].split()[1]), body
