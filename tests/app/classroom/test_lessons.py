"""The page Class: questions and their answers, worked out by the engine; nothing of an answer is there before."""

import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.classroom.lessons import (
    BYTE_BPE,
    LESSONS,
    MODELS,
    PAYS_INSTEAD,
    PAYS_MODEL,
    PLANS,
    THUNDER_TOK,
    Lesson,
    asked_in,
    marked_cuts,
)
from app.classroom.page.cutting import spaceless_ngrams
from app.classroom.questions.choice import Choice
from app.classroom.questions.cuts import Cuts, cut_f1
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.order import Order
from app.classroom.questions.question import Option, Question
from app.classroom.questions.word import Word
from app.components.data import cut_places
from app.session.reference import parse_reference
from app.texts.catalogue import catalogue
from app.texts.corpora import builtin_corpus, parallel_texts
from app.toys.corpus import read_toy_corpus
from app.toys.merges import merge_steps
from app.toys.unigram import all_segmentations, best_segmentation, leave_one_out, probabilities, strict_substrings
from engine import train
from engine.boundaries.utility import DEFAULT_TOTAL, UtilityMatcher
from engine.merge_settings import MergeSettings
from engine.public.load import is_available, load_public
from engine.shipped.catalogue import SHIPPED, find_shipped, load_shipped
from engine.tokenizer import Tokenizer
from tests.pages import open_page, refresh
from tests.seen import component_data

_EACH = pytest.mark.parametrize("language", ["ko", "en"])
_TAUGHT = [lesson for lesson in LESSONS.values() if lesson.checks]


def _words(lesson: str, language: str) -> dict[str, int]:
    return read_toy_corpus(LESSONS[lesson].material[language])


def _right(lesson: str, language: str, is_check: bool = False) -> tuple:
    question = (LESSONS[lesson].checks if is_check else LESSONS[lesson].questions)[language]
    return question.right


# ---- questions


@pytest.mark.parametrize(
    ("question", "answer", "written"),
    [
        (Cuts("가나 다라"), (1, 4), "1.4"),
        (Cuts("가나 다라"), (), "none"),
        (Choice((Option("a"), Option("b"))), "b", "b"),
        (Numbers(("x", "y"), 0, 9, 1, (1, 2)), (7.0, None), "7_"),
        (Order((Option("a"), Option("b")), ("a", "b")), ("b",), "b"),
        (Word(9), "토큰", "토큰"),
    ],
)
def test_an_answer_is_read_as_it_was_written(question: Question, answer: object, written: str) -> None:
    assert question.write(answer) == written
    assert question.read(written) == answer


@pytest.mark.parametrize(
    ("question", "written"),
    [
        (Cuts("가나 다라"), "2"),  # beside the space
        (Cuts("가나 다라"), "9"),
        (Cuts("가나"), "١"),
        (Choice((Option("a"),)), "b"),
        (Numbers(("x",), 0, 9, 1, (1,)), "10"),
        (Numbers(("x",), 0, 9, 1, (1,)), "nan"),
        (Numbers(("x",), 0, 9, 1, (1,)), "1e99"),
        (Numbers(("x",), 0, 9, 1, (1,)), "1_2"),
        (Order((Option("a"), Option("b")), ("a", "b")), "a.a"),
        (Word(9), "  "),
        (Word(9), "\ud83d \ufffd"),
    ],
)
def test_what_is_no_answer_is_not_read(question: Question, written: str) -> None:
    assert question.read(written) is None


def test_answers_are_scored() -> None:
    assert Cuts("abcd", (1, 3)).score((1, 2)) == 0.5
    assert Cuts("abcd").score((1,)) is None
    assert cut_f1((), ()) == 1 and cut_f1((1,), ()) == 0
    assert Numbers(("x", "y"), 0, 99, 1, (10, 20), 0.1).score((11, 25)) == 0.5
    assert Numbers(("x",), 0, 9, 1, (3,), is_slider=True).is_complete((0,)) is False
    assert Word(9, ("es t",)).score("EST") == 1 and Word(9).score("x") is None
    assert cut_places("ab c") == (1,)
    assert Cuts("ab cd").pieces((1,)) == ["a", "b", "cd"]


# ---- the plans, and the texts


def test_plans_take_the_time_that_they_say() -> None:
    for minutes, plan in PLANS.items():
        assert plan.minutes == int(minutes)
    assert tuple(PLANS["50"].by_name) == ("tokens", "bpe", "unigram", "pays", "thunder", "exit")


@_EACH
def test_every_lesson_has_its_texts(language: str) -> None:
    parts = ("name", "goal", "question", "surprise", "take", "check", "why", "notes")
    wanted = [f"lesson.{one.id}.{part}" for one in _TAUGHT for part in parts]
    assert [key for key in wanted if key not in catalogue()] == []
    for lesson in _TAUGHT:
        for has_public in (True, False):
            for question in asked_in(lesson, language, has_public):
                options = getattr(question, "options", ())
                codes = [option.code for option in options if not option.label]
                assert all(f"lesson.{lesson.id}.option.{code}" in catalogue() for code in codes)
                right = question.solution
                assert right is None or (question.read(question.write(right)), question.score(right)) == (right, 1)


def test_lessons_name_models_that_need_no_long_training() -> None:
    assert all(parse_reference(word) for words in MODELS.values() for word in words)


# ---- the answer keys


@_EACH
def test_the_shares_of_unknown_words_and_characters(language: str) -> None:
    corpus = builtin_corpus("ko") if language == "ko" else builtin_corpus("multi", ("en",))
    size = int(LESSONS["words"].material[language])
    counts: dict[str, int] = {}
    for word in corpus.read().split():
        counts[word] = counts.get(word, 0) + 1
    known = set(sorted(counts, key=lambda word: -counts[word])[:size])
    if language == "en":
        assert len(counts) == size
    words = [word for line in parallel_texts()[language] for word in line.split()]
    unknown = 100 * sum(word not in known for word in words) / len(words)
    assert _right("words", language) == (round(unknown),)
    characters = set(corpus.read())
    new = "".join(parallel_texts()[language])
    assert sum(char not in characters for char in new) < 0.02 * len(new)
    assert _right("words", language, is_check=True) == ("little",)


def _merges(lesson: str, language: str, score: str = "frequency") -> list:
    settings = MergeSettings(algorithm="wordpiece", vocab_size=None, continuing="", end_of_word="", score=score)
    return merge_steps(_words(lesson, language), settings, 3)


@_EACH
def test_the_merges(language: str) -> None:
    steps = _merges("bpe", language)
    assert _right("bpe", language) == ("-".join(steps[0].chosen),)
    # What ties with it is not offered as a wrong answer.
    offered = {option.code for option in LESSONS["bpe"].questions[language].options}
    assert {"-".join(pair) for pair in steps[0].ties} & offered == {"-".join(steps[0].chosen)}
    assert _right("bpe", language, is_check=True) == (steps[2 if language == "ko" else 1].token,)
    by_count, by_gain = _merges("wordpiece", language), _merges("wordpiece", language, "likelihood")
    assert _right("wordpiece", language) == ("-".join(by_gain[0].chosen),)
    assert _right("wordpiece", language, is_check=True) == ("-".join(by_count[0].chosen),)
    assert len(by_count[0].ties) == len(by_gain[0].ties) == 1


@_EACH
def test_the_best_cuts(language: str) -> None:
    prob = probabilities(strict_substrings(_words("unigram", language)))
    question = LESSONS["unigram"].questions[language]
    found = all_segmentations(question.text, prob)
    assert question.pieces(question.right) == list(found[0].tokens)
    assert found[0].prob > found[1].prob * 1.01
    check = LESSONS["unigram"].checks[language]
    ways = all_segmentations(check.labels[0], prob)
    assert check.right == (sum(way.prob > ways[0].prob * (1 - 1e-9) for way in ways),)


@_EACH
def test_the_dearest_token(language: str) -> None:
    words = _words("em", language)
    prob = probabilities(strict_substrings(words))
    loss = leave_one_out(words, prob)
    question = LESSONS["em"].questions[language]
    order = sorted((option.code for option in question.options), key=loss.__getitem__)
    assert question.right == (order[-1],) and loss[order[-1]] > loss[order[-2]] + 0.1
    word, gone = ("마시고", "마시") if language == "ko" else ("pun", "un")
    check = LESSONS["em"].checks[language]
    cut = " | ".join(best_segmentation(word, prob, without=gone)[0])
    assert [option.label for option in check.options if option.code in check.right] == [cut]


@_EACH
def test_the_bytes(language: str) -> None:
    question = LESSONS["bytes"].questions[language]
    assert question.right == tuple(len(label.encode()) for label in question.labels)
    text = LESSONS["bytes"].material[language]
    assert _right("bytes", language, is_check=True) == (len(text.encode()),)


@pytest.mark.parametrize("name", [pytest.param(PAYS_INSTEAD, marks=pytest.mark.slow), PAYS_MODEL])
def test_who_pays(name: str) -> None:
    if not is_available(name):
        pytest.skip("the package is not installed")
    model = load_public(name)
    question, check = asked_in(LESSONS["pays"], "ko", name == PAYS_MODEL)
    codes = ("en", *(option.code for option in check.options))
    tokens = {code: sum(len(model.encode(line).ids) for line in parallel_texts()[code]) for code in codes}
    assert question.right == (round(tokens["ko"] / tokens["en"], 1),)
    assert check.right == tuple(sorted(codes[1:], key=tokens.__getitem__))


@pytest.mark.slow
def test_who_survives_and_who_wins() -> None:
    thunder, bpe = (load_shipped(word.removeprefix(SHIPPED)) for word in (THUNDER_TOK, BYTE_BPE))
    pruned = thunder.pruning
    alive = {pruned.tokens[row].decode(errors="replace") for row in pruned.alive_rows(pruned.last_round)}
    assert {"대한민국", " 대한민국", " 코로나"} <= alive and not {"대한민", " 대한민", " 코로"} & alive
    assert _right("thunder", "ko") == _right("thunder", "en") == ("long",)

    def winner(one: Tokenizer, other: Tokenizer) -> tuple[str]:
        tokens = [sum(len(model.encode(line).ids) for line in parallel_texts()["ko"]) for model in (one, other)]
        return ("thunder" if tokens[0] < tokens[1] else "bpe",)

    assert winner(thunder, bpe) == _right("thunder", "ko", is_check=True) == _right("thunder", "en", is_check=True)
    # What is said of 2,000 tokens.
    small = (replace(model.settings, vocab_size=2000) for model in (pruned, find_shipped("byte-bpe-32k")))
    assert winner(*(train(builtin_corpus("ko").lines(), settings) for settings in small)) == ("bpe",)


@pytest.mark.slow
@_EACH
def test_the_boundaries(language: str) -> None:
    question = LESSONS["boundaries"].questions[language]
    text = LESSONS["boundaries"].material[language].replace("|", "")
    assert question.pieces(question.right) == text.split()
    matchers = (UtilityMatcher(spaceless_ngrams(language), lam, DEFAULT_TOTAL) for lam in (0.0, 15.0))
    cuts = [len(matcher.cut(question.text)) for matcher in matchers]
    assert cuts[0] < cuts[1] and _right("boundaries", language, is_check=True) == ("more",)


@pytest.mark.slow
@_EACH
def test_no_two_tokenizers_of_the_first_lesson_cut_alike(language: str) -> None:
    public = [word.partition(":")[2] for word in MODELS[language] if word.startswith("public")]
    if not all(map(is_available, public)):
        pytest.skip("the package is not installed")
    text, gold = marked_cuts(LESSONS["tokens"].material[language])
    cuts = {}
    for word in MODELS[language]:
        kind, _, name = word.partition(":")
        model = load_public(name) if kind == "public" else load_shipped(name)
        cuts[name] = [model.token_label(token) for token in model.encode(text).ids]
    assert len({tuple(pieces) for pieces in cuts.values()}) == len(MODELS[language])
    assert Cuts(text).pieces(gold) not in [[piece.strip() for piece in pieces] for pieces in cuts.values()]
    # What is said of single tokens.
    if language == "ko":
        assert any(label.startswith("<0x") for label in cuts["cl100k_base"]) and "었습니다" in cuts["o200k_base"]
        return
    found = {
        name: [word for word in ("luckiest", "scrambled") if _follows(" un", word, pieces)]
        for name, pieces in cuts.items()
    }
    assert found == {"gpt2": [], "cl100k_base": ["scrambled"], "o200k_base": ["luckiest"]}


def _follows(token: str, text: str, pieces: list[str]) -> bool:
    """Whether the text comes after that token."""
    return any(piece == token and "".join(pieces[k + 1 :]).startswith(text) for k, piece in enumerate(pieces))


def test_the_space_stands_in_front() -> None:
    for language in ("ko", "en"):
        text = marked_cuts(LESSONS["tokens"].material[language])[0]
        model = load_public("gpt2")
        labels = "".join(f"|{model.token_label(token)}" for token in model.encode(text).ids)
        assert labels.count("| ") == text.count(" ") and _right("tokens", language, is_check=True) == ("first",)


# ---- the page


def _guess(lesson: Lesson, language: str) -> str:
    """Some answer, not the right one."""
    question, _ = asked_in(lesson, language, is_available(PAYS_MODEL))
    if isinstance(question, Cuts):
        return question.write(cut_places(question.text)[:1])
    if isinstance(question, Choice):
        return next(option.code for option in question.options if option.code not in question.right)
    if isinstance(question, Numbers):
        return question.write((question.high,) * len(question.labels))
    return "x"


def _open(lesson: str, language: str, **params: str) -> AppTest:
    return open_page("lessons", lang=language, plan="90", lesson=lesson, **params)


# What a reveal is made of: figures, tables and the project's own components; a question has `cuts` alone.
_FIGURES = ("plotly_chart", "arrow_data_frame", "arrow_table", "table")


def _shown(app: AppTest) -> list[str]:
    main = [node for node in app.main if node.type in _FIGURES or node in _bidi(app)]
    return [node.proto.component_name if node.type == "bidi_component" else node.type for node in main]


def _bidi(app: AppTest) -> list[Any]:
    """The components of the page; the Share menu is in the frame of every page."""
    return [node for node in app.main if node.type == "bidi_component" and node.proto.component_name != "share"]


def _components(app: AppTest) -> list[dict]:
    return [component_data(node) for node in _bidi(app)]


def _said(app: AppTest) -> str:
    """Everything in the main part of the page, data of components too."""
    return "\n".join(str(getattr(node, "proto", "")) for node in app.main)


_PLAYED = [
    pytest.param(
        one, language, id=f"{one.id}-{language}", marks=() if (one.id, language) == ("bpe", "ko") else pytest.mark.slow
    )
    for one in _TAUGHT
    for language in ("ko", "en")
]


@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize(("lesson", "language"), _PLAYED)
def test_nothing_of_the_reveal_is_there_before_the_prediction(lesson: Lesson, language: str) -> None:
    texts = catalogue()
    # A link cannot open the gate either: without a whole answer there is no reveal.
    for params in ({}, {"stage": "reveal"}, {"stage": "understand", "guess": "zzz"}):
        app = _open(lesson.id, language, **params)
        assert app.button(key="lessons.reveal").disabled
        assert [name for name in _shown(app) if not name.endswith("cuts")] == []
        for part in ("surprise", "take", "check", "why", "notes"):
            assert texts[f"lesson.{lesson.id}.{part}"][language][:30] not in _said(app)
        assert all(data["rows"] == [] for data in _components(app))
    app = _open(lesson.id, language, guess=_guess(lesson, language))
    assert not app.button(key="lessons.reveal").disabled
    assert [name for name in _shown(app) if not name.endswith("cuts")] == []
    app.button(key="lessons.reveal").click().run()
    assert not app.exception
    assert app.query_params["stage"] == "reveal"
    app = refresh(app)  # models that it shows may have been trained
    assert [name for name in _shown(app) if not name.endswith("cuts")]
    app.button(key="lessons.understand").click().run()
    assert not app.exception
    assert texts[f"lesson.{lesson.id}.take"][language][:30] in _said(app)
    assert texts[f"lesson.{lesson.id}.why"][language][:30] not in _said(app)


def test_notes_are_in_a_window_of_their_own_and_never_projected() -> None:
    note = catalogue()["lesson.bpe.notes"]["en"][:30]
    window = _open("bpe", "en", notes="true")
    assert note in _said(window) and window.query_params["notes"] == "true"
    assert note not in _said(_open("bpe", "en", notes="true", projector="true"))
    app = _open("bpe", "en")
    (link,) = re.findall(r"\((lessons\?[^)]*notes=true[^)]*)\)", _said(app))
    assert note not in _said(app) and "lesson=bpe" in link


def _control(app: AppTest, kind: str, key: str) -> Any:
    (control,) = (one for one in app.get(kind) if (one.key or "").endswith(key))
    return control


_ANSWERS = {  # lesson, stage, guess; the control, what is chosen, and what the URL then says
    "choice": ("bpe", "predict", "", "button_group", ".choice", "l-o", ("guess", "l-o")),
    "word": ("bpe", "understand", "l-o", "text_input", ".word", "est", ("reply", "est")),
    "slider": ("words", "predict", "", "slider", ".number.0", 25, ("guess", "25")),
    "numbers": ("bytes", "predict", "", "number_input", ".number.1", 4, ("guess", "_4_")),
    "order": ("pays", "understand", "3", "multiselect", ".order", ["German", "Hindi"], ("reply", "de.hi")),
}


@pytest.mark.parametrize(
    "name", [name if name == "choice" else pytest.param(name, marks=pytest.mark.slow) for name in _ANSWERS]
)
def test_every_kind_of_question_is_answered_and_comes_back_with_the_link(name: str) -> None:
    lesson, stage, guess, kind, key, chosen, (param, written) = _ANSWERS[name]
    own = {"guess": guess} if guess else {}
    app = _open(lesson, "en", stage=stage, **own)
    _control(app, kind, key).set_value(chosen).run()
    assert not app.exception
    assert app.query_params[param] == written
    again = _open(lesson, "en", **{**own, "stage": stage, param: written})
    assert _control(again, kind, key).value == _control(app, kind, key).value


@pytest.mark.slow
@_EACH
def test_the_right_reply_is_called_right_and_explained(language: str) -> None:
    for lesson in _TAUGHT:
        _, check = asked_in(lesson, language, is_available(PAYS_MODEL))
        app = _open(
            lesson.id, language, stage="understand", guess=_guess(lesson, language), reply=check.write(check.solution)
        )
        assert catalogue()["lessons.verdict.right"][language] in _said(app), lesson.id
        assert catalogue()[f"lesson.{lesson.id}.why"][language][:30] in _said(app), lesson.id


@pytest.mark.slow
def test_the_exit_ticket_lists_what_was_predicted() -> None:
    app = _open("bpe", "en", guess="l-o", stage="reveal")
    app.selectbox(key="lessons.pick.bpe").set_value("exit").run()
    assert not app.exception
    table = app.table[0].value
    assert table.shape == (1, 2) and "l" in table.iloc[0, 0] and "e" in table.iloc[0, 1]
