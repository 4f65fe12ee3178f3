"""The Fertility page and what it is made from; fertility is counted a second time, by other means."""

import json
import shlex
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.parts.tables.fertility import all_measures, text_cost
from app.texts.corpora import LANGUAGES, builtin_text, builtin_texts, parallel_texts
from engine.cli import main
from engine.config import TrainingSettings
from engine.corpus.reading.parallel import open_parallel
from engine.evidence.templates import TEMPLATES, wrap
from engine.training import start_training
from tests.conftest import ROOT
from tests.pages import open_page, settle, shared_commands

pytestmark = pytest.mark.usefixtures("shared_registry")

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다."]


def test_fertility_is_tokens_over_words_of_the_whole_text() -> None:
    training = start_training(LINES * 4, TrainingSettings(vocab_size=290))
    list(training.rounds())
    model = training.model()
    found = text_cost(model, LINES, "eojeol")
    tokens = sum(len(model.encode(line).ids) for line in LINES)
    words = len(" ".join(LINES).split(" "))
    assert (found.tokens, found.words) == (tokens, words)
    assert found.fertility == pytest.approx(tokens / words)
    assert found.low <= found.fertility <= found.high
    table = all_measures(model, LINES, "eojeol").set_index("measure")
    assert table.loc["fertility", "value"] == pytest.approx(tokens / words)
    assert table.loc["round_trip", "value"] == 1


def test_the_templates_take_pairs_of_lines() -> None:
    assert wrap(["가", "나", "다"], "arc") == ["질문: 가 답변: 나", "다"]
    assert wrap(["{b}", "나"], "copa") == ["{b} 그래서 나"]
    assert wrap(LINES, "none") == LINES
    assert wrap(["가\0나", "다\0 {a}"], "copa") == ["가\0나 그래서 다\0 {a}"]
    assert set(TEMPLATES) == {"none", "hellaswag", "copa", "arc", "lambada"}


def test_every_built_in_text_is_there_and_the_parallel_ones_are_aligned() -> None:
    assert all(builtin_text(id_).sentences() for id_ in builtin_texts())
    assert {len(lines) for lines in parallel_texts().values()} == {72}
    assert len(LANGUAGES) == 13


def _open(**params: str) -> AppTest:
    return settle(open_page("cost", lang="ko", more="fairness", **params))


def test_texts_and_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    app = _open(**{"with": "characters.bytes", "texts": "parallel.ko,web.code"})
    commands = shared_commands(app)
    assert len(commands) >= 4  # three trainings
    table = next(frame.value for frame in app.dataframe if "fertility" in frame.value)
    lines = builtin_text("parallel.ko").sentences()
    counted = table[(table["text"].str.contains("한국어")) & (table["tokenizer"].str.contains("바이트"))].iloc[0]
    assert counted["tokens"] == sum(len(line.encode()) for line in lines)
    assert counted["words"] == sum(len(line.split()) for line in lines)
    # The commands that the page shows give what it shows.
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    rows = []
    for command in commands:
        capsys.readouterr()
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        rows += printed if isinstance(printed, list) else []
    names = ["tokens", "words", "fertility", "floor", "above_floor", "from_best"]
    names += ["from_best_low", "from_best_high"]
    measured = sorted(tuple(row[name] if row[name] is not None else -1.0 for name in names) for row in rows)
    assert measured == sorted(table[names].fillna(-1.0).itertuples(index=False, name=None))
    counts = counted["tokens"] / counted["words"]
    assert (counted["floor"], counted["above_floor"]) == (counts, 0.0) and table["floor"].isna().any()
    app = _open(measured="languages", **{"with": "bytes"})
    table = next(frame.value for frame in app.dataframe if "premium" in frame.value)
    texts = parallel_texts()
    ratio = sum(len(line.encode()) for line in texts["th"]) / sum(len(line.encode()) for line in texts["en"])
    row = table[(table["language"] == "th") & table["tokenizer"].str.contains("바이트")].iloc[0]
    assert row["premium"] == pytest.approx(ratio)


def test_while_tokenizers_are_trained_nothing_asks_to_choose_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.parts.tokenizers.tokenizer_set.ready_tokenizer", lambda *_: None)
    monkeypatch.setattr("app.parts.tokenizers.tokenizer_set._train", lambda request: request.key)
    monkeypatch.setattr(
        "app.parts.tokenizers.tokenizer_set.follow_jobs", lambda jobs, _: st.caption(f"waiting for {len(jobs)}")
    )
    app = _open(measured="languages")
    assert "waiting for 4" in [caption.value for caption in app.caption]
    assert not app.info


def test_a_long_measurement_says_what_it_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    spinner = st.spinner
    monkeypatch.setattr("streamlit.spinner", lambda text, **options: (said.append(text), spinner(text, **options))[1])
    _open(**{"with": "bytes"})
    assert any("바이트" in text and "(2/2)" in text for text in said)


def test_parallel_texts_of_ones_own_are_measured_as_the_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    # A worker takes seconds.
    monkeypatch.setattr(
        "app.views.cost.parallel.read_parallel_file", lambda data, name, visitor: open_parallel(data, name)
    )
    app = _open(measured="languages", sentences="own", **{"with": "bytes"})
    files = {"ko.txt": "안녕하세요.\n\n고마워요.\n", "xx.txt": "hello there\n\nthanks\n"}
    uploader = app.file_uploader(key="fertility.parallel")
    uploader.set_value([(name, text.encode(), "text/plain") for name, text in files.items()]).run()
    assert not app.exception and not app.error
    table = next(frame.value for frame in app.dataframe if "premium" in frame.value)
    by = table[table["tokenizer"].str.contains("바이트")].set_index("language")
    assert (by.loc["ko", "tokens"], by.loc["xx", "tokens"], by.loc["xx", "words"]) == (16 + 13, 11 + 6, 3)
    assert by.loc["ko", "fertility"] == pytest.approx(29 / 2)
    assert by.loc["xx", "premium"] == pytest.approx(17 / 29)  # the base: there is no English, so the first
    assert any({"gini", "max_min"} <= set(frame.value) for frame in app.dataframe)
    assert any({"한국어", "xx"} <= set(frame.value) for frame in app.dataframe)  # fertility by language
    # A file that does not match is named, with its line; removed, what was read before is measured again.
    more = [*files.items(), ("yy.txt", "one\n\n")]
    app.file_uploader(key="fertility.parallel").set_value([(n, x.encode(), "text/plain") for n, x in more]).run()
    assert "‘yy’" in app.error[0].value.replace("\\", "") and "2번째 줄" in app.error[0].value.replace("\\", "")
    assert not any("premium" in frame.value for frame in app.dataframe)
    given = [(name, text.encode(), "text/plain") for name, text in files.items()]
    app.file_uploader(key="fertility.parallel").set_value(given).run()
    assert not app.error and any("premium" in frame.value for frame in app.dataframe)


@pytest.mark.slow
def test_a_link_to_sentences_of_ones_own_says_which_and_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "app.views.cost.parallel.read_parallel_file", lambda data, name, visitor: open_parallel(data, name)
    )
    files = [
        ("ko.txt", "안녕하세요.\n\n고마워요.\n".encode(), "text/plain"),
        ("xx.txt", b"hello\n\nthanks\n", "text/plain"),
    ]
    others = [("ko.txt", b"a\n", "text/plain"), ("xx.txt", b"b\n", "text/plain")]
    app = _open(measured="languages", sentences="own", public="none", shipped="none")
    app.file_uploader(key="fertility.parallel").set_value(files).run()
    link = dict(app.query_params)
    opened = open_page("cost", **link)
    assert "ko, xx · 2줄, SHA-256" in opened.warning[0].value.replace("\\", "") and dict(opened.query_params) == link
    opened.file_uploader(key="fertility.parallel").set_value(others).run()
    assert "다릅니다" in opened.warning[0].value and dict(opened.query_params) == link
    opened.file_uploader(key="fertility.parallel").set_value(files).run()
    assert not opened.warning and dict(opened.query_params) == link
    opened.file_uploader(key="fertility.parallel").set_value(others).run()
    assert not opened.warning and dict(opened.query_params) != link  # the visitor's own choice from here on


def test_a_file_of_ones_own_is_measured_at_once() -> None:
    app = _open(**{"with": "bytes"})
    app.file_uploader(key="corpus.file").set_value([("글.txt", "나무에 꽃이 피었다.".encode(), "text/plain")]).run()
    assert not app.exception
    assert any("글.txt" in frame.value.columns for frame in app.dataframe)


@pytest.mark.slow
def test_korean_costs_three_times_as_much_under_gpt4() -> None:
    """The interactive lesson's claim: 4 tokens against 13; and GPT-4o's, 4 against 8."""
    pytest.importorskip("splintr", reason="the public tokenizers are in splintr-rs")
    app = open_page("cost", lang="en", view="sentence")
    assert not app.exception
    (pair,) = (frame.value for frame in app.dataframe if "times" in frame.value)
    assert pair[["first", "second"]].to_numpy().tolist() == [[4, 33], [4, 13], [4, 8]]
    assert pair["times"].tolist() == [8.25, 3.25, 2.0]
