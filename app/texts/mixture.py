"""A multilingual corpus sampled with an exponent: shares p_i ~ n_i^alpha (Conneau and Lample 2019).

The mixture is as long as the languages together; a low-resource language is repeated to fill its share. An id such as
`mix.30.ko.en.th` (alpha 0.3) determines the text, so a link to it always gives the same one.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache

from app.texts.corpora import Text, builtin_corpus, registers
from engine.corpus.reading.read import read_lines
from engine.errors import InputError
from engine.measure.parallel import sampling_shares

MIX = "mix"
_KOREAN = ("essay", "news", "science")


def mixture_languages() -> tuple[str, ...]:
    return ("ko", *registers("multi"))


@lru_cache(maxsize=32)
def _lines(language: str) -> tuple[str, ...]:
    paths = [registers("ko")[name] for name in _KOREAN] if language == "ko" else [registers("multi")[language]]
    return tuple(line for path in paths for line in read_lines(path, "utf-8") if line)


def language_sizes(languages: tuple[str, ...]) -> dict[str, int]:
    return {language: sum(map(len, _lines(language))) for language in languages}


def mixture_shares(languages: tuple[str, ...], percent: int) -> Mapping[str, float]:
    return sampling_shares(language_sizes(languages), percent / 100)


def mixture_id(languages: tuple[str, ...], percent: int) -> str:
    return ".".join((MIX, str(percent), *languages))


@lru_cache(maxsize=64)
def mixture_text(source_id: str) -> Text:
    """The sampled corpus of an id; deterministic.

    Raises
    ------
    InputError : the id is invalid, e.g. in a link typed by hand.
    """
    kind, _, rest = source_id.partition(".")
    percent, *names = rest.split(".")
    languages = tuple(names)
    known = mixture_languages()
    if kind != MIX or not percent.isdecimal() or int(percent) > 100 or not languages or set(languages) - set(known):
        raise InputError("mixture.unknown", name=source_id)
    sizes = language_sizes(languages)
    total = sum(sizes.values())
    taken: list[str] = []
    for language, share in mixture_shares(languages, int(percent)).items():
        taken += _take(_lines(language), share * total)
    text = "\n".join(taken) + "\n"
    return Text(source_id, hashlib.sha256(text.encode()).hexdigest()[:24], text=text)


def _take(lines: tuple[str, ...], n_chars: float) -> list[str]:
    """Lines in order, repeated from the start as needed, until they have at least `n_chars` characters."""
    taken: list[str] = []
    at = 0
    while n_chars > 0:
        line = lines[at % len(lines)]
        taken.append(line)
        n_chars -= len(line)
        at += 1
    return taken


def find_text(source_id: str, held: Mapping[str, Text]) -> Text | None:
    """The text with this id; None if it does not exist or is not stored in this session (`held`)."""
    if source_id in held:
        return held[source_id]
    collection, *names = source_id.split(".")
    try:
        return mixture_text(source_id) if collection == MIX else builtin_corpus(collection, tuple(names))
    except InputError:
        return None
