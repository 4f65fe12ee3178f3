"""ZIP archives of text files: bounded, never unpacked to the disk, and nothing inside an archive inside.

>>> data = io.BytesIO()
>>> with zipfile.ZipFile(data, "w") as archive:
...     archive.writestr("news_2004.txt", "한 줄")
...     archive.writestr("more.zip", b"PK\\x05\\x06")
>>> entries = read_archive(data.getvalue())
>>> list(entries.files), [error.values["path"] for error in entries.refused]
(['news_2004.txt'], ['more.zip'])
"""

import io
import re
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import NamedTuple

from engine.corpus.reading.unpack import DEFAULT_MAX_BYTES, SizeError
from engine.errors import InputError

MOST_FILES = 1000
_MOST_RATIO, _FREE = 300, 1_000_000  # of bytes unpacked to packed, beyond the first million
_NESTED = (".zip", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".gz.gz")
_DOCUMENT = ("[Content_Types].xml", "mimetype", "META-INF/container.xml")  # in Office, HWPX and EPUB files


class Entries(NamedTuple):
    """The files of an archive by name, and why others are not among them."""

    files: dict[str, bytes]
    refused: tuple[InputError, ...]


def is_archive(data: bytes) -> bool:
    """Whether this is a ZIP archive, and not a document in one."""
    return data.startswith(b"PK\x03\x04") and not any(name.encode() in data[:200] for name in _DOCUMENT)


def read_archive(data: bytes, max_bytes: int = DEFAULT_MAX_BYTES) -> Entries:
    """The files in a ZIP archive, without folders and what systems hide in them.

    Raises
    ------
    SizeError : they are larger together than `max_bytes`.
    InputError : the archive is damaged, has too many files, or unpacks to suspiciously much.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        listed = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise InputError("archive.damaged") from None
    infos = [info for info in listed if not info.is_dir() and not is_hidden(_name(info))]
    if len(infos) > MOST_FILES:
        raise InputError("archive.files", count=len(infos), most=MOST_FILES)
    files: dict[str, bytes] = {}
    refused: list[InputError] = []
    left = max_bytes
    for info in infos:
        own = _name(info)
        if own in files:
            raise InputError("files.same_name", name=own)
        if own.lower().endswith(_NESTED) or info.flag_bits & 1:
            cause = InputError("archive.locked") if info.flag_bits & 1 else InputError("archive.nested")
            refused.append(InputError("file.named", path=own, cause=cause))
            continue
        try:
            with archive.open(info) as stream:
                content = stream.read(left + 1)
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, zlib.error, NotImplementedError, RuntimeError):
            refused.append(InputError("file.named", path=own, cause=InputError("archive.damaged")))
            continue
        left -= len(content)
        if left < 0:
            raise SizeError(max_bytes, "unpacked_file")
        if max_bytes - left > _FREE + _MOST_RATIO * len(data):
            raise InputError("archive.ratio", most=_MOST_RATIO)
        files[own] = content
    return Entries(files, tuple(refused))


def is_hidden(path: str) -> bool:
    """Whether a system put this file beside the others."""
    return any(part.startswith((".", "__MACOSX")) or part == "Thumbs.db" for part in PurePosixPath(path).parts)


def _name(info: zipfile.ZipInfo) -> str:
    """The path of an entry, inside the archive whatever it says."""
    parts = re.split(r"[/\\]", _decoded(info))
    return "/".join(part for part in parts if part not in ("", ".", ".."))


def _decoded(info: zipfile.ZipInfo) -> str:
    """The name of an entry; without a mark that it is UTF-8 it is in the encoding of a Korean Windows, if it can be."""
    if info.flag_bits & 0x800 or info.filename.isascii():
        return info.filename
    try:
        data = info.filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    for encoding in ("utf-8", "cp949"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.filename
