"""Forms of all tokens of a vocabulary, vectorised: a loop over 200,000 takes a second, this a tenth."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import regex

from app.texts.plain import visible_space
from engine.pictures.showable import showable
from engine.unigram.model.levels import LEVELS, is_punctuated_word
from engine.unigram.model.model import token_label

_SPACE = regex.compile(r"\s")


def token_forms(tokens: Sequence[bytes]) -> pd.DataFrame:
    """One row per token, in order.

    Columns: token (as the pages write it: `shown`), level, punctuated (a word with its final . ? or !), n_chars (0 for
    parts of a character), n_bytes.
    """
    data = pa.array(tokens, pa.binary())
    texts = [token.decode(errors="ignore") for token in tokens]
    text = pa.array(texts, pa.string())
    characters = set("".join(texts))
    n_chars = _column(pc.utf8_length(text))
    is_text = _column(pc.equal(text.cast(pa.binary()), data))
    # RE2 only knows ASCII spaces; among other characters only those that occur matter.
    spaces = _class({" ", *filter(_SPACE.match, characters)})
    is_phrase = is_text & _has(text, f"[^{spaces}][{spaces}]+[^{spaces}]")
    level = np.select([~is_text, n_chars <= 1, is_phrase], [0, 1, 3], 2)
    # Few tokens need more than a space replaced, and few end like a sentence: handle those one by one.
    odd = _class({"\0", *(char for char in characters if showable(char) != char)})
    is_odd = ~is_text | _has(text, f"[{odd}]")
    labels = [visible_space(showable(token_label(tokens[row]))) for row in np.flatnonzero(is_odd).tolist()]
    label = pc.replace_with_mask(pc.replace_substring(text, " ", "␣"), is_odd, pa.array(labels, pa.string()))
    punctuated = _has(text, "[.?!]\n?$")
    punctuated[punctuated] = [is_punctuated_word(tokens[row]) for row in np.flatnonzero(punctuated).tolist()]
    return pd.DataFrame(
        {
            "token": pd.array(label, dtype="str"),
            "level": pd.Categorical.from_codes(level, LEVELS),
            "punctuated": punctuated,
            "n_chars": n_chars,
            "n_bytes": _column(pc.binary_length(data)),
        }
    )


def _class(characters: Iterable[str]) -> str:
    """Content of a character class, between [ and ], that matches one of them."""
    return "".join(rf"\x{{{ord(char):x}}}" for char in characters)


def _has(text: pa.Array, pattern: str) -> np.ndarray:
    return _column(pc.match_substring_regex(text, pattern))


def _column(values: pa.Array) -> np.ndarray:
    return values.to_numpy(zero_copy_only=False)
