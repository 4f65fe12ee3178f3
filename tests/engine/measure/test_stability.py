"""Resamples of the training text: drawn and counted again by hand, the same however they are run."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.server.work.jobs import CANCELLED, DONE, RUNNING, Registry
from app.server.work.training import Request, Resampling
from app.texts.corpora import builtin_corpus
from engine import TrainingSettings, train
from engine.cli import main
from engine.config import defaults_of
from engine.errors import InputError
from engine.measure.stability import drawn_lines, resamples, stability, token_names
from tests.pages import open_page, refresh

LINES = builtin_corpus("ko").sentences()[:120]
SETTINGS = {
    "thunder-tok": TrainingSettings(vocab_size=400),
    "jamo": TrainingSettings(vocab_size=400, normalization="jamo"),
    "wordpiece": TrainingSettings(**vars(defaults_of("wordpiece")) | {"vocab_size": 1000}),
}


def test_a_draw_is_a_bootstrap_sample() -> None:
    """As many lines, with replacement: some 63 % of them different, each as often as any other."""
    n, times = 1000, 60
    draws = [drawn_lines(n, number) for number in range(times)]
    assert all(draw.size == n and (np.diff(draw) >= 0).all() for draw in draws)
    assert np.mean([np.unique(draw).size / n for draw in draws]) == pytest.approx(1 - 1 / np.e, abs=0.005)
    assert len({draw.tobytes() for draw in draws}) == times
    counts = np.bincount(np.concatenate(draws), minlength=n)
    # Each count is binomial with mean and variance 60; their variance is within four standard errors.
    assert counts.var() == pytest.approx(times, rel=4 * np.sqrt(2 / n))
    assert not np.array_equal(drawn_lines(n, 0, seed=1), draws[0])


def test_fertility_is_that_of_resamples_that_leave_out_words() -> None:
    two = list(resamples(["가", "나"], TrainingSettings(vocab_size=256), n_resamples=8))
    measured = [one.fertility for one in two if not np.isnan(one.fertility)]
    assert 0 < len(measured) < 8
    assert stability(two).fertility == 3.0
    without = [one for one in two if np.isnan(one.fertility)]
    with pytest.raises(InputError, match="no words to measure"):
        stability(without)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": [" "]}, "no words to measure"),
        ({"n_resamples": 0}, "resamples must be between 1 and 1,000"),
        ({"seed": -1}, "seed must be between 0"),
        ({"threads": 0}, "threads must be between 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_the_first_training(options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        next(resamples(["가", "나"], TrainingSettings(vocab_size=256), **options))


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_every_resample_by_hand(name: str) -> None:
    """Lines written out as often as they were drawn, trained, and compared token by token and line by line."""
    settings = SETTINGS[name]
    whole = train(LINES, settings)
    found = list(resamples(["", *LINES, ""], settings, n_resamples=2))
    for number, one in enumerate(found):
        times = np.bincount(drawn_lines(len(LINES), number), minlength=len(LINES))
        model = train([line for line, n in zip(LINES, times, strict=True) for _ in range(n)], settings)
        own = {(model.token_label(k), model.token_bytes(k)) for k in range(model.vocab_size)}
        for k in range(whole.vocab_size):
            assert one.kept[k] == ((whole.token_label(k), whole.token_bytes(k)) in own)
        held_back = [line for line, n in zip(LINES, times, strict=True) if n == 0]
        n_tokens = sum(len(model.encode(line).ids) for line in held_back)
        assert one.fertility == n_tokens / sum(len(line.split()) for line in held_back)
        assert one.vocab_size == model.vocab_size
    made = stability(found)
    assert made.kept.tolist() == [int(a) + int(b) for a, b in zip(found[0].kept, found[1].kept, strict=True)]
    assert made.low <= made.fertility <= made.high


def test_a_resample_is_the_same_with_any_others_and_any_threads() -> None:
    settings = SETTINGS["thunder-tok"]
    many = list(resamples(LINES, settings, n_resamples=3, threads=2))
    two = list(resamples(LINES, settings, n_resamples=2))
    for one, other in zip(two, many, strict=False):
        assert one.kept.tolist() == other.kept.tolist()
        assert one.fertility == other.fertility


def test_fertility_on_another_text() -> None:
    text = ["하늘이 맑다", "강이 흐른다"]
    one = next(resamples(LINES, SETTINGS["thunder-tok"], 1, text=text))
    model = train([LINES[k] for k in drawn_lines(len(LINES), 0)], SETTINGS["thunder-tok"])
    assert one.fertility == sum(len(model.encode(line).ids) for line in text) / 4


def test_words_of_a_script_without_spaces_are_characters() -> None:
    text = ["私は学校に行きました。", "本"]
    one = next(resamples(LINES, TrainingSettings(algorithm="bytes"), 1, text=text))
    assert (one.fertility, one.definition) == (3, "characters")


def test_too_little_text_in_a_resample() -> None:
    """Where a resample has fewer candidates than the size asked for, its model is as large as it can be."""
    lines = ["가나 다라", "마바 마바", "가나 다라 사아", "자차 마바 카타 카타"]
    high = _largest(lines)
    found = list(resamples(lines, TrainingSettings(vocab_size=high), n_resamples=8))
    assert min(one.vocab_size for one in found) < high
    with pytest.raises(InputError, match="two lines"):
        next(resamples(["하나", ""], TrainingSettings(vocab_size=256)))


def _largest(lines: list[str]) -> int:
    from engine import start_training

    return start_training(lines, TrainingSettings(vocab_size=256)).feasible[1]


def test_tokens_of_one_name_are_told_apart() -> None:
    names = token_names(train(LINES, SETTINGS["wordpiece"]))
    assert len(set(names)) == len(names)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(LINES), encoding="utf-8")
    arguments = ["stability", str(corpus), "--vocab-size", "400", "--resamples", "2"]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    made = stability(list(resamples(LINES, SETTINGS["thunder-tok"], 2)))
    assert result["fertility"] == made.fertility
    assert {row["id"]: row["kept"] for row in result["tokens"]} == dict(enumerate(made.kept.tolist()))
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("# of 2 resamples; fertility ")
    assert main([*arguments, "--resamples", "0"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    for unused in (["--stream"], ["--dask", "local:2"], ["--spool", "a"]):
        with pytest.raises(SystemExit, match="2"):  # it trains in memory
            main([*arguments, *unused])


@pytest.mark.slow
def test_a_worker_does_it_once_and_keeps_the_result(registry: Registry, wait_until) -> None:
    source = builtin_corpus("ko", ("news",))
    asked = Resampling(source, SETTINGS["thunder-tok"])
    job_id = registry.submit(asked)
    wait_until(lambda: registry.view(job_id).state == DONE)
    path = registry.models.find(asked.key)
    made = stability(list(resamples(source.lines(), asked.settings)))
    assert json.loads(path.read_text()) == json.loads(json.dumps(made._replace(kept=made.kept.tolist())._asdict()))
    assert registry.view(job_id).result == {"n_done": 20, "n_resamples": 20}
    assert registry.view(registry.submit(asked)).state == DONE  # at once
    assert asked.key != Request(source, asked.settings).key


@pytest.mark.slow
def test_it_can_be_cancelled(registry: Registry, wait_until) -> None:
    asked = Resampling(builtin_corpus("all"), TrainingSettings(vocab_size=2000))
    job_id = registry.submit(asked)
    wait_until(lambda: registry.view(job_id).result.get("n_done"))
    assert registry.view(job_id).state == RUNNING
    registry.cancel(job_id)
    assert registry.view(job_id).state == CANCELLED
    wait_until(lambda: registry.is_idle)
    assert registry.models.find(asked.key) is None


@pytest.mark.slow
@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize(("lang", "size"), [("ko", 500), ("en", 510)])
def test_the_page_in_use(lang: str, size: int) -> None:
    """A click has it made; the vocabulary then has its column and its filter, and a reload finds the result."""
    model = f"ko.news~vocab_size-{size}"
    app = open_page("token", model=model, view="stability", lang=lang)
    app = refresh(app.button(key="model.train").click().run())
    app.button(key="token.stability.begin").click().run()
    app = refresh(app)
    assert not app.exception and len(app.get("plotly_chart")) == 3
    again = open_page("token", model=model, view="vocabulary", kept="0-10", lang=lang)
    table = again.dataframe[0].value
    assert 0 < len(table) < size and table["stability"].max() <= 0.5
    assert len(open_page("token", model=model, view="stability", lang=lang).get("plotly_chart")) == 3


@pytest.mark.slow
@pytest.mark.usefixtures("shared_registry")
def test_a_shipped_model_says_why_not() -> None:
    app = open_page("token", model="shipped:thunder-tok-8k", view="stability", lang="en")
    assert any("training corpus of this model is not stored here" in one.value for one in app.info)
