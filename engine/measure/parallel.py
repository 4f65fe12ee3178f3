"""The cost of the same content in different languages, and how sampling shares set a shared vocabulary's languages."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.errors import InputError
from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.result import Interval, bootstrap_median, bootstrap_ratio, ratio
from engine.measure.words import definition_of, find_words
from engine.tokenizer import Tokenizer

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second, unused by most commands


class Premium(NamedTuple):
    """Tokens of a language per token of the base language.

    Attributes
    ----------
    value : tokens of all sentences / tokens of all base sentences.
    interval : its bootstrap interval over sentences.
    median : of the ratios by sentence.
    median_interval : its bootstrap interval.
    n : sentences; those without a token on either side are excluded.
    definition : in words.
    """

    value: float
    interval: Interval | None
    median: float
    median_interval: Interval | None
    n: int
    definition: str


def premium(tokens: np.ndarray, base: np.ndarray, seed: int = 0) -> Premium:
    """Premium of a language over a base language on parallel sentences (Petrov et al. 2023, section 3).

    Parameters
    ----------
    tokens, base : int[n_sentences], tokens of each sentence in the language and in the base language.
    seed : of the bootstrap.

    Raises
    ------
    InputError : the numbers of sentences differ.
    """
    tokens, base = np.asarray(tokens), np.asarray(base)
    if tokens.size != base.size:
        raise InputError("parallel.base", n_lines=tokens.size, n_base=base.size)
    both = (tokens > 0) & (base > 0)
    tokens, base = tokens[both], base[both]
    ratios = tokens / base
    return Premium(
        ratio(tokens.sum(), base.sum()),
        bootstrap_ratio(tokens, base, seed),
        float(np.median(ratios)) if ratios.size else float("nan"),
        bootstrap_median(ratios, seed),
        int(both.sum()),
        "tokens / tokens of the base language, on parallel sentences",
    )


def relative_tokenization_cost(characters_per_token: float, base_characters_per_token: float) -> float:
    """RTC = CPT_base / CPT (mothertoken). It differs from the premium if the texts' lengths in characters differ."""
    return ratio(base_characters_per_token, characters_per_token)


def gini(costs: Sequence[float] | np.ndarray) -> float:
    """Gini coefficient of the languages' costs, sum |c_i - c_j| / (2 n^2 mean): TokEval's tokenizer fairness.

    0 if all costs are equal. `costs` are tokens per byte, or per parallel sentence: say which.
    """
    costs = np.asarray(costs, dtype=np.float64)
    _check_costs(costs)
    return float(np.abs(costs[:, None] - costs[None, :]).sum() / (2 * costs.size**2 * costs.mean()))


def max_min_ratio(costs: Sequence[float] | np.ndarray) -> float:
    """Highest cost / lowest cost."""
    costs = np.asarray(costs, dtype=np.float64)
    _check_costs(costs)
    return float(costs.max() / costs.min())


def sampling_shares(sizes: Mapping[str, float], alpha: float) -> dict[str, float]:
    """Sampling shares p_i = n_i^alpha / sum n_j^alpha (Conneau and Lample 2019, section 3.1).

    alpha 1 keeps the corpora's own shares, alpha 0 makes all languages with text equal.

    Raises
    ------
    InputError : alpha or a size is negative or not finite, or all sizes are 0.
    """
    values = np.array(list(sizes.values()), dtype=np.float64)
    if not (np.isfinite(values).all() and (values >= 0).all() and values.any() and 0 <= alpha < float("inf")):
        raise InputError("sampling.exponent", alpha=alpha, sizes=dict(sizes))
    # Relative to the largest size, so that no power overflows.
    weights = np.where(values > 0, (values / values.max()) ** alpha, 0.0)
    return dict(zip(sizes, (weights / weights.sum()).tolist(), strict=True))


def parallel_table(
    tokenizer: Tokenizer, texts: Mapping[str, Sequence[str]], base: str, seed: int = 0
) -> "pd.DataFrame":
    """The languages of a parallel text under one tokenizer, one row each, in the order of `texts`.

    Columns: language, n (sentences that count), tokens, words, characters, bytes (of all sentences), word (the
    definition from `definition_of`), fertility, floor and above_floor (see `engine.measure.intrinsic.floor`; NaN if
    there is none), tokens_per_sentence, tokens_per_byte, characters_per_token, premium, premium_low, premium_high,
    median, median_low, median_high, rtc, sums (int64[n_lines, 2], tokens and words of each line).

    Raises
    ------
    InputError : the base language is missing, the texts are not aligned, or a language has no tokens.
    """
    import pandas as pd

    if base not in texts:
        raise InputError("parallel.language", base=base, choices=", ".join(texts))
    lengths = {language: len(lines) for language, lines in texts.items()}
    if len(set(lengths.values())) != 1:
        raise InputError("parallel.lines", lengths=lengths)
    encoded = {language: encode_lines(tokenizer, lines) for language, lines in texts.items()}
    counts = {language: of_language.per_line for language, of_language in encoded.items()}
    base_cpt = ratio(units_per_line(texts[base], "characters").sum(), counts[base].sum())
    rows = []
    for language, lines in texts.items():
        tokens = int(counts[language].sum())
        characters, size = (int(units_per_line(lines, unit).sum()) for unit in ("characters", "bytes"))
        if size and not tokens:
            raise InputError("parallel.no_tokens", language=language)
        definition = definition_of(lines)
        of_lines = find_words(encoded[language].seen, definition).per_line
        words = int(of_lines.sum())
        fewest = tokenizer.fewest_tokens(encoded[language].seen)
        least = float("nan") if fewest is None else int(fewest.sum())
        against = premium(counts[language], counts[base], seed)
        low, high = against.interval or (float("nan"),) * 2
        median_low, median_high = against.median_interval or (float("nan"),) * 2
        rows.append(
            {
                "language": language,
                "n": against.n,
                "tokens": tokens,
                "words": words,
                "characters": characters,
                "bytes": size,
                "word": definition,
                "fertility": ratio(tokens, words),
                "floor": ratio(least, words),
                "above_floor": ratio(tokens - least, least),
                "tokens_per_sentence": ratio(tokens, len(lines)),
                "tokens_per_byte": ratio(tokens, size),
                "characters_per_token": ratio(characters, tokens),
                "premium": against.value,
                "premium_low": low,
                "premium_high": high,
                "median": against.median,
                "median_low": median_low,
                "median_high": median_high,
                "rtc": relative_tokenization_cost(ratio(characters, tokens), base_cpt),
                "sums": np.column_stack([counts[language], of_lines]),
            }
        )
    return pd.DataFrame(rows)


def _check_costs(costs: np.ndarray) -> None:
    if costs.size == 0 or not (costs > 0).all():
        raise InputError("parallel.costs", costs=costs.tolist())
