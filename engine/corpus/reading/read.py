"""Reading text: from bytes to lines.

Encodings: see encodings.py. Files may be compressed (.gz, .zst), and a corpus may be a column of a table. Lines end at
\\n, \\r\\n or \\r.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from engine.corpus.reading.archives import is_archive, read_archive
from engine.corpus.reading.encodings import ENCODINGS, guesses, is_text_in, likely_encoding
from engine.corpus.reading.jsonl import is_json_document, is_json_lines
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.corpus.reading.tables import KINDS, TextTable, open_table, table_kind
from engine.corpus.reading.unpack import DEFAULT_MAX_BYTES, unpack
from engine.errors import InputError, require_choice
from engine.machine.atomic_file import read_file

_TIME = r"\d+:\d\d:\d\d[,.]\d+"
_CUE = rf"(?:\d+[ \t]*\n)?{_TIME} --> |{_TIME},{_TIME}[ \t]*\n|\[\d+:\d\d[.:]\d\d+\]|\{{\d+\}}\{{\d+\}}"
_BLOCK = r"<(?:head|body|title|meta|div|p|table|ul|ol|h[1-6]|article|section)\b[^<>]*>"
# A line that is one opening tag, with attributes or closed later.
_ELEMENT = r"<([A-Za-z][\w:.-]*)(?:\s+[\w:.-]+\s*=[^<>]*>[ \t]*\n|\s*>[ \t]*\n.*</\1>)"

# How such a text begins, after white space.
_BEGINNINGS = {
    "subtitles": rf"(?i:WEBVTT\b|<SAMI\b|\[Script Info\]|{_CUE})",
    "html": rf"(?i:<!doctype\s+html\b|<html\b|{_BLOCK})",
    "tei": r"(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*|<\?.*?\?>\s*)*<(?:TEI|teiCorpus|TEI\.2)\b",
    "xml": rf"<\?xml\b|<!DOCTYPE\b|{_ELEMENT}",
    "rtf": r"\{\\rtf",
}
_MOST = 4096


def refuse_markup(text: str) -> None:
    """Refuse a document in markup, subtitles with their times, and JSON, which are no plain text.

    Raises
    ------
    InputError : it is one; the message names its kind.
    """
    begin = text[:_MOST].lstrip().replace("\r\n", "\n").replace("\r", "\n")
    for what, pattern in _BEGINNINGS.items():
        if re.match(pattern, begin, re.DOTALL):
            raise InputError("file.kind", what=what)
    if is_json_document(text):
        raise InputError("file.json")
    if is_json_lines(text):
        raise InputError("file.json_lines")


def is_plain(text: str) -> bool:
    """Whether the lines of a text, of which this is at least the beginning, are those of its corpus.

    Not so for what is refused, tagged sentences, and documents of 모두의 말뭉치, which only a parser of JSON can tell.
    """
    try:
        refuse_markup(text)
    except InputError:
        return False
    is_document = text.lstrip()[:1] == "{" and '"document"' in text
    return not is_document and untagged(text[:_TAGGED_BEGINNING]) is None


# As a list, they take about 2 GB.
MOST_LINES = 20_000_000


def decode_bytes(data: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Text of `data` and the name of its encoding.

    Parameters
    ----------
    data : the whole file.
    encoding : one of ENCODINGS, or None to find it out.

    Raises
    ------
    InputError : no encoding fits, or the likely one is none that is found out; the message gives the place of the first
        byte that is not UTF-8.

    Examples
    --------
    >>> decode_bytes("한국어".encode("cp949"))
    ('한국어', 'cp949')
    """
    if encoding is not None:
        require_choice("encoding", encoding, ENCODINGS)
    errors: list[UnicodeDecodeError] = []
    likely = ""
    for name in (encoding,) if encoding else guesses(data):
        if name == "cp949" and not encoding and (likely := likely_encoding(data)) != name:
            continue
        try:
            text = data.decode(name)
        except UnicodeDecodeError as error:
            if _is_cut_off(error):
                raise InputError("file.cut_off", **_place(data, error.start)) from None
            errors.append(error)
            continue
        return text.removeprefix("\ufeff").removeprefix("\ufeff"), name  # joined files may have two marks
    # The first guess is the likeliest: its error is the one to look for.
    at = errors[0].start
    if likely and is_text_in(likely, data):
        raise InputError("file.other_encoding", likely=likely, byte=data[at], **_place(data, at))
    encodings = encoding or "UTF-8, UTF-16 or CP949"
    raise InputError("file.encoding", encodings=encodings, byte=data[at], **_place(data, at))


def _place(data: bytes, offset: int) -> dict[str, int]:
    line_feeds = with_line_feeds(data[:offset].decode("latin-1")).count("\n")
    return {"offset": offset, "line": line_feeds + 1}


def _is_cut_off(error: UnicodeDecodeError) -> bool:
    """Whether UTF-8 text, not all of it ASCII, ends within a character: nothing else looks like that."""
    before = error.object[: error.start]
    return error.encoding == "utf-8" and error.reason == "unexpected end of data" and not before.isascii()


def read_lines(path: str | Path, encoding: str | None = None) -> list[str]:
    """Lines of a text file in any of the known encodings, compressed or not.

    >>> read_lines("assets/parallel/ko.txt")[0]
    '여러분, 좋은 아침입니다!'
    """
    try:
        text, _ = decode_bytes(unpack(read_file(path)), encoding)
    except InputError as error:
        raise named(error, path) from None
    return _bounded_lines(text)


def _bounded_lines(text: str) -> list[str]:
    count = text.count("\n")
    if count > MOST_LINES:  # a small packed file may have more than fit into memory
        raise InputError("file.lines", count=count, most=MOST_LINES)
    return split_lines(text)


def open_corpus(
    data: bytes, name: str, encoding: str | None = None, max_bytes: int = DEFAULT_MAX_BYTES
) -> tuple[str | TextTable, str]:
    """The text or the table in a file, and the encoding (empty for `parquet`).

    Parameters
    ----------
    data : the whole file, compressed or not.
    name : file name; the extension distinguishes CSV, TSV and JSON lines from plain text.
    encoding : one of ENCODINGS, or None to find it out.
    max_bytes : maximum size after decompression.

    Raises
    ------
    engine.corpus.reading.unpack.SizeError : the content is larger.
    InputError : the file is damaged, or no encoding fits.

    Examples
    --------
    >>> table, encoding = open_corpus(b"text,label\\ngood,1\\nbad,0\\n", "reviews.csv")
    >>> table.names, encoding
    (('text', 'label'), 'utf-8')
    >>> table.read("text").text
    'good\\nbad\\n'
    """
    data = unpack(data, max_bytes)
    kind = table_kind(name, data)
    if kind == "parquet":
        return open_table(kind, data, max_bytes), ""
    text, used = decode_bytes(data, encoding)
    if kind is None and (rows := nikl_rows(text)) is not None:
        return replace(open_table("jsonl", rows), known=FORM), used
    if kind is None and (plain := untagged(text)) is not None:
        return plain, used
    if kind is None:
        refuse_markup(text)
    return (open_table(kind, text) if kind else text), used


class FilePart(NamedTuple):
    """Some lines of a corpus that belong together: a file, or rows of a table with the same metadata."""

    name: str
    n_lines: int
    metadata: Mapping[str, str]


def read_corpus(
    path: str | Path, encoding: str | None = None, column: str | None = None, split: Collection[str] = ()
) -> list[str]:
    """Lines of a corpus file: a text, one column of a table, or an archive of them.

    Raises
    ------
    InputError : the file cannot be read, or it has several columns and `column` is None.

    Examples
    --------
    >>> read_corpus("assets/parallel/ko.txt")[0]
    '여러분, 좋은 아침입니다!'
    """
    return read_parts(path, encoding, column, split)[0]


def read_parts(
    path: str | Path, encoding: str | None = None, column: str | None = None, split: Collection[str] = ()
) -> tuple[list[str], list[FilePart]]:
    """`read_corpus`, and the parts: a table has one for all values of those of its columns that are in `split`."""
    try:
        return corpus_parts(read_file(path), str(path), encoding, column, split)
    except InputError as error:
        raise named(error, path) from None


def corpus_parts(
    data: bytes, name: str, encoding: str | None = None, column: str | None = None, split: Collection[str] = ()
) -> tuple[list[str], list[FilePart]]:
    """`read_parts` of a file with this content and name."""
    if is_archive(data):
        entries = read_archive(data)
        if entries.refused:
            raise entries.refused[0]
        each = [
            corpus_parts(entries.files[own], f"{name}/{own}", encoding, column, split) for own in sorted(entries.files)
        ]
        return [line for lines, _ in each for line in lines], [part for _, parts in each for part in parts]
    content, _ = open_corpus(data, name, encoding)
    if isinstance(content, str):
        if column is not None:
            raise InputError("table.plain", column=column, endings=", ".join(KINDS))
        lines = _bounded_lines(content)
        return lines, [FilePart(name, len(lines), {})]
    split = [own for own in content.names if own in split]
    rest = [own for own in content.names if own not in split]
    column = column or content.known or (rest[0] if len(rest) == 1 else None)
    if column is None:
        raise InputError("table.several", names=", ".join(content.names[:50]), suggested=content.suggested)
    cells = content.read(column, split=split)
    return _bounded_lines(cells.text), table_parts(name, cells.n_lines, split)


def table_parts(name: str, n_lines: Mapping[tuple[str, ...], int], split: Sequence[str]) -> list[FilePart]:
    """The parts of a table that has so many lines by the values of some columns."""
    if not split:
        return [FilePart(name, sum(n_lines.values()), {})]
    return [
        FilePart(f"{name}: {', '.join(values)}", n, dict(zip(split, values, strict=True)))
        for values, n in n_lines.items()
    ]


def require_split(split: Collection[str], parts: Sequence[FilePart]) -> None:
    """InputError for a column that is to make parts and is in none of the files."""
    if unknown := [name for name in split if not any(name in part.metadata for part in parts)]:
        raise InputError("table.split", column=unknown[0], endings=", ".join(KINDS))


def named(error: InputError, path: str | Path) -> InputError:
    """The error with the path of the file added, unless it is already there."""
    if str(path) in str(error):
        return error
    return InputError("file.named", path=path, cause=error)


FORM = "form"  # where 모두의 말뭉치 has the text
_UNITS = ("utterance", "paragraph", "sentence")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")

# An eojeol and its morphemes; a number of the eojeol may come first.
_TAGGED = re.compile(r"(?:[^\t]*\t)?([^\t]+)\t((?:\S+/[A-Z]{1,5}\d?)(?:\s*\+\s*\S+/[A-Z]{1,5}\d?)*)\s*")
_MARKUP = re.compile(r"\s*(?:<.*|;.*)?")
_SEEN, _TAGGED_BEGINNING = 200, 100_000


def nikl_rows(text: str) -> str | None:
    """A document of 모두의 말뭉치 (NIKL) as JSON lines: what is written or spoken, what is known of it; else None.

    >>> print(nikl_rows('{"document": [{"metadata": {"date": "20190102"}, "sentence": [{"form": "꽃"}]}]}'))
    {"form": "꽃", "date": "20190102", "year": "2019"}
    """
    if text.lstrip()[:1] != "{" or '"document"' not in text:
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    documents = content.get("document")
    if not isinstance(documents, list):
        return None
    about = _facts(content.get("metadata"), ("category",))
    rows = [row for document in documents if isinstance(document, dict) for row in _rows(document, about)]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) if rows else None


def _rows(document: Mapping[str, Any], about: Mapping[str, str]) -> Iterator[dict[str, str]]:
    facts = {**about, **_facts(document.get("metadata"), ("category", "topic", "author", "publisher", "date"))}
    if year := _YEAR.match(facts.get("date", "")):
        facts["year"] = year[0]
    units: list[Any] = next((document[name] for name in _UNITS if isinstance(document.get(name), list)), [])
    for unit in units:
        if isinstance(unit, dict) and isinstance(unit.get(FORM), str) and unit[FORM].strip():
            yield {FORM: unit[FORM], **facts, **_facts(unit, ("speaker_id",))}


def _facts(metadata: object, names: tuple[str, ...]) -> dict[str, str]:
    own = metadata if isinstance(metadata, dict) else {}
    return {name: str(own[name]) for name in names if isinstance(own.get(name), str | int) and own[name] != ""}


def untagged(text: str) -> str | None:
    """The sentences of a text tagged as in the Sejong corpus, a line each; None if it is no such text.

    A sentence ends with an eojeol whose last tag is SF, and where a line has no eojeol.

    >>> untagged("1\\t나무에\\t나무/NNG + 에/JKB\\n2\\t꽃이\\t꽃/NNG + 이/JKS\\n3\\t폈다\\t피/VV + 었/EP + 다/EF\\n")
    '나무에 꽃이 폈다\\n'
    """
    lines = [line for line in split_lines(text[:_TAGGED_BEGINNING]) if not _MARKUP.fullmatch(line)]
    seen = list(islice(lines, _SEEN))
    if len(seen) < 3 or not all(map(_TAGGED.fullmatch, seen[:-1])):
        return None
    sentences: list[list[str]] = [[]]
    for line in split_lines(text):
        match = _TAGGED.fullmatch(line)
        if match is None:
            sentences.append([])
            continue
        sentences[-1].append(match[1])
        if re.search(r"/SF\s*$", match[2]):
            sentences.append([])
    return "".join(f"{' '.join(words)}\n" for words in sentences if words)
