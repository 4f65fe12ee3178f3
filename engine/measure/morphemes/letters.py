"""How a jamo tokenizer cuts syllables: how often a token begins with a final consonant."""

from typing import NamedTuple

import numpy as np

from engine.corpus.normalize import JAMO
from engine.hangul.syllables import FINALS, NO_FINAL
from engine.measure.encoded import EncodedLines
from engine.measure.words import byte_offsets

_BEFORE_FINAL = 2  # bytes of a syllable before its final consonant, see engine.hangul.jamo.syllable_offsets


class FinalCuts(NamedTuple):
    """A final consonant in a text.

    Attributes
    ----------
    final : as a standalone letter, ㅆ.
    syllables : number of syllables that end in it.
    cut : number of these where a token begins with it.
    """

    final: str
    syllables: int
    cut: int


def final_cuts(encoded: EncodedLines) -> list[FinalCuts]:
    """All final consonants in the lines, in alphabetical order.

    With a tokenizer that does not use jamo none is cut.
    """
    text = "".join(encoded.seen)
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.int64)
    begin = byte_offsets(text)[:-1]
    is_syllable = (codes >= ord("가")) & (codes <= ord("힣"))
    final = np.where(is_syllable, (codes - ord("가")) % len(FINALS), 0)
    # Other tokenizers may also cut there, but between two bytes of a syllable.
    is_cut = np.isin(begin + _BEFORE_FINAL, encoded.begin) & is_syllable & (encoded.tokenizer.normalization == JAMO)
    syllables = np.bincount(final, minlength=len(FINALS))
    cut = np.bincount(final[is_cut], minlength=len(FINALS))
    return [
        FinalCuts(letter, int(syllables[k]), int(cut[k]))
        for k, letter in enumerate(FINALS)
        if letter != NO_FINAL and syllables[k]
    ]
