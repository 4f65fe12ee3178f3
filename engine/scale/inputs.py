"""The files of a corpus as blocks of whole lines that can be read in any order, on any machine.

A plain text file is cut at line ends every 32 MB and never read whole. Compressed files, tables and UTF-16 are one
block each, since they can only be read from the beginning.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from engine.corpus.normalize import normalize
from engine.corpus.reading.encodings import guesses, likely_encoding
from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import corpus_lines, named, refuse_markup
from engine.corpus.reading.tables import table_kind
from engine.corpus.reading.unpack import is_packed
from engine.errors import InputError
from engine.machine.folders import held_folder, remove_held


def is_remote(path: str) -> bool:
    """Whether a path names its file system, as in s3://bucket/corpus.txt."""
    return "://" in path


def file_name(path: str) -> str:
    """The last part of a path."""
    return PurePosixPath(path).name if is_remote(path) else Path(path).name


def open_file(path: str, mode: str) -> IO[bytes]:
    """Open a binary file; InputError if it cannot be opened."""
    try:
        if not is_remote(path):
            return cast("IO[bytes]", Path(path).open(mode))
        return cast("IO[bytes]", _fsspec().open(path, mode).open())
    except InputError:
        raise
    except Exception as error:  # third-party file systems may raise anything
        cause = getattr(error, "strerror", None) or error
        if mode == "rb":
            raise InputError("file.unreadable", path=path, detail=cause) from None
        raise InputError("file.unwritable", path=path, detail=cause) from None


def make_folder(path: str) -> None:
    """Create a folder if it does not exist."""
    if is_remote(path):
        _fsspec().open(path).fs.makedirs(path, exist_ok=True)
        return
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("file.unwritable", path=path, detail=error.strerror or error) from None


def remove_folder(path: str) -> None:
    """Remove a folder and its content, ignoring errors."""
    if not is_remote(path):
        remove_held(Path(path))
        return
    with suppress(Exception):
        _fsspec().open(path).fs.rm(path, recursive=True)


def temporary_folder(parent: str | None = None) -> str:
    """Create a temporary folder on this machine; what a killed training left beside it is removed."""
    return str(held_folder("spool-", parent))


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise InputError("scale.no_fsspec") from None
    return fsspec


BLOCK_BYTES = 32 << 20
_HEAD = 4096
_BOM = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Lines of one file: its bytes begin..end-1, or the whole file if `encoding` is empty."""

    path: str
    column: str | None
    encoding: str
    begin: int
    end: int
    told: str | None = None  # the encoding, if it need not be found out

    def lines(self) -> str | None:
        """The lines, joined by \\n; None if there are none."""
        with open_file(self.path, "rb") as file:
            if self.encoding:
                file.seek(self.begin)
                return _text(file.read(self.end - self.begin), self.encoding)
            data = file.read()
        try:
            lines = corpus_lines(data, file_name(self.path), self.told, self.column)
        except InputError as error:
            raise named(error, self.path) from None
        return "\n".join(lines) if lines else None


class Survey(NamedTuple):
    """The result of reading a corpus once from beginning to end."""

    blocks: list[Block]
    fingerprint: str  # SHA-256 of the normalised text, as in Corpus


def survey(paths: Sequence[str], column: str | None, normalization: str, told: str | None = None) -> Survey:
    """Find out the encodings of the files unless they are told, cut them into blocks, and hash the text.

    This is the only sequential step: SHA-256 needs the bytes in order.

    Raises
    ------
    InputError : a file cannot be read.
    """
    blocks: list[Block] = []
    digest = hashlib.sha256()
    for path in paths:
        before, n_before = digest.copy(), len(blocks)
        for encoding in (*_encodings(path, told), ""):
            digest = before.copy()
            del blocks[n_before:]
            try:
                for block, text in _read_blocks(path, column, encoding, told):
                    digest.update((b"\n" if blocks else b"") + normalize(text, normalization).encode())
                    blocks.append(block)
            except UnicodeError:
                continue
            break
    return Survey(blocks, digest.hexdigest())


def _encodings(path: str, told: str | None) -> Sequence[str]:
    """Possible encodings of a plain text; empty for a file that is read whole."""
    with open_file(path, "rb") as file:
        head = file.read(_HEAD)
        odd = _size(file) % 2 == 1
    if is_packed(head) or table_kind(file_name(path), head):
        return ()
    found = (told,) if told else guesses(head + b"\n" * (odd and len(head) == _HEAD))
    return found if found[0] in ("utf-8", "cp949") else ()


def _read_blocks(path: str, column: str | None, encoding: str, told: str | None) -> Iterator[tuple[Block, str]]:
    if not encoding:
        block = Block(path, column, "", 0, 0, told)
        text = block.lines()
        if text is not None:
            yield block, text
        return
    with open_file(path, "rb") as file:
        size = _size(file)
        begin = 0
        file.seek(0)
        while encoding == "utf-8" and begin < 6 and file.read(3) == _BOM:  # decode_bytes also removes up to two
            begin += 3
        while begin < size:
            file.seek(begin)
            data = file.read(BLOCK_BYTES)
            while begin + len(data) < size and not _whole_lines(data):
                data += file.read(BLOCK_BYTES)
            if begin + len(data) < size:
                data = data[: _whole_lines(data)]
            if encoding == "cp949" and not told and likely_encoding(data) != encoding:
                raise UnicodeError  # read as a whole, it says so
            text = _text(data, encoding)
            if begin == 0:
                refuse_markup(text)
            yield Block(path, column, encoding, begin, begin + len(data)), text
            begin += len(data)


def _whole_lines(data: bytes) -> int:
    """Bytes up to the last line end; a final \\r may be half of one."""
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1


def _text(data: bytes, encoding: str) -> str:
    return "\n".join(split_lines(data.decode(encoding)))


def _size(file: IO[bytes]) -> int:
    return file.seek(0, 2)
