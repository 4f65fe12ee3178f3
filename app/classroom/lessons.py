"""The lessons of the page Class: questions, the words they are about, pages to continue on; and the plans of a class.

Their texts are `lesson.<id>.*` in the catalogue. The answers are written down here, so that a phone gets them at once;
tests/app/classroom/test_lessons.py recomputes every one with the engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.classroom.plan import Plan, PlanStep
from app.classroom.questions.choice import Choice
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.order import Order
from app.classroom.questions.question import Named, Option, Question
from app.classroom.questions.word import Word
from app.texts.catalogue import FALLBACK, catalogue, translate
from app.toys.corpus import read_toy_corpus
from app.toys.unigram import strict_substrings

_FAMILY = "👨\u200d👩\u200d👧"


@dataclass(frozen=True)
class Lesson:
    """One screen of a class: a question by language, and a check after its answer has been revealed.

    Parameters
    ----------
    minutes : time a class needs for it.
    questions, checks : by language; see `class_language` for the fallback.
    material : what question and reveal are about, by language: words with counts, a word, or a marked text.
    deeper : pages to continue on.
    """

    id: str
    minutes: int
    questions: Mapping[str, Question[Any]]
    checks: Mapping[str, Question[Any]] = field(default_factory=dict)
    material: Mapping[str, str] = field(default_factory=dict)
    deeper: tuple[str, ...] = ()

    def class_language(self, language: str) -> str:
        """The language of the material for a class: the class's own, or English if the lesson lacks it."""
        return language if language in self.questions else FALLBACK


# Models shown below a sentence, as `app.session.reference` reads them, by the language of the class.
THUNDER_TOK, BYTE_BPE = "shipped:thunder-tok-32k", "shipped:byte-bpe-32k"
MODELS = {
    "ko": (THUNDER_TOK, BYTE_BPE, "shipped:unigram-32k", "public:cl100k_base", "public:o200k_base"),
    "en": ("public:gpt2", "public:cl100k_base", "public:o200k_base"),
}

# The tokenizer of the lesson "pays": GPT-4's, or, if its package is missing, GPT-2's, which is always available.
PAYS_MODEL, PAYS_INSTEAD = "cl100k_base", "gpt2"


def marked_cuts(marked: str) -> tuple[str, tuple[int, ...]]:
    """Split a marked text into the text and its cuts.

    >>> marked_cuts("un|do it")
    ('undo it', (2,))
    """
    text, cuts = "", []
    for part in marked.split("|"):
        text += part
        cuts.append(len(text))
    return text, tuple(cuts[:-1])


def _spaced(marked: str) -> Cuts:
    """A question to restore the spaces: the text without them, the spaces as right cuts."""
    text, cuts = marked_cuts(marked.replace("|", "").replace(" ", "|"))
    return Cuts(text, cuts)


def _times(unit: str, right: float) -> Numbers:
    """How many times as much."""
    return Numbers((unit,), 0, 8, 0.1, (right,), 0.15, is_slider=True, unit=unit)


def _pairs(*pairs: str) -> tuple[Option, ...]:
    return tuple(Option(pair.replace(" ", "-"), pair.replace(" ", "\u00a0+\u00a0")) for pair in pairs)


_MORPHEMES = {"ko": "학교|에서|도 먹|었|습니다", "en": "The un|lucki|est play|er un|scrambl|ed it"}
_SENTENCES = {"ko": "나|는 학교|에서 점심|을 먹|었|습니다", "en": "the boy ate an apple at school"}
_KOREAN_WORDS = "달리다:5 달리고:4 달리면:3 달리기:2 마시다:4 마시고:3 마시면:2"
_HUG = "hug:10 pug:5 pun:12 bun:4 hugs:5"
_TIMES = {"ko": "배", "en": "×"}
_SPACE = Choice((Option("first"), Option("last"), Option("none")), ("first",))
_SHARE = Choice((Option("little"), Option("tenth"), Option("same")), ("little",))
_MORE = Choice((Option("more"), Option("fewer"), Option("same")), ("more",))
_LANGUAGES = tuple(Option(code) for code in ("ko", "de", "hi", "zh"))

LESSONS = {
    lesson.id: lesson
    for lesson in (
        Lesson(
            "tokens",
            8,
            {language: Cuts(marked_cuts(text)[0]) for language, text in _MORPHEMES.items()},
            {"ko": _SPACE, "en": _SPACE},
            _MORPHEMES,
            ("explore", "lattice"),
        ),
        Lesson(
            "words",
            8,
            {
                "ko": Numbers(("%",), 0, 100, 1, (45,), 0.12, is_slider=True, unit="%"),
                "en": Numbers(("%",), 0, 100, 1, (39,), 0.12, is_slider=True, unit="%"),
            },
            {"ko": _SHARE, "en": _SHARE},
            {"ko": "10000", "en": "860"},
            ("learn_tradeoff", "growth"),
        ),
        Lesson(
            "bpe",
            10,
            {
                "ko": Choice(_pairs("리 다", "달 리", "마 시", "시 고"), ("달-리",)),
                "en": Choice(_pairs("l o", "e s", "n e", "w e"), ("e-s",)),
            },
            {"ko": Word(20, ("달리다",)), "en": Word(20, ("est",))},
            {"ko": _KOREAN_WORDS, "en": "low:5 lower:2 newest:6 widest:3"},
            ("learn_bpe",),
        ),
        Lesson(
            "wordpiece",
            8,
            {
                "ko": Choice(_pairs("하 다", "이 다", "커 피"), ("커-피",)),
                "en": Choice(_pairs("t h", "h e", "q u"), ("q-u",)),
            },
            {
                "ko": Choice(_pairs("하 다", "이 다", "커 피"), ("하-다",)),
                "en": Choice(_pairs("t h", "h e", "q u"), ("t-h",)),
            },
            {
                "ko": "이다:9 이고:6 하다:8 하고:5 일하다:4 커피:3 커피하고:1",
                "en": "the:9 this:6 that:5 hat:3 quit:2 quite:2",
            },
            ("learn_bpe",),
        ),
        Lesson(
            "unigram",
            9,
            {"ko": Cuts("달리시고", (2,)), "en": Cuts("unhug", (2,))},
            {"ko": Numbers(("달리기",), 1, 4, 1, (2,)), "en": Numbers(("hugs",), 1, 8, 1, (3,))},
            {"ko": _KOREAN_WORDS, "en": _HUG},
            ("learn_unigram", "lattice"),
        ),
        Lesson(
            "em",
            8,
            {
                "ko": Choice(tuple(Option(token, token) for token in ("달리", "마시", "리다", "시다")), ("마시",)),
                "en": Choice(tuple(Option(token, token) for token in ("ug", "pu", "un", "hug")), ("hug",)),
            },
            {
                "ko": Choice((Option("a", "마 | 시고"), Option("b", "마 | 시 | 고"), Option("c", "마시고")), ("a",)),
                "en": Choice((Option("a", "pu | n"), Option("b", "p | u | n"), Option("c", "pun")), ("a",)),
            },
            {"ko": _KOREAN_WORDS, "en": _HUG},
            ("learn_unigram", "rounds"),
        ),
        Lesson(
            "bytes",
            8,
            {
                "ko": Numbers(("안녕!", "😀", _FAMILY), 1, 60, 1, (7, 4, 18)),
                "en": Numbers(("naïve", "😀", _FAMILY), 1, 60, 1, (6, 4, 18)),
            },
            {"ko": Numbers(("한 (ㅎ + ㅏ + ㄴ)",), 1, 20, 1, (9,)), "en": Numbers(("e + ◌́",), 1, 20, 1, (3,))},
            {"ko": "\u1112\u1161\u11ab", "en": "e\u0301"},
            ("learn_bytes", "boundaries"),
        ),
        Lesson(
            "pays",
            7,
            {language: _times(unit, 2.2) for language, unit in _TIMES.items()},
            {language: Order(_LANGUAGES, ("de", "zh", "ko", "hi")) for language in ("ko", "en")},
            deeper=("cost", "growth"),
        ),
        Lesson(
            "thunder",
            11,
            {
                language: Choice((Option("long"), Option("short"), Option("both"), Option("neither")), ("long",))
                for language in ("ko", "en")
            },
            {language: Choice((Option("thunder"), Option("bpe")), ("thunder",)) for language in ("ko", "en")},
            {"ko": "대한민국 코로나 코로", "en": "대한민국 코로나 코로"},
            ("token", "rounds", "growth"),
        ),
        Lesson(
            "boundaries",
            8,
            {language: _spaced(text) for language, text in _SENTENCES.items()},
            {"ko": _MORE, "en": _MORE},
            _SENTENCES,
            ("boundaries",),
        ),
        Lesson("exit", 5, {language: Word(200) for language in ("ko", "en")}),
    )
}

# GPT-2's tokenizer has different answers.
_INSTEAD: dict[str, dict[str, tuple[Question[Any], Question[Any]]]] = {
    "pays": {
        language: (_times(unit, 4.7), Order(_LANGUAGES, ("de", "zh", "ko", "hi"))) for language, unit in _TIMES.items()
    }
}


def lesson_step(lesson: str) -> PlanStep:
    """A lesson with its usual time."""
    return PlanStep(LESSONS[lesson].minutes, lesson)


def _plan(*lessons: str) -> Plan:
    return Plan(tuple(map(lesson_step, lessons)))


# Plans by their total minutes.
PLANS = {
    "20": _plan("tokens", "pays", "exit"),
    "50": _plan("tokens", "bpe", "unigram", "pays", "thunder", "exit"),
    "75": Plan(
        (
            *_plan("tokens", "words", "bpe", "unigram", "bytes", "pays", "thunder").steps,
            PlanStep(9, "boundaries"),
            lesson_step("exit"),
        )
    ),
    "90": _plan(*LESSONS),
}


def asked_in(lesson: Lesson, language: str, has_public: bool) -> tuple[Question[Any], Question[Any] | None]:
    """Question and check of a lesson for a class; `has_public`: whether PAYS_MODEL is available."""
    of = lesson.class_language(language)
    if not has_public and lesson.id in _INSTEAD:
        return _INSTEAD[lesson.id][of]
    return lesson.questions[of], lesson.checks.get(of)


# Lessons about a few words with their counts.
_COUNTED = ("bpe", "wordpiece", "unigram", "em")


@cache
def option_names(lesson: str, language: str) -> Named:
    """Labels of a lesson's options by their code; every answer of a phone needs them."""
    prefix = f"lesson.{lesson}.option."
    return {key.removeprefix(prefix): translate(key, language) for key in catalogue() if key.startswith(prefix)}


def given_words(lesson: Lesson, question: Question[Any], language: str) -> tuple[str, list[str]]:
    """The material shown with a question, and its heading: words, or the tokens of a word, with their counts."""
    if lesson.id not in _COUNTED:
        return "", []
    counts = read_toy_corpus(lesson.material[lesson.class_language(language)])
    if isinstance(question, Cuts):
        counts = {token: n for token, n in strict_substrings(counts).items() if token in question.text}
    head = translate("lessons.tokens_head" if isinstance(question, Cuts) else "lessons.words_head", language)
    return head, [f"{word} ×{n}" for word, n in counts.items()]
