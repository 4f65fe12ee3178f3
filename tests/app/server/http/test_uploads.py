"""Uploads: only to addresses that the session was given, so many bytes a session, counted in the server's memory."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette.starlette_routes import create_upload_routes

from app.server.http.uploads import BoundedUploads, Uploads
from app.server.memory import Budget, Entry

_FILE_BYTES = 3_000_000
_FORM = 1 << 20  # what a form may have around its file
_LARGE = b"x" * (_FILE_BYTES - 100_000)


class _Server:
    """Streamlit's own routes and manager, behind the middleware."""

    def __init__(self, base: str = "") -> None:
        self.manager = MemoryUploadedFileManager("/_stcore/upload_file")
        self.active = {"mine", "yours"}
        self.budget = Budget(4 * _FILE_BYTES)
        uploads = Uploads(self.manager, self.active.__contains__, _FILE_BYTES, self.budget)
        runtime: Any = SimpleNamespace(is_active_session=self.active.__contains__)
        app = Starlette(
            routes=create_upload_routes(runtime, self.manager, base),
            middleware=[Middleware(BoundedUploads, lambda: uploads)],
        )
        self.base, self.client = base, TestClient(app)

    def given(self, session: str, n: int = 1) -> list[str]:
        """Addresses as the browser gets them."""
        return [one.file_id for one in self.manager.get_upload_urls(session, ["a.txt"] * n)]

    def put(self, session: str, file: str, data: bytes = b"text") -> int:
        """Status of the answer."""
        address = f"{self.base}/_stcore/upload_file/{session}/{file}"
        return self.client.put(address, files={"file": ("a.txt", data)}).status_code

    @property
    def held(self) -> int:
        """Bytes of all sessions."""
        return sum(len(one.data) for files in self.manager.file_storage.values() for one in files.values())


@pytest.fixture(params=["", "/tok"])
def server(request: pytest.FixtureRequest) -> Iterator[_Server]:
    """A server without the token, which is Streamlit's own affair; at the root, and below a path."""
    config.set_option("server.enableXsrfProtection", False)
    config.set_option("server.baseUrlPath", request.param)
    yield _Server(request.param)
    config.set_option("server.baseUrlPath", "")
    config.set_option("server.enableXsrfProtection", True)


def test_only_an_address_that_the_session_was_given_takes_a_file(server: _Server) -> None:
    (mine,), (yours,) = server.given("mine"), server.given("yours")
    assert server.put("mine", mine) == 204
    assert [server.put("mine", file) for file in ("any", yours, f"{mine}x")] == [403] * 3
    assert server.put("nobody", mine) == 403
    server.active.remove("yours")
    assert server.put("yours", yours) == 403
    assert server.held == len(b"text")


def test_a_session_holds_two_files_of_the_largest_size(server: _Server) -> None:
    answers = [server.put("mine", file, _LARGE) for file in server.given("mine", 12)]
    assert answers == [204, 204, *[413] * 10]
    assert server.put("yours", server.given("yours")[0], _LARGE) == 204
    held = list(server.manager.file_storage["mine"])
    server.client.delete(f"{server.base}/_stcore/upload_file/mine/{held[0]}")
    assert server.put("mine", server.given("mine")[0], _LARGE) == 204


def test_what_is_held_counts_in_the_memory_of_the_server(server: _Server) -> None:
    dropped: list[str] = []
    server.budget.use({"table": Entry(1, lambda: dropped.append("table"), can_return=True)})
    server.budget.use({"text": Entry(1, lambda: dropped.append("text"))})
    for number in range(6):
        server.active.add(str(number))
        assert server.put(str(number), server.given(str(number))[0], _LARGE) == 204
        assert server.held <= 4 * _FILE_BYTES
    # The uploads of longest ago went, and the table before them; a text is not sent again as easily.
    assert dropped == ["table"] and not server.manager.file_storage["0"] and server.manager.file_storage["5"]
    for number in range(6):
        server.manager.remove_session_files(str(number))
    server.budget.use({"large": Entry(4 * _FILE_BYTES - 1, lambda: dropped.append("large"))})
    assert dropped == ["table"]


def test_a_body_that_is_too_long_is_not_read(server: _Server) -> None:
    sent: list[int] = []

    def body(n: int) -> Iterator[bytes]:
        for _ in range(n):
            sent.append(100_000)
            yield b"x" * 100_000

    address = f"{server.base}/_stcore/upload_file/mine/{server.given('mine')[0]}"
    form = {"content-type": "multipart/form-data; boundary=x"}
    said = {**form, "content-length": str(_FILE_BYTES + _FORM + 1)}
    assert server.client.put(address, content=body(1), headers=said).status_code == 413
    begun = (b"--x\r\ncontent-disposition: form-data; name=f; filename=a\r\n\r\n", *body(100))
    assert server.client.put(address, content=iter(begun), headers=form).status_code == 413  # without a length
    lying = {**form, "content-length": "1000"}
    assert server.client.put(address, content=iter(begun), headers=lying).status_code == 413
    assert server.held == 0 and server.put("mine", server.given("mine")[0]) == 204
