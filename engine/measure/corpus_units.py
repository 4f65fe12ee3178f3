"""The units of a corpus of files - tokens, words or morphemes - as numbers, so that comparing files is arithmetic."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import line_morphemes
from engine.errors import InputError, require_choice
from engine.measure.dispersion import N_PARTS, stretches
from engine.measure.encoded import encode_lines
from engine.measure.words import definition_of, word_spans
from engine.tokenizer import Tokenizer

UNITS = ("tokens", "words", "morphemes")


class LineUnits(NamedTuple):
    """The units of some lines.

    Attributes
    ----------
    types : distinct words, or morphemes as form/TAG; None for tokens, whose types are the ids of a tokenizer.
    ids : int32[n_units], the type of every unit.
    unit_ptr : int64[n_lines + 1], the units of each line.
    """

    types: tuple[str, ...] | None
    ids: np.ndarray
    unit_ptr: np.ndarray


class UnitNgrams(NamedTuple):
    """Sequences of units.

    Attributes
    ----------
    types : int32[n, length].
    counts : int64[n].
    ranges : int64[n], parts of the corpus that they are in.
    n_parts : of them: the files, or as many stretches of lines where there are fewer.
    """

    types: np.ndarray
    counts: np.ndarray
    ranges: np.ndarray
    n_parts: int


class CorpusUnits(NamedTuple):
    """The units of a corpus.

    Attributes
    ----------
    files : of the corpus, with the lines that `units` has.
    n_types : number of types; for tokens, the size of the vocabulary.
    units : of all lines.
    """

    files: CorpusFiles
    n_types: int
    units: LineUnits

    @property
    def types(self) -> tuple[str, ...] | None:
        """Distinct words or morphemes; None for tokens."""
        return self.units.types

    def are_same(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """Whether the files with these indices consist of the same units in the same order, and of any."""
        own = self.ids_of(first)
        return own.size > 0 and np.array_equal(own, self.ids_of(second))

    def ids_of(self, chosen: Sequence[int]) -> np.ndarray:
        """int32[n]: the units of the files with these indices."""
        return np.concatenate([self.units.ids[:0], *(self.units.ids[begin:end] for begin, end in self._ranges(chosen))])

    def counts(self, chosen: Sequence[int]) -> np.ndarray:
        """int64[n_types]: occurrences in the files with these indices."""
        total = np.zeros(self.n_types, dtype=np.int64)
        for begin, end in self._ranges(chosen):
            total += np.bincount(self.units.ids[begin:end], minlength=self.n_types)
        return total

    def parted(self, chosen: Sequence[int], types: np.ndarray, n_parts: int = N_PARTS) -> tuple[np.ndarray, np.ndarray]:
        """Counts of some types (int64[n]) in the parts of a sub-corpus, and the sizes of the parts.

        The parts are the files where there are `n_parts` or more, else as many stretches of lines.

        Returns
        -------
        counts : int64[n, n_parts]; sizes : int64[n_parts].
        """
        ids, part, n_parts = self._parts(chosen, n_parts)
        row = np.full(self.n_types, -1, dtype=np.int64)
        row[types] = np.arange(types.size)
        rows = row[ids]
        seen = rows >= 0
        counts = np.bincount(rows[seen] * n_parts + part[seen], minlength=types.size * n_parts)
        return counts.reshape(types.size, n_parts), np.bincount(part, minlength=n_parts)

    def ngrams(self, chosen: Sequence[int], length: int) -> UnitNgrams:
        """Sequences of units within a line of the files with these indices, the most frequent first."""
        ids, part, n_parts = self._parts(chosen, N_PARTS)
        lengths = np.diff(self.units.unit_ptr)
        numbers = [np.arange(self.files.line_ptr[i], self.files.line_ptr[i + 1]) for i in chosen]
        line = np.repeat(every := np.concatenate(numbers), lengths[every])
        code = ids.astype(np.int64)
        for k in range(1, length):
            pair = code[:-1] * self.n_types + ids[k:]
            code = np.unique(pair, return_inverse=True)[1].reshape(-1)
        at = np.flatnonzero(line[: code.size] == line[line.size - code.size :])
        _, first, code, counts = np.unique(code[at], return_index=True, return_inverse=True, return_counts=True)
        seen = np.unique(code.reshape(-1) * n_parts + part[at])
        ranges = np.bincount(seen // n_parts, minlength=counts.size)
        order = np.argsort(-counts, kind="stable")
        types = ids[at[first[order]][:, None] + np.arange(length)]
        return UnitNgrams(types, counts[order], ranges[order], n_parts)

    def _parts(self, chosen: Sequence[int], n_parts: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Type and part of every unit of some files, and the number of parts."""
        ids = self.ids_of(chosen)
        lengths = np.diff(self.units.unit_ptr)
        per_line = np.concatenate([lengths[self.files.line_ptr[i] : self.files.line_ptr[i + 1]] for i in chosen])
        if len(chosen) < n_parts:
            return ids, np.repeat(stretches(per_line, n_parts), per_line), n_parts
        n_units = [end - begin for begin, end in self._ranges(chosen)]
        return ids, np.repeat(np.arange(len(chosen)), n_units), len(chosen)

    def _ranges(self, chosen: Sequence[int]) -> Iterator[tuple[int, int]]:
        for i in chosen:
            yield (
                int(self.units.unit_ptr[self.files.line_ptr[i]]),
                int(self.units.unit_ptr[self.files.line_ptr[i + 1]]),
            )


def token_units(tokenizer: Tokenizer, lines: Sequence[str]) -> LineUnits:
    """The tokens of lines encoded as wholes."""
    encoded = encode_lines(tokenizer, lines)
    return LineUnits(None, encoded.ids.astype(np.int32), encoded.token_ptr)


def word_units(lines: Sequence[str], definition: str = "eojeol") -> LineUnits:
    """Words by a definition of `engine.measure.words`."""
    definition = definition_of(lines, definition)
    return _numbered([line[begin:end] for begin, end in word_spans(line, definition)] for line in lines)


def line_units(
    unit: str, lines: Sequence[str], tokenizer: Tokenizer | None, words: str, analyser: str | None
) -> LineUnits:
    """The units of lines of one of UNITS: tokens of the tokenizer, words by a definition, morphemes by an analyser.

    Raises
    ------
    InputError : there is no such unit, tokens are asked for without a tokenizer, or morphemes without an analyser.
    """
    require_choice("unit", unit, UNITS)
    if unit == "words":
        return word_units(lines, words)
    if unit == "tokens":
        if tokenizer is None:
            raise InputError("keyness.model")
        return token_units(tokenizer, lines)
    if analyser is None:
        raise InputError("keyness.analyser")
    return _numbered([f"{one.form}/{one.tag}" for one in line_morphemes(line, analyser)] for line in lines)


def corpus_units(files: CorpusFiles, units: Sequence[LineUnits], vocab_size: int = 0) -> CorpusUnits:
    """The units of all files, joined.

    Parameters
    ----------
    units : of each file, all of one kind.
    vocab_size : of the tokenizer, for tokens.
    """
    number: dict[str, int] = {}
    ids = []
    for own in units:
        if own.types is None:
            ids.append(own.ids)
        else:
            new = np.fromiter((number.setdefault(one, len(number)) for one in own.types), np.int32, len(own.types))
            ids.append(new[own.ids])
    ptr = np.append(0, np.cumsum(np.concatenate([np.diff(own.unit_ptr) for own in units])))
    is_tokens = any(own.types is None for own in units)
    joined = LineUnits(None if is_tokens else tuple(number), np.concatenate(ids), ptr)
    return CorpusUnits(files, vocab_size if is_tokens else len(number), joined)


def _numbered(units_of_lines: Iterable[Sequence[str]]) -> LineUnits:
    number: dict[str, int] = {}
    ids: list[int] = []
    ptr = [0]
    for units in units_of_lines:
        ids += [number.setdefault(one, len(number)) for one in units]
        ptr.append(len(ids))
    return LineUnits(tuple(number), np.array(ids, dtype=np.int32), np.array(ptr, dtype=np.int64))
