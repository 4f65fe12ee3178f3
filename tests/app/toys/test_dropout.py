"""BPE-dropout: its ends are BPE and characters, and its distribution is that of all choices, one by one."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.toys.merges import first_symbols, merge_steps, replay
from app.views.learn_bpe.dropout import WAYS, dropout_bars, dropout_distribution, dropout_table, sample_dropout
from engine.errors import InputError
from engine.merge_settings import MergeSettings

_PLAIN = MergeSettings()
_CORPUS = {"low": 5, "lowest": 2, "newer": 6, "wider": 3, "aaaa": 4}
_MERGES = [step.chosen for step in merge_steps(_CORPUS, _PLAIN, 9) if step.chosen]


def _by_all_choices(symbols, merges, p):
    """Every pattern of dropped and kept places, with its probability."""
    ranks = {pair: k for k, pair in enumerate(merges)}
    places = [at for at in range(len(symbols) - 1) if symbols[at : at + 2] in ranks]
    found = Counter()
    for dropped in product((True, False), repeat=len(places)):
        chance = p ** sum(dropped) * (1 - p) ** (len(dropped) - sum(dropped))
        kept = [at for at, out in zip(places, dropped, strict=True) if not out]
        if not kept:
            found[symbols] += chance
            continue
        at = min(kept, key=lambda at: (ranks[symbols[at : at + 2]], at))
        merged = (*symbols[:at], symbols[at] + symbols[at + 1], *symbols[at + 2 :])
        for end, probability in _by_all_choices(merged, merges, p).items():
            found[end] += chance * probability
    return found


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet="aelowrs", min_size=1, max_size=6), st.floats(0, 1))
def test_the_distribution_is_that_of_all_choices(word, p):
    symbols = first_symbols(word, _PLAIN)
    found = dropout_distribution(symbols, _MERGES, _PLAIN, p)
    expected = {end: chance for end, chance in _by_all_choices(symbols, _MERGES, p).items() if chance > 0}
    assert sum(found.values()) == pytest.approx(1)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("word", ["lowest", "newer", "aaaaa", "slower"])
def test_without_dropout_it_is_bpe_and_with_all_of_it_characters(word):
    symbols, steps = replay(word, _MERGES, _PLAIN)
    merged = steps[-1].symbols if steps else symbols
    assert dropout_distribution(symbols, _MERGES, _PLAIN, 0.0) == {merged: 1.0}
    assert dropout_distribution(symbols, _MERGES, _PLAIN, 1.0) == {tuple(word): 1.0}
    assert set(sample_dropout(symbols, _MERGES, _PLAIN, 0.0, 5)) == {merged}
    assert set(sample_dropout(symbols, _MERGES, _PLAIN, 1.0, 5)) == {tuple(word)}


def test_samples_come_as_often_as_they_should():
    symbols = first_symbols("lowest", _PLAIN)
    exact = dropout_distribution(symbols, _MERGES, _PLAIN, 0.3)
    drawn = Counter(sample_dropout(symbols, _MERGES, _PLAIN, 0.3, 4000, seed=1))
    assert set(drawn) <= set(exact)
    for end, chance in exact.items():
        assert drawn[end] / 4000 == pytest.approx(chance, abs=5 * (chance * (1 - chance) / 4000) ** 0.5 + 1e-9)


def test_a_word_with_too_many_segmentations_is_refused():
    with pytest.raises(InputError, match="shorter"):
        dropout_distribution(("a",) * 60, [("a", "a"), ("aa", "a"), ("aa", "aa"), ("aaa", "a")], _PLAIN, 0.5)


def test_beside_it_stands_what_a_unigram_model_of_the_same_tokens_draws():
    marked = MergeSettings(algorithm="bpe", end_of_word="</w>")
    table = dropout_table("low", {"low": 3, "lo": 1}, [("l", "o"), ("lo", "w</w>")], marked, 0.5, 100)
    # Occurrences in the corpus: l 4, o 3, o</w> 1, w</w> 3, lo 3, low</w> 3, of 17.
    weights = {"low</w>": 3 / 17, "lo w</w>": (3 / 17) ** 2, "l o w</w>": 4 * 3 * 3 / 17**3}
    assert table.set_index("segmentation")["unigram"].to_dict() == pytest.approx(
        {end: weight / sum(weights.values()) for end, weight in weights.items()}
    )
    assert table["exact"].tolist() == [0.5, 0.25, 0.25]
    assert table["drawn"].sum() == pytest.approx(1)
    assert len(dropout_bars(table, {way: way for way in WAYS}, 2)) == 6
    assert dropout_table("lx", {"low": 3}, [], marked, 0.5, 5)["unigram"].isna().all()
