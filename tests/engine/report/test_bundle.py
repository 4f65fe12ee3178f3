"""A ZIP of files: the same bytes at any time, and sums that are right."""

import hashlib
import io
import zipfile

from app.share.routes import SUMS, bundle

_FILES = {"b/가.txt": b"1", "a.txt": b"", "c.bin": bytes(1000)}


def test_contents_and_sums() -> None:
    with zipfile.ZipFile(io.BytesIO(bundle(_FILES))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in _FILES} == _FILES
        lines = archive.read(SUMS).decode().splitlines()
    assert lines == [f"{hashlib.sha256(_FILES[name]).hexdigest()}  {name}" for name in sorted(_FILES)]


def test_bytes_depend_on_the_contents_only() -> None:
    made = bundle(_FILES)
    assert made == bundle(dict(reversed(_FILES.items())))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
