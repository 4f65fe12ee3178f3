"""What the same content costs by language: tokens per token of English, under every public tokenizer.

On two texts, so that nobody takes one for a law: our own parallel sentences, and translated news (Parallel Universal
Dependencies). Korean alone under the shipped tokenizers too: trained on Korean only, they have no fair premium.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from app.texts.corpora import parallel_texts
from engine.measure.best import ties_with_best
from engine.measure.encoded import EncodedLines, encode_lines, units_per_line
from engine.measure.parallel import premium
from engine.measure.words import definition_of, find_words
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import load_public
from engine.shipped.catalogue import load_shipped
from research.evidence.ablation import change, ratio_with_interval
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
        "tokenizers": list(PUBLIC_TOKENIZERS),
        "shipped": list(_SHIPPED),
        "interval": "95 % bootstrap over sentences",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`sentences` and `news`, each with `n`, `premium`, `words`, `families`, `korean` and `best`.

    `premium`, by tokenizer (and `bytes`, `characters`) and language: tokens, and tokens per token of the base language
    with its interval; not of tokenizers made for Korean, nor of those that leave a word unknown. `words`, by tokenizer
    and language: tokens per word with their interval, and the share of unknown tokens. `families`, those with several
    tokenizers: names of the first and the last, and the change in tokens by language, in percent with its interval.
    `korean`, by public and shipped tokenizer: tokens, and tokens per sentence with its interval. `best`: those that tie
    with the lowest, of `premium` by language, and of `korean`.
    """
    found: dict[str, Any] = {}
    for name, lines in _texts(texts).items():
        found[name] = measured(lines)
        yield found


def measured(lines: Lines) -> dict[str, Any]:
    """The figures of one parallel text."""
    public = {name: load_public(name) for name in PUBLIC_TOKENIZERS}
    encoded = {name: {one: encode_lines(tokenizer, lines[one]) for one in lines} for name, tokenizer in public.items()}
    counts = {name: {one: found.per_line for one, found in of.items()} for name, of in encoded.items()}
    unknown = {name: {one: _unknown(found) for one, found in of.items()} for name, of in encoded.items()}
    units = {one: find_words(list(lines[one]), definition_of(lines[one])).per_line for one in lines}
    fair = {
        name: of
        for name, of in counts.items()
        if PUBLIC_TOKENIZERS[name].languages != "korean" and not any(unknown[name].values())
    }
    priced = fair | {unit: {one: units_per_line(lines[one], unit) for one in lines} for unit in _UNITS}
    premiums = [[np.column_stack([of[one], of[BASE]]) for of in fair.values()] for one in lines]
    best = dict(zip(lines, _best(list(fair), premiums), strict=True))
    korean = {f"public:{name}": counts[name][KOREAN] for name in public}
    korean |= {f"shipped:{name}": encode_lines(load_shipped(name), lines[KOREAN]).per_line for name in _SHIPPED}
    per_sentence = [np.column_stack([tokens, np.ones_like(tokens)]) for tokens in korean.values()]
    return {
        "n": len(lines[BASE]),
        "premium": {
            name: {one: _premium(tokens, of[BASE]) for one, tokens in of.items()} for name, of in priced.items()
        },
        "words": {
            name: {one: [*ratio_with_interval(tokens, units[one], 3), unknown[name][one]] for one, tokens in of.items()}
            for name, of in counts.items()
        },
        "families": _families(fair),
        "korean": {
            reference: [int(tokens.sum()), *ratio_with_interval(tokens, np.ones(tokens.size), 3)]
            for reference, tokens in korean.items()
        },
        "best": best | {"korean": _best(list(korean), [per_sentence])[0]},
    }


def _best(names: Sequence[str], table: Sequence[Sequence[np.ndarray]]) -> list[list[str]]:
    """By text of the table, the names that tie with the lowest."""
    found = ties_with_best(table, is_lowest=True)
    return [[name for name, one in zip(names, own, strict=True) if one.is_best] for own in found]


def _families(counts: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, Any]:
    names: dict[str, list[str]] = {}
    for name in sorted(counts, key=lambda name: PUBLIC_TOKENIZERS[name].year):
        names.setdefault(PUBLIC_TOKENIZERS[name].family, []).append(name)
    return {
        family: {
            "first": of[0],
            "last": of[-1],
            "change": {one: change(counts[of[0]][one], counts[of[-1]][one]) for one in counts[of[0]]},
        }
        for family, of in names.items()
        if len(of) > 1
    }


def _texts(texts: EvidenceTexts) -> dict[str, Lines]:
    own = parallel_texts()
    return {"sentences": own, "news": {one: texts.parallel[one] for one in own if one in texts.parallel}}


def _unknown(encoded: EncodedLines) -> float:
    """Share of the tokens that are the unknown one."""
    return round(float((encoded.ids == encoded.tokenizer.unknown_id).mean()), 4)


def _premium(tokens: np.ndarray, base: np.ndarray) -> list[float]:
    """Tokens, times the base, low, high."""
    of = premium(tokens, base)
    low, high = of.interval or (of.value, of.value)
    return [int(tokens.sum()), *(round(one, 4) for one in (of.value, low, high))]
