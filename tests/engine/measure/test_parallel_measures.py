"""Parallel text: premium, fairness, and the shares of multilingual sampling."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.reading.read import read_lines
from engine.errors import InputError
from engine.measure.parallel import (
    gini,
    max_min_ratio,
    parallel_table,
    premium,
    relative_tokenization_cost,
    sampling_shares,
)
from engine.merges.plain import Utf8Bytes
from tests.conftest import ROOT
from tests.engine.measure.test_measure import Cutter


def test_sampling_shares_of_the_lesson() -> None:
    sizes = {"en": 300, "ko": 50, "my": 1}
    assert [round(share, 3) for share in sampling_shares(sizes, 0.3).values()] == [0.567, 0.331, 0.102]
    assert [round(share, 3) for share in sampling_shares(sizes, 1).values()] == [0.855, 0.142, 0.003]
    assert list(sampling_shares(sizes, 0).values()) == pytest.approx([1 / 3] * 3)
    assert sampling_shares({"en": 3, "none": 0}, 0) == {"en": 1, "none": 0}


@given(st.lists(st.floats(1, 1e12), min_size=1, max_size=8), st.floats(0, 20))
def test_sampling_shares_keep_their_order(sizes, alpha) -> None:
    shares = list(sampling_shares(dict(zip("abcdefgh", sizes, strict=False)), alpha).values())
    assert sum(shares) == pytest.approx(1)
    ordered = [share for _, share in sorted(zip(sizes, shares, strict=True))]
    assert ordered == sorted(ordered)


@pytest.mark.parametrize(("sizes", "alpha"), [({}, 1), ({"a": 0}, 1), ({"a": -1, "b": 2}, 1), ({"a": 1}, -0.1)])
def test_bad_sizes_are_refused(sizes, alpha) -> None:
    with pytest.raises(InputError, match="sampling needs"):
        sampling_shares(sizes, alpha)


def test_premium_by_hand() -> None:
    result = premium(np.array([4, 6, 9, 0]), np.array([2, 3, 1, 5]))
    assert (result.value, result.median, result.n) == (19 / 6, 2.0, 3)
    assert result.interval.low <= result.value <= result.interval.high
    assert result.median_interval == (2.0, 9.0)
    same = premium(np.array([3, 4]), np.array([3, 4]))
    assert (same.value, same.interval, same.median_interval) == (1, (1, 1), (1, 1))
    assert math.isnan(premium(np.array([0]), np.array([1])).value)
    with pytest.raises(InputError, match="as many lines"):
        premium(np.array([1]), np.array([1, 2]))


def test_fairness_by_hand() -> None:
    assert gini([1, 1, 1]) == 0
    assert gini([1, 3]) == pytest.approx(0.25)  # 2 * 2 / (2 * 4 * 2)
    assert max_min_ratio([2, 5, 4]) == 2.5
    assert relative_tokenization_cost(2.0, 5.0) == 2.5
    with pytest.raises(InputError, match="positive"):
        gini([])


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=10), st.floats(0.1, 10))
def test_gini_knows_no_scale(costs, factor) -> None:
    assert 0 <= gini(costs) < 1
    assert gini([cost * factor for cost in costs]) == pytest.approx(gini(costs), abs=1e-9)


def test_the_table_of_languages() -> None:
    texts = {name: read_lines(ROOT / "assets" / "parallel" / f"{name}.txt") for name in ("en", "ko", "th")}
    table = parallel_table(Cutter(), texts, "en").set_index("language")
    # A tokenizer of bytes: the premium is the ratio of the bytes.
    assert (table["tokens"] == table["bytes"]).all() and (table["n"] == len(texts["en"])).all()
    assert table.loc["th", "premium"] == table.loc["th", "bytes"] / table.loc["en", "bytes"]
    assert table.loc["en", ["premium", "premium_low", "median_high", "rtc"]].tolist() == [1, 1, 1, 1]
    assert (table["premium_low"] <= table["premium"]).all() and (table["premium"] <= table["premium_high"]).all()
    assert all(
        sums.sum(axis=0).tolist() == pair for sums, *pair in table[["sums", "tokens", "words"]].itertuples(index=False)
    )
    assert table["floor"].isna().all()  # this one does not say
    table = parallel_table(Utf8Bytes(), texts, "en").set_index("language")
    assert (table["floor"] == table["fertility"]).all() and (table["above_floor"] == 0).all()
    with pytest.raises(InputError, match="base language"):
        parallel_table(Cutter(), texts, "fr")
    with pytest.raises(InputError, match="same number of lines"):
        parallel_table(Cutter(), {"en": ["a"], "ko": []}, "en")
