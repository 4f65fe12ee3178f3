"""What the lesson, the slides and the textbook say about tokenizers, measured on all public ones."""

import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.measure.encoded import encode_lines
from engine.measure.words import definition_of, find_words
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import load_public
from engine.tokenizer import Tokenizer
from research.evidence.ablation import ratio_with_interval
from research.evidence.paired import drawn_ratios, with_interval
from research.evidence.texts import EvidenceTexts, fingerprint, pieces_of

# The sources speak of English and of many languages: a tokenizer made for Korean is no answer to them.
NAMES = tuple(name for name, facts in PUBLIC_TOKENIZERS.items() if facts.languages != "korean")
LANGUAGES = ("en", "de", "zh", "ja", "ko", "th")
# The lesson's sentence; it has the English and the Korean one.
SENTENCE = {
    "en": "I love machine learning",
    "de": "Ich liebe maschinelles Lernen",
    "zh": "我喜欢机器学习",
    "ja": "私は機械学習が好きです",
    "ko": "나는 기계 학습을 좋아합니다",
    "th": "ฉันชอบการเรียนรู้ของเครื่อง",
    "my": "ကျွန်တော် စက်သင်ယူမှုကို နှစ်သက်ပါတယ်",
}
_KOREAN, _ENGLISH = "나는 프로그래밍을 좋아합니다", "I love programming"
_URL = "https://example.com/path/to/page"
_CHAPEL = "Hen Gapel Lligwy"
COUNTED = (
    *("neighbor", "neighbour", "John Smith", "Srinivas Ramanujam", "antidisestablishmentarianism"),
    *("unhappiness is unlearnable", "cannot", " cannot", "def", " return"),
)
CUT = (
    *("12345", "12346", "1024", "3.14", "3.15", "cannot", "Deescalation", "superbizarre"),
    *("unhappiness is unlearnable", "unaffable", "tokenization", "the cat sat"),
)
_IDS = ("Hello world", "12345", "12346", "123456", "cannot", " cannot")
_MORPHEMES = ("un", "likeli", "est")
_WINDOW = 4096
_MOST_UNKNOWN = 0.03  # of the tokens; beyond it a language is not counted


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the parallel texts, and of the Python library that stands for code."""
    found = {f"parallel_pud/{language}": fingerprint(lines) for language, lines in _parallel(texts).items()}
    return found | {"Python's library": fingerprint(_code())}


def settings() -> dict[str, Any]:
    """The tokenizers, with their vocabulary sizes."""
    return {"tokenizers": {name: one.vocab_size for name, one in PUBLIC_TOKENIZERS.items()}, "special_tokens": "none"}


def figures(texts: EvidenceTexts, _: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Figures for the texts, the parallel sentences and code."""
    tokenizers = {name: load_public(name) for name in NAMES}
    parallel = _parallel(texts)
    examples = text_figures(tokenizers)
    costs = {name: languages(one, parallel) for name, one in tokenizers.items()}
    old, new = (
        {**costs[name]["fertility"], "my": round(examples["sentence"]["my"][name] / len(SENTENCE["my"]), 3)}
        for name in ("gpt2", "cl100k_base")
    )
    yield {
        **examples,
        "languages": costs,
        "language_table": {language: {"GPT-2": old[language], "GPT-4": new[language]} for language in old},
        "gpt4_change": {language: _change(tokenizers, lines) for language, lines in parallel.items()},
        "korean_by_unit": {
            name: {"per word": costs[name]["fertility"]["ko"], "per character": _per_character(one, parallel["ko"])}
            for name, one in tokenizers.items()
            if name in ("gpt2", "cl100k_base")
        },
        "bytes_per_100_words": ratio_with_interval(
            np.array([len(line.encode()) for line in parallel["en"]]), find_words(parallel["en"]).per_line, 1, 100
        ),
        "code_change": _change(tokenizers, _code(), "llama2"),
    }


def _change(tokenizers: Mapping[str, Tokenizer], lines: Sequence[str], old: str = "gpt2") -> list[float | None]:
    """Change in tokens from an older tokenizer to GPT-4's, percent."""
    before, after = (encode_lines(tokenizers[name], lines).per_line for name in (old, "cl100k_base"))
    return ratio_with_interval(after - before, before, 1, 100)


def _per_character(tokenizer: Tokenizer, lines: Sequence[str]) -> list[float | None]:
    characters = np.array([sum(not char.isspace() for char in line) for line in lines])
    return ratio_with_interval(encode_lines(tokenizer, lines).per_line, characters, 3)


def _parallel(texts: EvidenceTexts) -> dict[str, list[str]]:
    return {language: texts.parallel[language] for language in LANGUAGES}


def _code() -> list[str]:
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def text_figures(tokenizers: Mapping[str, Tokenizer]) -> dict[str, Any]:
    """Numbers of tokens, pieces and ids of the sources' examples."""
    counts = {name: _counts(one) for name, one in tokenizers.items()}
    cut = {name: _marked_pieces if name.startswith("bert") else pieces_of for name in tokenizers}
    pieces = {name: {text: cut[name](one, text) for text in CUT} for name, one in tokenizers.items()}
    return {
        "counts": {name: {text: n for text, n in own.items() if text in COUNTED} for name, own in counts.items()},
        "pieces": pieces,
        "ids": {
            name: {text: list(map(int, tokenizers[name].encode(text).ids)) for text in _IDS}
            for name in ("gpt2", "cl100k_base")
            if name in tokenizers
        },
        "korean_over_english": {
            name: round(own[_KOREAN] / own[_ENGLISH], 2) for name, own in counts.items() if _KOREAN in own
        },
        "url_tokens": {name: own[_URL] for name, own in counts.items()},
        "sentence": {
            language: {name: own.get(text) for name, own in counts.items()} for language, text in SENTENCE.items()
        },
        "morphemes": {name: _n_boundaries(one) for name, one in tokenizers.items()},
        "words": {
            name: " ".join(word if len(pieces_of(one, f" {word}")) == 1 else "<unk>" for word in _CHAPEL.split())
            for name, one in tokenizers.items()
        },
        "same_cut": {
            name: len({tuple(len(piece) for piece in own[text]) for text in ("12345", "12346")}) == 1
            for name, own in pieces.items()
        },
        "byte_level": {name: PUBLIC_TOKENIZERS[name].pattern is not None for name in tokenizers},
    }


def _counts(tokenizer: Tokenizer) -> dict[str, int]:
    """Tokens of the texts that the tokenizer can read: a word that BERT does not know is one token."""
    texts = (*SENTENCE.values(), _KOREAN, _ENGLISH, _URL, *COUNTED)
    ids = {text: tokenizer.encode(text).ids for text in texts}
    return {text: len(found) for text, found in ids.items() if not _is_unknown(tokenizer, found).any()}


def _is_unknown(tokenizer: Tokenizer, ids: Any) -> np.ndarray:
    unknown = getattr(tokenizer, "unknown_id", None)
    return np.asarray(ids) == (-1 if unknown is None else unknown)


def _marked_pieces(tokenizer: Tokenizer, text: str) -> list[str]:
    """Pieces of ASCII text as BERT writes them: those that continue a word begin with ##."""
    pieces, spans = pieces_of(tokenizer, text), tokenizer.encode(text).spans
    return [
        f"##{piece}" if begin and (text[begin - 1] + piece).isalnum() else piece.strip()
        for piece, (begin, _) in zip(pieces, spans, strict=True)
    ]


def _n_boundaries(tokenizer: Tokenizer) -> int:
    """How many of the boundaries between the morphemes of unlikeliest are boundaries of tokens."""
    ends = {end for _, end in tokenizer.encode("".join(_MORPHEMES)).spans}
    return sum(end in ends for end in np.cumsum([len(one) for one in _MORPHEMES[:-1]]).tolist())


def languages(tokenizer: Tokenizer, parallel: Mapping[str, list[str]]) -> dict[str, Any]:
    """Tokens per word, each language's cost relative to English, bytes per token, and what fits into a window, of the
    languages that the tokenizer can read.
    """
    encoded = {language: encode_lines(tokenizer, lines) for language, lines in parallel.items()}
    tokens = {
        language: one.per_line
        for language, one in encoded.items()
        if _is_unknown(tokenizer, one.ids).mean() < _MOST_UNKNOWN
    }
    words = {language: find_words(lines, definition_of(lines)) for language, lines in parallel.items()}
    n_bytes = {language: np.array([len(line.encode()) for line in lines]) for language, lines in parallel.items()}
    return {
        "fertility": {
            language: ratio_with_interval(own, words[language].per_line, 3) for language, own in tokens.items()
        },
        "premium": {language: ratio_with_interval(own, tokens["en"], 3) for language, own in tokens.items()},
        "max_min": _max_min(tokens),
        "bytes_per_token": {
            language: ratio_with_interval(n_bytes[language], own, 3) for language, own in tokens.items()
        },
        "tokens_per_100_words": ratio_with_interval(tokens["en"], words["en"].per_line, 1, 100),
        "window_words": {
            language: ratio_with_interval(words["en"].per_line, tokens[language], 0, _WINDOW)
            if language in tokens
            else None
            for language in ("en", "th")
        },
    }


def _max_min(tokens: Mapping[str, np.ndarray]) -> list[float]:
    """The most tokens of any language over the fewest."""
    costs = drawn_ratios({language: np.column_stack([own, tokens["en"]]) for language, own in tokens.items()})
    drawn = np.vstack(list(costs.values()))
    return with_interval(drawn.max(axis=0) / drawn.min(axis=0), 3)
