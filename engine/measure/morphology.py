"""How well tokens respect morphemes, against a gold file of eojeols and their morphemes."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.corpus.read import read_lines
from engine.errors import InputError
from engine.measure.alignment import align
from engine.measure.encoded import encode_lines
from engine.measure.result import Measure, bootstrap_ratio, ratio
from engine.measure.words import byte_offsets
from engine.tokenizer import Tokenizer

_TEXT = "# text ="
_MOST_QUOTED = 80  # characters of a line, in an error


class GoldWord(NamedTuple):
    """One eojeol: its surface, its morphemes, and where it begins in its sentence (code points)."""

    surface: str
    morphemes: tuple[str, ...]
    begin: int


class GoldSentence(NamedTuple):
    """A sentence as it is encoded, and its eojeols."""

    text: str
    words: list[GoldWord]


class MorphologyScores(NamedTuple):
    """Alignment of token boundaries with morpheme boundaries.

    Attributes
    ----------
    precision, recall, f1 : of boundaries inside eojeols, over all of them together (micro).
    preservation : share of visible morphemes that are one token.
    over_segmentation : tokens above the number of morphemes, per morpheme.
    n_words : eojeols of the gold file.
    n_aligned : those whose morphemes could be laid onto the surface; only these are scored.
    n_fused : boundaries of aligned eojeols that no tokenizer could mark, because two morphemes share a syllable.
    unaligned : distinct eojeols that could not be aligned, as (surface, morphemes joined by +), by appearance.
    """

    precision: Measure
    recall: Measure
    f1: Measure
    preservation: Measure
    over_segmentation: Measure
    n_words: int
    n_aligned: int
    n_fused: int
    unaligned: tuple[tuple[str, str], ...]


def read_gold(path: str | Path) -> list[GoldSentence]:
    """Sentences of a gold file; see `parse_gold`."""
    return parse_gold(read_lines(path))


def parse_gold(lines: Sequence[str]) -> list[GoldSentence]:
    """Sentences of gold lines.

    One eojeol a line, `surface<TAB>morpheme+morpheme`; a literal plus sign as a morpheme is written `++` or alone.
    A blank line ends a sentence; `# text = ...` gives its text, otherwise that is the surfaces joined by spaces. Other
    lines that begin with `# ` are comments. Without any blank line or text, every line is a text of its own.

    Raises
    ------
    InputError : a line has not exactly two filled columns, or the surfaces are not in the text; names the line.
    """
    is_list = not any(line.strip() == "" or line.startswith(_TEXT) for line in lines)
    sentences: list[GoldSentence] = []
    text: str | None = None
    rows: list[tuple[int, str, str]] = []
    for number, line in enumerate([*lines, ""], start=1):
        line = line.rstrip("\r")
        if line.startswith(_TEXT):
            text = line[len(_TEXT) :].strip()
        elif line.strip() and not line.startswith("# "):
            columns = line.split("\t")
            if len(columns) != 2 or not all(column.strip() for column in columns):
                raise InputError(
                    "line {number} of the gold file is not surface, tab, morphemes joined by +: {line!r}",
                    code="gold.line",
                    number=number,
                    line=line[:_MOST_QUOTED],
                )
            rows.append((number, columns[0], columns[1]))
        if rows and (is_list or not line.strip()):
            sentences.append(_sentence(text, rows))
            text, rows = None, []
    if not sentences:
        raise InputError(
            "the gold file has no eojeols; each line must be surface, tab, morphemes joined by +", code="gold.empty"
        )
    return sentences


def split_morphemes(joined: str) -> tuple[str, ...]:
    """Morphemes of `a+b+c`; a plus sign at an end or behind another one is a morpheme itself."""
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


def morphology_scores(tokenizer: Tokenizer, gold: Sequence[GoldSentence], seed: int = 0) -> MorphologyScores:
    """Score a tokenizer on gold sentences, each encoded as a whole.

    Boundaries are counted inside eojeols only, their ends are left out. Boundary precision, recall and F1 are the micro
    figures of Uzan et al. (2024) over all aligned eojeols; morpheme preservation and over-segmentation are TokEval's:
    a morpheme is preserved if one token holds it and no other visible morpheme (white space around it is allowed),
    and over-segmentation is sum max(0, tokens - morphemes) / sum morphemes. A morpheme is visible if it shares no
    syllable with another one.
    """
    encoded = encode_lines(tokenizer, [sentence.text for sentence in gold])
    if encoded.seen != encoded.lines:
        raise InputError(
            "the tokenizer changes the gold text by normalising it; bring the gold file to that form first",
            code="gold.normalized",
        )
    tally = _tally(_Cuts(np.union1d(encoded.begin, encoded.end), "".join(encoded.seen).encode()), gold)
    hit, predicted, marked, preserved, visible, surplus, morphemes = tally.sums.T

    def measure(name: str, top: np.ndarray, bottom: np.ndarray, n_of: str, definition: str) -> Measure:
        interval = bootstrap_ratio(top, bottom, seed)
        return Measure(name, ratio(top.sum(), bottom.sum()), int(bottom.sum()), n_of, definition, interval)

    inner = "boundaries inside aligned eojeols, their ends left out"
    return MorphologyScores(
        precision=measure(
            "boundary_precision", hit, predicted, "token boundaries", f"correct / token boundaries; {inner}"
        ),
        recall=measure("boundary_recall", hit, marked, "morpheme boundaries", f"found / morpheme boundaries; {inner}"),
        f1=measure("boundary_f1", 2 * hit, predicted + marked, "boundaries", f"2PR / (P + R); {inner}"),
        preservation=measure(
            "morpheme_preservation", preserved, visible, "morphemes", "visible morphemes that are one token"
        ),
        over_segmentation=measure(
            "over_segmentation", surplus, morphemes, "morphemes", "tokens above the number of morphemes / morphemes"
        ),
        n_words=sum(len(sentence.words) for sentence in gold),
        n_aligned=tally.n_aligned,
        n_fused=tally.n_fused,
        unaligned=tally.unaligned,
    )


class _Cuts(NamedTuple):
    """Where tokens begin and end (int64, ascending byte offsets in the whole text), and that text."""

    at: np.ndarray
    data: bytes

    def inside(self, begin: int, end: int) -> np.ndarray:
        """The cuts between two offsets, without these."""
        return self.at[np.searchsorted(self.at, begin, "right") : np.searchsorted(self.at, end, "left")]

    def is_one_token(self, begin: int, end: int) -> bool:
        """Whether one token holds the bytes begin..end-1 and nothing else but white space."""
        first = int(np.searchsorted(self.at, begin, "right")) - 1
        low, high = int(self.at[first]), int(self.at[first + 1])
        return high >= end and self.data[low:high].strip(b" \t\r\n") == self.data[begin:end]


class _WordCounts(NamedTuple):
    """What one aligned eojeol adds to the sums of its sentence."""

    hit: int  # cuts at a morpheme boundary
    predicted: int  # cuts
    marked: int  # morpheme boundaries
    preserved: int  # visible morphemes that are one token
    visible: int
    surplus: int  # tokens above the number of morphemes
    morphemes: int


class _Tally(NamedTuple):
    """Counts of a gold file; `sums` (int64[n_sentences, 7]) has the columns of `_WordCounts`."""

    sums: np.ndarray
    n_aligned: int
    n_fused: int
    unaligned: tuple[tuple[str, str], ...]


def _tally(cuts: _Cuts, gold: Sequence[GoldSentence]) -> _Tally:
    sums = np.zeros((len(gold), len(_WordCounts._fields)), dtype=np.int64)
    n_aligned = n_fused = base = 0
    unaligned: dict[tuple[str, str], None] = {}
    for row, sentence in zip(sums, gold, strict=True):
        offsets = byte_offsets(sentence.text) + base
        base = int(offsets[-1])
        for word in sentence.words:
            alignment = align(word.surface, word.morphemes)
            if alignment is None:
                unaligned[word.surface, "+".join(word.morphemes)] = None
                continue
            n_aligned += 1
            n_fused += alignment.n_fused
            row += _word_counts(cuts, word, alignment.boundaries, offsets)
    return _Tally(sums, n_aligned, n_fused, tuple(unaligned))


def _word_counts(cuts: _Cuts, word: GoldWord, boundaries: tuple[int, ...], offsets: np.ndarray) -> _WordCounts:
    """Counts of an eojeol with these morpheme boundaries; `offsets` are those of its sentence's characters."""
    edges = offsets[[word.begin + b for b in (0, *boundaries, len(word.surface))]]
    inside = cuts.inside(edges[0], edges[-1])
    visible = _visible(word, boundaries)
    return _WordCounts(
        hit=int(np.isin(inside, edges[1:-1]).sum()),
        predicted=inside.size,
        marked=edges.size - 2,
        preserved=sum(cuts.is_one_token(edges[k], edges[k + 1]) for k in visible),
        visible=len(visible),
        surplus=max(0, inside.size + 1 - len(word.morphemes)),
        morphemes=len(word.morphemes),
    )


def _sentence(text: str | None, rows: list[tuple[int, str, str]]) -> GoldSentence:
    text = " ".join(surface for _, surface, _ in rows) if text is None else text
    words, at = [], 0
    for number, surface, joined in rows:
        begin = text.find(surface, at)
        if begin < 0:
            raise InputError(
                "line {number} of the gold file: {surface!r} is not in the text behind the word before it",
                code="gold.order",
                number=number,
                surface=surface,
            )
        at = begin + len(surface)
        words.append(GoldWord(surface, split_morphemes(joined), begin))
    return GoldSentence(text, words)


def _visible(word: GoldWord, boundaries: tuple[int, ...]) -> list[int]:
    """Numbers of the surface pieces that are exactly one morpheme."""
    if len(boundaries) + 1 == len(word.morphemes):
        return list(range(len(boundaries) + 1))
    edges = [0, *boundaries, len(word.surface)]
    pieces = [word.surface[a:b] for a, b in itertools.pairwise(edges)]
    # A piece that reads as one of the morphemes is that morpheme; the others hold two that are fused.
    return [k for k, piece in enumerate(pieces) if piece in word.morphemes]
