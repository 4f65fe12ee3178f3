"""Uploads: each only to an address issued to its session, limited per session, and counted in memory.

Streamlit's own endpoint accepts anything, under any name, any number of times.
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

from app.server.limits import limits
from app.server.memory import Budget, Entry, memory
from app.server.patches.upload_addresses import report_upload_addresses
from app.server.request import base_path

_ADDRESS = "/_stcore/upload_file/"
# Overhead of a multipart form around its file: separators and part headers.
_FORM_BYTES = 1 << 20
# If a visitor chooses more files at a time, the first ones are refused.
_MAX_GIVEN = 500


class Uploads:
    """Addresses issued to each session, and its bytes. To be used from the event loop's thread only.

    Parameters
    ----------
    manager : Streamlit's; wrapped to record the addresses it issues.
    is_active : whether there is a session with that id.
    file_bytes : size limit of a file; a session may store twice as much.
    budget : counts the uploaded files.
    """

    def __init__(
        self, manager: MemoryUploadedFileManager, is_active: Callable[[str], bool], file_bytes: int, budget: Budget
    ) -> None:
        self._manager, self._is_active, self._budget = manager, is_active, budget
        self.body_bytes, self._session_bytes = file_bytes + _FORM_BYTES, 2 * file_bytes + _FORM_BYTES
        self._given: dict[str, FIFOCache[str, bool]] = {}
        self._coming: Counter[str] = Counter()  # bytes being sent, by session
        report_upload_addresses(manager, self._note)

    def _note(self, session: str, issued: Sequence[UploadFileUrlInfo]) -> None:
        for gone in [one for one in self._given if not self._is_active(one)]:
            del self._given[gone]
        self._given.setdefault(session, FIFOCache(_MAX_GIVEN)).update((one.file_id, True) for one in issued)

    def refusal(self, session: str, file: str, n_bytes: int) -> int:
        """Status for refusing an upload of `n_bytes` to this address; 0 if it is accepted."""
        if file not in self._given.get(session, ()) or not self._is_active(session):
            return 403
        held = sum(len(one.data) for one in list(self._manager.file_storage.get(session, {}).values()))
        is_too_much = held + self._coming[session] + n_bytes > self._session_bytes
        return 413 if n_bytes > self.body_bytes or is_too_much else 0

    @contextmanager
    def coming(self, session: str, n_bytes: int) -> Iterator[None]:
        """Count bytes in transit as if they were stored."""
        self._coming[session] += n_bytes
        try:
            yield
        finally:
            self._coming[session] -= n_bytes
            if not self._coming[session]:
                del self._coming[session]

    def count(self, session: str, file: str) -> None:
        """Add a file, if it has arrived, to the budget, until its widget or session is gone.

        It is evicted before the text read from it: the visitor can upload it again.
        """

        def lives() -> bool:
            return bool(self._manager.get_files(session, [file]))

        drop = partial(self._manager.remove_file, session, file)
        for found in self._manager.get_files(session, [file]):
            self._budget.use({("upload", session, file): Entry(len(found.data), drop, can_return=True, lives=lives)})


@cache
def uploads() -> Uploads:
    """The uploads of this server, which must be running; call it before any address is issued."""
    runtime = get_instance()
    manager = runtime.uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    # Streamlit and the browser count limits in units of 1,048,576 bytes.
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
    said = dict(scope["headers"]).get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 20 else unknown


def _at_most(n_bytes: int, receive: Receive) -> Receive:
    left = n_bytes

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, "File too large")
        return message

    return bounded
