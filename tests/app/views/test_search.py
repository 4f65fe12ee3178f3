"""The page Registers: sub-corpora of built-in and uploaded files, what is key, the lines, and what is refused."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.session import state
from app.texts.corpora import builtin_corpus
from app.views.search.tables import MAX_LINES, MORPHEMES, TOKENS, WORDS, Unit, key_table, unit_concordance
from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import MECAB, line_morphemes
from engine.measure.corpus_units import CorpusUnits, corpus_units, morpheme_units, token_units, word_units
from engine.measure.keyness import keyness
from engine.shipped.catalogue import load_shipped
from tests.pages import open_page, shared_commands, when_made

_8K = "shipped:thunder-tok-8k"
_FILES = {
    "novel_1998.txt": "그는 길을 걸었다.\n그녀는 울었다.\n" * 20,
    "news_1998.txt": "정부는 대책을 발표했다.\n" * 30,
    "chat_2004.txt": "밥 먹었어?\n응, 먹었어.\n" * 20,
    "news_2004.txt": "정부는 예산을 발표했다.\n" * 9,
}


def _settled(app: AppTest) -> AppTest:
    for _ in range(3):  # the counts, then the classes
        app = when_made(app)
    return app


def _units(unit: Unit) -> tuple[list[str], CorpusFiles, CorpusUnits]:
    lines = {name: text.splitlines() for name, text in _FILES.items()}
    files = CorpusFiles.of({name: len(own) for name, own in lines.items()})
    count = {
        TOKENS: lambda own: token_units(load_shipped("thunder-tok-8k"), own),
        WORDS: word_units,
        MORPHEMES: morpheme_units,
    }[unit.name]
    size = unit.tokenizer.vocab_size if unit.tokenizer else 0
    return (
        [line for own in lines.values() for line in own],
        files,
        corpus_units(files, list(map(count, lines.values())), size),
    )


@pytest.mark.parametrize("name", [TOKENS, WORDS, MORPHEMES])
def test_the_lines_of_a_type_are_those_that_have_it(name: str) -> None:
    unit = Unit(name, load_shipped("thunder-tok-8k") if name == TOKENS else None, analyser=MECAB)
    lines, files, units = _units(unit)
    table = key_table(units, {"a": (0,), "b": (1, 2)}, unit.tokenizer, 5)
    assert set(table["group"]) == {"a", "b"} and (table["direction"] == "+").all()
    for row in table.groupby("group").head(4).itertuples():
        chosen = (0,) if row.group == "a" else (1, 2)
        found = unit_concordance(units, lines, chosen, row.type, unit)
        assert found.n_examined == found.n_lines <= MAX_LINES and len(found.table) == row.count
        for place in found.table.itertuples():
            line = lines[place.line - 1]
            text = line.encode()[place.begin : place.end].decode(errors="replace")
            if unit.tokenizer is not None:
                assert text.encode() == unit.tokenizer.decode([row.type]).encode() or "\ufffd" in text
            elif name == WORDS:
                assert text == row.label and text in line.split()
            else:
                assert any(
                    line[m.begin : m.end] == text and f"{m.form}/{m.tag}" == row.label
                    for m in line_morphemes(line, MECAB)
                )
        assert {files.place(line - 1)[0] for line in found.table["line"]} <= set(chosen)


def test_each_of_three_is_compared_with_the_others_together() -> None:
    unit = Unit(WORDS)
    _, _, units = _units(unit)
    table = key_table(units, {"a": (0,), "b": (1,), "c": (2,)}, None, 5)
    for name, chosen, others in (("a", 0, (1, 2)), ("b", 1, (0, 2)), ("c", 2, (0, 1))):
        found = keyness(units.counts((chosen,)), units.counts(others))
        own = table[table["group"] == name]
        assert own["g2"].tolist() == [found.g2[i] for i in own["type"]]
        assert set(own["type"]) == set(np.flatnonzero((found.direction == 1) & ~np.isnan(found.g2)))


def test_registers_of_the_built_in_corpus() -> None:
    app = _settled(open_page("search", lang="en", model=_8K, parts="~chat\nreviews"))
    assert not app.error and not app.warning
    table = app.dataframe[0].value
    assert list(dict.fromkeys(table["group"])) == ["chat", "reviews"]
    assert (
        table["kind"]
        .isin(["one morpheme", "stem + ending", "several morphemes", "cuts a morpheme", "across words", ""])
        .all()
    )
    (command,) = shared_commands(app)
    chat, reviews = (f"assets/corpora/ko/{name}.txt" for name in ("chat", "reviews"))
    assert command == f"thunder-tok keyness {chat} --against {reviews} --model {_8K}"
    counts = token_units(load_shipped("thunder-tok-8k"), builtin_corpus("ko", ("chat",)).lines())
    first = table.iloc[0]
    assert first["count"] == int((counts.ids == first["type"]).sum())


@pytest.mark.slow
def test_one_register_alone_is_compared_with_the_rest() -> None:
    app = _settled(open_page("search", lang="en", model=_8K, parts="~chat", unit="words"))
    assert list(dict.fromkeys(app.dataframe[0].value["group"])) == ["chat", "the rest"]


def test_an_uploaded_corpus_is_compared_by_what_its_names_say() -> None:
    app = open_page("search", lang="en", model=_8K)
    files = [(name, text.encode(), "") for name, text in _FILES.items()]
    app.file_uploader(key="corpus.file").set_value(files).run()
    app = _settled(app)
    (source,) = app.session_state[state.CORPORA].values()
    assert app.query_params["files"] == source.id and "own" in app.query_params
    table = app.dataframe[-1].value
    assert set(table["group"]) == {"chat", "news"}
    app.segmented_control(key="choice.by").set_value("year").run()
    app = _settled(app)
    command = "thunder-tok keyness chat_2004.txt news_2004.txt --against news_1998.txt novel_1998.txt"
    assert shared_commands(app)[-1] == f"{command} --model {_8K}"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"files": "all", "by": "collection", "parts": "~ko", "where": "~register=de"}, "No file has register=de"),
        ({"parts": ""}, "Choose the sub-corpora"),
        ({"files": "zz"}, ""),
    ],
)
def test_what_cannot_be_compared_is_said(parameters: dict[str, str], said: str) -> None:
    app = _settled(open_page("search", lang="en", model=_8K, **parameters))
    assert said in "\n".join(one.value.replace("\\", "") for one in (*app.warning, *app.info))


def test_a_text_against_itself_is_said() -> None:
    app = open_page("search", lang="en", model=_8K)
    same = [(name, "같은 글\n".encode(), "") for name in ("a.txt", "b.txt", "c.txt")]
    app.file_uploader(key="corpus.file").set_value(same).run()
    app = _settled(app)
    assert "same text" in app.warning[0].value
