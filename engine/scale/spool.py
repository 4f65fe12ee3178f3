"""The spool: a corpus on disk, with its units (sentences, or pre-tokens) partitioned by a hash of their text.

There is one file per input block, with a section for each shard: so blocks are spooled in parallel, and a shard reads
one range of each file. Each unit is stored with its first place, by which a shard restores the order of the corpus. The
number of shards follows from the characters of the distinct units, which are counted only after spooling; if it differs
from the number of sections, the files are rewritten.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.config import TrainingSettings
from engine.corpus.arrays import (
    Corpus,
    CorpusFacts,
    TextLines,
    _count_words,
    _intern,
    _shard_of,
    arrange,
    distinct_units,
    find_lines,
    number_of_shards,
)
from engine.corpus.normalize import normalize
from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.corpus.pretokens.pretokenize import text_of
from engine.errors import InputError
from engine.pretokenization import get_pretokenizer
from engine.scale.inputs import Block, Survey, open_file
from engine.scale.workers import Workers

_SECTIONS = 64  # before the number of shards is known
_WORD = 8  # bytes per number in a file


class Spool(NamedTuple):
    """Location and layout of the files."""

    folder: str
    n_pieces: int
    n_shards: int
    context: str
    pretokenizer: str
    pattern_seconds: float

    def piece(self, number: int) -> str:
        """Path of the file of one block."""
        return f"{self.folder}/{number:06d}-{self.n_shards}.units"


class _Units(NamedTuple):
    """Distinct units with their first places, ascending, and counts."""

    lines: TextLines
    place: np.ndarray  # int64[n], block x 2^32 + number in the block
    count: np.ndarray  # type: ignore[assignment]  # int64[n]; hides tuple.count, which is unused


class _BlockFacts(NamedTuple):
    n_units: int
    n_words: int


def spool_corpus(
    workers: Workers, survey: Survey, settings: TrainingSettings, context: str, folder: str, pattern_seconds: float
) -> tuple[Spool, CorpusFacts]:
    """Write the spool of a corpus, one block at a time on each worker.

    Raises
    ------
    InputError : there is no text, or the pre-tokenizer's pattern is invalid or too slow.
    """
    pretokenizer = get_pretokenizer(settings.pretokenizer)
    spool = Spool(folder, len(survey.blocks), _SECTIONS, context, settings.pretokenizer, pattern_seconds)
    numbered = list(enumerate(survey.blocks))
    found = workers.each(_spool_block, numbered, spool, settings.normalization)
    n_units = sum(facts.n_units for facts in found)
    if n_units == 0:
        raise InputError("corpus.empty")
    n_chars = sum(workers.each(_distinct_chars, range(_SECTIONS), spool))
    n_shards = number_of_shards(n_chars)
    if n_shards != _SECTIONS:
        workers.each(_repartition, range(spool.n_pieces), spool, n_shards)
        spool = spool._replace(n_shards=n_shards)
    n_words = sum(facts.n_words for facts in found)
    return spool, CorpusFacts(n_units, n_words, survey.fingerprint, pretokenizer)


def _spool_block(numbered: tuple[int, Block], spool: Spool, normalization: str) -> _BlockFacts:
    number, block = numbered
    lines = find_lines(normalize(block.lines() or "", normalization))
    with pattern_allowance(spool.pattern_seconds):
        units, count = distinct_units(lines, get_pretokenizer(spool.pretokenizer), spool.context)
    place = (number << 32) + np.arange(count.size)
    _write_piece(spool, number, _Units(units, place, count))
    return _BlockFacts(int(count.sum()), int(_count_words(lines.codes)))


def _distinct_chars(section: int, spool: Spool) -> int:
    lines = read_units(section, spool).lines
    return int((lines.end - lines.begin).sum())


def _repartition(number: int, spool: Spool, n_shards: int) -> None:
    sections = [_read_section(spool, number, section) for section in range(spool.n_shards)]
    _write_piece(spool._replace(n_shards=n_shards), number, _joined(sections))


@kernel
def _with_ends(codes, begin, end):
    """The ranges, concatenated, each followed by \\n."""
    total = begin.size
    for i in range(begin.size):
        total += end[i] - begin[i]
    text = np.empty(total, dtype=np.int32)
    k = 0
    for i in range(begin.size):
        for j in range(begin[i], end[i]):
            text[k] = codes[j]
            k += 1
        text[k] = 10
        k += 1
    return text


def _write_piece(spool: Spool, number: int, units: _Units) -> None:
    """Write a table of the section offsets; then for each section the number of units, their places, counts, texts."""
    (_, codes, begin, end), place, count = units
    section = _shard_of(codes, begin, end, spool.n_shards)
    order = np.argsort(section, kind="stable")
    bounds = np.searchsorted(section[order], np.arange(spool.n_shards + 1))
    parts = []
    for first, last in pairwise(bounds.tolist()):
        own = order[first:last]
        text = text_of(_with_ends(codes, begin[own], end[own])).encode()
        numbers = (np.array([own.size]), place[own], count[own])
        parts.append(b"".join([*(column.astype("<i8").tobytes() for column in numbers), text]))
    starts = np.cumsum([_WORD * (spool.n_shards + 1), *map(len, parts)])
    with open_file(spool.piece(number), "wb") as file:
        file.write(starts.astype("<i8").tobytes())
        for part in parts:
            file.write(part)


def _read_section(spool: Spool, number: int, section: int) -> tuple[np.ndarray, np.ndarray, bytes]:
    """Places, counts and text of a section."""
    with open_file(spool.piece(number), "rb") as file:
        file.seek(_WORD * section)
        start, stop = np.frombuffer(file.read(2 * _WORD), dtype="<i8")
        file.seek(int(start))
        data = file.read(int(stop - start))
    n = int(np.frombuffer(data, dtype="<i8", count=1)[0])
    place, count = np.frombuffer(data, dtype="<i8", count=2 * n, offset=_WORD).astype(np.int64).reshape(2, n)
    return place, count, data[_WORD * (2 * n + 1) :]


def _joined(sections: Sequence[tuple[np.ndarray, np.ndarray, bytes]]) -> _Units:
    """Merge the sections, sorted by place."""
    place, count = (np.concatenate([section[k] for section in sections]) for k in (0, 1))
    lines = find_lines(b"".join(section[2] for section in sections).decode())
    order = np.argsort(place, kind="stable")
    return _Units(lines._replace(begin=lines.begin[order], end=lines.end[order]), place[order], count[order])


def read_units(shard: int, spool: Spool) -> _Units:
    """The distinct units of one shard, in order of first appearance in the corpus."""
    (text, codes, begin, end), place, count = _joined(
        [_read_section(spool, number, shard) for number in range(spool.n_pieces)]
    )
    ids, first = _intern(codes, begin, end)
    total = np.zeros(first.size, dtype=np.int64)
    np.add.at(total, ids, count)
    return _Units(TextLines(text, codes, begin[first], end[first]), place[first], total)


def read_shard(shard: int, spool: Spool) -> Corpus:
    """One shard as a separate corpus, cut into pre-tokens."""
    units = read_units(shard, spool)
    own = np.array([0, units.count.size])
    with pattern_allowance(spool.pattern_seconds):
        pretokenizer = get_pretokenizer(spool.pretokenizer)
        return arrange(units.lines, units.count, own, pretokenizer, spool.context, n_words=0, fingerprint="")
