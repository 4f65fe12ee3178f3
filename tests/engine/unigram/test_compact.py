"""Compact models: the last round to the bit, the rounds before it nearly, the first ones as distributions."""

import lzma
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.config import N_BYTES
from engine.errors import InputError, ModelFileError
from engine.unigram.model.compact import compact, histogram
from engine.unigram.model.model import Model
from engine.unigram.model.packing import differences, from_differences, pack, unpack
from engine.unigram.model.reader import model_from_bytes
from tests.engine.unigram.test_model_file import _with_header
from tests.engine.unigram.test_trainer import sentences, trained

FIRST = 1
TEXT = "그 말은 쀍 <s> 참 좋은 말이다."


@pytest.fixture(scope="module", params=["be_p", "ml"])
def whole(request: pytest.FixtureRequest) -> Model:
    return trained(sentences(80), vocab_size=280, special_tokens=("<s>",), score=request.param)


@pytest.fixture(scope="module")
def small(whole: Model) -> Model:
    return model_from_bytes(compact(whole, FIRST).to_bytes())


def test_the_last_round_is_kept_to_the_bit(whole: Model, small: Model) -> None:
    assert small.to_bytes() == compact(whole, FIRST).to_bytes() == compact(whole, FIRST).to_bytes()
    assert len(small.to_bytes()) < len(whole.to_bytes()) / 3
    assert small.encode(TEXT, allow_special=True) == whole.encode(TEXT, allow_special=True)
    assert {label: values.tobytes() for label, values in small.statistics().items()} == {
        label: values.tobytes() for label, values in whole.statistics().items()
    }
    ours, theirs = small.lattice(TEXT), whole.lattice(TEXT)
    assert ours.log_z == theirs.log_z and ours.nbest(5) == theirs.nbest(5)
    assert [small.token_bytes(token_id) for token_id in range(small.vocab_size)] == [
        whole.token_bytes(token_id) for token_id in range(whole.vocab_size)
    ]


def test_rounds_before_it_have_all_their_tokens_and_the_leading_digits(whole: Model, small: Model) -> None:
    assert list(small.kept_rounds) == list(range(FIRST, whole.last_round + 1)) and len(small.kept_rounds) >= 2
    assert small.rounds == whole.rounds
    for number in small.kept_rounds:
        ours, theirs = (m.round_table(number).set_index("token").drop(columns="row") for m in (small, whole))
        assert set(ours.index) == set(theirs.index)
        theirs = theirs.loc[ours.index]
        assert (ours["died_in_round"] == theirs["died_in_round"]).all() and (ours["id"] == theirs["id"]).all()
        for name, digits in (("log_prob", 11), ("p", 8), ("be", 8), ("score", 7)):
            assert np.allclose(ours[name], theirs[name], rtol=2.0 ** -(digits + 1), atol=0), (number, name)
            assert ((ours[name] == 0) == (theirs[name] == 0)).all()


def test_the_first_rounds_are_distributions(whole: Model, small: Model) -> None:
    for number in range(FIRST):
        with pytest.raises(InputError, match=f"a round from {FIRST} to {whole.last_round}"):
            small.alive_rows(number)
        found = small.history[number].histograms
        rows = whole.alive_rows(number)[N_BYTES:]
        values, dead = whole.scores(number)[N_BYTES:], whole.died_in_round[rows] == number
        one = found[whole.settings.score]
        kept, removed = [0] * len(one.kept), [0] * len(one.removed)
        for value, is_dead in zip(values.tolist(), dead.tolist(), strict=True):
            if value > 0:
                power = math.floor(math.log2(value))
                power -= 2.0**power > value  # where log2 was rounded up
                at = 2 * (power + 1023) + (value >= 1.5 * 2.0**power) - one.first
                (removed if is_dead else kept)[at] += 1
        assert (list(one.kept), list(one.removed)) == (kept, removed) and sum(kept) > 0
    assert not small.history[FIRST].histograms


def test_a_model_of_too_few_rounds_stays_whole(whole: Model) -> None:
    with pytest.raises(InputError, match="at least two rounds"):
        compact(whole, whole.last_round)


def test_nothing_positive_is_an_empty_distribution() -> None:
    assert histogram(np.zeros(3), np.zeros(3, dtype=bool)) == (0, (), ())


def test_packed_data_that_lie_are_noticed(small: Model) -> None:
    data = small.to_bytes()
    size = int.from_bytes(data[18:26], "little")
    body = data[26 + size : -32]
    listing = [["blob", "uint8", small.blob.size - 1]]
    with pytest.raises(ModelFileError, match="inconsistent"):
        model_from_bytes(_with_header(data, arrays=listing))
    for changed in (body[:-1], body + b"x", lzma.compress(b""), lzma.compress(bytes(50_000_000)), b""):
        with pytest.raises(ModelFileError, match="inconsistent"):
            model_from_bytes(_with_header(data[: 26 + size] + changed + data[-32:]))
    with pytest.raises(ModelFileError, match="arrays"):
        model_from_bytes(_with_header(data, arrays=[["blob", "uint8", 10**12]]))
    for histograms in ([], [{}] * 50, [{"p": {"first": 0, "kept": [1], "removed": []}}]):
        with pytest.raises(ModelFileError, match="inconsistent"):
            model_from_bytes(_with_header(data, histograms=histograms))


@settings(max_examples=25)
@given(
    st.lists(
        st.one_of(*(arrays(kind, st.integers(0, 9)) for kind in ("uint8", "int16", "uint32"))), min_size=1, max_size=4
    )
)
def test_what_was_packed_comes_back(packed: list[np.ndarray]) -> None:
    shapes = [(array.dtype.name, array.size) for array in packed]
    for before, after in zip(packed, unpack(pack(packed), shapes), strict=True):
        assert before.dtype == after.dtype and before.tolist() == after.tolist()
    with pytest.raises(ValueError, match="packed"):
        unpack(pack(packed), [*shapes, ("uint8", 1)])


@given(st.data())
def test_differences_come_back(data: st.DataObject) -> None:
    died = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=1, max_size=12)), dtype=np.int16)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    columns = {}
    for number in range(4):
        n = int(((died == -1) | (died >= number)).sum())
        values = np.array(data.draw(st.lists(finite, min_size=n, max_size=n)), dtype=np.float64)
        if number < 3:  # the last is kept whole, and is no difference
            values = (values.view(np.int64) >> 41 << 41).view(np.float64)
        columns[number] = values
    packed = differences(columns, died)
    assert sorted(packed) == [0, 1, 2]
    back = from_differences(packed, columns[3], died)
    assert all(back[number].tobytes() == columns[number].tobytes() for number in range(4))
