"""The units of a corpus in blocks - tokens, words or morphemes - as keyness asks for them."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.corpus.files import CorpusFiles
from engine.measure.corpus_units import LineUnits, line_units
from engine.measure.dispersion import N_PARTS, stretches
from engine.model_files import ModelSource, load_source
from engine.scale.analyses import text_definitions
from engine.scale.by_block import BlockCorpus, BlockTask, BlockWorkers

_BASE = 0x9E3779B97F4A7C15  # odd, of the polynomial whose value tells sequences of units apart
_WRAP = 1 << 64


class UnitKind(NamedTuple):
    """What is counted: a name of `engine.measure.corpus_units.UNITS`, and what defines it."""

    unit: str
    source: ModelSource | None = None
    vocab_size: int = 0
    analyser: str | None = None

    def of_lines(self, lines: Sequence[str], words: str) -> LineUnits:
        """The units of some lines; words by a definition."""
        tokenizer = load_source(self.source) if self.source else None
        return line_units(self.unit, lines, tokenizer, words, self.analyser)

    @property
    def about(self) -> str:
        """What the units depend on."""
        return repr((self.unit, self.source and self.source.digest, self.analyser))


class BlockUnits:
    """What `engine.measure.keyness.find_keys` takes as CorpusUnits, with the same numbers of types.

    In memory are the distinct types, and the number of units of every line.

    Parameters
    ----------
    workers : count the units; raises as `BlockWorkers.measured` does.
    corpus, kind : whose units.
    words : a definition of `engine.measure.words`, or AUTO: by the script of each file.
    """

    def __init__(self, workers: BlockWorkers, corpus: BlockCorpus, kind: UnitKind, words: str) -> None:
        self._workers, self._corpus, self._kind = workers, corpus, kind
        files = range(len(corpus.files))
        definitions = [""] * len(files)
        if kind.unit == "words":
            by_file = text_definitions(workers, corpus, {str(i): (i,) for i in files}, words)
            definitions = [by_file[str(i)] for i in files]
        self._words = [tuple(definitions[i] for i in numbers) for numbers in corpus.numbers]
        tasks = [
            BlockTask(block, (own,), repr((kind.about, own)))
            for block, own in zip(corpus.blocks, self._words, strict=True)
        ]
        self._counted = workers.measured(_count_units, tasks, kind)
        self._number: dict[str, int] = {}
        self._n_units: list[list[np.ndarray]] = [[] for _ in files]
        self._hashes: list[tuple[int, int]] = [(0, 0)] * len(files)
        for i, _, _, n_units, value in self._parts():
            self._n_units[i].append(n_units)
            before, size = self._hashes[i]
            self._hashes[i] = _joined_hash(before, size, value), size + int(n_units.sum())

    @property
    def files(self) -> CorpusFiles:
        """Of the corpus."""
        return self._corpus.files

    @property
    def n_types(self) -> int:
        """Number of types; for tokens, the size of the vocabulary."""
        return self._kind.vocab_size or len(self._number)

    @property
    def types(self) -> tuple[str, ...] | None:
        """Distinct words or morphemes in the order of the corpus; None for tokens."""
        return None if self._kind.source else tuple(self._number)

    def counts(self, chosen: Sequence[int]) -> np.ndarray:
        """See CorpusUnits."""
        total = np.zeros(self.n_types, dtype=np.int64)
        for i, types, counts, *_ in self._parts():
            if i in chosen:
                total[types] += counts
        return total

    def are_same(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """See CorpusUnits; told by a hash of 64 bits."""
        found = []
        for chosen in (first, second):
            value = size = 0
            for i in chosen:
                value, size = _joined_hash(value, size, self._hashes[i][0]), size + self._hashes[i][1]
            found.append((value, size))
        return found[0] == found[1] and found[0][1] > 0

    def parted(self, chosen: Sequence[int], types: np.ndarray, n_parts: int = N_PARTS) -> tuple[np.ndarray, np.ndarray]:
        """See CorpusUnits."""
        row = np.full(self.n_types, -1, dtype=np.int64)
        row[types] = np.arange(types.size)
        if len(chosen) < n_parts:
            return self._by_stretch(chosen, types, n_parts)
        column = {i: k for k, i in enumerate(chosen)}
        counts = np.zeros((types.size, len(chosen)), dtype=np.int64)
        for i, own, n, *_ in self._parts():
            if i in column:
                rows = row[own]
                counts[rows[rows >= 0], column[i]] += n[rows >= 0]
        return counts, np.array([self._hashes[i][1] for i in chosen])

    def _by_stretch(self, chosen: Sequence[int], types: np.ndarray, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
        """Counts in stretches of lines, which only all lines tell: the workers count once more."""
        n_units = np.concatenate([own for i in chosen for own in self._n_units[i]])
        part = stretches(n_units, n_parts)
        labels = self.types
        wanted = tuple(types.tolist()) if labels is None else tuple(labels[k] for k in types.tolist())
        begin = dict(
            zip(chosen, np.cumsum([0, *(sum(map(len, self._n_units[i])) for i in chosen)]).tolist(), strict=False)
        )
        about = hashlib.sha256(repr((wanted, n_parts)).encode()).hexdigest()
        tasks = []
        for block, numbers, words in zip(self._corpus.blocks, self._corpus.numbers, self._words, strict=True):
            ends: list[tuple[int, ...]] = []
            for i, own in zip(numbers, block.parts, strict=True):
                if i in begin:
                    lines = part[begin[i] : begin[i] + own.n_lines]
                    begin[i] += own.n_lines
                    ends.append(tuple(np.searchsorted(lines, np.arange(n_parts + 1)).tolist()))
                else:
                    ends.append(())
            if any(ends):
                tasks.append(BlockTask(block, (words, tuple(ends)), repr((self._kind.about, words, ends, about))))
        counts = np.zeros((types.size, n_parts), dtype=np.int64)
        for (own_counts,) in self._workers.measured(_count_in_stretches, tasks, self._kind, wanted, n_parts):
            counts += own_counts
        return counts, np.bincount(part, n_units, n_parts).astype(np.int64)

    def _parts(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray, int]]:
        """Of each part the file, its types and their counts, the units of its lines, and their hash."""
        for numbers, arrays in zip(self._corpus.numbers, self._counted, strict=True):
            for k, i in enumerate(numbers):
                types, counts, n_units, value = arrays[4 * k : 4 * k + 4]
                if self._kind.source is None:
                    labels = types.tobytes().decode().split("\n") if types.size else []
                    known = (self._number.setdefault(label, len(self._number)) for label in labels)
                    types = np.fromiter(known, np.int64, len(labels))
                yield i, types, counts, n_units, int(value[0])


def _count_units(parts: Sequence[Sequence[str]], words: Sequence[str], kind: UnitKind) -> list[np.ndarray]:
    """Of each part, consecutively: types (ids, or their text), counts, int32[n_lines] of units, the hash of them."""
    arrays = []
    for lines, definition in zip(parts, words, strict=True):
        units = kind.of_lines(lines, definition)
        if units.types is None:
            types, counts = np.unique(units.ids, return_counts=True)
            values = np.random.default_rng(0).integers(0, 1 << 63, kind.vocab_size).astype(np.uint64)
        else:
            types = np.frombuffer("\n".join(units.types).encode(), dtype=np.uint8)
            counts = np.bincount(units.ids, minlength=len(units.types))
            digests = (hashlib.blake2b(own.encode(), digest_size=8).digest() for own in units.types)
            values = np.frombuffer(b"".join(digests), dtype="<u8")
        powers = np.full(units.ids.size, _BASE, dtype=np.uint64)
        powers[:1] = 1
        value = (values[units.ids] * np.cumprod(powers)).sum(dtype=np.uint64)
        arrays += [types, counts, np.diff(units.unit_ptr).astype(np.int32), np.array([value])]
    return arrays


def _joined_hash(first: int, size: int, second: int) -> int:
    """The hash of a sequence of `size` units with `first` followed by one with `second`."""
    return (first + pow(_BASE, size, _WRAP) * second) % _WRAP


def _count_in_stretches(
    parts: Sequence[Sequence[str]],
    words: Sequence[str],
    ends: Sequence[Sequence[int]],
    kind: UnitKind,
    wanted: Sequence[int] | Sequence[str],
    n_parts: int,
) -> list[np.ndarray]:
    """int64[n_wanted, n_parts]: occurrences of types in stretches, which begin at the lines `ends` of each part."""
    counts = np.zeros(len(wanted) * n_parts, dtype=np.int64)
    row = {own: k for k, own in enumerate(wanted)}
    for lines, definition, own in zip(parts, words, ends, strict=True):
        if own:
            units = kind.of_lines(lines, definition)
            types = range(kind.vocab_size) if units.types is None else units.types
            rows = np.fromiter((row.get(label, -1) for label in types), np.int64, len(types))[units.ids]
            stretch = np.repeat(np.repeat(np.arange(n_parts), np.diff(own)), np.diff(units.unit_ptr))
            counts += np.bincount(rows[rows >= 0] * n_parts + stretch[rows >= 0], minlength=counts.size)
    return [counts.reshape(-1, n_parts)]
