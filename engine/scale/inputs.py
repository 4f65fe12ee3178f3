"""The files of a corpus as blocks of whole lines that can be read in any order, on any machine.

A plain text file is cut at line ends every 16 MB and never read whole. Compressed files, tables and UTF-16 are one
block each, since they can only be read from the beginning.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from engine.corpus.normalize import normalize
from engine.corpus.reading.decoded import DecodedLines
from engine.corpus.reading.encodings import guesses, likely_encoding
from engine.corpus.reading.read import FilePart, corpus_parts, is_plain, named, require_split
from engine.corpus.reading.tables import table_kind
from engine.corpus.reading.unpack import is_packed
from engine.errors import InputError
from engine.machine.atomic_file import STDIN, standard_input
from engine.machine.folders import held_folder, remove_held
from engine.machine.threads import in_threads


def is_remote(path: str) -> bool:
    """Whether a path names its file system, as in s3://bucket/corpus.txt."""
    return "://" in path


def file_name(path: str) -> str:
    """The last part of a path."""
    return PurePosixPath(path).name if is_remote(path) else Path(path).name


def open_file(path: str, mode: str) -> IO[bytes]:
    """Open a binary file; InputError if it cannot be opened, or read more than once."""
    try:
        if path == STDIN and mode == "rb":
            return BytesIO(standard_input())
        if mode == "rb" and Path(path).is_fifo():
            raise InputError("file.pipe", path=path)
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


BLOCK_BYTES = 16 << 20
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
    split: tuple[str, ...] = ()  # columns of a table whose values make parts

    def read(self) -> tuple[Sequence[str], list[FilePart], bytes]:
        """The lines and their parts, as `read_parts` has them of the whole file, and the bytes that were read.

        UnicodeError if a plain text is in another encoding.
        """
        with open_file(self.path, "rb") as file:
            if self.encoding:
                file.seek(self.begin)
                data = file.read(self.end - self.begin)
                lines = DecodedLines(data if self.encoding == "utf-8" else data.decode(self.encoding).encode())
                return lines, [FilePart(self.path, len(lines), {})], data
            data = file.read()
        try:
            return *corpus_parts(data, self.path, self.told, self.column, self.split), data
        except InputError as error:
            raise named(error, self.path) from None

    def lines(self) -> str | None:
        """The lines, joined by \\n; None if there are none."""
        lines, *_ = self.read()
        return "\n".join(lines) if lines else None


class Survey(NamedTuple):
    """The result of reading a corpus once from beginning to end."""

    blocks: list[Block]
    fingerprint: str  # SHA-256 of the normalised text, as in Corpus


def survey(
    paths: Sequence[str], column: str | None, normalization: str, told: str | None = None, split: Collection[str] = ()
) -> Survey:
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
                for block in _cut(Block(path, column, encoding, 0, 0, told, tuple(split))):
                    lines, parts, _ = _read(block)
                    require_split(split, parts)
                    if lines:
                        text = normalize("\n".join(lines), normalization)
                        digest.update((b"\n" if blocks else b"") + text.encode())
                        blocks.append(block)
            except UnicodeError:
                continue
            break
    return Survey(blocks, digest.hexdigest())


class SurveyedBlock(NamedTuple):
    """A block with what was in it when it was read first.

    Attributes
    ----------
    parts : of `read_parts`; those of a plain text that is cut all have its name.
    digest : SHA-256 (hex) of the bytes and their encoding; of what is not plain text, of its lines in UTF-8.
    n_bytes : of the same.
    """

    block: Block
    parts: list[FilePart]
    digest: str
    n_bytes: int

    def lines(self) -> list[Sequence[str]]:
        """The lines of each part; InputError if the file has changed since."""
        try:
            found, lines = _described(self.block, *self.block.read())
        except UnicodeError:
            raise InputError("scale.changed", path=self.block.path) from None
        if found != self:
            raise InputError("scale.changed", path=self.block.path)
        if len(self.parts) == 1:
            return [lines]
        ends = list(accumulate((part.n_lines for part in self.parts), initial=0))
        return [lines[begin:end] for begin, end in pairwise(ends)]


def text_blocks(
    path: str, column: str | None, told: str | None, split: tuple[str, ...], threads: int
) -> list[SurveyedBlock]:
    """The blocks of a file, one at least; InputError if it cannot be read."""
    found: list[SurveyedBlock] = []
    for encoding in (*(_encodings(path, told) if column is None else ()), ""):
        blocks = list(_cut(Block(path, column, encoding, 0, 0, told, split)))
        try:
            found = in_threads(threads, len(blocks), partial(_surveyed, blocks))
        except UnicodeError:
            continue
        if found:
            break
    return found


def _surveyed(blocks: Sequence[Block], k: int) -> SurveyedBlock:
    return _described(blocks[k], *_read(blocks[k]))[0]


def _described(
    block: Block, lines: Sequence[str], parts: list[FilePart], data: bytes
) -> tuple[SurveyedBlock, Sequence[str]]:
    content = data if block.encoding else "\n".join(lines).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(block.encoding.encode())
    digest.update(content)
    return SurveyedBlock(block, parts, digest.hexdigest(), len(content)), lines


def _encodings(path: str, told: str | None) -> Sequence[str]:
    """Possible encodings of a plain text; empty for a file that is read whole."""
    with open_file(path, "rb") as file:
        head = file.read(_HEAD)
        odd = _size(file) % 2 == 1
    if is_packed(head) or table_kind(file_name(path), head):
        return ()
    found = (told,) if told else guesses(head + b"\n" * (odd and len(head) == _HEAD))
    return found if found[0] in ("utf-8", "cp949") else ()


def _cut(whole: Block) -> Iterator[Block]:
    """The blocks of a file."""
    if not whole.encoding:
        yield whole
        return
    with open_file(whole.path, "rb") as file:
        size = _size(file)
        begin = 0
        file.seek(0)
        while whole.encoding == "utf-8" and begin < 6 and file.read(3) == _BOM:  # decode_bytes also removes up to two
            begin += 3
        while begin < size:
            file.seek(begin)
            data = file.read(BLOCK_BYTES)
            while begin + len(data) < size and not _whole_lines(data):
                data += file.read(BLOCK_BYTES)
            if begin + len(data) < size:
                data = data[: _whole_lines(data)]
            yield whole._replace(begin=begin, end=begin + len(data))
            begin += len(data)


def _read(block: Block) -> tuple[Sequence[str], list[FilePart], bytes]:
    """What `block.read` returns; UnicodeError if `block.encoding` is not that of the file."""
    lines, parts, data = block.read()
    if block.encoding == "cp949" and not block.told and likely_encoding(data) != block.encoding:
        raise UnicodeError  # read as a whole, it says so
    if block.encoding and block.begin <= 2 * len(_BOM) and not is_plain("\n".join(lines)):
        raise UnicodeError  # read as a whole, it is understood or refused by its name
    return lines, parts, data


def _whole_lines(data: bytes) -> int:
    """Bytes up to the last line end; a final \\r may be half of one."""
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1


def _size(file: IO[bytes]) -> int:
    return file.seek(0, 2)
