"""Small corpora for stepping through an algorithm: words with their counts."""

from collections.abc import Mapping
from typing import NamedTuple

import regex

from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError

# A page shows every word and every pair; beyond this it is unreadable, and plain Python is no longer instant.
MAX_WORDS = 300
MAX_CHARACTERS = 3000
MAX_WORD = 40

_COUNTED = regex.compile(r"(.+?)[:×](\d{1,9})")
_LINE = regex.compile(r"\s*([^\s,]+)\s+(\d{1,9})\s*")


class ShortCorpus(NamedTuple):
    """A corpus that fits on a page, and how much of the original was left out."""

    words: dict[str, int]
    n_words: int  # distinct words of the original
    n_long: int  # those of them that are too long


def count_words(text: str) -> dict[str, int]:
    """Words with their counts, in order of first appearance.

    Words are separated by white space or commas. `hug:10` (or `hug×10`) counts ten times, a word without a number
    once. If every line is a word and a number (`hug 10`), the numbers are the counts.

    Raises
    ------
    InputError : a count of 0, or a lone surrogate.
    """
    to_codes(text)
    lines = [line for line in text.splitlines() if line.strip()]
    counted = [_LINE.fullmatch(line) for line in lines]
    if all(counted):
        text = "\n".join(f"{match[1]}:{match[2]}" for match in counted if match)
    words: dict[str, int] = {}
    for item in regex.split(r"[\s,]+", text):
        if not item:
            continue
        match = _COUNTED.fullmatch(item)
        word, count = (match[1], int(match[2])) if match else (item, 1)
        if count == 0:
            raise InputError("toy.zero", word=word)
        words[word] = words.get(word, 0) + count
    return words


def shorten(words: Mapping[str, int], n_words: int, max_word: int = MAX_WORD) -> ShortCorpus:
    """The `n_words` most frequent words of at most `max_word` characters, in their original order."""
    fitting = [word for word in words if len(word) <= max_word]
    kept = set(sorted(fitting, key=lambda word: -words[word])[:n_words])
    return ShortCorpus({word: words[word] for word in fitting if word in kept}, len(words), len(words) - len(fitting))


def read_toy_corpus(text: str) -> dict[str, int]:
    """Words with their counts, as `count_words` reads them, if they are few enough to step through.

    Raises
    ------
    InputError : no words, a count of 0, a word longer than MAX_WORD, more than MAX_WORDS distinct words, or more than
        MAX_CHARACTERS characters in them.
    """
    words = count_words(text)
    longest = max(words, key=len, default="")
    if len(longest) > MAX_WORD:
        raise InputError("toy.long_word", word=longest[:10], length=len(longest), most=MAX_WORD)
    if not words:
        raise InputError("toy.empty")
    n_characters = sum(map(len, words))
    if len(words) > MAX_WORDS or n_characters > MAX_CHARACTERS:
        raise InputError(
            "toy.many", count=len(words), n_characters=n_characters, most=MAX_WORDS, most_characters=MAX_CHARACTERS
        )
    return words
