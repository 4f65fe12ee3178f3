"""Tokens that no pre-token boundary can cut, in any context.

SentencePiece has no pre-tokenizer: it sees a whole line. A vocabulary means the same there only if each of its
tokens, wherever its text occurs, lies inside one pre-token. For which forms that holds is known of the presets.
"""

import numpy as np
import regex

from engine.corpus.pretokens.presets import PRESETS
from engine.errors import InputError


def boundary_safe_mask(tokens: list[str], pretokenizer: str) -> np.ndarray:
    """bool[n]: whether each token has a form that the named pre-tokenizer never cuts.

    Raises
    ------
    InputError : the pre-tokenizer is not one of the named patterns; for others the forms are not known.
    """
    if pretokenizer not in PRESETS:
        raise InputError("safe.pretokenizer", choices=", ".join(PRESETS), pretokenizer=pretokenizer)
    pattern = regex.compile(PRESETS[pretokenizer].uncut)
    return np.array([pattern.fullmatch(token) is not None for token in tokens], dtype=bool)
