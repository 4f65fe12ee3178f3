"""The pruning rounds of a model: a line a round, a token's way through them, and a sentence in each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.components.component import showable
from app.tables.segmenting import RoundSegmenter
from app.tables.tokens import round_scores, shown
from engine.config import N_BYTES
from engine.corpus.normalize import normalize
from engine.unigram.levels import level_of
from engine.unigram.model import Model, token_label

_SEPARATOR = " | "


def rounds_table(model: Model) -> pd.DataFrame:
    """One row a round.

    Columns: number, vocab_size, objective (nats), n_tokens (expected, in the corpus), fertility (n_tokens per
    white-space word; NaN where the corpus has none), threshold (NaN in the last round), n_removed.
    """
    table = pd.DataFrame(model.rounds).drop(columns="is_last")
    table["threshold"] = table["threshold"].astype(float)
    words = model.corpus_words
    return table.assign(fertility=table["n_tokens"] / words if words else np.nan)


def _labels(model: Model, rows: np.ndarray) -> str:
    return _SEPARATOR.join(shown(token_label(model.tokens[row])) for row in rows.tolist())


def pieces_after(model: Model, rows: Sequence[int], number: int) -> list[str]:
    """What each of the tokens is cut into in a round where it is dead: `대한 | 민국`.

    A token's own text is segmented alone: beside other text its pieces may join with their neighbours.
    """
    texts = [model.tokens[row].decode(errors="hex_tokens") for row in rows]
    segmenter = RoundSegmenter(model, texts)
    return [_labels(model, segmenter.segment(text, number)[0]) for text in texts]


def token_life(model: Model, row: int) -> pd.DataFrame:
    """A token in every round.

    Columns: number, alive, p, be (nats), score (nats), threshold (of the score in that round), rank (1 is the best),
    n_prunable, percentile (share of the prunable tokens that rank below it), cut (share that the round removes),
    pieces (what the token's text is cut into). NaN and 0 after its death.
    """
    records = []
    text = model.tokens[row].decode(errors="hex_tokens")
    segmenter = RoundSegmenter(model, [text])
    for number, entry in enumerate(model.history):
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
            "pieces": _labels(model, segmenter.segment(text, number)[0]),
        }
        if alive:
            scores = round_scores(model, number)
            below = 0
            if row >= N_BYTES:
                # What goes ranks below what stays; among each other they rank by score, then by their bytes.
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
    return table.assign(rank=table["rank"].fillna(0).astype(int))


class Piece(NamedTuple):
    """One token of a sentence: code points begin to end; `hexes` where it is part of a character."""

    begin: int
    end: int
    text: str
    level: str
    is_new: bool  # the round before had no token at this very place


class Strip(NamedTuple):
    """A sentence in one round."""

    number: int
    pieces: list[Piece]


def sentence_rounds(model: Model, sentence: str) -> tuple[list[str], list[Strip]]:
    """A sentence segmented in every round.

    Returns
    -------
    chars : what to show for every code point of the normalised sentence.
    strips : one a round. Tokens inside one character are joined to a piece: `<0xEC>·<0x95><0x88>`.
    """
    text = normalize(sentence, model.settings.normalization)
    ends_of_chars = np.cumsum([len(char.encode("utf-8", "replace")) for char in text], dtype=np.int64)
    segmenter = RoundSegmenter(model, [text])
    strips: list[Strip] = []
    before: set[tuple[int, int, str]] = set()
    for number in range(model.last_round + 1):
        pieces = _pieces(model, *segmenter.segment(text, number), ends_of_chars)
        here = {(piece.begin, piece.end, piece.text) for piece in pieces}
        if number:
            pieces = [piece._replace(is_new=(piece.begin, piece.end, piece.text) not in before) for piece in pieces]
        strips.append(Strip(number, pieces))
        before = here
    return [showable(char) for char in text], strips


def _pieces(model: Model, rows: np.ndarray, ends: np.ndarray, ends_of_chars: np.ndarray) -> list[Piece]:
    pieces: list[Piece] = []
    begin, waiting = 0, ""
    for row, stop in zip(rows.tolist(), ends.tolist(), strict=True):
        label = token_label(model.tokens[row])
        end = int(np.searchsorted(ends_of_chars, stop, side="right"))
        if end == begin or waiting:  # within a character
            waiting += ("·" if waiting else "") + label
            if end == begin or stop != ends_of_chars[end - 1]:
                continue
            pieces.append(Piece(begin, end, waiting, "byte", False))
        else:
            pieces.append(Piece(begin, end, showable(label), level_of(model.tokens[row]), False))
        begin, waiting = end, ""
    return pieces
