"""Vocabularies side by side: what they share, what only one has, and their composition."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.forms import token_forms
from engine.tokenizer import Tokenizer
from engine.unigram.model.levels import LEVELS

_N_EXAMPLES = 12


def surfaces(tokenizer: Tokenizer) -> frozenset[bytes]:
    return frozenset(data for token_id in range(tokenizer.vocab_size) if (data := tokenizer.token_bytes(token_id)))


class Union(NamedTuple):
    """All tokens of some vocabularies.

    Attributes
    ----------
    forms : `token_forms`, sorted by their bytes.
    members : int64, the vocabularies that each is in: bit k for vocabulary k.
    n_sets : number of vocabularies.
    """

    forms: pd.DataFrame
    members: np.ndarray
    n_sets: int

    def of(self, place: int) -> pd.DataFrame:
        return self.forms[self.members >> place & 1 == 1]


def unite(sets: Sequence[frozenset[bytes]]) -> Union:
    """Vocabularies as the sets of their `surfaces`, in one table."""
    members: dict[bytes, int] = {}
    for place, one in enumerate(sets):
        for token in one:
            members[token] = members.get(token, 0) | 1 << place
    tokens = sorted(members)
    return Union(token_forms(tokens), np.array([members[token] for token in tokens], dtype=np.int64), len(sets))


class VocabularyComparison(NamedTuple):
    """The comparison of some vocabularies; each list has one entry per vocabulary."""

    overlap: pd.DataFrame  # of overlap_table
    jaccard: dict[tuple[int, int], float]  # by the positions of two
    only: list[pd.DataFrame]  # of only_in
    make_up: list[dict[str, float]]
    lengths: list[pd.DataFrame]  # of length_table


def compare(sets: Sequence[frozenset[bytes]]) -> VocabularyComparison:
    """Vocabularies as the sets of their `surfaces`, compared in every respect."""
    union, places = unite(sets), range(len(sets))
    return VocabularyComparison(
        overlap_table(union),
        {(a, b): jaccard(union, a, b) for a, b in combinations(places, 2)},
        [only_in(union, place) for place in places],
        [make_up(union.of(place)) for place in places],
        [length_table(union.of(place)) for place in places],
    )


def overlap_table(union: Union) -> pd.DataFrame:
    """One row per combination of vocabularies that share a token no other vocabulary has (the parts of a Venn
    diagram), the largest first.

    Columns: members (tuple of positions), count, share (of the union), examples.
    """
    rows = []
    for size in range(1, union.n_sets + 1):
        for members in combinations(range(union.n_sets), size):
            found = _exactly(union, members)
            if len(found):
                rows.append(
                    {
                        "members": members,
                        "count": len(found),
                        "share": len(found) / len(union.members),
                        "examples": "  ".join(found["token"].head(_N_EXAMPLES)),
                    }
                )
    table = pd.DataFrame(rows, columns=["members", "count", "share", "examples"])
    return table.sort_values("count", ascending=False, ignore_index=True, kind="stable")


def joined(names: Sequence[str], members: Sequence[int]) -> str:
    return " ∩ ".join(names[k] for k in members)


def _exactly(union: Union, members: Sequence[int]) -> pd.DataFrame:
    """The tokens that are in these vocabularies and in no other, the longest first."""
    found = union.forms[union.members == sum(1 << k for k in members)]
    return found.iloc[np.argsort(-found["n_bytes"].to_numpy(), kind="stable")]


def jaccard(union: Union, first: int, second: int) -> float:
    """Shared tokens over all tokens of the two; 1 for equal vocabularies."""
    in_first, in_second = union.members >> first & 1, union.members >> second & 1
    either = int((in_first | in_second).sum())
    return int((in_first & in_second).sum()) / either if either else 1.0


def only_in(union: Union, place: int) -> pd.DataFrame:
    """Tokens that only one vocabulary has, the longest first. Columns: token (as shown), level, n_chars, n_bytes."""
    return _exactly(union, [place])[["token", "level", "n_chars", "n_bytes"]].reset_index(drop=True)


def make_up(forms: pd.DataFrame) -> dict[str, float]:
    """Shares of the levels, and of the special forms of the paper's Figure 1: several words, word with . ? or !."""
    n = max(1, len(forms))
    is_phrase = forms["level"] == "phrase"
    counts = {level: int((forms["level"] == level).sum()) for level in LEVELS}
    counts |= {"multi_word": int(is_phrase.sum()), "punctuated": int((forms["punctuated"] & ~is_phrase).sum())}
    return {name: count / n for name, count in counts.items()}


def length_table(forms: pd.DataFrame, longest: int = 16) -> pd.DataFrame:
    """Share of the vocabulary by length in characters; the last row includes all longer ones. Columns: length, share.

    Parts of characters have length 0.
    """
    counts = np.bincount(np.minimum(forms["n_chars"], longest), minlength=longest + 1)
    return pd.DataFrame({"length": np.arange(longest + 1), "share": counts / max(1, counts.sum())})
