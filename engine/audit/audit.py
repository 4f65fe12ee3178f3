"""The audit of a vocabulary: each finding with its tokens, for the command and the app."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from engine.audit.content import (
    JUNK,
    LETTERS,
    SYLLABLES,
    is_special_like,
    junk_of,
    near_duplicates,
    script_of,
    tokens_each,
)
from engine.audit.merges import intermediate
from engine.audit.reach import BESIDE, BROKEN, CAUSES, NEVER, STATES, Reach, reach
from engine.audit.utf8 import can_be_completed
from engine.tokenizer import Tokenizer

N_LONGEST = 20
FINDINGS = (
    *(f"never_{cause}" for cause in CAUSES),
    *("broken", "impossible", "unused", "intermediate", "duplicate", "special_like", "special_typed"),
    *JUNK,
)
"""Names of the findings, in the order of their severity."""


class Audit(NamedTuple):
    """What an audit found.

    Attributes
    ----------
    vocab_size : number of ids.
    reach : which tokens some text produces.
    findings : ids (int64[n], ascending) by name, each of FINDINGS but `unused` and `intermediate` without a text, and
        `intermediate` where the merges are not known. `never_*` by cause: no text was found that gives the token;
        `broken`: part of a character; `impossible`: bytes that no text has; `unused`: not once in the text;
        `intermediate`: of these, those that every occurrence merges into another token; `duplicate`: differs from
        another token in case or outer space only; `special_like`: ordinary tokens that look like control tokens;
        `special_typed`: special tokens that typed text becomes; and the kinds of JUNK.
    scripts : tokens by the script of their first letter, most first; `none` without letters.
    longest : the N_LONGEST ids with the most characters, longest first.
    syllables, letters : how many of the 11,172 Hangul syllables, and of the 51 letters, take 1, 2, ... tokens; 0 counts
        those that become the unknown token.
    counts : int64[vocab_size], occurrences in the text; None without one.
    """

    vocab_size: int
    reach: Reach
    findings: Mapping[str, np.ndarray]
    scripts: Mapping[str, int]
    longest: list[int]
    syllables: Mapping[int, int]
    letters: Mapping[int, int]
    counts: np.ndarray | None


def audit(tokenizer: Tokenizer, counts: np.ndarray | None = None) -> Audit:
    """Audit a vocabulary.

    Parameters
    ----------
    tokenizer : any tokenizer.
    counts : int64[vocab_size], how often each token occurs in a text of the user's; None without one.

    >>> from engine import TrainingSettings, train
    >>> found = audit(train(["가나 가나 가다"], TrainingSettings(algorithm="byte-bpe", vocab_size=260)))
    >>> len(found.findings["broken"]), len(found.findings["impossible"]), found.syllables
    (131, 13, {1: 1, 2: 63, 3: 11108})
    """
    reached = _with_text(reach(tokenizer), counts)
    data = {token: tokenizer.token_bytes(token) for token in range(tokenizer.vocab_size)}
    broken = reached.ids(BROKEN)
    special = set(tokenizer.special_tokens.values())
    texts = {
        token: one.decode()
        for token, one in data.items()
        if one and token not in special and reached.state[token] != STATES.index(BROKEN)
    }
    junk = {token: kind for token, text in texts.items() if (kind := junk_of(text))}
    found: dict[str, np.ndarray] = {}
    for number, cause in enumerate(CAUSES):
        found[f"never_{cause}"] = np.flatnonzero(reached.cause == number)
    found["broken"] = broken
    found["impossible"] = _ids(token for token in broken.tolist() if not can_be_completed(data[token]))
    if counts is not None:
        found["unused"] = np.flatnonzero(counts == 0)
        passed = intermediate(tokenizer, counts)
        if passed is not None:
            found["intermediate"] = passed
    found["duplicate"] = _ids(token for group in near_duplicates(texts) for token in group)
    found["special_like"] = _ids(token for token, text in texts.items() if is_special_like(text))
    found["special_typed"] = _ids(
        token for text, token in tokenizer.special_tokens.items() if token in tokenizer.encode(text).ids
    )
    for kind in JUNK:
        found[kind] = _ids(token for token, own in junk.items() if own == kind)
    return Audit(
        tokenizer.vocab_size,
        reached,
        {name: found[name] for name in FINDINGS if name in found},
        dict(Counter(map(script_of, texts.values())).most_common()),
        sorted(texts, key=lambda token: (-len(texts[token]), token))[:N_LONGEST],
        _by_number(tokens_each(tokenizer, SYLLABLES)),
        _by_number(tokens_each(tokenizer, LETTERS)),
        counts,
    )


def _with_text(reached: Reach, counts: np.ndarray | None) -> Reach:
    """A token that occurs in the text is not out of reach, whatever was tried."""
    if counts is None:
        return reached
    given = (reached.state == STATES.index(NEVER)) & (counts > 0)
    state, cause = reached.state.copy(), reached.cause.copy()
    state[given], cause[given] = STATES.index(BESIDE), -1
    return reached._replace(state=state, cause=cause)


def _ids(tokens: Iterable[int]) -> np.ndarray:
    return np.array(sorted(tokens), dtype=np.int64)


def _by_number(each: np.ndarray) -> dict[int, int]:
    numbers, counts = np.unique(each, return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))
