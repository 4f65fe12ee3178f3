"""What a vocabulary of words does not know, and a sentence at three granularities."""

from collections import Counter
from collections.abc import Collection, Sequence

import pandas as pd

# The lesson's sentence and its subwords, as it prints them.
LESSON_SENTENCE = "unhappiness is unlearnable"
LESSON_SUBWORDS = ("un", "happiness", "is", "un", "learn", "able")

UNKNOWN = "[UNK]"


def ranked_words(lines: Sequence[str]) -> list[str]:
    return [word for word, _ in Counter(word for line in lines for word in line.split()).most_common()]


def ranked_characters(lines: Sequence[str]) -> list[str]:
    return [char for char, _ in Counter("".join(lines)).most_common()]


def _unknown(ranked: Sequence[str], items: Sequence[str], sizes: Sequence[int]) -> pd.DataFrame:
    place = {item: k for k, item in enumerate(ranked)}
    places = [place.get(item, len(ranked)) for item in items]
    rows = []
    for size in sizes:
        known = min(size, len(ranked))
        rows.append((known, sum(place >= known for place in places) / max(1, len(items))))
    return pd.DataFrame(rows, columns=["vocab_size", "unknown"]).drop_duplicates("vocab_size")


def coverage_table(train: Sequence[str], test: Sequence[str], sizes: Sequence[int]) -> pd.DataFrame:
    """Coverage of one text by the most frequent words, and characters, of another.

    Columns: unit (`words` or `characters`), vocab_size, unknown (share of the running units), covered (1 - unknown).
    """
    words = _unknown(ranked_words(train), [word for line in test for word in line.split()], sizes)
    characters = _unknown(ranked_characters(train), list("".join(test)), sizes)
    table = pd.concat([words.assign(unit="words"), characters.assign(unit="characters")], ignore_index=True)
    return table.assign(covered=1 - table["unknown"])


def unknown_words(test: Sequence[str], known: Collection[str]) -> pd.DataFrame:
    counts = Counter(word for line in test for word in line.split() if word not in known)
    return pd.DataFrame(counts.most_common(), columns=["word", "count"])


def with_unknown(line: str, known: Collection[str]) -> str:
    """A line as a word vocabulary reads it: unknown words as [UNK]."""
    return " ".join(word if word in known else UNKNOWN for word in line.split())
