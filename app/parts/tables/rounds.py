"""The pruning rounds of a model: a row per round, the life of a token, and a sentence in each round."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.components.data import StripRow
from app.parts.tables.tokens import RARE, REMOVED, SURVIVING, first_matches, visible
from engine.config import N_BYTES
from engine.corpus.normalize import normalize
from engine.hangul.jamo import letters
from engine.lattice.vocabulary import Vocabulary
from engine.pictures.showable import showable
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import level_of
from engine.unigram.model.model import token_label


def rows_within(model: PrunedTokenizer, texts: Iterable[str]) -> np.ndarray:
    """Rows (int64, ascending) of the single bytes and of all seed tokens that occur in one of the texts."""
    tokens = model.tokens
    rows = set(range(N_BYTES))
    for text in set(texts):
        data = text.encode("utf-8", "replace")
        is_start = [byte & 0xC0 != 0x80 for byte in data] + [True]
        for begin in range(len(data)):
            low = N_BYTES
            for end in range(begin + 1, len(data) + 1):
                if not is_start[begin] and is_start[end - 1]:
                    break  # tokens that begin inside a character end in it
                piece = data[begin:end]
                low = bisect_left(tokens, piece, low)
                if low == len(tokens) or not tokens[low].startswith(piece):
                    break
                if tokens[low] == piece:
                    rows.add(low)
    return np.array(sorted(rows), dtype=np.int64)


class RoundSegmenter:
    """Segments a few texts in any round of a model, without building the vocabularies of the rounds.

    A vocabulary of a million tokens takes a second to index, and a page that shows every round would need all of them.
    Only tokens that are substrings of a text can occur in it, so a vocabulary of just these gives the same segmentation
    in a fraction of a millisecond.

    Parameters
    ----------
    model : with its rounds.
    texts : all texts to be segmented, in the model's normal form.
    """

    def __init__(self, model: PrunedTokenizer, texts: Iterable[str]) -> None:
        self._model = model
        self._rows = rows_within(model, texts)
        self._vocabularies: dict[int, tuple[np.ndarray, Vocabulary]] = {}

    def segment(self, text: str, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and byte ends of the best segmentation, as the model's own `segment`."""
        if number not in self._vocabularies:
            self._vocabularies[number] = self._vocabulary(number)
        rows, vocabulary = self._vocabularies[number]
        numbers, ends = vocabulary.encode(text)
        return rows[numbers], ends

    def _vocabulary(self, number: int) -> tuple[np.ndarray, Vocabulary]:
        model = self._model
        died = model.died_in_round[self._rows]
        rows = self._rows[(died == -1) | (died >= number)]
        log_prob = model.history[number].log_prob[np.searchsorted(model.alive_rows(number), rows)]
        tokens = [model.tokens[row] for row in rows.tolist()]
        return rows, Vocabulary(tokens, log_prob, model.pretokenizer, model.settings.partial_characters)


_SEPARATOR = " | "
_MAX_SEARCHED = 300


def rounds_table(model: PrunedTokenizer) -> pd.DataFrame:
    """One row per round.

    Columns: number, vocab_size, objective (nats), n_tokens (expected, in the corpus), fertility (n_tokens per
    white-space-separated word; NaN if the corpus has none), threshold (NaN in the last round), n_removed.
    """
    table = pd.DataFrame(model.rounds).drop(columns="is_last")
    table["threshold"] = table["threshold"].astype(float)
    words = model.corpus_words
    return table.assign(fertility=table["n_tokens"] / words if words else np.nan)


def _cut(model: PrunedTokenizer, segmenter: RoundSegmenter, text: str, number: int) -> str:
    """A text in normal form, segmented in a round: `대한 | 민국`. What falls back to bytes becomes `뷁[EB|B7|81]`."""
    rows, ends = segmenter.segment(text, number)
    data = text.encode()
    parts: list[str] = []
    begin, inside = 0, []
    for row, end in zip(rows.tolist(), ends.tolist(), strict=True):
        token = model.tokens[row]
        if level_of(token) != "byte":
            parts.append(visible(token_label(token)))
            begin = end
            continue
        inside.append(token.hex(" ").upper())
        if end == len(data) or data[end] & 0xC0 != 0x80:
            parts.append(f"{visible(data[begin:end].decode())}[{'|'.join(inside)}]")
            begin, inside = end, []
    return _SEPARATOR.join(parts)


def pieces_after(model: PrunedTokenizer, rows: Sequence[int], number: int) -> list[str]:
    """The segmentation of each removed token's text in a later round: `대한 | 민국`.

    The text is segmented alone: in context its pieces may merge with their neighbours.
    """
    texts = [model.tokens[row].decode(errors="hex_tokens") for row in rows]
    segmenter = RoundSegmenter(model, texts)
    return [_cut(model, segmenter, text, number) for text in texts]


def cut_in_round(model: PrunedTokenizer, text: str, number: int) -> tuple[str, int]:
    """The segmentation of a text in a round, `대한 | 민국`, and its number of tokens."""
    text = normalize(text, model.settings.normalization)
    segmenter = RoundSegmenter(model, [text])
    return _cut(model, segmenter, text, number), segmenter.segment(text, number)[0].size


def token_life(model: PrunedTokenizer, row: int) -> pd.DataFrame:
    """A token in every round stored in the model, by round number.

    Columns: number, alive, p, be (nats), score (nats), threshold (of the score in that round), rank (1 is the best),
    n_prunable, percentile (share of the prunable tokens that rank below it), cut (share that the round removes),
    pieces (segmentation of the token's text). NaN and 0 after its removal.
    """
    records = []
    text = model.tokens[row].decode(errors="hex_tokens")
    segmenter = RoundSegmenter(model, [text])
    for number in model.kept_rounds:
        entry = model.history[number]
        rows = model.alive_rows(number)
        at = int(np.searchsorted(rows, row))
        alive = at < rows.size and int(rows[at]) == row
        n_prunable = int(rows.size - N_BYTES)
        removed = model.died_in_round[rows] == number
        report = entry.report
        record = {
            "number": number,
            "alive": alive,
            "n_prunable": n_prunable,
            "cut": float(removed.sum() / n_prunable) if n_prunable else 0.0,
            "threshold": np.nan if report is None or report.threshold is None else report.threshold,
            "pieces": _cut(model, segmenter, text, number),
        }
        if alive:
            scores = model.scores(number)
            below = 0
            if row >= N_BYTES:
                # Removed tokens rank below kept ones; within each group, by score, then by bytes.
                others, same = scores[N_BYTES:], removed[N_BYTES:] == removed[at]
                lower = (others < scores[at]) | ((others == scores[at]) & (rows[N_BYTES:] < row))
                below = int((same & lower).sum()) + (0 if removed[at] else int(removed.sum()))
            record |= {
                "p": entry.sentence_prob[at],
                "be": entry.branching_entropy[at],
                "score": scores[at],
                "rank": n_prunable - below if row >= N_BYTES else 0,
                "percentile": below / n_prunable if row >= N_BYTES else np.nan,
            }
        records.append(record)
    columns = ["number", "alive", "p", "be", "score", "threshold", "rank", "n_prunable", "percentile", "cut", "pieces"]
    table = pd.DataFrame(records).reindex(columns=columns)
    return table.assign(rank=table["rank"].fillna(0).astype(int)).set_index("number", drop=False)


def most_changed(model: PrunedTokenizer, lines: Sequence[str], max_chars: int) -> str | None:
    """The line whose segmentation changes most often over the rounds, among some hundred spread over a corpus."""
    lines = [line for line in lines if 10 <= len(line) <= max_chars]
    lines = lines[:: max(1, len(lines) // _MAX_SEARCHED)]
    segmenter = RoundSegmenter(model, [normalize(line, model.settings.normalization) for line in lines])
    most, found = 0, None
    for line in lines:
        seen = normalize(line, model.settings.normalization)
        ends = [segmenter.segment(seen, number)[1] for number in model.kept_rounds]
        changes = sum(not np.array_equal(a, b) for a, b in pairwise(ends))
        # On ties the shorter line is easier to read.
        if changes > most or (found is not None and changes == most and len(line) < len(found)):
            most, found = changes, line
    return found


def life_examples(model: PrunedTokenizer, catalogue: pd.DataFrame, limit: int, text: str | None = None) -> list[str]:
    """Tokens worth a look: the survivors that rose furthest, and the best token removed in each round.

    Of a text, only those that occur more than once, and so have an entropy there.
    """
    text = None if text is None else visible(text)
    per_round = -(-limit // len(model.kept_rounds))
    first = model.kept_rounds[0]
    began = _standing(model.scores(first))
    tokens, is_word = catalogue["token"], catalogue["level"].isin(("word", "phrase")).to_numpy()
    examples: list[str] = []
    for number in reversed(model.kept_rounds):
        rows = model.alive_rows(number)
        died = -1 if number == model.last_round else number
        scores, rise = model.scores(number), np.zeros(rows.size)
        if died < 0:
            rise = _standing(scores) - began[np.searchsorted(model.alive_rows(first), rows)]
        candidates = np.flatnonzero((model.died_in_round[rows] == died) & is_word[rows])
        best = rows[candidates[np.lexsort((-scores[candidates], -rise[candidates]))]]
        examples += first_matches(tokens, best, r"\w\w", per_round, text)
    return examples[:limit]


def _standing(scores: np.ndarray) -> np.ndarray:
    """Share of the scores that are below each, equal ones in order."""
    standing = np.empty(scores.size)
    standing[np.argsort(scores, kind="stable")] = np.arange(scores.size) / scores.size
    return standing


def removed_in(table: pd.DataFrame, order: str, limit: int) -> pd.DataFrame:
    """Rows of `round_tokens`: tokens the round removed, or its survivors, in the given order.

    Parameters
    ----------
    order : `close` (removed, highest score first), `low` (removed, lowest first), `long` (removed, longest first) or
        `spared` (survivors, lowest score first).
    """
    # Rows by their places, so that only those shown are copied.
    places = np.flatnonzero(table["fate"] == (SURVIVING if order == "spared" else REMOVED))
    if order == "long":
        places = places[np.argsort(-table["n_chars"].to_numpy(np.int64)[places], kind="stable")]
    elif order == "close":
        # Rare tokens are removed whatever their score, so only the others came close to the threshold.
        places = places[np.argsort((table["reason"] == RARE).to_numpy()[places], kind="stable")]
    else:
        places = places[::-1]
    return table.iloc[places[:limit]]


def with_pieces(model: PrunedTokenizer, removed: pd.DataFrame, number: int) -> pd.DataFrame:
    """Rows of `round_tokens` with each token's segmentation in the next round, as column pieces."""
    return removed.assign(pieces=pieces_after(model, removed["row"].tolist(), number + 1))


class RoundToken(NamedTuple):
    """One token of a sentence over the code points begin to end; a part of a character has that character's span."""

    row: int
    begin: int
    end: int
    label: str
    is_hex: bool  # its label is bytes
    is_new: bool  # the previous round had no such token at this place


class RoundRange(NamedTuple):
    """Consecutive rounds with the same segmentation of a sentence."""

    first: int
    last: int
    pieces: list[RoundToken]


def sentence_rounds(
    model: PrunedTokenizer, sentence: str, rounds: Sequence[int] = ()
) -> tuple[list[str], list[RoundRange]]:
    """A sentence segmented in some rounds; by default, in every round stored in the model.

    Returns
    -------
    chars : a displayable text for every code point of the normalised sentence.
    ranges : of rounds, in order; neighbours differ.
    """
    text = normalize(sentence, model.settings.normalization)
    ends_of_chars = np.cumsum([len(char.encode()) for char in text], dtype=np.int64)
    segmenter = RoundSegmenter(model, [text])
    stretches: list[RoundRange] = []
    before: set[tuple[int, int]] = set()
    for number in rounds or model.kept_rounds:
        rows, ends = segmenter.segment(text, number)
        begins = np.concatenate([[0], ends[:-1]])
        here = set(zip(begins.tolist(), ends.tolist(), strict=True))
        if stretches and here == before:
            stretches[-1] = stretches[-1]._replace(last=number)
            continue
        new = here - before if stretches else set()
        first_char = np.searchsorted(ends_of_chars, begins, side="right").tolist()
        end_char = (np.searchsorted(ends_of_chars, ends, side="left") + 1).tolist()
        pieces = [
            RoundToken(row, b, e, token_label(model.tokens[row]), level_of(model.tokens[row]) == "byte", span in new)
            for row, b, e, span in zip(
                rows.tolist(), first_char, end_char, zip(begins.tolist(), ends.tolist(), strict=True), strict=True
            )
        ]
        stretches.append(RoundRange(number, number, pieces))
        before = here
    return [showable(char) for char in letters(text)], stretches


def neighbours(ranges: Sequence[RoundRange], number: int, count: int = 3) -> list[RoundRange]:
    """The range of a round among its neighbours, `count` in all if there are so many, always with the last one; new is
    what the range above lacks."""
    now = next(index for index, span in enumerate(ranges) if span.first <= number <= span.last)
    first = max(0, min(now - count // 2, len(ranges) - count))
    rows = [*ranges[first : first + count][:-1], ranges[-1]]
    return [_marked_new(above, span) for above, span in pairwise([rows[0], *rows])]


def _marked_new(above: RoundRange, span: RoundRange) -> RoundRange:
    known = {piece[:3] for piece in above.pieces}  # token and place
    return span._replace(pieces=[piece._replace(is_new=piece[:3] not in known) for piece in span.pieces])


def example_in(model: PrunedTokenizer, ranges: Sequence[RoundRange]) -> int | None:
    """Row of the token of a sentence that was removed last, the longest of several; None if none was removed."""
    died = model.died_in_round
    rows = {piece.row for span in ranges for piece in span.pieces if died[piece.row] >= 0}
    return max(rows, key=lambda row: (died[row], len(model.tokens[row]), -row), default=None)


def pieces_row(pieces: Sequence[RoundToken], name: str, note: str) -> StripRow:
    """The pieces of a sentence for a strip, new ones ringed."""
    return {
        "name": name,
        "note": note,
        "tokens": [
            {
                "label": piece.label,
                "b": piece.begin,
                "e": piece.end,
                "hex": piece.is_hex,
                "ringed": piece.is_new,
                "id": None,
                "kind": "fallback" if piece.is_hex else "",
            }
            for piece in pieces
        ],
    }
