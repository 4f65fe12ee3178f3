"""The edge of the prompt: golden numbers, and a naive enumeration of coverings."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import TrainingSettings, train
from engine.measure.encoded import encode_lines
from engine.measure.prompt_edge import LINE_END, TokenPrefixes, prompt_edge
from engine.measure.token_ngrams import TokenModel, token_model
from engine.public.load import load_public
from engine.tokenizer import Tokenizer


class Bigram:
    """Relative frequencies of token pairs, without smoothing."""

    order = 2

    def __init__(self, lines: Sequence[tuple[Sequence[int], int]], n_tokens: int) -> None:
        self.n_outcomes = n_tokens + 1
        self.counts = np.zeros((n_tokens + 1, n_tokens + 1))
        for ids, times in lines:
            for one, other in zip([n_tokens, *ids], [*ids, n_tokens], strict=True):
                self.counts[one, other] += times

    def probabilities(self, before: Sequence[np.ndarray], following: np.ndarray) -> np.ndarray:
        rows = self.counts[before[0]]
        return rows[np.arange(following.size), following] / np.maximum(rows.sum(axis=1), 1)


def coverings(tokenizer: Tokenizer, data: bytes) -> Iterator[tuple[int, ...]]:
    """All sequences of tokens whose text begins with these bytes, but not without the last token."""

    def extend(path: tuple[int, ...], text: bytes) -> Iterator[tuple[int, ...]]:
        for token in range(tokenizer.vocab_size):
            longer = text + tokenizer.token_bytes(token)
            if longer == text:
                continue
            if longer.startswith(data):
                yield (*path, token)
            elif data.startswith(longer):
                yield from extend((*path, token), longer)

    return extend((), b"") if data else iter([()])


def naive_sum(tokenizer: Tokenizer, model: TokenModel | Bigram, data: bytes) -> float:
    """P(b)."""
    line_end = model.n_outcomes - 1
    total = 0.0
    for path in coverings(tokenizer, data):
        context = [line_end] * (model.order - 1)
        p = 1.0
        for token in path:
            p *= model.probabilities([np.array([one]) for one in context[::-1]], np.array([token]))[0]
            context = [*context, token][1:]
        total += p
    return total


def test_golden_numbers(shared_data: Path) -> None:
    golden = json.loads((shared_data / "rivals" / "byte_marginal.json").read_text("utf-8"))
    known = {token for line, _ in golden["corpus"] for token in line} | {"/"}
    tokenizer = _Listed(sorted(known))
    lines = [([tokenizer.texts.index(token) for token in line], times) for line, times in golden["corpus"]]
    model = Bigram(lines, len(tokenizer.texts))
    for number in (1, 2):
        tokenizer.path = [tokenizer.texts.index(token) for token in golden[f"tokens{number}"]]
        edge = prompt_edge(tokenizer, model, golden[f"prompt{number}"])
        assert edge is not None
        for way, found in (("plain", edge.plain), ("healed", edge.healed), ("exact", edge.exact)):
            wanted = golden[f"{way}{number}"]
            if wanted == "no continuation":
                assert found is None
                continue
            assert found is not None and found.sum() == pytest.approx(1.0, abs=1e-12)
            assert {chr(byte): p for byte, p in enumerate(found) if p} == pytest.approx(wanted, abs=1e-9)


class _Listed:
    """Tokens given as texts, and one tokenization of the prompt."""

    def __init__(self, texts: list[str]) -> None:
        self.texts, self.vocab_size, self.path = texts, len(texts), [0]
        self.special_tokens: dict[str, int] = {}

    def token_bytes(self, token: int) -> bytes:
        return self.texts[token].encode()

    def encode(self, text: str) -> "_Listed":
        return self

    @property
    def ids(self) -> list[int]:
        return self.path


_LINES = ["abab ab", "ab ba", "가나 가", "abba"]
_SMALL = train(_LINES * 2, TrainingSettings(algorithm="byte-bpe", vocab_size=266, pretokenizer="gpt2"))


@pytest.mark.parametrize("order", [2, 3])
@settings(max_examples=12, deadline=None)
@given(prompt=st.text(st.sampled_from("ab 가"), min_size=1, max_size=4))
def test_sums_are_those_of_all_coverings(order: int, prompt: str) -> None:
    model = token_model(encode_lines(_SMALL, _LINES), order)
    edge, data = prompt_edge(_SMALL, model, prompt), prompt.encode()
    assert edge is not None and edge.exact is not None
    total = sum(naive_sum(_SMALL, model, data + bytes([byte])) for byte in b"ab \xea\xeb")
    wanted = [naive_sum(_SMALL, model, data + bytes([byte])) / total for byte in b"ab \xea\xeb"]
    assert (edge.exact[list(b"ab \xea\xeb")] / edge.exact[list(b"ab \xea\xeb")].sum()).tolist() == pytest.approx(wanted)
    exactly = [path for path in coverings(_SMALL, data) if b"".join(map(_SMALL.token_bytes, path)) == data]
    assert edge.n_tokenizations == len(exactly) and edge.most_tokens == max(map(len, exactly))
    assert edge.most_tokens == len(data)
    for way in (edge.plain, edge.healed, edge.exact):
        assert way is not None and way.shape == (LINE_END + 1,) and way.sum() == pytest.approx(1.0)
    assert 0 < edge.share <= 1 + 1e-12


def test_a_trailing_space_is_mended_and_long_prompts_do_not_underflow() -> None:
    tokenizer = load_public("gpt2")
    lines = ["once upon a time there was a token", "there was a space at the end of a time"] * 3
    model = token_model(encode_lines(tokenizer, lines), 2)
    texts = TokenPrefixes(tokenizer)
    edge = prompt_edge(tokenizer, model, "once upon a time ", texts)
    assert edge is not None and edge.plain is not None and edge.healed is not None and edge.exact is not None
    assert edge.plain[ord("t")] < 0.1 < 0.5 < edge.healed[ord("t")]
    assert edge.exact[ord("t")] == pytest.approx(edge.healed[ord("t")], rel=0.1)
    for prompt, n in (("뷁" * 100, 300), (" " * 300, 300), ("", 0)):
        long = prompt_edge(tokenizer, model, prompt, texts)
        assert long is not None and long.exact is not None and long.exact.sum() == pytest.approx(1.0)
        assert long.most_tokens == n and 0 < long.share <= 1 + 1e-12


def test_tokens_that_are_not_the_bytes_of_the_text_are_not_computed_with() -> None:
    bert = load_public("bert")
    model = token_model(encode_lines(bert, ["one small step"]), 2)
    assert prompt_edge(bert, model, "One Step") is None


def test_tokens_that_begin_with_a_text() -> None:
    texts = TokenPrefixes(_Listed(["a", "ab", "abc", "b", "가"]))  # type: ignore[arg-type]
    assert list(texts.inside(b"abc", 0)) == [(0, 1), (1, 2), (2, 3)]
    for text, wanted in ((b"a", {1: "b", 2: "b"}), (b"ab", {2: "c"}), (b"abc", {}), (b"", dict(enumerate("aaab")))):
        ids, following = texts.beyond(text)
        found = {int(i): chr(byte) for i, byte in zip(ids, following, strict=True) if byte < 0x80}
        assert found == wanted
