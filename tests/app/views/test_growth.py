"""Curves over the vocabulary size, and corpora sampled with an exponent."""

import numpy as np
import pandas as pd
import pytest

from app.parts.tables.growth import growth_table
from app.parts.tokenizers.tokenizer_set import ready_references
from app.texts.mixture import find_text, language_sizes, mixture_id, mixture_languages, mixture_shares, mixture_text
from app.views.growth.languages import joined_figure
from app.views.growth.tables import (
    joined_table,
    mixture_table,
    owned_shares,
    share_bars,
    shared_table,
    token_counts,
    use_table,
)
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.measure.parallel import sampling_shares
from engine.training import start_training
from tests.pages import open_page, settle

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다."] * 4


@pytest.mark.parametrize("algorithm", ["thunder-tok", "byte-bpe", "wordpiece", "words"])
def test_a_curve_ends_in_what_the_model_itself_gives(algorithm: str) -> None:
    training = start_training(LINES, TrainingSettings(algorithm=algorithm, vocab_size=280, pretokenizer="gpt2"))
    list(training.rounds())
    model = training.model()
    table = growth_table(model, LINES)
    final = table[table["vocab_size"] == model.vocab_size].iloc[0]
    assert final["tokens"] == sum(len(model.encode(line).ids) for line in LINES)
    assert final["fertility"] == pytest.approx(final["tokens"] / sum(len(line.split()) for line in LINES))
    assert table["vocab_size"].is_monotonic_increasing
    # BPE only ever joins tokens. (Unigram models may use more with a larger vocabulary: they maximise P.)
    if algorithm == "byte-bpe":
        assert table["tokens"].is_monotonic_decreasing


def test_the_lessons_example_of_sampling() -> None:
    shares = sampling_shares({"a": 300, "b": 50, "c": 1}, 0.3)
    assert [round(share, 3) for share in shares.values()] == [0.567, 0.331, 0.102]


def test_a_mixture_has_its_shares_and_a_link_of_its_own() -> None:
    languages = ("ko", "en", "th")
    source = mixture_text(mixture_id(languages, 30))
    assert find_text(source.id, {}) == source
    sizes = language_sizes(languages)
    shares = mixture_shares(languages, 30)
    thai = sum(len(line) for line in source.lines() if any("\u0e00" <= char <= "\u0e7f" for char in line))
    assert thai / sum(sizes.values()) == pytest.approx(shares["th"], abs=0.03)
    assert set(mixture_languages()) >= {"ko", "en", "ja", "zh", "ar", "hi"}


@pytest.mark.parametrize("source_id", ["mix", "mix.30", "mix.130.ko", "mix.x.ko", "mix.30.ko.xx", "mix.-1.ko"])
def test_an_id_that_was_typed_by_hand(source_id: str) -> None:
    with pytest.raises(InputError):
        mixture_text(source_id)
    assert find_text(source_id, {}) is None


def test_a_token_belongs_to_the_language_that_uses_it_most() -> None:
    # Of 4 and of 10 tokens: the second language has the third token to itself, and nobody uses the fourth.
    counts = np.array([[3.0, 1.0, 0.0, 0.0], [2.0, 6.0, 2.0, 0.0]])
    assert owned_shares(counts) == pytest.approx([1 / 3, 2 / 3])
    table = mixture_table(
        use_table(("a", "b"), counts, 2), {"a": "A", "b": "B"}, {"a": 30, "b": 10, "c": 999}, {"a": 0.6, "b": 0.4}
    )
    assert table["tokens"].tolist() == [2, 5]
    assert table["own"].tolist() == [0.75, 0.25]
    bars = share_bars(table, {"own": "Text", "sampled": "Drawn", "vocabulary": "Tokens"})
    assert bars.to_numpy().tolist()[:3] == [["A", "Text", 0.75], ["B", "Text", 0.25], ["A", "Drawn", 0.6]]
    assert len(bars) == 6


def test_a_language_is_measured_from_when_it_joined() -> None:
    tokens = [pd.Series({"a": 10.0}), pd.Series({"a": 12.0, "b": 8.0}), pd.Series({"a": 15.0, "b": 8.0, "c": 1.0})]
    table = joined_table(tokens, {"a": "A", "b": "B", "c": "C"})
    assert table["languages"].tolist() == [1, 2, 2, 3, 3, 3]
    assert table["change"].tolist() == pytest.approx([0, 20, 0, 50, 0, 0])
    assert joined_figure(table, "T", ("X", "Y")).data[0].name == "A"


def test_shared_tokens_are_those_that_both_use() -> None:
    shared = shared_table(pd.DataFrame({"a": [3, 1, 0, 2], "b": [0, 5, 1, 0]}))
    assert shared.loc["a"].tolist() == pytest.approx([100, 100 / 3])
    assert shared.loc["b"].tolist() == pytest.approx([50, 100])


def test_tokens_are_counted_by_text() -> None:
    training = start_training(LINES, TrainingSettings(algorithm="byte-bpe", vocab_size=280, pretokenizer="gpt2"))
    list(training.rounds())
    model = training.model()
    counts = token_counts(model, [LINES[:2], []])
    ids = [int(one) for line in LINES[:2] for one in model.encode(line).ids]
    assert counts.tolist() == [[ids.count(one) for one in range(model.vocab_size)], [0] * model.vocab_size]


@pytest.mark.usefixtures("shared_registry")
def test_languages_that_are_ready_are_drawn_while_more_are_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = ready_references
    monkeypatch.setattr("app.views.growth.languages.ready_references", lambda *given: ready(*given)[:2])
    app = settle(open_page("growth", lang="en", view="languages", languages="en.de.fr", mixsize="500"))
    table = app.dataframe[0].value
    assert table["languages"].tolist() == [1, 2, 2] and len(app.get("plotly_chart")) == 1


@pytest.mark.usefixtures("shared_registry")
def test_a_view_shows_its_example_without_a_click() -> None:
    app = open_page("growth", lang="en", view="mixture")
    assert "set.train" not in [one.key for one in app.button]


@pytest.mark.slow
@pytest.mark.parametrize("view", ["matrix", "mixture", "languages"])
@pytest.mark.usefixtures("shared_registry")
def test_the_page(view: str) -> None:
    app = settle(open_page("growth", lang="en", view=view, languages="en.de"))
    table = app.dataframe[0].value
    if view == "matrix":
        table = table.pivot_table(index=["algorithm", "trained"], columns="tested", values="tokens")
        # Its own language costs every tokenizer less than a tokenizer of the other language makes it cost.
        for _, part in table.groupby(level="algorithm"):
            part = part.droplevel("algorithm")
            assert part.loc["English", "English"] < part.loc["German", "English"]
            assert part.loc["German", "German"] < part.loc["English", "German"]
    elif view == "languages":
        assert table["languages"].tolist() == [1, 2, 2]
        assert table["change"].iloc[1] > 0  # a language that had the vocabulary to itself shares it now
    else:
        assert table["sampled"].sum() == pytest.approx(1)
        assert table["vocabulary"].sum() == pytest.approx(1)
