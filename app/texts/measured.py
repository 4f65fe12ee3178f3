"""Built-in texts to measure on: parallel sentences, and the registers of the built-in corpora."""

from functools import cache

from app import ASSETS
from app.texts.corpora import Text, builtin_corpus, file_text, registers
from engine.corpus.reading.read import read_lines

PARALLEL = ASSETS / "parallel"
LANGUAGES = ("ko", "en", "ja", "zh", "de", "fr", "es", "ru", "tr", "vi", "ar", "hi", "th")


def builtin_texts() -> tuple[str, ...]:
    """Ids of the built-in texts: `parallel.ko`, ..., `ko.news`, ..., `multi.en`, ..., `web.code`, ..."""
    parts = [f"parallel.{language}" for language in LANGUAGES]
    for collection in ("ko", "multi", "web"):
        parts += [f"{collection}.{name}" for name in registers(collection)]
    return tuple(parts)


@cache
def builtin_text(id_: str) -> Text:
    collection, _, part = id_.partition(".")
    if collection != "parallel":
        return builtin_corpus(collection, (part,))
    return file_text(id_, (PARALLEL / f"{part}.txt",))


def language_text(language: str) -> Text:
    """Text to train on, as much Korean as of the other languages; none of it is in the parallel sentences."""
    return builtin_corpus("ko", ("news",)) if language == "ko" else builtin_corpus("multi", (language,))


@cache
def parallel_texts() -> dict[str, tuple[str, ...]]:
    return {language: tuple(read_lines(PARALLEL / f"{language}.txt", "utf-8")) for language in LANGUAGES}
