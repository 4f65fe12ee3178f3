"""Which tokens some text produces, and what stands in the way of the others.

Land and Bartolo (2024), "Fishing for Magikarp", call a token unreachable if decoding it and encoding the result gives
other tokens. A token that needs a neighbour (`##ble`, a word piece without its space) would be counted too, so it is
tried beside several neighbours before it counts. Inside a pre-token, BPE never joins what it does not join alone, so
that neighbours only matter to normalization, pre-tokens and marks.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.corpus.normalize import normalize
from engine.tokenizer import Tokenizer

ALONE, BESIDE, NEVER, BROKEN, WITHOUT_TEXT = STATES = ("alone", "beside", "never", "broken", "without_text")
"""Encoding the decoded token gives it back; a neighbour is needed; no text was found; its bytes are not UTF-8; it is
special or has no bytes."""

NORMALIZATION, PRETOKENIZER, TWIN, SEGMENTATION = CAUSES = ("normalization", "pretokenizer", "twin", "segmentation")
"""Why no text gives a token: the text is changed first; it is cut inside the token; another token has the same bytes;
the merges, probabilities or matches choose other tokens."""

# Before and after the token.
NEIGHBOURS = (
    *(("", ""), ("", " "), (" ", ""), ("a", ""), ("", "a"), ("가", ""), ("", "가"), ("a", "a"), ("가", "가")),
    *(("1", ""), ("", "1"), (".", ""), ("", "."), ("\n", ""), ("", "\n"), (" ", " "), ("a", " "), ("가", " ")),
)


class Reach(NamedTuple):
    """What was found for every token.

    Attributes
    ----------
    state : int8[vocab_size], index in STATES.
    neighbours : int8[vocab_size], index in NEIGHBOURS of the first text that gives the token; -1 for none.
    cause : int8[vocab_size], index in CAUSES; -1 unless the state is NEVER.
    """

    state: np.ndarray
    neighbours: np.ndarray
    cause: np.ndarray

    def ids(self, state: str) -> np.ndarray:
        """int64[n]: the tokens in a state, ascending."""
        return np.flatnonzero(self.state == STATES.index(state))


def reach(tokenizer: Tokenizer) -> Reach:
    """Try to produce every token: alone, then beside each of NEIGHBOURS."""
    n = tokenizer.vocab_size
    state = np.full(n, STATES.index(WITHOUT_TEXT), dtype=np.int8)
    neighbours, cause = np.full(n, -1, dtype=np.int8), np.full(n, -1, dtype=np.int8)
    special = {*tokenizer.special_tokens.values(), tokenizer.unknown_id}
    texts: dict[int, str] = {}
    for token in range(n):
        data = tokenizer.token_bytes(token)
        if token in special or not data:
            continue
        try:
            texts[token] = data.decode()
        except UnicodeDecodeError:
            state[token] = STATES.index(BROKEN)
    left = list(texts)
    for number, (before, after) in enumerate(NEIGHBOURS):
        lines = [tokenizer.decode([k]) if number == 0 else before + texts[k] + after for k in left]
        produced = _produced(tokenizer, left, lines, number == 0)
        state[produced] = STATES.index(BESIDE if number else ALONE)
        neighbours[produced] = number
        given = set(produced)
        left = [token for token in left if token not in given]
    found = {texts[token] for token in texts if neighbours[token] >= 0}
    for token in left:
        state[token] = STATES.index(NEVER)
        cause[token] = CAUSES.index(_cause(tokenizer, texts[token], found))
    return Reach(state, neighbours, cause)


def _produced(tokenizer: Tokenizer, tokens: Sequence[int], lines: Sequence[str], is_alone: bool) -> list[int]:
    """Those of the tokens whose line contains them, or consists of them if nothing stands beside."""
    if not tokens:
        return []
    batch = tokenizer.encode_lines(lines)
    found = []
    for token, begin, end in zip(tokens, batch.line_ptr[:-1].tolist(), batch.line_ptr[1:].tolist(), strict=True):
        ids = batch.ids[begin:end]
        if (ids.size == 1 and ids[0] == token) if is_alone else (ids == token).any():
            found.append(token)
    return found


def _cause(tokenizer: Tokenizer, text: str, found: set[str]) -> str:
    ids = tokenizer.encode(text).ids
    surface = b"".join(map(tokenizer.token_bytes, ids)).decode(errors="replace")
    if normalize(text, tokenizer.normalization) != text or surface.replace(" ", "") != text.replace(" ", ""):
        return NORMALIZATION
    if tokenizer.pretokenizer is not None and len(tokenizer.pretokenizer.split(text)) > 1:
        return PRETOKENIZER
    return TWIN if text in found else SEGMENTATION
