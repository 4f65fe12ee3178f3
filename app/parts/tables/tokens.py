"""The tokens of a model, and their values in a pruning round."""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import regex

from app.texts.plain import visible_space
from engine.config import N_BYTES
from engine.corpus.normalize import composed
from engine.pictures.showable import showable
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import LEVELS, is_punctuated_word
from engine.unigram.model.model import token_label
from engine.unigram.train.pruning import LEAST_COUNT

_SPACE = regex.compile(r"\s")


def token_forms(tokens: Sequence[bytes]) -> pd.DataFrame:
    """One row per token, in order.

    Columns: token (as the pages write it: `shown`), level, punctuated (a word with its final . ? or !), n_chars (0 for
    parts of a character), n_bytes.
    """
    data = pa.array(tokens, pa.binary())
    texts = [token.decode(errors="ignore") for token in tokens]
    text = pa.array(texts, pa.string())
    characters = set("".join(texts))
    n_chars = _column(pc.utf8_length(text))
    is_text = _column(pc.equal(text.cast(pa.binary()), data))
    # RE2 only knows ASCII spaces; among other characters only those that occur matter.
    spaces = _class({" ", *filter(_SPACE.match, characters)})
    is_phrase = is_text & _has(text, f"[^{spaces}][{spaces}]+[^{spaces}]")
    level = np.select([~is_text, n_chars <= 1, is_phrase], [0, 1, 3], 2)
    # Few tokens need more than a space replaced, and few end like a sentence: handle those one by one.
    odd = _class({"\0", *(char for char in characters if showable(char) != char)})
    is_odd = ~is_text | _has(text, f"[{odd}]")
    labels = [visible_space(showable(token_label(tokens[row]))) for row in np.flatnonzero(is_odd).tolist()]
    label = pc.replace_with_mask(pc.replace_substring(text, " ", "␣"), is_odd, pa.array(labels, pa.string()))
    punctuated = _has(text, "[.?!]\n?$")
    punctuated[punctuated] = [is_punctuated_word(tokens[row]) for row in np.flatnonzero(punctuated).tolist()]
    return pd.DataFrame(
        {
            "token": pd.array(label, dtype="str"),
            "level": pd.Categorical.from_codes(level, LEVELS),
            "punctuated": punctuated,
            "n_chars": n_chars,
            "n_bytes": _column(pc.binary_length(data)),
        }
    )


def _class(characters: Iterable[str]) -> str:
    """Content of a character class, between [ and ], that matches one of them."""
    return "".join(rf"\x{{{ord(char):x}}}" for char in characters)


def _has(text: pa.Array, pattern: str) -> np.ndarray:
    return _column(pc.match_substring_regex(text, pattern))


def _column(values: pa.Array) -> np.ndarray:
    return values.to_numpy(zero_copy_only=False)


BYTE, SURVIVING, REMOVED = "byte", "kept", "removed"
FATES = (SURVIVING, REMOVED, BYTE)

# A word has at least this, ignoring spaces and punctuation.
TWO_LETTERS = r"[^\W\d_]{2}"

# Why a token was removed: its expected count was below 0.5, or its score was among the lowest.
RARE, LOW_SCORE = "rare", "score"

# The scatter extends one and a half powers of ten below the P of half an occurrence in the corpus. Tokens with a
# smaller P, down to 0, are drawn at its left edge: how unlikely they are exactly does not matter.
_POWERS_BELOW_RARE = 1.5

# An axis begins at a fraction of the value that 2 % of the final tokens do not reach.
_LOW_END, _BELOW_LOW_END, _BELOW_LOW_BE = 0.02, 0.005, 0.1
_ID_LENGTH = 12  # no vocabulary has an id this long, with its #


def visible(label: str) -> str:
    """A token's label as the pages write it: spaces as ␣, invisible characters as hex."""
    return visible_space(showable(label))


def token_catalogue(model: PrunedTokenizer) -> pd.DataFrame:
    """Every token of the seed vocabulary, one row per token in the order of the model's rows.

    Columns: token (as `shown`), level, punctuated (a word with its final . ? or !), n_chars, n_bytes, died_in_round,
    id (-1: removed).
    """
    return token_forms(model.tokens).assign(died_in_round=model.died_in_round, id=model.ids)


def least_log10_p(model: PrunedTokenizer) -> float:
    """Base-10 exponent at which the scatter's P axis begins."""
    return math.log10(LEAST_COUNT / max(1, model.corpus_units)) - _POWERS_BELOW_RARE


def round_tokens(model: PrunedTokenizer, number: int, catalogue: pd.DataFrame) -> pd.DataFrame:
    """Tokens of a round, best score first.

    Columns: those of the catalogue, row, p (eq. 5), log10_p (at least `least_log10_p`), be and be_p (nats), score (the
    round's ranking; also under its own name), fate (one of FATES), reason (of removed tokens: RARE or LOW_SCORE), rank
    (1 is the best of the prunable tokens, 0 a byte).
    """
    rows, scores = model.alive_rows(number), model.scores(number)
    order = np.lexsort((rows, -scores))
    rows, entry = rows[order], model.history[number]
    p, be = entry.sentence_prob[order], entry.branching_entropy[order]
    removed = model.died_in_round[rows] == number
    prunable = rows >= N_BYTES
    # P(x) times the number of sentences is the expected count, or slightly less if a token repeats in a sentence.
    rare = p * model.corpus_units < LEAST_COUNT
    table = catalogue.iloc[rows].reset_index(drop=True)
    return table.assign(
        row=rows,
        p=p,
        log10_p=np.log10(np.maximum(p, 10.0 ** least_log10_p(model))),
        be=be,
        be_p=p * be,
        score=scores[order],
        fate=pd.Categorical.from_codes(np.where(prunable, np.where(removed, 1, 0), 2), FATES),
        reason=pd.Categorical.from_codes(np.where(removed, np.where(rare, 1, 2), 0), ("", RARE, LOW_SCORE)),
        rank=np.where(prunable, np.cumsum(prunable), 0),
    ).assign(**{model.settings.score: scores[order]})


def with_numbers(model: PrunedTokenizer, number: int, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of `round_tokens` with further columns for a file.

    Columns: id (in the final vocabulary; missing if the token is not in it), plain (the text with plain spaces),
    log_prob_nats (the round's), frequency (expected number of sentences that contain the token).
    """
    rows = table["row"].to_numpy()
    ids = pd.Series(model.ids[rows], index=table.index).astype("Int64")
    return table.assign(
        id=ids.where(ids >= 0),
        plain=[token_label(model.tokens[row]) for row in rows.tolist()],
        log_prob_nats=model.history[number].log_prob[np.searchsorted(model.alive_rows(number), rows)],
        frequency=table["p"] * model.corpus_units,
    )


def shown_scores(model: PrunedTokenizer) -> tuple[str, ...]:
    """Score columns of `round_tokens`: the three of the paper, and the one used in training."""
    return tuple(dict.fromkeys(("p", "be", "be_p", model.settings.score)))


class Extent(NamedTuple):
    """Axis range of a score (nats) for all rounds: its positive values except the very smallest."""

    low: float
    high: float


def score_extents(model: PrunedTokenizer) -> dict[str, Extent]:
    """Extents of all `shown_scores`: axes made from them fit every round.

    The early rounds contain tokens with values close to zero; the axis begins well below the values that survive.
    """
    extents: dict[str, Extent] = {}
    for number in model.kept_rounds:
        entry = model.history[number]
        p, be = entry.sentence_prob, entry.branching_entropy
        columns = {"p": p, "be": be, "be_p": p * be, model.settings.score: model.scores(number)}
        for name, values in columns.items():
            positive = values[values > 0]
            if positive.size:
                low, high = extents.get(name, Extent(np.inf, 0.0))
                extents[name] = Extent(min(low, float(positive.min())), max(high, float(positive.max())))
        if number == model.last_round:
            for name, values in columns.items():
                below = _BELOW_LOW_BE if name == "be" else _BELOW_LOW_END
                lowest = np.quantile(values[values > 0], _LOW_END) * below if (values > 0).any() else 0.0
                low, high = extents.get(name, Extent(1.0, 1.0))
                extents[name] = Extent(max(low, float(lowest)), high)
    return {name: extents.get(name, Extent(1.0, 1.0)) for name in shown_scores(model)}


class Frontier(NamedTuple):
    """Threshold of a round: tokens with a lower score (nats), or expected less than 0.5 times, were removed."""

    kind: str  # the pruning score
    score: float | None  # highest score among tokens removed for their score; None if there are none
    rare_p: float | None  # P below which tokens were removed as rare; None if there are none
    n_units: int  # sentences of the corpus (or other contexts), for the line BE = log(P x n_units)


def frontier(model: PrunedTokenizer, number: int, table: pd.DataFrame) -> Frontier:
    """The frontier of a round, from its `round_tokens`."""
    by_score = table.loc[table["reason"] == LOW_SCORE, "score"]
    any_rare = bool((table["reason"] == RARE).any())
    return Frontier(
        model.settings.score,
        float(by_score.max()) if len(by_score) else None,
        LEAST_COUNT / model.corpus_units if any_rare and model.corpus_units else None,
        model.corpus_units,
    )


def find_rows(catalogue: pd.DataFrame, typed: str) -> np.ndarray:
    """Rows (int64) of a typed token: as it is shown or equal in NFC, with plain spaces, or by its id (`#123`)."""
    if not typed:
        return np.empty(0, dtype=np.int64)
    rows = np.flatnonzero(catalogue["token"] == visible(typed))
    if not rows.size:
        rows = np.flatnonzero(catalogue["token"].map(composed) == visible(composed(typed)))
    return rows if rows.size or not is_id(typed) else np.flatnonzero(catalogue["id"] == int(typed[1:]))


def is_id(typed: str) -> bool:
    """Whether a typed token is an id: `#123`."""
    return typed.startswith("#") and typed[1:].isdecimal() and len(typed) < _ID_LENGTH


def rows_containing(catalogue: pd.DataFrame, typed: str, limit: int) -> np.ndarray:
    """Rows of tokens that contain the text, shortest first."""
    if not typed:
        return np.empty(0, dtype=np.int64)
    wanted = visible(composed(typed))
    rows = np.flatnonzero(catalogue["token"].map(composed).str.contains(wanted, regex=False))
    return rows[np.argsort(catalogue["n_chars"].to_numpy()[rows], kind="stable")][:limit]


def first_matches(tokens: pd.Series, rows: np.ndarray, pattern: str, limit: int, text: str | None = None) -> list[str]:
    """The first tokens among these rows that match, and occur more than once in a `visible` text; few are tested."""
    match = re.compile(pattern).search
    matches = (token for row in rows.tolist() if match(token := tokens.iat[row]))
    return list(islice((token for token in matches if text is None or text.count(token) > 1), limit))


def removed_among(catalogue: pd.DataFrame, tokens: Sequence[str]) -> frozenset[str]:
    """Those tokens (as `shown`) that a round removed, so that the final vocabulary lacks them."""
    return frozenset(catalogue.loc[catalogue["token"].isin(tokens) & (catalogue["died_in_round"] >= 0), "token"])


class Box(NamedTuple):
    """A rectangle of the scatter: log10 P from x0 to x1, BE from y0 to y1 (nats)."""

    x0: float
    x1: float
    y0: float
    y1: float

    def __str__(self) -> str:
        return "_".join(f"{value:.4g}" for value in self)


def parse_box(text: str) -> Box | None:
    """The box that `str()` wrote; None for anything else."""
    try:
        values = [float(part) for part in text.split("_")]
    except ValueError:
        return None
    if len(values) != 4 or not np.isfinite(values).all() or values[0] > values[1] or values[2] > values[3]:
        return None
    return Box(*values)


def in_box(table: pd.DataFrame, box: Box) -> pd.DataFrame:
    x, y = table["log10_p"].to_numpy(), table["be"].to_numpy()
    inside = (x >= box.x0) & (x <= box.x1) & (y >= box.y0) & (y <= box.y1)
    return table[inside]
