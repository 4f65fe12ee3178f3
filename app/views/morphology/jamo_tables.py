"""How a jamo vocabulary represents endings that begin inside a syllable, as tables."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import shown
from engine.hangul.jamo import decompose
from engine.hangul.syllables import put_together
from engine.measure.encoded import encode_lines
from engine.measure.morphemes.letters import FinalCuts, final_cuts
from engine.tokenizer import Tokenizer

# Endings that begin with the final consonant of the stem's last syllable, as commonly written.
ENDINGS = ("ㅂ니다", "ㅂ니까", "ㄴ다", "ㄹ까", "ㄹ게", "ㅆ다", "ㅆ고", "ㅆ습니다", "ㅆ어요", "ㅆ는데")
_FINALS = ("ㄴ", "ㄹ", "ㅁ", "ㅂ", "ㅆ")


class Letters(NamedTuple):
    """Counts of a tokenizer on a text.

    Attributes
    ----------
    vocab_size : size of the vocabulary; n_tokens, n_words : counts in the text.
    inside : tokens of the text that begin inside a syllable.
    finals : see engine.measure.morphemes.letters.
    tokens : tokens of the vocabulary that begin with a final consonant, the most used first. Columns: token (as shown,
        with ◌ before it), uses (in the text).
    uses : uses of all tokens, by their text as shown.
    places : occurrences of each of ENDINGS in the text, however tokenized.
    """

    vocab_size: int
    n_tokens: int
    n_words: int
    inside: int
    finals: list[FinalCuts]
    tokens: pd.DataFrame
    uses: Mapping[str, int]
    places: Mapping[str, int]


def letters_of(tokenizer: Tokenizer, lines: Sequence[str]) -> Letters:
    """Encode the lines, each as a whole, and count."""
    encoded = encode_lines(tokenizer, lines)
    data = np.frombuffer("".join(encoded.seen).encode(), dtype=np.uint8)
    counts = encoded.counts().tolist()
    uses: dict[str, int] = {}
    for token_id, n in enumerate(counts):
        name = shown(tokenizer.token_bytes(token_id).decode(errors="hex_tokens"))
        uses[name] = uses.get(name, 0) + n
    beginning = [(name, n) for name, n in uses.items() if name[:1] == "◌" and _begins_with_final(name)]
    beginning.sort(key=lambda row: (-row[1], row[0]))
    seen = decompose("\n".join(lines))
    return Letters(
        tokenizer.vocab_size,
        encoded.n_tokens,
        sum(len(line.split()) for line in lines),
        int((data[encoded.begin[encoded.begin < data.size]] & 0xC0 == 0x80).sum()),
        final_cuts(encoded),
        pd.DataFrame(beginning, columns=["token", "uses"]),
        uses,
        {ending: seen.count(_conjoining(ending)) for ending in ENDINGS},
    )


def _begins_with_final(name: str) -> bool:
    """Whether the token begins with a final consonant, so that the beginning of a syllable is missing."""
    return "ㄱ" <= name[1:2] <= "ㅎ"


def _conjoining(ending: str) -> str:
    """The ending with its first letter as a conjoining final consonant."""
    return decompose(put_together("ㄱ", "ㅏ", ending[0]))[2:] + decompose(ending[1:])


def letters_table(found: Mapping[str, Letters]) -> pd.DataFrame:
    """One row per tokenizer. Columns: tokenizer, vocab_size, tokens, fertility, inside (share of the tokens)."""
    rows = [
        (name, one.vocab_size, one.n_tokens, one.n_tokens / max(1, one.n_words), one.inside / max(1, one.n_tokens))
        for name, one in found.items()
    ]
    return pd.DataFrame(rows, columns=["tokenizer", "vocab_size", "tokens", "fertility", "inside"])


def ending_table(letters: Letters) -> pd.DataFrame:
    """One row per ending of ENDINGS. Columns: ending, is_token, uses, places."""
    rows = [
        (ending, f"◌{ending}" in letters.uses, letters.uses.get(f"◌{ending}", 0), letters.places[ending])
        for ending in ENDINGS
    ]
    return pd.DataFrame(rows, columns=["ending", "is_token", "uses", "places"])


def final_table(letters: Letters) -> pd.DataFrame:
    """One row per final consonant that endings begin with. Columns: final, syllables, cut, share."""
    rows = [
        (one.final, one.syllables, one.cut, one.cut / one.syllables) for one in letters.finals if one.final in _FINALS
    ]
    return pd.DataFrame(rows, columns=["final", "syllables", "cut", "share"])
