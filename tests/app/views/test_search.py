"""The page Search: plain words, forms and cuts, parts and n-grams; what is key in sub-corpora; what is refused."""

import time
from collections import Counter

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.session import state
from app.texts.corpora import builtin_corpus
from app.views.search.hits import cuts_of, forms_of, hit_table, part_table, place_table, sort_hits
from app.views.search.tables import MORPHEMES, key_table
from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import MECAB
from engine.measure.corpus_units import CorpusUnits, corpus_units, token_units, word_units
from engine.measure.encoded import encode_lines
from engine.measure.keyness import keyness
from engine.measure.layers import Spans
from engine.query.build import plain_layer
from engine.query.parse import parse_query
from engine.query.plain import find_plain, plain_query, without_lemmas
from engine.query.text import SearchedText
from engine.shipped.catalogue import load_shipped
from tests.pages import choose_example, open_page, shared_commands, when_made

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


def _units() -> tuple[list[str], CorpusFiles, CorpusUnits]:
    lines = {name: text.splitlines() for name, text in _FILES.items()}
    files = CorpusFiles.of({name: len(own) for name, own in lines.items()})
    return (
        [line for own in lines.values() for line in own],
        files,
        corpus_units(files, list(map(word_units, lines.values()))),
    )


_LINES = ["학교에서 (학교를) 대학교로", "우리 학교, 새 학교", "할 수 있다, 할수있다."]


def _texts(lines: list[str], spans: Spans) -> list[str]:
    rows = zip(*(values.tolist() for values in spans), strict=True)
    return [lines[line].encode()[begin:end].decode() for line, begin, end in rows]


def test_a_plain_word_begins_an_eojeol_is_one_or_is_anywhere() -> None:
    assert find_plain(_LINES, "학교").line.tolist() == [0, 0, 1, 1]
    assert find_plain(_LINES, "학교", "exact").line.tolist() == [1, 1]
    assert find_plain(_LINES, "학교", "anywhere").line.tolist() == [0, 0, 0, 1, 1]
    assert _texts(_LINES, find_plain(_LINES, "할수있", ignores_spaces=True)) == ["할 수 있", "할수있"]
    assert _texts(_LINES, find_plain(_LINES, "할 수 있")) == ["할 수 있"]
    assert _texts(_LINES, find_plain(_LINES, "새|우리")) == ["우리", "새"]
    assert not find_plain(_LINES, " | ").line.size and not find_plain([], "학교").line.size


def test_a_verb_is_found_by_its_stem() -> None:
    lines = ["공부를 했다.", "공부했어요.", "공부하는 바다"]
    text = SearchedText(lines, [plain_layer(lines, MORPHEMES, MECAB)])
    for word, found in (("하다", [0, 1, 2]), ("공부하다", [1, 2]), ("바다", [2])):
        assert text.find(parse_query(plain_query(word, MORPHEMES, "exact", MECAB))).line.tolist() == found, word
    asked = without_lemmas('[tag="NNG"] [lemma="하다"]', MECAB)
    assert text.find(parse_query(asked)).line.tolist() == [1, 2]


def test_forms_and_cuts_are_those_of_the_line() -> None:
    spans = find_plain(_LINES, "학교")
    forms = forms_of(_LINES, spans)
    assert forms.texts == ["학교에서", "학교를", "학교", "학교"]
    model = load_shipped("thunder-tok-8k")
    cuts = cuts_of(model, _LINES, spans, forms.begin, forms.end)
    assert [text.replace("|", "") for text in cuts.texts] == forms.texts
    table = hit_table(_LINES, spans)
    for row, marks in zip(table.itertuples(), cuts.marks, strict=True):
        line = _LINES[row.line - 1]
        encoded = encode_lines(model, [line])
        ends = {len(line.encode()[:end].decode()) for end in encoded.end.tolist()}
        begin = len(row.left)
        starts = (0, begin, begin + len(row.token))
        own = {start + place for start, places in zip(starts, marks, strict=True) for place in places}
        assert own - {0} == ends - {len(line)}


def test_a_hit_may_be_a_byte_of_a_character() -> None:
    """A token of a fallback: the rest of its character stands beside it in hex, and is no boundary."""
    lines = [f"{'가' * 50}쀍{'나' * 50}"]
    at = len("가".encode()) * 50
    spans = Spans(np.zeros(3, np.int64), at + np.arange(3), at + np.arange(1, 4))
    table = hit_table(lines, spans)
    assert table["left"].tolist() == ["가" * 40 + rest for rest in ("", "<0xEC>", "<0xEC><0x80>")]
    assert table["token"].tolist() == ["<0xEC>", "<0x80>", "<0x8D>"]
    assert table["right"].tolist() == [rest + "나" * 40 for rest in ("<0x80><0x8D>", "<0x8D>", "")]
    forms = forms_of(lines, spans)
    marks = cuts_of(load_shipped("thunder-tok-8k"), lines, spans, forms.begin, forms.end).marks
    assert [places[-1] for places, _, _ in marks] == [40, 40, 40]
    assert [places[0] for _, _, places in marks] == [len("<0x80><0x8D>"), len("<0x8D>"), 0]


def test_hits_in_a_line_of_megabytes_take_no_longer_than_in_short_ones() -> None:
    sentence = "나는 학교에 가고, 😀 친구는 학교를 나왔다. "
    lines = [(sentence + "바람이 불었다. " * 60) * 700]
    began = time.process_time()
    spans = find_plain(lines, "학교")
    forms = forms_of(lines, spans)
    cuts = cuts_of(load_shipped("thunder-tok-8k"), lines, spans, forms.begin, forms.end)
    table = hit_table(lines, spans)
    assert time.process_time() - began < 6  # a minute, if every hit looked at the whole line
    assert len(table) == len(cuts.texts) == 1400 and table["sentence"].str.len().max() < 6500
    text = lines[0]
    for row in table.iloc[[0, 1, 700, -1]].itertuples():
        at = len(text.encode()[: row.begin].decode())
        assert (row.left, row.right) == (text[max(0, at - 40) : at], text[at + 2 : at + 42])
        assert row.sentence in text and f"{row.left}{row.token}{row.right}" in row.sentence
    assert {cut.replace("|", "") for cut in cuts.texts} == {"학교에", "학교를"}
    assert hit_table([sentence], find_plain([sentence], "학교"))["sentence"].tolist() == [sentence] * 2


def test_rows_are_sorted_by_eojeols_without_punctuation() -> None:
    lines = ["나 학교, 가", "가, 학교에서 나", "다 학교를 다", "나 학교 나"]
    table = hit_table(lines, find_plain(lines, "학교"))
    for by, order in (
        (["right"], [1, 4, 3, 2]),
        (["left", "right2"], [2, 1, 4, 3]),
        (["corpus"], [1, 2, 3, 4]),
        (["token", "left_end"], [2, 1, 4, 3]),
    ):
        assert sort_hits(table, by)["line"].tolist() == order, by


def test_parts_of_the_corpus_have_all_hits() -> None:
    files = CorpusFiles.of({"a": 1, "b": 2})
    spans, words = find_plain(_LINES, "학교"), np.array([len(line.split()) for line in _LINES])
    parts = part_table(spans, files, ("x", "y"), words)
    assert parts[["part", "count", "words"]].values.tolist() == [["x", 2, 3], ["y", 2, 8]]
    assert part_table(spans, files, ("x", "x"), words)["count"].sum() == 4
    assert place_table(spans, files, ("x", "x"), "t")["at"].tolist() == [0, 0, 1 / 3, 1 / 3]


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_ngrams_are_counted_within_lines(length: int) -> None:
    lines, files, units = _units()
    counted = Counter(
        tuple(words[k : k + length]) for words in map(str.split, lines) for k in range(len(words) - length + 1)
    )
    found = units.ngrams(tuple(range(len(files))), length)
    names = units.units.types or ()
    assert {tuple(names[i] for i in row): n for row, n in zip(found.types, found.counts, strict=True)} == counted
    assert sorted(found.counts, reverse=True) == found.counts.tolist()
    assert (found.ranges <= np.minimum(found.counts, found.n_parts)).all() and (found.ranges > 0).all()


def test_every_part_has_its_frequencies() -> None:
    app = open_page("search", lang="en", model=_8K, view="frequency", unit="words", n="2")
    files = [(name, text.encode(), "") for name, text in _FILES.items()]
    app = _settled(app.file_uploader(key="corpus.file").set_value(files).run())
    table = app.dataframe[-1].value.set_index("item")
    assert not app.exception
    assert table.loc["정부는␣대책을", "per_million_news"] == pytest.approx(1e6 * 30 / 78)
    assert table.loc["정부는␣대책을", "per_million_chat"] == 0


def test_the_page_lists_counts_and_filters() -> None:
    app = open_page("search", lang="en", model=_8K)
    assert "**학교**: 43 hits" in app.markdown[1].value
    app.button_group(key="search.form").set_value("학교를").run()
    assert app.query_params["form"] == "~학교를" and not app.exception
    choose_example(app, "search", "할수있")
    assert app.query_params["q"] == "~할수있" and app.session_state["loose"] is True
    app = open_page("search", lang="en", model=_8K, q='~[word="학교]')
    assert app.warning and app.code[0].value.endswith("^")


def test_a_picked_row_stands_between_its_neighbours_of_the_same_file() -> None:
    app = open_page("search", lang="en", model=_8K, q="~발표했다", sort="corpus", place="1")
    files = [(name, text.encode(), "") for name, text in _FILES.items()]
    app.file_uploader(key="corpus.file").set_value(files).run()
    neighbours = [caption.value for caption in app.caption if "발표했다" in caption.value or "먹었어" in caption.value]
    assert [text.value for text in app.text] == ["정부는 대책을 발표했다."]
    assert neighbours == ["  \n".join(["정부는 대책을 발표했다\\."] * 3)]  # the chat before it is another file


def test_collocates_have_no_punctuation_and_say_which_are_weak() -> None:
    app = _settled(open_page("search", lang="en", model=_8K, view="collocates", q="~에서", unit="tokens"))
    table = app.dataframe[0].value
    assert table["collocate"].str.contains(r"\w").all()
    assert (table["is_weak"] == (table["p"] >= 0.05)).all()


def test_each_of_three_is_compared_with_the_others_together() -> None:
    _, _, units = _units()
    table = key_table(units, {"a": (0,), "b": (1,), "c": (2,)}, None, 5)
    for name, chosen, others in (("a", 0, (1, 2)), ("b", 1, (0, 2)), ("c", 2, (0, 1))):
        found = keyness(units.counts((chosen,)), units.counts(others))
        own = table[table["group"] == name]
        assert own["g2"].tolist() == [found.g2[i] for i in own["type"]]
        assert set(own["type"]) == set(np.flatnonzero((found.direction == 1) & ~np.isnan(found.g2)))


def test_registers_of_the_built_in_corpus() -> None:
    app = _settled(open_page("search", lang="en", model=_8K, view="compare", unit="tokens", parts="~chat\nreviews"))
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
    app = _settled(open_page("search", lang="en", model=_8K, view="compare", parts="~chat"))
    assert list(dict.fromkeys(app.dataframe[0].value["group"])) == ["chat", "the rest"]


def test_saved_sub_corpora_of_a_link_are_searched_and_compared() -> None:
    saved = "~written\tregister=news\tregister=science"
    app = _settled(open_page("search", lang="en", model=_8K, saved=saved, where="~@=written"))
    assert set(app.multiselect(key="subcorpus.where.").value) == {"@=written"}
    assert any(" hits in " in line.value and line.value.endswith("written") for line in app.markdown)
    link = {"lang": "en", "model": _8K, "view": "compare", "saved": f"{saved}\nchat\tregister=chat", "by": "@"}
    app = _settled(open_page("search", **link))
    assert set(app.dataframe[0].value["group"]) == {"written", "chat"}
    app.multiselect(key="subcorpus.names").set_value([]).run()
    assert "saved" not in app.query_params and "by" not in app.query_params
    app = _settled(open_page("search", **link | {"saved": f"{saved}\nnews\tregister=news"}))
    assert "files in common" in app.warning[0].value


def test_an_uploaded_corpus_is_compared_by_what_its_names_say() -> None:
    app = open_page("search", lang="en", model=_8K, view="compare")
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
    assert shared_commands(app)[-1] == f"{command} --unit words"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"files": "all", "by": "collection", "parts": "~ko", "where": "~register=de"}, "No file has register=de"),
        ({"parts": ""}, "Choose the sub-corpora"),
        ({"files": "zz"}, ""),
    ],
)
def test_what_cannot_be_compared_is_said(parameters: dict[str, str], said: str) -> None:
    app = _settled(open_page("search", lang="en", model=_8K, view="compare", **parameters))
    assert said in "\n".join(one.value.replace("\\", "") for one in (*app.warning, *app.info))


def test_a_text_against_itself_is_said() -> None:
    app = open_page("search", lang="en", model=_8K, view="compare")
    same = [(name, "같은 글\n".encode(), "") for name in ("a.txt", "b.txt", "c.txt")]
    app.file_uploader(key="corpus.file").set_value(same).run()
    app = _settled(app)
    assert "same text" in app.warning[0].value
