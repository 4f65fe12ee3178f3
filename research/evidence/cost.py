"""What the same content costs by language: tokens per token of English, under every public tokenizer.

On two texts, so that nobody takes one for a law: our own parallel sentences, and translated news (Parallel Universal
Dependencies). Korean alone under the shipped tokenizers too: trained on Korean only, they have no fair premium.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from app.texts.measured import parallel_texts
from engine.measure.best import ties_with_best
from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.parallel import premium
from engine.measure.result import bootstrap_ratio, ratio
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available, load_public
from engine.shipped.load import load_shipped
from engine.tokenizer import Tokenizer
from research.evidence.texts import EvidenceTexts, fingerprint

BASE, KOREAN = "en", "ko"
_UNITS = ("bytes", "characters")
_SHIPPED = ("thunder-tok-32k", "fewest-tokens-32k", "unigram-32k", "byte-bpe-32k")
Lines = Mapping[str, Sequence[str]]


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of both texts."""
    return {f"{name}.{one}": fingerprint(lines[one]) for name, lines in _texts(texts).items() for one in lines}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "base": BASE,
        "tokenizers": [name for name in PUBLIC_TOKENIZERS if is_available(name)],
        "shipped": list(_SHIPPED),
        "interval": "95 % bootstrap over sentences",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`sentences` and `news`, each with `n`, `premium`, `korean`, and `best`: those that tie with the lowest.

    `premium`, by tokenizer (and `bytes`, `characters`) and language: tokens, and tokens per token of the base language
    with its interval. `korean`, by public and shipped tokenizer: tokens, and tokens per sentence with its interval.
    `best`: public tokenizers by language, and under `korean` public and shipped ones.
    """
    found: dict[str, Any] = {}
    for name, lines in _texts(texts).items():
        found[name] = measured(lines)
        yield found


def measured(lines: Lines) -> dict[str, Any]:
    """The figures of one parallel text."""
    public = {name: load_public(name) for name in PUBLIC_TOKENIZERS if is_available(name)}
    counts = {name: {one: _tokens(tokenizer, lines[one]) for one in lines} for name, tokenizer in public.items()}
    premiums = [[np.column_stack([of[one], of[BASE]]) for of in counts.values()] for one in lines]
    best = dict(zip(lines, _best(list(public), premiums), strict=True))
    counts |= {unit: {one: units_per_line(lines[one], unit) for one in lines} for unit in _UNITS}
    korean = {f"public:{name}": counts[name][KOREAN] for name in public}
    korean |= {f"shipped:{name}": _tokens(load_shipped(name), lines[KOREAN]) for name in _SHIPPED}
    per_sentence = [np.column_stack([tokens, np.ones_like(tokens)]) for tokens in korean.values()]
    return {
        "n": len(lines[BASE]),
        "premium": {
            name: {one: _premium(tokens, of[BASE]) for one, tokens in of.items()} for name, of in counts.items()
        },
        "korean": {reference: _per_sentence(tokens) for reference, tokens in korean.items()},
        "best": best | {"korean": _best(list(korean), [per_sentence])[0]},
    }


def _best(names: Sequence[str], table: Sequence[Sequence[np.ndarray]]) -> list[list[str]]:
    """By text of the table, the names that tie with the lowest."""
    found = ties_with_best(table, is_lowest=True)
    return [[name for name, one in zip(names, own, strict=True) if one.is_best] for own in found]


def _texts(texts: EvidenceTexts) -> dict[str, Lines]:
    own = parallel_texts()
    return {"sentences": own, "news": {one: texts.parallel[one] for one in own if one in texts.parallel}}


def _tokens(tokenizer: Tokenizer, lines: Sequence[str]) -> np.ndarray:
    return encode_lines(tokenizer, lines).per_line


def _premium(tokens: np.ndarray, base: np.ndarray) -> list[float]:
    """Tokens, times the base, low, high."""
    of = premium(tokens, base)
    low, high = of.interval or (of.value, of.value)
    return [int(tokens.sum()), *(round(one, 4) for one in (of.value, low, high))]


def _per_sentence(tokens: np.ndarray) -> list[float]:
    """Tokens, tokens per sentence, low, high."""
    ones = np.ones(tokens.size)
    low, high = bootstrap_ratio(tokens, ones) or (float("nan"),) * 2
    return [int(tokens.sum()), *(round(one, 3) for one in (ratio(tokens.sum(), tokens.size), low, high))]
