"""What the lesson, the slides and the textbook say about public tokenizers, measured: ids, counts, languages."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.corpus.reading.read import read_lines
from engine.measure.parallel import max_min_ratio, parallel_table
from engine.public.catalogue import find_public
from engine.public.load import load_public
from engine.tokenizer import Tokenizer
from research.evidence.texts import fingerprint
from research.papers.texts import pieces_of

NAMES = ("gpt2", "cl100k_base", "o200k_base", "llama2", "llama3")
LANGUAGES = ("en", "de", "zh", "ja", "ko", "th")
_URL = "https://example.com/path/to/page"
TEXTS = (
    "Hello world",
    "antidisestablishmentarianism",
    "12345",
    "12346",
    "123456",
    "123456789",
    "cannot",
    " cannot",
    "I love machine learning",
    "나는 기계 학습을 좋아합니다",
    "I love programming",
    "나는 프로그래밍을 좋아합니다",
    "😀",
    "🎉",
    "🚀",
    "😀🎉🚀",
    "1024",
    "neighbor",
    "neighbour",
    "John Smith",
    "Srinivas Ramanujam",
    "3.14",
    "3.15",
    "superbizarre",
    _URL,
    "def",
    " return",
    "안녕하세요",
    "unhappiness is unlearnable",
    "姚明进入总决赛",
)
_WINDOW = 4096


def corpus(folder: Path) -> dict[str, str]:
    """Fingerprints of the parallel texts."""
    return {f"parallel_pud/{language}": fingerprint(lines) for language, lines in _parallel(folder).items()}


def settings() -> dict[str, Any]:
    """The tokenizers, with their vocabulary sizes."""
    return {"tokenizers": {name: find_public(name).vocab_size for name in NAMES}, "special_tokens": "none"}


def figures(folder: Path) -> Iterator[dict[str, Any]]:
    """Figures for the texts and the parallel sentences."""
    tokenizers = {name: load_public(name) for name in NAMES}
    parallel = _parallel(folder)
    costs = {name: languages(one, parallel) for name, one in tokenizers.items()}
    old, new = costs["gpt2"]["fertility"], costs["cl100k_base"]["fertility"]
    yield {
        **text_figures(tokenizers),
        "languages": costs,
        "language_table": {language: {"GPT-2": old[language], "GPT-4": new[language]} for language in LANGUAGES},
        "gpt4_below_gpt2": {language: new[language] < old[language] for language in LANGUAGES},
    }


def _parallel(folder: Path) -> dict[str, list[str]]:
    return {language: read_lines(folder / "parallel_pud" / f"{language}.txt", "utf-8") for language in LANGUAGES}


def text_figures(tokenizers: Mapping[str, Tokenizer]) -> dict[str, Any]:
    """Ids of TEXTS, their number, and their pieces."""
    ids = {name: {text: list(map(int, one.encode(text).ids)) for text in TEXTS} for name, one in tokenizers.items()}
    counts = {name: {text: len(found) for text, found in own.items()} for name, own in ids.items()}
    return {
        "ids": ids,
        "counts": counts,
        "counts_in_text": {
            name: {text: len(one.encode(f" {text}").ids) for text in ("neighbor", "neighbour")}
            for name, one in tokenizers.items()
        },
        "korean_over_english": {
            name: round(own["나는 프로그래밍을 좋아합니다"] / own["I love programming"], 2)
            for name, own in counts.items()
        },
        "url_tokens": {name: own[_URL] for name, own in counts.items()},
        "emoji_bytes": {text: len(text.encode()) for text in ("😀", "🎉", "🚀")},
        "pieces": {name: {text: pieces_of(one, text) for text in TEXTS} for name, one in tokenizers.items()},
        "bytes": {text: len(text.encode()) for text in TEXTS},
        "characters": {text: len(text) for text in TEXTS},
        "same_cut": {
            name: [len(piece) for piece in pieces_of(one, "12345")] == [len(piece) for piece in pieces_of(one, "12346")]
            for name, one in tokenizers.items()
        },
        "byte_level": {name: find_public(name).pattern is not None for name in tokenizers},
    }


def languages(tokenizer: Tokenizer, parallel: Mapping[str, list[str]]) -> dict[str, Any]:
    """Tokens per word, and each language's cost relative to English."""
    rows = {row["language"]: row for row in parallel_table(tokenizer, parallel, "en").to_dict("records")}
    words = rows["en"]["words"] / rows["en"]["tokens"]
    return {
        "fertility": {language: round(row["fertility"], 3) for language, row in rows.items()},
        "unit": {language: row["word"] for language, row in rows.items()},
        "cost": {language: round(row["tokens_per_sentence"], 2) for language, row in rows.items()},
        "premium": {
            language: [round(row[part], 3) for part in ("premium", "premium_low", "premium_high")]
            for language, row in rows.items()
        },
        "max_min": round(max_min_ratio([row["tokens_per_sentence"] for row in rows.values()]), 3),
        "bytes_per_token": {language: round(row["bytes"] / row["tokens"], 3) for language, row in rows.items()},
        "bytes_per_100_words": round(100 * rows["en"]["bytes"] / rows["en"]["words"]),
        "tokens_per_100_words": round(100 * rows["en"]["tokens"] / rows["en"]["words"]),
        "window_words": {language: round(_WINDOW * words / row["premium"]) for language, row in rows.items()},
    }
