"""Gold files of morphemes: eojeols and their morphemes, as a table of two columns or as CoNLL-U."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.corpus.normalize import composed
from engine.corpus.reading.read import read_lines
from engine.errors import InputError
from engine.measure.morphemes.tags import SEJONG_TAGS

_TEXT = "# text ="
_MOST_QUOTED = 80  # characters of a line in an error message
_CONLLU_COLUMNS = 10
_UNKNOWN = "_"


class GoldWord(NamedTuple):
    """One eojeol.

    Attributes
    ----------
    surface : as written.
    morphemes : its morphemes in dictionary form: 갔다 is 가, 았, 다.
    begin : its start in the sentence (code points).
    tags : their parts of speech; empty if the file has none.
    complete : whether all morphemes are given. UD_Korean-Kaist gives some words more parts of speech than morphemes.
    """

    surface: str
    morphemes: tuple[str, ...]
    begin: int
    tags: tuple[str, ...] = ()
    complete: bool = True


class GoldSentence(NamedTuple):
    """A sentence as it is encoded, and its eojeols."""

    text: str
    words: list[GoldWord]


class _Row(NamedTuple):
    """An eojeol without a position in a sentence yet; `number` is its line number in the file, from 1."""

    number: int
    surface: str
    morphemes: tuple[str, ...]
    tags: tuple[str, ...] = ()
    complete: bool = True


def read_gold(path: str | Path) -> list[GoldSentence]:
    """Sentences of a gold file; see `parse_gold`."""
    return parse_gold(read_lines(path))


def parse_gold(lines: Sequence[str]) -> list[GoldSentence]:
    """Sentences of gold lines.

    One eojeol per line, `surface<TAB>morpheme+morpheme`; a literal plus sign as a morpheme is written `++` or alone. If
    every morpheme has a part of speech of Sejong's set, `먹/VV+다/EF`, it is read as such.
    A blank line ends a sentence; `# text = ...` gives its text, which otherwise is the surfaces joined by spaces. Other
    lines that begin with `# ` are comments. Without any blank line or text, every line is a separate text.

    Lines of ten columns are CoNLL-U, as in UD_Korean-Kaist and UD_Korean-GSD: LEMMA has the morphemes, XPOS their parts
    of speech, both joined by +, and words with SpaceAfter=No belong to the same eojeol as the next word. MSeg in MISC,
    morphemes of the surface joined by -, comes before LEMMA.

    The file is read in NFC: a boundary inside a Hangul syllable is none.

    Raises
    ------
    InputError : a line does not have exactly two filled columns, or a whole sentence, or the surfaces are not in the
        text; names the line. Or most words of CoNLL-U have no morphemes.
    """
    is_list = not any(line.strip() == "" or line.startswith(_TEXT) for line in lines)
    sentences: list[GoldSentence] = []
    text: str | None = None
    rows: list[_Row] = []
    unknown = 0  # CoNLL-U words without morphemes
    n_words = 0
    glued = False  # whether the next CoNLL-U word belongs to the eojeol of the previous one
    for number, line in enumerate([*lines, ""], start=1):
        line = composed(line.rstrip("\r"))
        if line.startswith(_TEXT):
            text = line[len(_TEXT) :].strip()
        elif line.strip() and not line.startswith("# "):
            columns = line.split("\t")
            is_conllu = len(columns) == _CONLLU_COLUMNS
            if is_conllu and not columns[0].isdecimal():  # a multiword token or an empty node
                continue
            if not (is_conllu or len(columns) == 2) or not all(column.strip() for column in columns):
                raise InputError("gold.line", number=number, line=line[:_MOST_QUOTED])
            if is_conllu:
                n_words += 1
                row = _conllu_row(number, columns)
                rows[-1:] = [_glue(rows[-1], row)] if glued and rows else [*rows[-1:], row]
                unknown += row.morphemes == (_UNKNOWN,) != (columns[1],)
                glued = "SpaceAfter=No" in columns[9].split("|")
                continue
            if " " in columns[0].strip() or " " in columns[1].strip():
                raise InputError("gold.sentence", number=number, line=line[:_MOST_QUOTED])
            rows.append(_table_row(number, columns))
        if rows and (is_list or not line.strip()):
            sentences.append(_sentence(text, rows))
            text, rows, glued = None, [], False
    if not sentences:
        raise InputError("gold.empty")
    if 2 * unknown > n_words:
        raise InputError("gold.unknown", unknown=unknown, count=n_words)
    return sentences


def split_morphemes(joined: str) -> tuple[str, ...]:
    """Morphemes of `a+b+c`; a plus sign at an end or after another one is itself a morpheme."""
    parts: list[str] = []
    current = ""
    for position, character in enumerate(joined):
        separates = character == "+" and current != "" and position + 1 < len(joined)
        if separates:
            parts.append(current)
            current = ""
        else:
            current += character
    return (*parts, current) if current else tuple(parts)


def _table_row(number: int, columns: list[str]) -> _Row:
    morphemes = split_morphemes(columns[1])
    forms, _, tags = zip(*(one.rpartition("/") for one in morphemes), strict=True)
    # The tags of Kiwi may say of a stem whether it is regular.
    if all(forms) and {tag.removesuffix("-R").removesuffix("-I") for tag in tags} <= SEJONG_TAGS:
        return _Row(number, columns[0], forms, tags)
    return _Row(number, columns[0], morphemes)


def _conllu_row(number: int, columns: list[str]) -> _Row:
    given = re.search(r"(?:^|\|)MSeg=([^|]+)", columns[9])
    if given and "-" not in columns[1]:
        morphemes = tuple(given[1].split("-"))
        tags = split_morphemes(columns[4])
        return _Row(number, columns[1], morphemes, tags if len(tags) == len(morphemes) else ())
    morphemes = split_morphemes(columns[2])
    tags = split_morphemes(columns[4]) if columns[4] != "_" else ()
    return _Row(number, columns[1], morphemes, tags, not tags or len(tags) == len(morphemes))


def _glue(first: _Row, second: _Row) -> _Row:
    """Two CoNLL-U words without a space between them."""
    tags = first.tags + second.tags if first.tags and second.tags else ()
    return _Row(
        first.number,
        first.surface + second.surface,
        first.morphemes + second.morphemes,
        tags,
        first.complete and second.complete,
    )


def _sentence(text: str | None, rows: list[_Row]) -> GoldSentence:
    text = " ".join(row.surface for row in rows) if text is None else text
    words, at = [], 0
    for number, surface, morphemes, tags, complete in rows:
        begin = text.find(surface, at)
        if begin < 0:
            raise InputError("gold.order", number=number, surface=surface)
        at = begin + len(surface)
        words.append(GoldWord(surface, morphemes, begin, tags, complete))
    return GoldSentence(text, words)
