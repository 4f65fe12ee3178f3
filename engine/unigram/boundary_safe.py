"""Tokens that no pre-token boundary can cut, in any context.

SentencePiece has no pre-tokenizer: it sees a whole line. A vocabulary means the same there only if each of its
tokens, wherever its text occurs, lies inside one pre-token. These are the forms for which that holds, by pattern.
"""

import numpy as np
import regex

from engine.errors import InputError

_SPACE = r"\s"
# Behind an apostrophe an English contraction is cut off: 'sally is 's + ally. So a token without a leading space
# must not go on behind one of these beginnings.
_NOT_CUT_BY_CONTRACTION = r"(?!(?:s|t|m|d|re|ve|ll)[\p{L} .?!])"
# Behind a letter, Thunder-Tok takes one of . ? ! into the word: the rest of "..." would be cut off from it.
_OWN_PUNCTUATION = r" [^\s\p{L}\p{N}]+|[^\s\p{L}\p{N}]|[^\s\p{L}\p{N}.?!'][^\s\p{L}\p{N}]+"

_SAFE = {
    "thunder-tok": (
        rf"(?:{_NOT_CUT_BY_CONTRACTION}\p{{L}}| \p{{L}})\p{{L}}*(?: \p{{L}}+)*[.?!]?|\p{{N}}+"
        rf"|{_OWN_PUNCTUATION}|{_SPACE}"
    ),
    "thunder-tok-readme": (
        rf"(?:{_NOT_CUT_BY_CONTRACTION}\p{{L}}| \p{{L}})\p{{L}}*(?: \p{{L}}+)*|\p{{N}}+"
        rf"| ?[^\s\p{{L}}\p{{N}}']+|'|{_SPACE}"
    ),
    "gpt2": (rf"(?:{_NOT_CUT_BY_CONTRACTION}\p{{L}}| \p{{L}})\p{{L}}*| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}']+|'|{_SPACE}"),
    "whitespace": rf" ?\S+|{_SPACE}",
    "none": r"[\s\S]+",
}


def boundary_safe_mask(tokens: list[str], pretokenizer: str) -> np.ndarray:
    """bool[n]: whether each token has a form that the named pre-tokenizer never cuts.

    Raises
    ------
    InputError : the pre-tokenizer is not one of the named patterns; for others the forms are not known.
    """
    if pretokenizer not in _SAFE:
        raise InputError(
            "a SentencePiece-safe vocabulary needs one of the named pre-tokenizers ({choices}); with "
            "{pretokenizer!r} it is not known where a token may be cut",
            code="safe.pretokenizer",
            choices=", ".join(_SAFE),
            pretokenizer=pretokenizer,
        )
    pattern = regex.compile(_SAFE[pretokenizer])
    return np.array([pattern.fullmatch(token) is not None for token in tokens], dtype=bool)
