"""Many lines at once are what one after the other is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import TrainingSettings
from engine.corpus.pretokens.pretokenize import to_codes
from engine.lattice.encoding import _encode, _segment_pieces
from engine.measure.encoded import encode_lines
from engine.unigram.model.model import Model
from engine.unigram.train.trainer import build_corpus, train
from engine.vocabulary.trie import build_reversed_trie, build_trie

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


@given(
    scores=st.dictionaries(
        st.text("가나다", min_size=1, max_size=4), st.sampled_from([-1.0, -2.0, -3.0, -4.5, -np.inf]), max_size=12
    ),
    texts=st.lists(st.text("가나다라", min_size=1, max_size=12), max_size=4),
    unknown=st.sampled_from([-1.0, -3.0, -9.0]),
)
def test_arcs_by_their_ends_give_the_path_of_arcs_by_their_begins(
    scores: dict[str, float], texts: list[str], unknown: float
) -> None:
    tokens = np.arange(len(scores), dtype=np.int32)
    score = np.array(list(scores.values()), dtype=np.float64)
    codes = to_codes("".join(texts))
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    words = (codes, np.cumsum(sizes) - sizes, np.cumsum(sizes))
    forward, _, _ = _segment_pieces(*words, *build_trie(list(scores), tokens), score, unknown)
    no_token = len(scores)  # the fallback of every character
    fallback = (np.ones(1, dtype=np.int64), np.full((1, 4, 5), no_token, dtype=np.int32), np.zeros(1, dtype=np.uint8))
    backward, _ = _encode(
        *words,
        *build_reversed_trie(list(scores), tokens),
        score,
        np.full(1, unknown),
        False,
        np.zeros(1, dtype=np.int32),
        *fallback,
    )
    assert np.array_equal(backward, np.where(forward < 0, no_token, forward))


def test_a_reversed_trie_holds_its_texts() -> None:
    texts = ["가", "나가", "다나가", "가나", "라나가", "뷁"]
    keys, token = build_reversed_trie(texts, np.arange(6, dtype=np.int32))
    assert sorted(token[token >= 0].tolist()) == list(range(6))
    # A suffix of two texts is one node, and the leaves are the texts that are no suffix of another.
    used = keys[keys >= 0]
    assert used.size == len({text[i:] for text in texts for i in range(len(text))})
    leaves = token[np.flatnonzero((keys >= 0) & (keys & 1 == 1)) + 1]
    assert sorted(texts[i] for i in leaves) == ["가나", "다나가", "라나가", "뷁"]
