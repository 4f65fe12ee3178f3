"""Everything on one token: the sentences of its entropy, its neighbours, its prefixes, its relatives."""

import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import regex

from app.tables.tokens import shown
from engine.boundaries.ngrams import MAX_N, Ngrams
from engine.config import N_BYTES
from engine.corpus.normalize import normalize
from engine.errors import InputError
from engine.measure.contexts import contexts_of
from engine.unigram.model import Model, token_label

# Distinct sentences whose lattice is asked; beyond it a sample would not give the entropy.
MAX_SENTENCES = 4000

# A pattern may backtrack for ever; the whole vocabulary has so long.
_PATTERN_SECONDS = 1.0

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


class SentenceShares(NamedTuple):
    """The sentences that make up a token's branching entropy.

    Attributes
    ----------
    table : one row a distinct sentence, the largest share first. Columns: sentence, count (in the corpus), marginal
        (P(x|y)), share (P(y|x)), part (its part of BE: -share log share, nats).
    entropy : their sum, BE(x) in nats.
    top_ten : share of BE that the ten largest parts hold.
    """

    table: pd.DataFrame
    entropy: float
    top_ten: float


def sentence_shares(
    model: Model, lines: Sequence[str], row: int, number: int, membership: str, context: str
) -> SentenceShares | None:
    """P(y|x) over the contexts y of a token (the Thunder-Tok paper, eq. 1, 4 and 5).

    Parameters
    ----------
    membership : `inclusion` (probability that a segmentation contains the token) or `expected` (expected times).
    context : `sentence`, or `pretoken`: every distinct pre-token weighted by its count.

    Returns
    -------
    None where the token stands in more than MAX_SENTENCES contexts, or is a byte.
    """
    label = token_label(model.tokens[row])
    alive = model.alive_rows(number)
    at = int(np.searchsorted(alive, row))
    if row < N_BYTES or label.encode() != model.tokens[row]:
        return None  # bytes stand wherever a character falls back to them
    held = {unit: n for unit, n in _units(model, lines, context).items() if label in unit}
    if len(held) > MAX_SENTENCES:
        return None
    if at == alive.size or alive[at] != row:
        held = {}  # no token of this round
    rows = []
    for unit, count in held.items():
        m = _membership(model, unit, at, label, number, membership)
        if m > 0:
            rows.append((shown(unit), count, m))
    table = pd.DataFrame(rows, columns=["sentence", "count", "marginal"])
    weight = (table["count"] * table["marginal"]).astype(float)
    total = float(weight.sum())
    table["share"] = weight / total if total else weight
    table["part"] = -table["share"] * np.log(table["share"].where(table["share"] > 0, 1.0).astype(float))
    table = table.sort_values(["share", "sentence"], ascending=[False, True], ignore_index=True)
    entropy = float(table["part"].sum())
    top = float(table["part"].astype(float).nlargest(10).sum())
    return SentenceShares(table, entropy, top / entropy if entropy > 0 else math.nan)


def _units(model: Model, lines: Sequence[str], context: str) -> Counter[str]:
    text = [normalize(line, model.settings.normalization) for line in lines if line]
    if context == "sentence":
        return Counter(text)
    return Counter(piece for line in text for piece in model.pretokenizer.split(line))


def _membership(model: Model, unit: str, at: int, label: str, number: int, membership: str) -> float:
    """P(x|y) of the token that is number `at` in the round's vocabulary."""
    lattice = model.lattice(unit, number)
    own = lattice.marginal[lattice.number == at]
    if own.size == 0:
        return 0.0
    if membership == "expected" or own.size == 1:
        return float(own.sum())
    without = model.lattice(unit, number, forbid=(label,))
    return float(-math.expm1(without.log_z - lattice.log_z)) if math.isfinite(without.log_z) else 1.0


def growth_of_prefix(model: Model, lines: Sequence[str], text: str, number: int) -> pd.DataFrame:
    """The prefixes of a string, one character longer each time.

    Columns: prefix (as shown), count, left_entropy, right_entropy (nats), variety, cohesion, is_token, be (nats; NaN
    where it is no token of the round).
    """
    alive = model.alive_rows(number)
    be = dict(zip(alive.tolist(), model.history[number].branching_entropy.tolist(), strict=True))
    row_of = {token: row for row, token in enumerate(model.tokens)}
    rows = []
    for end in range(1, len(text) + 1):
        found = contexts_of(text[:end], lines)
        row = row_of.get(text[:end].encode(), -1)
        rows.append(
            (shown(text[:end]), found.n, found.left_entropy, found.right_entropy,
             min(found.left_variety, found.right_variety), found.cohesion, row in be, be.get(row, math.nan))
        )  # fmt: skip
    names = ["prefix", "count", "left_entropy", "right_entropy", "variety", "cohesion", "is_token", "be"]
    return pd.DataFrame(rows, columns=names)


def entropy_scatter(model: Model, lines: Sequence[str], number: int) -> pd.DataFrame:
    """Branching entropy over sentences against that over the next character, of all tokens of 2 to MAX_N characters.

    Columns: token (as shown), be, right_entropy (nats), difference (of their ranks, -1 to 1: high where the sentences
    say that a token is used widely and the next character says that it is not).
    """
    text = [normalize(line, model.settings.normalization) for line in lines if line]
    ngrams = Ngrams(text, MAX_N)
    rows = []
    for row, be in zip(
        model.alive_rows(number).tolist(), model.history[number].branching_entropy.tolist(), strict=True
    ):
        try:
            token = model.tokens[row].decode()
        except UnicodeDecodeError:
            continue
        if not 2 <= len(token) <= MAX_N:
            continue
        at = ngrams.number_of(token)
        if at >= 0:
            rows.append((shown(token), be, float(ngrams.levels[len(token) - 1].right_entropy[at])))
    table = pd.DataFrame(rows, columns=["token", "be", "right_entropy"])
    ranks = table[["be", "right_entropy"]].rank(pct=True)
    return table.assign(difference=ranks["be"] - ranks["right_entropy"])


def relatives(model: Model, row: int, number: int, limit: int = 60) -> tuple[list[str], list[str]]:
    """Tokens of a round inside this one, and tokens that hold it, as shown, the longest first."""
    token = model.tokens[row]
    alive = [model.tokens[other] for other in model.alive_rows(number).tolist() if other != row]
    inside = sorted((one for one in alive if one in token), key=lambda one: (-len(one), one))
    around = sorted((one for one in alive if token in one), key=lambda one: (len(one), one))
    return [shown(token_label(one)) for one in inside[:limit]], [shown(token_label(one)) for one in around[:limit]]


def initials(text: str) -> str:
    """Every Hangul syllable as its initial consonant (초성), other characters as they are."""
    return "".join(
        _INITIALS[(ord(char) - 0xAC00) // 588] if "가" <= char <= "힣" else char for char in text
    )  # fmt: skip


def search_tokens(
    table: pd.DataFrame, text: str, levels: Sequence[str], lengths: tuple[int, int], is_pattern: bool = False
) -> pd.DataFrame:
    """Rows of a table of tokens that hold a text. Letters of ㄱ to ㅎ alone are taken for initial consonants.

    With `is_pattern` the text is a regular expression of the `regex` module.

    Raises
    ------
    InputError : the expression is not valid, or takes too long.
    """
    found = table[table["level"].isin(levels) & table["n_chars"].between(*lengths)]
    wanted = text.strip()
    if not wanted:
        return found
    if is_pattern:
        return found[_matches(wanted, found["token"].tolist())]
    if all(char in _INITIALS for char in wanted):
        return found[[wanted in initials(token) for token in found["token"]]]
    return found[[wanted in token for token in found["token"]]]


def _matches(pattern: str, tokens: Sequence[str]) -> list[bool]:
    try:
        compiled = regex.compile(pattern)
        end = time.monotonic() + _PATTERN_SECONDS
        return [
            compiled.search(token, timeout=max(0.001, end - time.monotonic())) is not None for token in tokens
        ]  # fmt: skip
    except regex.error as error:
        raise InputError(f"the regular expression is not valid: {error}; correct it") from None
    except TimeoutError:
        raise InputError("the regular expression takes too long; use a simpler one") from None
