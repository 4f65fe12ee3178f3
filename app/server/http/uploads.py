"""Files on their way in: each to an address that its session was given, so many bytes a session, all counted in memory.

Streamlit's own address takes whatever is sent to it, under any name, and as often as one likes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import NamedTuple

from cachetools import FIFOCache
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadFileUrlInfo

from app.server.base_path import base_path
from app.server.limits import limits
from app.server.memory import Budget, Entry, memory

_ADDRESS = "/_stcore/upload_file/"
# Of a form around its file: what stands between the parts, and their names.
_FORM_BYTES = 1 << 20
# A visitor who chooses more files at a time has the first ones refused.
_MAX_GIVEN = 500


class Uploads:
    """Which addresses each session was given, and what it holds. For one thread, that of the event loop.

    Parameters
    ----------
    manager : Streamlit's; from now on it is noted here what addresses it gives.
    is_active : whether there is a session of that id.
    file_bytes : size of a file; a session may hold twice as much.
    budget : where what is held counts.
    """

    def __init__(
        self, manager: MemoryUploadedFileManager, is_active: Callable[[str], bool], file_bytes: int, budget: Budget
    ) -> None:
        self._manager, self._is_active, self._budget = manager, is_active, budget
        self.body_bytes, self._session_bytes = file_bytes + _FORM_BYTES, 2 * file_bytes + _FORM_BYTES
        self._given: dict[str, FIFOCache[str, bool]] = {}
        self._coming: Counter[str] = Counter()  # bytes that sessions are sending
        self._give = manager.get_upload_urls
        manager.get_upload_urls = self._noted  # type: ignore[method-assign]

    def _noted(self, session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
        for gone in [one for one in self._given if not self._is_active(one)]:
            del self._given[gone]
        given = self._give(session_id, file_names)
        self._given.setdefault(session_id, FIFOCache(_MAX_GIVEN)).update((one.file_id, True) for one in given)
        return given

    def refusal(self, session: str, file: str, n_bytes: int) -> int:
        """Status of the answer to so many bytes that are to be sent to an address; 0 where they may come."""
        if file not in self._given.get(session, ()) or not self._is_active(session):
            return 403
        held = sum(len(one.data) for one in list(self._manager.file_storage.get(session, {}).values()))
        is_too_much = held + self._coming[session] + n_bytes > self._session_bytes
        return 413 if n_bytes > self.body_bytes or is_too_much else 0

    @contextmanager
    def coming(self, session: str, n_bytes: int) -> Iterator[None]:
        """So many bytes are on their way: they count as if they were held."""
        self._coming[session] += n_bytes
        try:
            yield
        finally:
            self._coming[session] -= n_bytes
            if not self._coming[session]:
                del self._coming[session]

    def count(self, session: str, file: str) -> None:
        """A file may have arrived: it counts in the budget until its widget or its session goes.

        It goes before a text that was read from one, for whoever sent it can do so again.
        """

        def lives() -> bool:
            return bool(self._manager.get_files(session, [file]))

        drop = partial(self._manager.remove_file, session, file)
        for found in self._manager.get_files(session, [file]):
            self._budget.use({("upload", session, file): Entry(len(found.data), drop, can_return=True, lives=lives)})


@cache
def uploads() -> Uploads:
    """The uploads of this server, which must be running; ask for them before anybody is given an address."""
    runtime = get_instance()
    manager = runtime.uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    # Streamlit, and the browser, count a limit in units of 1,048,576 bytes.
    return Uploads(manager, runtime.is_active_session, limits().upload_mb << 20, memory())


class _UploadPlace(NamedTuple):
    session: str
    file: str


class BoundedUploads:
    """Middleware that refuses uploads before they are read."""

    def __init__(self, app: ASGIApp, uploads: Callable[[], Uploads] = uploads) -> None:
        self._app, self._uploads = app, uploads
        self._prefix = base_path() + _ADDRESS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, or not."""
        place = self._place(scope)
        if place is None:
            await self._app(scope, receive, send)
            return
        uploads = self._uploads()
        n_bytes = _length(scope, uploads.body_bytes)
        status = uploads.refusal(*place, n_bytes)
        if status:
            text = "Not asked for" if status == 403 else "File too large"
            await PlainTextResponse(text, status)(scope, receive, send)
            return
        with uploads.coming(place.session, n_bytes):
            await self._app(scope, _at_most(n_bytes, receive), send)
        uploads.count(*place)

    def _place(self, scope: Scope) -> _UploadPlace | None:
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or not path.startswith(self._prefix):
            return None
        parts = path.removeprefix(self._prefix).split("/")
        return _UploadPlace(*parts) if len(parts) == 2 else None


def _length(scope: Scope, unknown: int) -> int:
    """Bytes of a request's body, as it says; what does not say may be as long as any."""
    said = dict(scope["headers"]).get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 20 else unknown


def _at_most(n_bytes: int, receive: Receive) -> Receive:
    """The body of a request, until it is longer than that."""
    left = n_bytes

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, "File too large")
        return message

    return bounded
