"""Tokens that no pre-token boundary can cut, in any context.

SentencePiece has no pre-tokenizer and sees a whole line. A vocabulary is equivalent there only if every occurrence of
a token's text is inside one pre-token. Each preset has a pattern of the tokens for which this is guaranteed.
"""

import numpy as np
import regex

from engine.corpus.pretokens.presets import PRESETS
from engine.errors import InputError


def boundary_safe_mask(tokens: list[str], pretokenizer: str) -> np.ndarray:
    """bool[n]: whether the pre-tokenizer never cuts the token.

    Raises
    ------
    InputError : the pre-tokenizer is not a preset.
    """
    if pretokenizer not in PRESETS:
        raise InputError("safe.pretokenizer", choices=", ".join(PRESETS), pretokenizer=pretokenizer)
    pattern = regex.compile(PRESETS[pretokenizer].uncut)
    return np.array([pattern.fullmatch(token) is not None for token in tokens], dtype=bool)
