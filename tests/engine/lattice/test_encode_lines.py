"""Many lines at once are what one after the other is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import TrainingSettings
from engine.measure.encoded import encode_lines
from engine.unigram.model.model import Model
from engine.unigram.train.trainer import train
from engine.unigram.train.training_corpus import build_corpus

LINES = [
    "나는 학교에 간다. 나는 집에 간다.",
    "학교 가는 길이 멀다!",
    "집에 가는 길에 만난 그 사람",
    "123 그리고 45 그리고 6",
    "The school is far away.",
    "나는 나는 나는",
    "가는 말이 고와야 오는 말이 곱다",
]
ODD = ["", " ", "\n", "가\n나", "<s> 가", "뷁 \u1100\u1161", "🎉 x"]
CASES = {
    "thunder-tok": {},
    "gpt2": {"pretokenizer": "gpt2"},
    "own pattern": {"pretokenizer": r"\S+|\s+"},
    "nothing": {"pretokenizer": "none"},
    "learned": {"pretokenizer": "pmi-entropy:1"},
    "partial characters": {"partial_characters": True},
    "decomposed": {"normalization": "nfd"},
    "special tokens": {"special_tokens": ("<s>",)},
}


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {name: _model(changes) for name, changes in CASES.items()}


def _model(changes: dict[str, object]) -> Model:
    chosen = TrainingSettings(vocab_size=290, **changes)  # type: ignore[arg-type]
    return train(build_corpus(LINES * 3, chosen), chosen)


@settings(max_examples=40, deadline=None)
@given(lines=st.lists(st.sampled_from([*LINES, *ODD]) | st.text(), max_size=6))
@pytest.mark.parametrize("name", CASES)
def test_all_lines_at_once(models: dict[str, Model], name: str, lines: list[str]) -> None:
    model = models[name]
    batch = model.encode_lines(lines)
    assert batch.line_ptr.tolist()[0] == 0
    assert batch.line_ptr.size == len(lines) + 1
    for i, line in enumerate(lines):
        one = model.encode(line)
        mine = slice(batch.line_ptr[i], batch.line_ptr[i + 1])
        assert batch.ids[mine].tolist() == one.ids
        assert batch.size[mine].tolist() == [end - begin for begin, end in one.spans]


def test_offsets_run_on_over_the_lines(models: dict[str, Model]) -> None:
    encoded = encode_lines(models["thunder-tok"], ["나는 간다", "", "가"])
    assert encoded.begin[0] == 0
    assert encoded.end[-1] == len("나는 간다가".encode())
    np.testing.assert_array_equal(encoded.begin[1:], encoded.end[:-1])
