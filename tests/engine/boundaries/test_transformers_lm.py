"""A causal language model with the same interface as the n-gram model: with a small stand-in, and a real GPT-2."""

import contextlib
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.boundaries.language_model import entropy_cuts
from engine.boundaries.transformers_lm import CausalModel, adapt, load_causal_model, softmax_entropy
from engine.errors import InputError

# What the stand-in expects after each of its four ids; 3 begins a text.
EXPECTED = np.array([[0.0, 0.0, 0.0, 0.0], [5.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, -math.inf], [2.0, 0.0, 0.0, 1.0]])


def _entropy(row: np.ndarray) -> float:
    weight = [math.exp(value) for value in row]
    return -sum(w / sum(weight) * math.log(w / sum(weight)) for w in weight if w)


class _Output(SimpleNamespace):
    """The few methods of a tensor that the adapter calls."""

    def __getitem__(self, index: int) -> "_Output":
        return _Output(values=self.values[index])

    def float(self) -> "_Output":
        return self

    def cpu(self) -> "_Output":
        return self

    def numpy(self) -> np.ndarray:
        values: np.ndarray = self.values
        return values


class _Network:
    def __init__(self, window: int) -> None:
        self.config = SimpleNamespace(n_positions=window)
        self.read: list[list[int]] = []

    def __call__(self, ids: list[list[int]]) -> SimpleNamespace:
        self.read.append(ids[0])
        return SimpleNamespace(logits=_Output(values=EXPECTED[np.array(ids)]))


class _Tokenizer:
    def __init__(self, start: int | None) -> None:
        self.bos_token_id, self.cls_token_id, self.eos_token_id = None, start, None
        self.unk_token_id = 1

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return {"a": [0], "b": [1], "c": [2, 0], "?": []}[text]


def _model(start: int | None = 3, window: int = 8) -> tuple[CausalModel, _Network]:
    network = _Network(window)
    return adapt(_Tokenizer(start), network, contextlib.nullcontext, lambda ids: ids), network


def test_entropy_of_a_softmax_is_the_direct_sum() -> None:
    assert softmax_entropy(EXPECTED) == pytest.approx([_entropy(row) for row in EXPECTED])
    assert softmax_entropy(np.array([[1000.0, 0.0]])) == pytest.approx([0.0])


def test_every_character_has_the_entropy_before_its_first_token() -> None:
    model, _ = _model()
    # a | b | c c' | b: read 3 a b c c', of which the one before c' does not count.
    want = [_entropy(EXPECTED[before]) for before in (3, 0, 1, 0)]
    assert model.entropies("abcb") == pytest.approx(want)
    assert model.entropies("").size == 0
    # Higher than the one before it: the b (1.39 after 1.16) and the last b (1.39 after 0.12).
    assert entropy_cuts(model.entropies("abcb")) == [1, 3, 4]


def test_windows_do_not_change_what_one_token_of_context_decides() -> None:
    text = "abbabcaab" * 5
    whole, _ = _model(window=200)
    parts, network = _model(window=4)
    assert parts.entropies(text) == pytest.approx(whole.entropies(text))
    assert max(map(len, network.read)) == 4
    assert min(map(len, network.read[1:])) > 2  # each one but the first carries context


def test_a_model_without_a_start_knows_nothing_of_the_first_character() -> None:
    model, _ = _model(start=None)
    assert model.entropies("ab") == pytest.approx([math.log(4), _entropy(EXPECTED[0])])
    assert model.entropies("a") == pytest.approx([math.log(4)])


def test_what_cannot_be() -> None:
    model, _ = _model()
    with pytest.raises(InputError, match="no token"):
        model.entropies("a?")
    with pytest.raises(InputError, match="knows none of the characters"):
        model.entropies("bb")
    with pytest.raises(InputError, match="at least 2"):
        _model(window=1)


def test_a_missing_library_or_model_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"thunder-tok-explorer\[lm\]|cannot be loaded") as caught:
        load_causal_model(str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_tiny_random_gpt2(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed (requirements/lm.txt)")
    transformers: Any = pytest.importorskip("transformers", reason="transformers is not installed")
    characters = "同样施力的大小"
    (tmp_path / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]), encoding="utf-8"
    )
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=12, n_positions=16, n_embd=8, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=3
    )
    network = transformers.GPT2LMHeadModel(config).eval()
    network.save_pretrained(tmp_path)
    text = "同样施力的大小同样"
    found = load_causal_model(str(tmp_path)).entropies(text)
    ids = [2, *(5 + characters.index(character) for character in text)]
    with torch.no_grad():
        logits = network(torch.tensor([ids[:-1]])).logits[0].double()
    p = torch.softmax(logits, dim=-1)
    assert found == pytest.approx((-(p * p.log()).sum(-1)).numpy(), abs=1e-5)
    assert np.isfinite(load_causal_model(str(tmp_path)).entropies(text * 20)).all()
