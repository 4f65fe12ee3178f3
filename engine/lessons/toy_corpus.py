"""Small corpora for stepping through an algorithm: words and how often each occurs."""

import regex

from engine.corpus.pretokenize import to_codes
from engine.errors import InputError

# A page shows every word and every pair; beyond this nobody can follow, and plain Python is no longer instant.
MAX_WORDS = 300
MAX_CHARACTERS = 3000
MAX_WORD = 40

_COUNTED = regex.compile(r"(.+?)[:×](\d{1,9})")


def read_toy_corpus(text: str) -> dict[str, int]:
    """Words with their counts, in order of first appearance.

    Words are separated by white space or commas. `hug:10` (or `hug×10`) is a word that occurs ten times; one without
    a number occurs once each time that it is written.

    Raises
    ------
    InputError : no word, a count of 0, or words longer than MAX_WORD, or more than MAX_WORDS words or MAX_CHARACTERS
        characters of different words.
    """
    to_codes(text)
    words: dict[str, int] = {}
    for item in regex.split(r"[\s,]+", text):
        if not item:
            continue
        match = _COUNTED.fullmatch(item)
        word, count = (match[1], int(match[2])) if match else (item, 1)
        if count == 0:
            raise InputError(f"the word {word!r} occurs 0 times; give it a count of at least 1 or leave it out")
        words[word] = words.get(word, 0) + count
    longest = max(words, key=len, default="")
    if len(longest) > MAX_WORD:
        raise InputError(f"the word {longest[:10]}… has {len(longest):,} characters; use words of at most {MAX_WORD}")
    if not words:
        raise InputError("there is no word; write some, for example: low:5 lowest:2 newer:6")
    n_characters = sum(map(len, words))
    if len(words) > MAX_WORDS or n_characters > MAX_CHARACTERS:
        raise InputError(
            f"{len(words):,} different words of {n_characters:,} characters are too many to step through; use at most "
            f"{MAX_WORDS} words and {MAX_CHARACTERS:,} characters, or train on the page for training"
        )
    return words
