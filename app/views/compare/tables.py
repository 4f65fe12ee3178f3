"""Vocabularies beside each other: what they share, what only one has, and what they consist of."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import shown
from engine.tokenizer import Tokenizer
from engine.unigram.levels import LEVELS, is_multi_word, is_punctuated_word, level_of
from engine.unigram.model import token_label


def surfaces(tokenizer: Tokenizer) -> frozenset[bytes]:
    """The texts that a vocabulary's tokens stand for, without marks; special tokens have none."""
    return frozenset(
        data for token_id in range(tokenizer.vocab_size) if (data := tokenizer.token_bytes(token_id))
    )  # fmt: skip


class Comparison(NamedTuple):
    """Everything about some vocabularies; a list has one entry for each."""

    overlap: pd.DataFrame  # of overlap_table
    jaccard: dict[tuple[int, int], float]  # of the places of two
    only: list[pd.DataFrame]  # of only_in
    make_up: list[dict[str, float]]
    lengths: list[pd.DataFrame]  # of length_table


def compare(sets: Sequence[frozenset[bytes]]) -> Comparison:
    """Vocabularies as the sets of their `surfaces`, compared in every respect."""
    return Comparison(
        overlap_table(sets),
        {(a, b): jaccard(sets[a], sets[b]) for a, b in combinations(range(len(sets)), 2)},
        [only_in(sets, place) for place in range(len(sets))],
        [make_up(tokens) for tokens in sets],
        [length_table(tokens) for tokens in sets],
    )


def overlap_table(sets: Sequence[frozenset[bytes]]) -> pd.DataFrame:
    """One row for every combination of vocabularies that some token is in, and in no other (the parts of a Venn
    diagram), the largest first.

    Columns: members (tuple of places), count, share (of all tokens of all), examples.
    """
    union = sorted(frozenset().union(*sets)) if sets else []
    belongs = np.array([[token in one for one in sets] for token in union], dtype=bool).reshape(len(union), len(sets))
    rows = []
    for size in range(1, len(sets) + 1):
        for members in combinations(range(len(sets)), size):
            mask = np.array([k in members for k in range(len(sets))])
            found = np.flatnonzero((belongs == mask).all(axis=1)) if union else np.array([], dtype=int)
            if found.size:
                rows.append(
                    {
                        "members": members,
                        "count": int(found.size),
                        "share": found.size / len(union),
                        "examples": "  ".join(_shown(union[i]) for i in _longest(union, found)),
                    }
                )
    table = pd.DataFrame(rows, columns=["members", "count", "share", "examples"])
    return table.sort_values("count", ascending=False, ignore_index=True, kind="stable")


def joined(names: Sequence[str], members: Sequence[int]) -> str:
    """What a part of the diagram is called."""
    return " ∩ ".join(names[k] for k in members)


def _longest(union: Sequence[bytes], found: np.ndarray, n: int = 12) -> list[int]:
    return sorted(found.tolist(), key=lambda i: (-len(union[i]), union[i]))[:n]


def _shown(token: bytes) -> str:
    return shown(token_label(token))


def jaccard(first: frozenset[bytes], second: frozenset[bytes]) -> float:
    """Shared tokens over all tokens of the two; 1 for equal vocabularies."""
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def only_in(sets: Sequence[frozenset[bytes]], place: int) -> pd.DataFrame:
    """Tokens that only one vocabulary has, the longest first. Columns: token (as shown), level, n_chars, n_bytes."""
    others = frozenset().union(*(one for k, one in enumerate(sets) if k != place))
    own = sorted(sets[place] - others, key=lambda token: (-len(token), token))
    return pd.DataFrame(
        {
            "token": [_shown(token) for token in own],
            "level": [level_of(token) for token in own],
            "n_chars": [len(token.decode(errors="ignore")) for token in own],
            "n_bytes": [len(token) for token in own],
        }
    )


def make_up(tokens: frozenset[bytes]) -> dict[str, float]:
    """Shares of the levels, and of the special forms of the paper's Figure 1: several words, word with . ? or !."""
    n = max(1, len(tokens))
    levels = [level_of(token) for token in tokens]
    shares = {level: levels.count(level) / n for level in LEVELS}
    phrases = sum(is_multi_word(token) for token in tokens)
    punctuated = sum(is_punctuated_word(token) and not is_multi_word(token) for token in tokens)
    return {**shares, "multi_word": phrases / n, "punctuated": punctuated / n}


def length_table(tokens: frozenset[bytes], longest: int = 16) -> pd.DataFrame:
    """Share of the vocabulary by length in characters; the last row holds what is longer. Columns: length, share.

    Parts of characters have length 0.
    """
    lengths = np.array([min(longest, len(token.decode(errors="ignore"))) for token in tokens], dtype=np.int64)
    counts = np.bincount(lengths, minlength=longest + 1)
    return pd.DataFrame({"length": np.arange(longest + 1), "share": counts / max(1, counts.sum())})
