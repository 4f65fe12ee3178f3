"""What a model of tokens expects after a prompt, byte by byte: under one tokenization, healed, and under all of them.

A covering of a prompt b is a sequence of tokens whose text begins with b, while that of all but its last token is
shorter than b. P(b) is the sum of P(t1) P(t2 | t1) ... over the coverings of b, and P(x | b) = P(bx) / P(b): the byte x
after b, whatever tokens it comes in (Vieira et al. 2024, arXiv 2412.03719; Hayase et al. 2025, arXiv 2506.14123).
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.measure.token_ngrams import TokenModel
from engine.tokenizer import Tokenizer

LINE_END = 256  # after the bytes
_NEGLIGIBLE = 40.0  # nats: a covering that is so much less probable than another does not change the sums


class TokenPrefixes:
    """The tokens of a vocabulary by their bytes; those without text, such as special tokens, are not among them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        texts = [(tokenizer.token_bytes(i), i) for i in range(tokenizer.vocab_size)]
        texts = sorted(one for one in texts if one[0] and one[1] not in tokenizer.special_tokens.values())
        self._texts = [text for text, _ in texts]
        self._ids = np.array([i for _, i in texts], dtype=np.int64)
        self._longest = max(map(len, self._texts), default=0)

    def inside(self, text: bytes, begin: int) -> Iterator[tuple[int, int]]:
        """Id and end of every token that is in the text at this byte."""
        for end in range(begin + 1, min(len(text), begin + self._longest) + 1):
            part = text[begin:end]
            for k in range(bisect_left(self._texts, part), len(self._texts)):
                if self._texts[k] != part:
                    break
                yield int(self._ids[k]), end

    def beyond(self, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Ids of the tokens that begin with a text and are longer, and the byte after it in each: int64[n]."""
        first = bisect_left(self._texts, text + b"\0")
        stem = text.rstrip(b"\xff")
        last = bisect_left(self._texts, stem[:-1] + bytes([stem[-1] + 1])) if stem else len(self._texts)
        following = [one[len(text)] for one in self._texts[first:last]]
        return self._ids[first:last], np.array(following, dtype=np.int64)


class PromptEdge(NamedTuple):
    """What may follow a prompt.

    Attributes
    ----------
    plain : float64[257], P of every byte and of the line end after the prompt's tokens; None if nothing can follow.
    healed : the same where the last token is given back: the next must begin with its text.
    exact : the same over all coverings.
    n_tokenizations : how often the vocabulary covers exactly the prompt.
    most_tokens : of the longest of these.
    share : of the tokenizer's own tokenization in the probability of all of these.
    """

    plain: np.ndarray | None
    healed: np.ndarray | None
    exact: np.ndarray | None
    n_tokenizations: int
    most_tokens: int
    share: float


def prompt_edge(
    tokenizer: Tokenizer, model: TokenModel, prompt: str, texts: TokenPrefixes | None = None
) -> PromptEdge | None:
    """What may follow a prompt; None if the tokens of the prompt are not its bytes (a normal form, an unknown token).

    Parameters
    ----------
    texts : of the tokenizer, if they are at hand.
    """
    texts = TokenPrefixes(tokenizer) if texts is None else texts
    ids, data = tokenizer.encode(prompt).ids, prompt.encode()
    if b"".join(map(tokenizer.token_bytes, ids)) != data:
        return None
    start = (model.n_outcomes - 1,) * (model.order - 1)
    sums, beyond = _covered(model, texts, data, start)
    plain = _after(model, texts, {_state(start, ids): 0.0}, b"")
    healed = _healed(model, texts, tokenizer.token_bytes(ids[-1]), _state(start, ids[:-1])) if ids else plain
    counts, most = _tokenizations(texts, data)
    states = [_state(start, ids[:k]) for k in range(len(ids))]
    own = sum(float(_logs(model, [one], np.array([token]))[0, 0]) for one, token in zip(states, ids, strict=True))
    total = float(np.logaddexp.reduce(list(sums.values())))
    return PromptEdge(
        _normalised(plain), _normalised(healed), _normalised(beyond), counts, most, float(np.exp(own - total))
    )


def _state(start: tuple[int, ...], ids: Sequence[int]) -> tuple[int, ...]:
    """The last tokens, as many as the model sees."""
    return (*start, *ids)[len(ids) :]


def _logs(model: TokenModel, states: Sequence[tuple[int, ...]], following: np.ndarray) -> np.ndarray:
    """float64[n_states, n]: ln P of every one of the tokens after those of every state."""
    columns = np.array(states, dtype=np.int64).reshape(len(states), -1).T
    before = [np.repeat(column, following.size) for column in columns[::-1]]
    with np.errstate(divide="ignore"):
        p = np.log(model.probabilities(before, np.tile(following, len(states))))
    return p.reshape(len(states), following.size)


def _after(model: TokenModel, texts: TokenPrefixes, states: dict[tuple[int, ...], float], text: bytes) -> np.ndarray:
    """float64[257]: ln P of every byte after a text that the next token begins with and is longer than.

    After no text the line may end, too.

    Parameters
    ----------
    states : ln P by the last tokens.
    """
    sums = np.full(LINE_END + 1, -np.inf)
    ids, following = texts.beyond(text)
    if not text:
        ids, following = np.append(ids, model.n_outcomes - 1), np.append(following, LINE_END)
    order = np.argsort(ids)  # the model finds neighbours faster
    ids, following = ids[order], following[order]
    least = max(states.values()) - _NEGLIGIBLE
    for state, log in states.items():
        if log > least:
            p = model.probabilities([np.full_like(ids, one) for one in state[::-1]], ids)
            with np.errstate(divide="ignore"):
                sums = np.logaddexp(sums, log + np.log(np.bincount(following, p, LINE_END + 1)))
    return sums


def _healed(model: TokenModel, texts: TokenPrefixes, last: bytes, state: tuple[int, ...]) -> np.ndarray:
    same = [token for token, end in texts.inside(last, 0) if end == len(last)]
    logs = _logs(model, [state], np.array(same, dtype=np.int64))[0].tolist()
    kept = {(*state, token)[1:]: log for token, log in zip(same, logs, strict=True)}
    longer = _after(model, texts, {state: 0.0}, last)
    return np.logaddexp(longer, _after(model, texts, kept, b"")) if kept else longer


def _covered(
    model: TokenModel, texts: TokenPrefixes, data: bytes, start: tuple[int, ...]
) -> tuple[dict[tuple[int, ...], float], np.ndarray]:
    """ln P of the coverings of exactly the prompt by their last tokens, and of all coverings by the next byte."""
    sums: list[dict[tuple[int, ...], float]] = [{} for _ in range(len(data) + 1)]
    sums[0][start] = 0.0
    beyond = np.full(LINE_END + 1, -np.inf)
    for begin, states in enumerate(sums):
        if not states:
            continue
        beyond = np.logaddexp(beyond, _after(model, texts, states, data[begin:]))
        inside = list(texts.inside(data, begin))
        logs = _logs(model, list(states), np.array([token for token, _ in inside], dtype=np.int64))
        for (state, log), row in zip(states.items(), logs.tolist(), strict=True):
            for (token, end), one in zip(inside, row, strict=True):
                to = (*state, token)[1:]
                sums[end][to] = float(np.logaddexp(sums[end].get(to, -np.inf), log + one))
    return sums[-1], beyond


def _tokenizations(texts: TokenPrefixes, data: bytes) -> tuple[int, int]:
    """Number of tokenizations of exactly these bytes, and the most tokens of one; 0 if there is none."""
    counts, most = [1] + [0] * len(data), [0] * (len(data) + 1)
    for begin in range(len(data)):
        for _, end in texts.inside(data, begin) if counts[begin] else ():
            counts[end] += counts[begin]
            most[end] = max(most[end], most[begin] + 1)
    return counts[-1], most[-1] if counts[-1] else 0


def _normalised(logs: np.ndarray) -> np.ndarray | None:
    total = np.logaddexp.reduce(logs)
    return np.exp(logs - total) if np.isfinite(total) else None
