"""The page Questions: every answer counted a second time, and nothing of it shown before it is asked for."""

from collections import Counter
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest

from app.main import _MENU
from app.texts.catalogue import catalogue
from app.texts.exercises import EXERCISES, Trace
from app.toys.corpus import read_toy_corpus
from app.views.exercises.tables import cut_by, merges_table, segmentations_table
from engine.public.load import load_public
from tests.pages import open_page, settle


def _naive_merges(trace: Trace) -> list[str]:
    """Count, take the best pair (of equal ones the first met), replace, again."""
    words = [
        (list(word) + ([trace.end_of_word] if trace.end_of_word else []), n)
        for word, n in read_toy_corpus(trace.words).items()
    ]
    merges = []
    for _ in range(trace.n_merges):
        pairs: Counter[tuple[str, str]] = Counter()
        single: Counter[str] = Counter()
        for symbols, n in words:
            for symbol in symbols:
                single[symbol] += n
            for pair in pairwise(symbols):
                pairs[pair] += n
        score = {
            pair: n / (single[pair[0]] * single[pair[1]]) if trace.algorithm == "wordpiece" else n
            for pair, n in pairs.items()
        }
        best = max(score, key=score.__getitem__)  # the first of equal ones
        merges.append(" + ".join(best))
        words = [(_replaced(symbols, best), n) for symbols, n in words]
    return merges


def _replaced(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    for symbol in symbols:
        if out and (out[-1], symbol) == pair:
            out[-1] += symbol
        else:
            out.append(symbol)
    return out


@pytest.mark.parametrize("trace", [trace for one in EXERCISES.values() for trace in one.traces])
def test_merges_are_those_of_a_slow_trainer(trace: Trace) -> None:
    assert merges_table(trace)["pair"].tolist() == _naive_merges(trace)


def test_the_traces_of_the_textbook() -> None:
    """Self-check 5 and exercise 3, as the section prints them."""
    (trace,) = EXERCISES["trace"].traces
    assert merges_table(trace)["pair"].tolist() == ["a + b", "ab + </w>", "b + c"]
    assert merges_table(trace)["count"].tolist() == [3, 3, 2] and merges_table(trace)["ties"].tolist() == [1, 0, 1]
    assert cut_by(trace) == "ab | c | </w>"
    (mini,) = EXERCISES["mini_bpe"].traces
    assert merges_table(mini)["pair"].tolist() == ["e + s", "es + t", "l + o"]


@pytest.mark.parametrize("name", [name for name, one in EXERCISES.items() if one.unigram])
def test_segmentations_are_all_of_them(name: str) -> None:
    words, word = EXERCISES[name].unigram or ("", "")
    table = segmentations_table(words, word)
    counts = read_toy_corpus(words)
    within = {other[a:b] for other in counts for a in range(len(other)) for b in range(a + 1, len(other) + 1)}
    cuts = {
        " | ".join(pieces)
        for bits in range(2 ** (len(word) - 1))
        for pieces in [_cut(word, [k + 1 for k in range(len(word) - 1) if bits >> k & 1])]
        if within.issuperset(pieces)
    }
    assert set(table["segmentation"]) == cuts
    assert table["share"].sum() == pytest.approx(1) and table["probability"].is_monotonic_decreasing


def _cut(word: str, places: list[int]) -> list[str]:
    return [word[a:b] for a, b in pairwise([0, *places, len(word)])]


def test_each_question_has_its_texts() -> None:
    assert {key.split(".")[1] for key in catalogue() if key.startswith("exercises.") and key.endswith(".ask")} == set(
        EXERCISES
    )
    assert Counter(one.source for one in EXERCISES.values()) == {"section": 10, "lesson": 4, "slides": 10}


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_nothing_of_the_answer_is_there_before_it_is_asked_for(lang: str) -> None:
    answer = catalogue()["exercises.trace.answer"][lang]
    app = open_page("exercises", lang=lang, question="trace")
    assert not app.exception and not app.dataframe
    assert answer not in [one.value for one in app.markdown]
    app.toggle(key="answered").set_value(True).run()
    assert app.dataframe[0].value["pair"].tolist() == ["a + b", "ab + </w>", "b + c"]
    assert answer in [one.value for one in app.markdown]
    app.button(key="exercises.next").click().run()
    assert app.query_params["question"] == "byt5" and not app.toggle(key="answered").value


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_texts_have_the_tokens_that_the_package_gives_them(name: str) -> None:
    package = pytest.importorskip("splintr", reason="the public tokenizers are in splintr-rs")
    theirs, ours = package.Tokenizer.from_pretrained(name), load_public(name)
    for one in EXERCISES.values():
        for text in one.texts:
            assert ours.encode(text).ids == list(theirs.encode_ordinary(text))
    counts = {text: len(ours.encode(text).ids) for one in EXERCISES.values() for text in one.texts}
    # What the answers say in words.
    assert counts["나는 프로그래밍을 좋아합니다"] > 2 * counts["I love programming"]
    assert counts["name: Kim\nage: 20"] < counts['{"name": "Kim", "age": 20}']
    assert counts["paypal"] == 1 < counts["p\u0430yp\u0430l"]
    assert counts["l-o-l-l-i-p-o-p"] == 8 and counts[" strawberry"] == 1 < counts[" SolidGoldMagikarp"]
    assert counts["Once upon a time "] == counts["Once upon a time"] + 1
    assert len(load_public("gpt2").encode(" SolidGoldMagikarp").ids) == 1
    python = "if ok:\n        return value"
    assert len(load_public("gpt2").encode(python).ids) > counts[python] + 5


@pytest.mark.slow
def test_every_question_is_answered() -> None:
    pytest.importorskip("splintr", reason="the public tokenizers are in splintr-rs")
    for name, one in EXERCISES.items():
        app = settle(open_page("exercises", lang="en", question=name, answered="true"))
        assert not app.exception, name
        assert catalogue()[f"exercises.{name}.answer"]["en"].replace("{{", "{").replace("}}", "}") in [
            m.value for m in app.markdown
        ]
        assert len(app.get("bidi_component")) >= len(one.texts)


@pytest.mark.parametrize("page", [page for page, _ in _MENU["learn"][1]])
def test_every_view_of_learn_links_to_its_exercises(page: str) -> None:
    app = open_page(page, lang="en")
    links = [link.proto for link in app.get("page_link") if link.proto.page == "exercises"]
    linked = [query["question"] for link in links if (query := dict(parse_qsl(link.query_string)))]
    assert linked == [one.id for one in EXERCISES.values() if one.page == page] != []
