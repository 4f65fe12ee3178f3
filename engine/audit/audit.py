"""The audit of a vocabulary: each finding with its tokens, for the command and the app."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import regex

from engine.audit.reach import BESIDE, BROKEN, CAUSES, NEVER, STATES, Reach, reach
from engine.corpus.health import SCRIPTS
from engine.errors import InputError
from engine.tokenizer import Tokenizer

SYLLABLES = tuple(map(chr, range(0xAC00, 0xD7A4)))
"""The 11,172 modern Hangul syllables."""
LETTERS = tuple(map(chr, range(0x3131, 0x3164)))
"""The 51 modern Hangul letters (compatibility jamo)."""

JUNK = {
    # The same sign, or the same two, again and again: rules, decorations.
    "repeated": regex.compile(r"([^\p{L}\p{N}\s])\1{7,}|([^\p{L}\p{N}\s]{2})\2{3,}"),
    "address": regex.compile(r"https?:|www\.|\.(?:com|net|org|co\.kr|cn)\b|\p{L}@\p{L}", regex.IGNORECASE),
    # What a page says around its text, or what it sells.
    "boilerplate": regex.compile(
        r"copyright|all rights reserved|무단|전재|재배포|저작권|바로가기|댓글|카지노|토토|출장"
        r"|成人|彩票|娱乐|赌|色情|免费视频",
        regex.IGNORECASE,
    ),
    # Markup and code that crawled pages leave.
    "markup": regex.compile(r"&(?:nbsp|amp|lt|gt|quot);|</?\w+>|\bdiv\b.*=|\{\{|\}\}"),
}

_SCRIPT = regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS) + r"|(?P<other>\p{L})")
_SPECIAL_LIKE = regex.compile(
    r"<\|.+\|>|\[[A-Z]{2,}\d*\]|</?(?:s|unk|pad|mask|bos|eos)>|<(?:extra_id_|unused|reserved)\S*>"
)


def script_of(text: str) -> str:
    """The script of the first letter: a name of SCRIPTS or `other`; `none` for a text without letters."""
    match = _SCRIPT.search(text)
    return str(match.lastgroup) if match else "none"


def junk_of(text: str) -> str:
    """The first kind of JUNK that the text is, else an empty string."""
    return next((kind for kind, pattern in JUNK.items() if pattern.search(text)), "")


def is_special_like(text: str) -> bool:
    """Whether the text looks like a control token: `<|im_end|>`, `[MASK]`, `</s>`."""
    return _SPECIAL_LIKE.fullmatch(text.strip()) is not None


def near_duplicates(texts: Mapping[int, str]) -> list[list[int]]:
    """Groups of two or more tokens that differ in case or outer space only; the largest groups first."""
    groups: dict[str, list[int]] = {}
    for token, text in texts.items():
        if plain := text.strip().casefold():
            groups.setdefault(plain, []).append(token)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group))


def tokens_each(tokenizer: Tokenizer, characters: Sequence[str]) -> np.ndarray:
    """Tokens of each character alone (int64[n]), those without text not counted; 0 where it is unknown."""
    batch = tokenizer.encode_lines(characters)
    counted = (batch.size > 0).astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(counted)])
    each: np.ndarray = sums[batch.line_ptr[1:]] - sums[batch.line_ptr[:-1]]
    if tokenizer.unknown_id is not None:
        unknown = np.concatenate([[0], np.cumsum(batch.ids == tokenizer.unknown_id)])
        each[unknown[batch.line_ptr[1:]] > unknown[batch.line_ptr[:-1]]] = 0
    return each


_TAILS = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
"""First continuation byte after these lead bytes; 0x80 to 0xBF after all others (Unicode 15, table 3-7)."""


_Parts = Callable[[int], Sequence[int]]


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


def intermediate(tokenizer: Tokenizer, counts: np.ndarray) -> np.ndarray | None:
    """Tokens that were merged into others wherever the text has them.

    Parameters
    ----------
    counts : int64[vocab_size], how often each token occurs in the text.

    Returns
    -------
    ids : int64[n], ascending; None if the tokenizer does not merge, or its file does not say what.
    """
    parts = _parts_by_history(tokenizer) if tokenizer.merges is not None else _parts_by_rank(tokenizer)
    if parts is None:
        return None
    used = set(np.flatnonzero(counts).tolist())
    passed: set[int] = set()
    waiting = list(used)
    while waiting:
        for part in parts(waiting.pop()):
            if part not in passed:
                passed.add(part)
                waiting.append(part)
    return np.array(sorted(passed - used), dtype=np.int64)


def _parts_by_history(tokenizer: Tokenizer) -> _Parts:
    merges = tokenizer.merges
    assert merges is not None
    history, n_first = merges.history, merges.n_first

    def parts(token: int) -> Sequence[int]:
        merge = token - n_first
        return (int(history.left[merge]), int(history.right[merge])) if 0 <= merge < history.n_merges else ()

    return parts


def _parts_by_rank(tokenizer: Tokenizer) -> _Parts | None:
    ranks = tokenizer.byte_ranks()
    if ranks is None:
        return None
    known: Mapping[bytes, int] = ranks

    def parts(token: int) -> Sequence[int]:
        return parts_of(tokenizer.token_bytes(token), known)

    return parts


def parts_of(data: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The two tokens that merge into this one; empty for a byte, and for a token that no merge makes."""
    parts = [data[at : at + 1] for at in range(len(data))]
    rank = ranks.get(data, -1)
    while len(parts) > 2:
        pairs = [ranks.get(parts[at] + parts[at + 1], rank) for at in range(len(parts) - 1)]
        lowest = min(pairs)
        if lowest >= rank:
            return []
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts] if len(parts) == 2 and all(part in ranks for part in parts) else []


def can_be_completed(data: bytes) -> bool:
    """Whether some text's UTF-8 contains these bytes: the end of a character, whole characters, the beginning of one.

    >>> can_be_completed(b"\\x97 a\\xec\\xb1"), can_be_completed(b"\\xec\\xb1a"), can_be_completed(b"\\xff")
    (True, False, False)
    """
    begin = 0
    while begin < len(data) and _is_tail(data[begin]):
        begin += 1
    if begin > 3:
        return False
    if begin == len(data):
        return True
    at = begin
    while at < len(data):
        lead = data[at]
        size = _size(lead)
        if not size:
            return False
        low, high = _TAILS.get(lead, (0x80, 0xBF))
        tail = data[at + 1 : at + size]
        if tail and not low <= tail[0] <= high:
            return False
        if not all(map(_is_tail, tail[1:])):
            return False
        at += size
    return True


def _is_tail(byte: int) -> bool:
    return 0x80 <= byte <= 0xBF


def _size(lead: int) -> int:
    """Bytes of the character that begins with this byte; 0 if none does."""
    if lead < 0x80:
        return 1
    if 0xC2 <= lead <= 0xDF:
        return 2
    if 0xE0 <= lead <= 0xEF:
        return 3
    return 4 if 0xF0 <= lead <= 0xF4 else 0


N_EXAMPLES = 8


def audit_fields(tokenizer: Tokenizer, found: Audit) -> dict[str, Any]:
    """Every finding with its number of tokens, its share of the vocabulary and its first tokens; scripts; syllables."""
    return {
        "vocab_size": found.vocab_size,
        "findings": {
            name: {
                "count": int(ids.size),
                "share": ids.size / found.vocab_size,
                "examples": [_row(tokenizer, found, token) for token in ids[:N_EXAMPLES].tolist()],
            }
            for name, ids in found.findings.items()
        },
        "scripts": dict(found.scripts),
        "longest": [_row(tokenizer, found, token) for token in found.longest],
        "hangul_syllables": {str(number): count for number, count in found.syllables.items()},
        "hangul_letters": {str(number): count for number, count in found.letters.items()},
    }


def finding_rows(tokenizer: Tokenizer, found: Audit, finding: str) -> list[dict[str, object]]:
    """All tokens of one finding: `id`, `token`, and with a text their `count`.

    Raises
    ------
    InputError : the audit has no such finding.
    """
    if finding not in found.findings:
        raise InputError("audit.finding", finding=finding, tokenizer=tokenizer.name)
    return [_row(tokenizer, found, token) for token in found.findings[finding].tolist()]


def _row(tokenizer: Tokenizer, found: Audit, token: int) -> dict[str, object]:
    row: dict[str, object] = {"id": token, "token": tokenizer.token_label(token)}
    return row if found.counts is None else row | {"count": int(found.counts[token])}
