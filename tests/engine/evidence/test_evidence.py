"""Stored measurements: they are of the settings that the program has, and a sample of them is recomputed."""

import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import train
from engine.corpus.reading.read import read_corpus
from engine.evidence import stored as stored_module
from engine.evidence.stored import stored, stored_names
from engine.evidence.treebank import stored_scores
from engine.measure.encoded import encode_lines
from engine.measure.token_ngrams import token_model
from engine.measure.words import find_words
from engine.shipped.catalogue import load_shipped
from research.evidence import ablation, description, downstream, factorial, languages, make, ngrams, rivals
from research.evidence.forced_choice import choices, is_right, sentences
from research.evidence.texts import CORPUS, PARALLEL, STEP_OF, EvidenceTexts, fingerprint, read_texts

_WITHOUT_TORCH = [name for name in make.MEASUREMENTS if name != "downstream"]


@pytest.mark.parametrize("name", _WITHOUT_TORCH)
def test_a_measurement_is_of_the_settings_that_it_would_be_made_with(name: str) -> None:
    found = stored(name)
    assert found.settings == json.loads(json.dumps(import_module(f"research.evidence.{name}").settings()))
    assert found.commit and name in found.command


def test_the_transformers_are_of_the_tokenizers_and_seeds_that_they_name() -> None:
    found = stored("downstream")
    runs = found.figures["runs"]
    # Each is the one that a resumed series would make next, so no two are the same.
    names = [downstream.TransformerRun(*(run[field] for field in downstream.TransformerRun._fields)) for run in runs]
    assert [downstream._next_run(runs[:k]) for k in range(len(runs))] == names
    assert {run.tokenizer for run in names} <= set(downstream.TOKENIZERS)
    assert downstream.summary(runs) == found.figures["summary"]
    for megabytes, row in found.figures["summary"].items():
        tried = {(run.tokenizer, run.rate) for run in names if str(run.megabytes) == megabytes}
        assert set(row) == {name for name, rate in tried if all((name, one) in tried for one in downstream.RATES)}
        for name, one in row.items():
            own = [run for run in runs if (str(run["megabytes"]), run["tokenizer"]) == (megabytes, name)]
            bits = [run["bits_per_byte"] for run in own if run["rate"] == one["rate"]]
            assert one["seeds"] == len(bits)
            assert one["bits_per_byte"] == pytest.approx(np.mean(bits), abs=1e-5)
            assert min(run["development"] for run in own) in {
                run["development"] for run in own if run["rate"] == one["rate"]
            }
        # All of them read the same bytes, whatever their tokens.
        assert len({run["training_bytes"] for run in runs if str(run["megabytes"]) == megabytes}) == 1


def test_seeds_are_paired() -> None:
    def run(tokenizer: str, seed: int, bits: float, rate: float = 0.0015) -> dict[str, Any]:
        tokens = {"training_tokens": 1, "held_back_tokens": 1, "choices": {"a": 0.5, "b": 1.0}}
        about = {"megabytes": 1, "tokenizer": tokenizer, "seed": seed, "rate": rate, "development": bits}
        return {**about, "bits_per_byte": bits, **tokens}

    runs = [run(name, 0, 3.0, rate) for name in ("byte-bpe", "thunder-tok") for rate in (0.00075, 0.003)]
    runs += [run("byte-bpe", seed, 2.0) for seed in range(3)]
    assert downstream.summary(runs)["1"].keys() == {"byte-bpe"}  # one rate of the other has not been tried
    runs += [run("thunder-tok", seed, 2.0 + seed / 50) for seed in range(3)]
    found = downstream.summary(runs)["1"]["thunder-tok"]
    assert (found["rate"], found["seeds"], found["choices"]) == (0.0015, 3, 0.75)
    # 0, 1 and 2 percent: mean 1, standard deviation 1, t = 4.303 for two degrees of freedom.
    assert found["change"] == [
        1.0,
        pytest.approx(1 - 4.303 / 3**0.5, abs=0.01),
        pytest.approx(1 + 4.303 / 3**0.5, abs=0.01),
    ]
    assert downstream.summary(runs[:-2])["1"]["thunder-tok"]["change"] == [0.0, None, None]


def test_a_series_tunes_before_it_repeats() -> None:
    def run(one: downstream.TransformerRun) -> dict[str, Any]:
        return {**one._asdict(), "development": abs(one.rate - downstream.RATES[1])}

    runs: list[dict[str, Any]] = []
    while (following := downstream._next_run(runs)) is not None:
        runs.append(run(following))
    for name in downstream.TOKENIZERS:
        for megabytes in downstream.MEGABYTES:
            own = [one for one in runs if (one["tokenizer"], one["megabytes"]) == (name, megabytes)]
            assert [one["rate"] for one in own[:3]] == list(downstream.RATES)
            assert {one["rate"] for one in own[3:]} == {downstream.RATES[1]}


def test_both_sentences_of_a_choice_have_the_same_bytes() -> None:
    items = choices()
    assert len({(item.right, item.wrong) for item in items}) == len(items) >= 120
    assert not {item.right for item in items} & {item.wrong for item in items}
    assert len(sentences(items)) == 2 * len(items)
    assert all(len(item.right.encode()) == len(item.wrong.encode()) for item in items)
    assert is_right(np.array([1.0, 2.0, 2.0, 1.0])).tolist() == [True, False]


def test_a_model_chooses_the_sentences_that_it_has_read() -> None:
    items = choices()
    tokenizer = train([item.right for item in items], replace(ablation.RECIPE_SETTINGS["byte-bpe"], vocab_size=600))
    model = token_model(encode_lines(tokenizer, [item.right for item in items]), 3)
    assert ngrams._chosen(model, tokenizer).mean() > 0.95


def test_a_context_in_bytes_is_between_two_orders() -> None:
    lines = ["가나다라 마바사", "가나 다라마바사"] * 4
    tokenizer = train(lines, replace(ablation.RECIPE_SETTINGS["byte-bpe"], vocab_size=275))
    encoded = encode_lines(tokenizer, lines)
    model = token_model(encoded, max(ngrams.ORDERS))
    found = ngrams.bits_by_order(model, encoded)
    wanted = 1 + ngrams.CONTEXT * (encoded.n_tokens + len(lines)) / sum(len(line.encode()) + 1 for line in lines)
    low, high = found[str(int(wanted))], found[str(int(wanted) + 1)]
    assert found[ngrams.BYTES] == pytest.approx(low + (wanted - int(wanted)) * (high - low))
    assert found["3"] == pytest.approx(token_model(encoded).bits(encoded.ids, encoded.token_ptr))


@pytest.mark.slow
def test_bits_of_an_ngram_model_are_the_stored_ones(shared_data: Path) -> None:
    texts = read_texts(shared_data)
    found = stored("ngrams")
    assert dict(found.corpus) == ngrams.corpus(texts)
    lines = ngrams.restored_lines(
        [load_shipped("wordpiece-32k")], [line for lines in texts.held_back.values() for line in lines]
    )
    assert len(lines) == found.figures["lines"]
    bits = {}
    for name in (ngrams.FIRST, "thunder-tok-32k"):
        tokenizer = load_shipped(name)
        model = token_model(encode_lines(tokenizer, texts.part(STEP_OF[1])), max(ngrams.ORDERS))
        bits[name] = ngrams.bits_by_order(model, encode_lines(tokenizer, lines))
    for order, one in ngrams._changes(bits, lines, ngrams.FIRST).items():
        assert one == {name: found.figures["parts"]["1"][order][name] for name in bits}


def test_the_first_rivals_are_as_stored(shared_data: Path) -> None:
    """Tokens, floor and F1 of a shipped model: the others are trained for minutes."""
    texts, found = read_texts(shared_data), stored("rivals")
    row = found.figures["tokenizers"]["byte-bpe-32k"]
    tokenizer = load_shipped("byte-bpe-32k")
    assert len(found.figures["tokenizers"]) == len(rivals.TRAINED) + len(found.settings["tokenizers"])
    held_back = [line for lines in texts.held_back.values() for line in lines]
    lines = ngrams.restored_lines([tokenizer], held_back)
    encoded = encode_lines(tokenizer, lines)
    words = find_words(encoded.seen)
    value, low, high = row["tokens"]
    assert row["floor"] < value
    assert (
        low < encoded.per_line.sum() / words.per_line.sum() < high
    )  # these lines and a few that others do not restore
    assert row["f1"][0] == stored_scores()["shipped:byte-bpe-32k"].measures["f1"]
    for measure, is_lowest in rivals.MEASURES.items():
        values = {name: one[measure][0] for name, one in found.figures["tokenizers"].items()}
        best = (min if is_lowest else max)(values, key=values.__getitem__)
        assert measure in found.figures["tokenizers"][best]["best"]


def test_the_first_languages_cost_what_is_stored(shared_data: Path) -> None:
    texts = EvidenceTexts({}, {}, {one: read_corpus(shared_data / PARALLEL / f"{one}.txt") for one in languages.ORDER})
    found = stored("languages")
    assert dict(found.corpus) == languages.corpus(texts)
    first = found.figures["joined"][1]
    lines = {one: texts.parallel[one] for one in languages.ORDER[:2]}
    tokenizer = languages._trained([line for one in lines.values() for i, line in enumerate(one) if i % 5])
    assert first["tokens"] == {one: languages._mean(encode_lines(tokenizer, lines[one][::5]).per_line) for one in lines}


def test_a_short_description_is_the_stored_one(shared_data: Path) -> None:
    paths = sorted((shared_data / CORPUS).glob("*.txt.zst"))
    training = {path.name: [line for i, line in enumerate(read_corpus(path)) if i % 100] for path in paths}
    lines = EvidenceTexts(training, {}, {}).part(description.STEPS[0])
    found = stored("description")
    assert found.corpus[f"step {description.STEPS[0]}"] == fingerprint(lines)
    rows = found.figures[str(description.STEPS[0])]
    chosen = replace(description.RECIPES["byte-bpe"], vocab_size=500)
    assert description._row(lines, chosen, rows["bytes"]) == rows["byte-bpe"][1]


@pytest.mark.slow
def test_a_cell_of_the_ablation_is_the_stored_one(shared_data: Path) -> None:
    texts = read_texts(shared_data)
    found = stored("ablation")
    assert dict(found.corpus) == ablation.corpus(texts)
    size = 2000
    tokens = []
    for name in ablation.FINDINGS["pretokenizer-bpe"]:
        tokenizer = train(texts.part(ablation.STEPS[size]), replace(ablation.RECIPE_SETTINGS[name], vocab_size=size))
        tokens.append(encode_lines(tokenizer, [line for own in texts.held_back.values() for line in own]).per_line)
    assert found.figures["sizes"][str(size)]["findings"]["pretokenizer-bpe"] == {"all": ablation.change(*tokens)}


def test_an_interrupted_series_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "EVIDENCE", tmp_path)
    monkeypatch.setattr(stored_module, "EVIDENCE", tmp_path)
    begun: list[Any] = []

    def figures(texts: EvidenceTexts, earlier: Any) -> Any:
        begun.append(dict(earlier))
        yield {"done": 1}
        if not earlier:
            raise KeyboardInterrupt
        yield {"done": 2}

    series = SimpleNamespace(corpus=lambda texts: {}, settings=lambda: {"a": [1]}, figures=figures)
    monkeypatch.setitem(sys.modules, "research.evidence.series", series)
    nothing = EvidenceTexts({}, {}, {})
    with pytest.raises(KeyboardInterrupt):
        make._make("series", nothing)
    stored.cache_clear()
    make._make("series", nothing)
    stored.cache_clear()
    assert begun == [{}, {"done": 1}] and stored_names() == ("series",)
    assert stored("series").figures == {"done": 2}
    stored.cache_clear()


def test_a_change_is_that_of_the_sums_and_lies_in_its_interval() -> None:
    before, after = np.array([10, 20, 30, 40]), np.array([9, 19, 30, 36])
    value, low, high = ablation.change(before, after)
    assert value == -6.0 and low is not None and high is not None and low < value < high


def test_effects_are_means_over_the_other_factors_and_their_intervals_are_over_parts() -> None:
    score_of = dict(zip(factorial.SCORES, (1.0, 1.02, 1.1, 0.98, 1.05), strict=True))

    def cells(of_seed: float) -> dict[str, Any]:
        return {
            seed: {
                score: {"most-probable": 1000 * own * one, "fewest": 990 * own * one} for score, one in score_of.items()
            }
            for seed, own in (("linguistic", 1.0), ("bpe", of_seed))
        }

    tokens = {"0": cells(0.9), "1": cells(0.9), "2": {**cells(0.5), "bpe": {}}}
    found = factorial.main_effects(tokens)
    assert found["parts"] == 2
    assert found["seed"]["bpe"] == pytest.approx([-10.0] * 3, abs=1e-3)
    assert found["score"]["neighbour_be"] == pytest.approx([10.0] * 3, abs=1e-3)
    assert found["search"]["fewest"] == found["search by score"]["ml"] == pytest.approx([-1.0] * 3, abs=1e-3)
    assert factorial.main_effects({"0": cells(0.9)}) == {}
    # Two parts, t with one degree of freedom: the mean +- 12.706 standard errors of the logarithms.
    value, low, high = factorial.main_effects({"0": cells(0.9), "1": cells(0.95)})["seed"]["bpe"]
    logs = np.log([0.9, 0.95])
    ends = logs.mean() + 12.706 * logs.std(ddof=1) / np.sqrt(2) * np.array([0, -1, 1])
    assert [value, low, high] == pytest.approx(100 * np.expm1(ends), abs=1e-3)


@pytest.mark.slow
def test_a_seed_gives_one_model_and_a_trained_one_knows_more() -> None:
    pytest.importorskip("torch", reason="torch is not installed (requirements/lm.txt)")
    from research.evidence.transformer import Shape, nats, trained

    shape = Shape(length=8, width=16, layers=1, heads=2, batch=2)
    ids = np.tile(np.arange(10), 60)
    first, again = (nats(trained(ids, 10, shape, 75, 0.002, 0), ids[:21], shape.length) for _ in range(2))
    assert first.size == 20 and (first == again).all()
    assert first.mean() < 0.9 * np.log(10)
    # Each place has at least half a window before it, whatever the length.
    assert np.isfinite(nats(trained(ids[:30], 10, shape, 3, 0.002, 1), ids[:19], shape.length)).all()
