"""Everything on one token: the sentences of its entropy, its neighbours, its prefixes, its relatives."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.rounds import cut_in_round, rows_within, token_life
from app.parts.tables.tokens import visible
from engine.config import N_BYTES
from engine.corpus.normalize import composed, normalize
from engine.corpus.pretokens.own_pattern import OwnPattern, pattern_allowance
from engine.hangul.allomorphs import Allomorph
from engine.measure.contexts import contexts_of, right_entropies
from engine.measure.stability import Stability
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import LEVELS
from engine.unigram.model.model import token_label

_LONGEST, _N_BINS = 12, 20


def with_kept(table: pd.DataFrame, ids: np.ndarray, found: Stability) -> pd.DataFrame:
    """The last round's `round_tokens` with a column kept: the number of resamples that keep the token."""
    return table.assign(kept=np.asarray(found.kept)[ids[table["row"].to_numpy()]])


def distribution(table: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """Tokens by the number of resamples that keep them. Columns: kept (0 to n_resamples), level, count."""
    rows = []
    for level in LEVELS:
        counts = np.bincount(table["kept"][table["level"] == level], minlength=n_resamples + 1)
        rows += [(kept, level, int(count)) for kept, count in enumerate(counts) if counts.any()]
    return pd.DataFrame(rows, columns=["kept", "level", "count"])


def by_length(table: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """Mean share of resamples that keep a token, by level and length in characters; the longest are combined.

    Columns: level, n_chars (at most _LONGEST, which includes longer ones), tokens, share.
    """
    lengths = table.assign(n_chars=table["n_chars"].clip(upper=_LONGEST), share=table["kept"] / n_resamples)
    groups = lengths.groupby(["level", "n_chars"], observed=True)["share"]
    return groups.agg(tokens="size", share="mean").reset_index()


def by_rank(table: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """The same by rank of the score, in equal parts of the vocabulary. Columns: rank (the last of the part), share."""
    ordered = (table.sort_values("rank")["kept"] / n_resamples).to_numpy()
    ends = np.unique(np.linspace(0, ordered.size, min(_N_BINS, ordered.size) + 1).astype(int))
    rows = [(end, float(ordered[begin:end].mean())) for begin, end in pairwise(ends.tolist())]
    return pd.DataFrame(rows, columns=["rank", "share"])


# Most sentences whose lattices are computed; with more, a sample gives shares of the entropy, not the entropy.
MAX_SENTENCES, _N_SAMPLED = 4000, 600

# Seconds for a pattern on the whole vocabulary: it may backtrack forever.
_PATTERN_SECONDS = 1.0

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


class SentenceShares(NamedTuple):
    """The sentences that make up a token's branching entropy.

    Attributes
    ----------
    table : one row per distinct sentence, the largest share first. Columns: sentence, count (in the corpus), marginal
        (P(x|y)), share (P(y|x)), part (its part of BE: -share log share, nats).
    entropy : their sum, BE(x) in nats.
    top_ten : share of BE in the ten largest parts.
    """

    table: pd.DataFrame
    entropy: float
    top_ten: float


MEMBERSHIPS = ("inclusion", "expected")


class SampledShares(NamedTuple):
    """A sample of the sentences of a token that is in too many.

    Attributes
    ----------
    table : as in SentenceShares; shares are of all contexts, not of the sample.
    entropy : BE(x) over all contexts in nats, as the round counted it.
    n_contexts : number of contexts that contain the token's text.
    """

    table: pd.DataFrame
    entropy: float
    n_contexts: int


def sentence_shares(
    model: PrunedTokenizer, lines: Sequence[str], row: int, number: int, context: str
) -> dict[str, SentenceShares] | None:
    """P(y|x) over the contexts y of a token (the Thunder-Tok paper, eq. 1, 4 and 5).

    Parameters
    ----------
    context : `sentence`, or `pretoken`: every distinct pre-token weighted by its count.

    Returns
    -------
    By membership: `inclusion` (probability that a segmentation contains the token) and `expected` (expected times).
    None if the token is in more than MAX_SENTENCES contexts, or is a byte.
    """
    label = token_label(model.tokens[row])
    alive = model.alive_rows(number)
    at = int(np.searchsorted(alive, row))
    if row < N_BYTES or not _is_text(model.tokens[row]):
        return None  # bytes occur wherever a character falls back to them
    held = _holding(model, lines, label, context)
    if len(held) > MAX_SENTENCES:
        return None
    if at == alive.size or alive[at] != row:
        held = Counter()  # not a token of this round
    rows = [(visible(unit), count, *_memberships(model, unit, at, label, number)) for unit, count in held.items()]
    table = pd.DataFrame(rows, columns=["sentence", "count", *MEMBERSHIPS])
    return {name: _shares(table, name) for name in MEMBERSHIPS}


def sampled_shares(
    model: PrunedTokenizer, lines: Sequence[str], row: int, number: int, limit: int = _N_SAMPLED
) -> SampledShares:
    """P(y|x) in a sample of a token's contexts, under the model's membership and context.

    The round has P(x), and so the sum over all contexts; the share of one context does not need the others. Half of
    the `limit` are the most frequent contexts, which may have the largest shares; half are spread over the corpus.
    """
    label = token_label(model.tokens[row])
    at = int(np.searchsorted(model.alive_rows(number), row))
    held = _holding(model, lines, label, model.settings.context).most_common()
    first, rest = held[: limit // 2], held[limit // 2 :]
    rest = rest[:: max(1, -(-len(rest) // (limit - limit // 2)))]
    found = [(visible(unit), count, *_memberships(model, unit, at, label, number)) for unit, count in first + rest]
    entry = model.history[number]
    total = float(entry.sentence_prob[at]) * model.corpus_units
    table = pd.DataFrame(found, columns=["sentence", "count", *MEMBERSHIPS])
    shares = _shares(table, model.settings.membership, total)
    return SampledShares(shares.table, float(entry.branching_entropy[at]), len(held))


def _shares(table: pd.DataFrame, membership: str, total: float | None = None) -> SentenceShares:
    """Shares under one membership, from a table of its marginals; `total` is their sum over all contexts."""
    own = table[table[membership] > 0]
    own = own.assign(marginal=own[membership].astype(float)).drop(columns=[*MEMBERSHIPS])
    weight = (own["count"] * own["marginal"]).astype(float)
    total = float(weight.sum()) if total is None else total
    share = weight / total if total else weight
    part = 0.0 - share * np.log(share.where(share > 0, 1.0))  # never -0.0
    own = own.assign(share=share, part=part)
    own = own.sort_values(["share", "sentence"], ascending=[False, True], ignore_index=True)
    entropy = float(own["part"].sum())
    top = float(own["part"].nlargest(10).sum())
    return SentenceShares(own, entropy, top / entropy if entropy > 0 else math.nan)


def _holding(model: PrunedTokenizer, lines: Sequence[str], label: str, context: str) -> Counter[str]:
    """Distinct contexts that contain the text of a token, with their counts."""
    counts: Counter[str] = Counter()
    for line in lines:
        text = normalize(line, model.settings.normalization)
        # A pre-token contains only what its line does.
        if label not in text:
            continue
        if context == "sentence":
            counts[text] += 1
        else:
            counts.update(piece for piece in model.pretokenizer.split(text) if label in piece)
    return counts


def _memberships(model: PrunedTokenizer, unit: str, at: int, label: str, number: int) -> tuple[float, float]:
    """P(x|y) of token number `at` of the round's vocabulary, under each of MEMBERSHIPS."""
    lattice = model.lattice(unit, number)
    own = lattice.marginal[lattice.number == at]
    expected = float(own.sum())
    if own.size < 2:
        return expected, expected
    without = model.lattice(unit, number, forbid=(label,))
    included = float(-math.expm1(without.log_z - lattice.log_z)) if math.isfinite(without.log_z) else 1.0
    return included, expected


def growth_of_prefix(model: PrunedTokenizer, lines: Sequence[str], text: str, number: int) -> pd.DataFrame:
    """The prefixes of a string, one character longer each time.

    Columns: prefix (as shown), count, left_entropy, right_entropy (nats), variety, cohesion, is_token, be (nats; NaN
    where it is not a token of the round).
    """
    alive, be = model.alive_rows(number), model.history[number].branching_entropy
    place = {model.tokens[row]: int(np.searchsorted(alive, row)) for row in rows_within(model, [text]).tolist()}
    rows = []
    for prefix in (text[:end] for end in range(1, len(text) + 1)):
        found = contexts_of(prefix, lines)
        at = place.get(prefix.encode(), alive.size)
        is_token = at < alive.size and model.tokens[alive[at]] == prefix.encode()
        rows.append(
            (
                visible(prefix),
                found.n,
                found.left_entropy,
                found.right_entropy,
                min(found.left_variety, found.right_variety),
                found.cohesion,
                is_token,
                be[at] if is_token else math.nan,
            )
        )
    names = ["prefix", "count", "left_entropy", "right_entropy", "variety", "cohesion", "is_token", "be"]
    return pd.DataFrame(rows, columns=names)


def entropy_scatter(model: PrunedTokenizer, lines: Sequence[str], number: int) -> pd.DataFrame:
    """Branching entropy over sentences and over the next character, of all tokens of two or more characters.

    Columns: token (as shown), be, right_entropy (nats), difference (of their ranks, -1 to 1: high where a token is
    used widely by its sentences but not by its next characters).
    """
    rows = model.alive_rows(number)[N_BYTES:]
    texts = {
        at: text
        for at, row in enumerate(rows.tolist())
        if len(text := (token := model.tokens[row]).decode(errors="ignore")) > 1 and len(text.encode()) == len(token)
    }
    right = right_entropies([*texts.values()], [normalize(line, model.settings.normalization) for line in lines])
    be = model.history[number].branching_entropy[N_BYTES:][[*texts]]
    found = np.flatnonzero(~np.isnan(right))
    # Labels only for tokens that occur in a small text: a round may have ten times as many.
    every = [*texts.values()]
    labels = [visible(every[at]) for at in found.tolist()]
    table = pd.DataFrame({"token": labels, "be": be[found], "right_entropy": right[found]})
    ranks = table[["be", "right_entropy"]].rank(pct=True)
    return table.assign(difference=ranks["be"] - ranks["right_entropy"])


def allomorph_table(
    model: PrunedTokenizer, lines: Sequence[str], forms: Sequence[Allomorph], number: int
) -> pd.DataFrame:
    """Forms of a particle or an ending under the vocabulary of a round.

    Columns: form, p, be and score (nats), rank (missing where it is not a token of the round), died (round; missing
    for tokens of the finished vocabulary and what never was a token), string and token (its occurrences in the lines
    as a string and as a token), pieces (what its text is cut into).
    """
    rows = []
    for form, text in forms:
        data = text.encode()
        found = [row for row in rows_within(model, [text]).tolist() if model.tokens[row] == data]
        own = token_life(model, found[0]).loc[number] if found else None
        record: dict[str, object] = {"form": form, "pieces": cut_in_round(model, text, number)[0]}
        if own is not None and own["alive"]:
            record |= {"p": own["p"], "be": own["be"], "score": own["score"], "rank": own["rank"]}
        if found:
            died = int(model.died_in_round[found[0]])
            record["died"] = died if died >= 0 else None
        some = [line for line in lines if text in line]
        record["string"] = sum(line.count(text) for line in some)
        numbers, *_ = model.vocabulary(number).encode_lines(some)
        record["token"] = int(np.isin(model.alive_rows(number)[numbers], found).sum())
        rows.append(record)
    names = ["form", "p", "be", "score", "rank", "died", "string", "token", "pieces"]
    return pd.DataFrame(rows).reindex(columns=names).astype({"rank": "float64", "died": "float64"})


def relatives(model: PrunedTokenizer, row: int, number: int) -> tuple[list[str], list[str]]:
    """Tokens of a round inside this one, the longest first, and tokens that contain it, the shortest first; as shown.

    Parts of characters are inside every character whose bytes they are; they are left out if the token is text.
    """
    token = model.tokens[row]
    alive = [model.tokens[other] for other in model.alive_rows(number).tolist() if other != row]
    inside = [one for one in alive if one in token and (_is_text(one) or not _is_text(token))]
    around = [one for one in alive if token in one]
    inside.sort(key=lambda one: (-len(one), one))
    around.sort(key=lambda one: (len(one), one))
    return [visible(token_label(one)) for one in inside], [visible(token_label(one)) for one in around]


def _is_text(token: bytes) -> bool:
    return token_label(token).encode() == token


def initials(text: str) -> str:
    """Every Hangul syllable as its initial consonant (초성), other characters unchanged."""
    return "".join(_INITIALS[(ord(char) - 0xAC00) // 588] if "가" <= char <= "힣" else char for char in text)


def search_tokens(
    table: pd.DataFrame, text: str, levels: Sequence[str], lengths: tuple[int, int], is_pattern: bool = False
) -> pd.DataFrame:
    """Rows of a table of tokens that contain a text. A text of only ㄱ to ㅎ is taken as initial consonants.

    With `is_pattern` the text is a regular expression of the `regex` module.

    Raises
    ------
    InputError : the expression is not valid, or takes too long.
    """
    found = table[table["level"].isin(levels) & table["n_chars"].between(*lengths)]
    wanted = composed(text.strip())
    if not wanted:
        return found
    if is_pattern:
        return found[_matches(wanted, found["token"].tolist())]
    if all(char in _INITIALS for char in wanted):
        return found[[wanted in initials(token) for token in found["token"]]]
    return found[found["token"].map(composed).str.contains(wanted, regex=False)]


def _matches(pattern: str, tokens: Sequence[str]) -> list[bool]:
    with pattern_allowance(_PATTERN_SECONDS):
        return [bool(found) for found in OwnPattern(pattern).matches(tokens)]
