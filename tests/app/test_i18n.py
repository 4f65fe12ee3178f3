"""Every visible string is in the catalogue, in Korean and English, and nothing else is."""

import ast
import re
import string
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from app.texts.catalogue import FOLDER, LANGUAGES, catalogue, translate
from app.texts.corpora import registers
from app.views.scores.figures.scatter import FRONTIERS
from engine.messages import leaves, with_particle
from engine.pruning_scores import PRUNING_SCORES
from tests.conftest import ROOT

_FUNCTIONS = {"t", "raw", "template", "translate"}


@cache
def _trees() -> dict[Path, ast.Module]:
    """Every source of the app, parsed."""
    paths = sorted((ROOT / "app").rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def _calls() -> list[tuple[Path, ast.expr]]:
    """First argument of every call of `t` and `translate` in the app."""
    found = []
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in _FUNCTIONS
                and node.args
            ):
                found.append((path, node.args[0]))
    return found


def _pattern(argument: ast.expr) -> str | None:
    """A regular expression for the keys that an argument can be; None where it is a variable."""
    if isinstance(argument, ast.Constant):
        return re.escape(argument.value)
    if isinstance(argument, ast.JoinedStr):
        parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w.-]+" for part in argument.values]
        return "".join(parts)
    return None


def _placeholders(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


_TEXTS = dict(sorted(catalogue().items()))

# These lack nothing.
_COMPLETE = ("ko", "en")


def test_every_text_is_there_in_korean_and_english_and_in_no_unknown_language() -> None:
    assert len(_TEXTS) > 1000
    assert [key for key, texts in _TEXTS.items() if not set(_COMPLETE) <= set(texts) <= set(LANGUAGES)] == []


def test_what_a_further_language_lacks_is_listed() -> None:
    """In the summary, as an expected failure: it is shown in English."""
    listed = []
    for language in LANGUAGES:
        lacking = [key for key, texts in sorted(catalogue().items()) if language not in texts]
        if lacking and language not in _COMPLETE:
            listed.append(f"{language} lacks {len(lacking)} of {len(catalogue())} texts: {' '.join(lacking)}")
    if listed:
        pytest.xfail("\n".join(listed))


def test_no_text_is_empty_or_has_blanks_at_an_end() -> None:
    assert [
        key for key, texts in _TEXTS.items() if not all(text.strip() == text != "" for text in texts.values())
    ] == []


def test_languages_have_equal_placeholders() -> None:
    assert [key for key, texts in catalogue().items() if len(set(map(_placeholders, texts.values()))) > 1] == []


# What a term is called here, by what it was called before (주의 is a warning; 훈련 is for people).
_TERMS = {
    "낱말당": "어절당",
    "하위 낱말": "서브워드",
    "견주": "비교하",
    "뒤집니다": "뒤처집니다",
    "훈련": "학습",
    "주의(attention)": "어텐션(attention)",
    "주의 연산": "어텐션 연산",
}
_OF_WHITE_SPACE = (
    "compare",
    "explore",
    "fertility",
    "figure",
    "growth",
    "learn_tradeoff",
    "rounds",
    "scores",
    "strips",
)


def test_a_term_has_one_korean_name() -> None:
    korean = {key: texts["ko"] for key, texts in catalogue().items()}
    assert {key: (old, _TERMS[old]) for key, text in korean.items() for old in _TERMS if old in text} == {}
    assert [key for key in korean if key.startswith(_OF_WHITE_SPACE) and "낱말" in korean[key]] == []


# Placeholders that are no whole numbers, or always more than 1, by their name or their key and name.
_NO_COUNTS = {
    "context",
    "left",
    "likelihood",
    "limit",
    "loss",
    "name",
    "paper_size",
    "ratio",
    "share",
    "ties",
    "token",
    "unit",
    "variable",
    "word",
    "job.resample count",
    "token.stability.about count",
    "token.stability.begin count",
    "token.stability.column.share_help count",
    "token.stability.found count",
    "token.stability.found tokens",
    "token.stability.smaller size",
    "compare.ablation_title size",
    "compare.make_up_text size",
    "growth.mixture_note size",
    "learn_tradeoff.lesson_note characters",
    "learn_unigram.round.several count",
    "learn_unigram.round.tie count",
    "learn_unigram.target low",
    "limits.vocab value",
    "model.name size",
    "model.size size",
    "scores.composition.forms_note number",
    "scores.composition.forms_note size",
    "set.larger size",
    "token.sampled total",
    "toy.long longest",
    "train.size.feasible high",
    "train.size.infeasible size",
}
# A text that was cut has more than the limit.
_CUT = ("cut", ".too_many")
_COUNTED = re.compile(r"\{(\w+)[^}|]*\}\**(?! of the)((?: [a-z'-]{2,}){1,3})")
_NO_PLURALS = {"applies", "as", "cuts", "has", "is", "its", "keeps", "leaves", "less", "removes", "this", "was"}


def _counted_plurals() -> list[tuple[str, str, str]]:
    """Key, placeholder and what follows it, wherever an English text has a number and a plural behind it."""
    found = []
    for key, texts in _TEXTS.items():
        if key.startswith("error."):  # most of their numbers are limits, or values that were refused
            continue
        for match in _COUNTED.finditer(texts["en"]):
            words = [word for word in match[2].split() if word.endswith("s") and word not in _NO_PLURALS]
            if words and not key.endswith(_CUT) and not _NO_COUNTS & {match[1], f"{key} {match[1]}"}:
                found.append((key, match[1], match[2].strip()))
    return found


def test_one_of_something_is_not_called_by_its_plural() -> None:
    assert _counted_plurals() == []
    said = {n: translate("learn_unigram.segmentations_text", "en", count=n, share=100.0) for n in (0, 1, 2)}
    assert said[1].startswith("There is 1 way to segment this word.")
    assert said[0].startswith("There are 0 ways") and said[2].startswith("There are 2 ways")
    assert translate("learn_bpe.ties", "en", count=1) == "1 tie: decide it yourself"


def test_every_key_that_the_app_asks_for_exists() -> None:
    keys = set(catalogue())
    asked_for = {pattern: path.name for path, argument in _calls() if (pattern := _pattern(argument))}
    assert len(asked_for) > 500
    assert {
        pattern: name for pattern, name in asked_for.items() if not any(map(re.compile(pattern).fullmatch, keys))
    } == {}


def test_every_key_is_asked_for() -> None:
    asked_for = re.compile("|".join({pattern for _, argument in _calls() if (pattern := _pattern(argument))}))
    # A key may also be handed over as a value: `Preset("lattice.preset.greeting", ...)`.
    literals = {
        node.value
        for tree in _trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    texts = [key for key in _TEXTS if not key.startswith("error.")]  # test_error_texts.py has those
    assert [key for key in texts if key not in literals and not asked_for.fullmatch(key)] == []


def test_what_a_language_lacks_is_said_in_english() -> None:
    assert translate("frame.page.lattice", "xx") == translate("frame.page.lattice", "en")
    with pytest.raises(KeyError):
        translate("frame.page.nowhere", "en")


def test_no_key_is_given_twice() -> None:
    files = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")}
    # A table given twice is no TOML, but [a.b] and ["a.b"] are the same key of ours.
    given = Counter(key for topic, tables in files.items() for key, _ in leaves(tables, topic))
    assert [key for key, times in given.items() if times > 1] == []
    assert set(given) == set(catalogue())


def test_every_pruning_score_has_its_texts() -> None:
    families = ("train.score", "figure.column", "scores.axis", "scores.histogram", "scores.rank", "scores.about")
    wanted = {f"{family}.{name}" for family in families for name in PRUNING_SCORES}
    wanted |= {f"scores.examples.{end}_{name}" for end in ("high", "low") for name in PRUNING_SCORES}
    wanted |= {f"scores.frontier.{name}" for name in FRONTIERS}
    assert sorted(wanted - set(catalogue())) == []


def test_every_builtin_register_has_a_name() -> None:
    for folder in (ROOT / "assets" / "corpora").iterdir():
        if folder.is_dir():
            for name in ("title", *registers(folder.name)):
                assert f"corpora.{folder.name}.{name}" in catalogue()


@pytest.mark.parametrize(
    ("word", "pair", "expected"),
    [
        ("사과", "을/를", "사과를"),
        ("귤", "을/를", "귤을"),
        ("서울", "으로/로", "서울로"),
        ("부산", "으로/로", "부산으로"),
        ("제주", "으로/로", "제주로"),
        ("corpus.txt", "을/를", "corpus.txt를"),
        ("model", "을/를", "model을"),
        ("1,000", "이/가", "1,000이"),
        ("12", "이/가", "12가"),
        ("‘책’", "은/는", "‘책’은"),
        ("", "은/는", "는"),
        ("Thunder-Tok", "은/는", "Thunder-Tok은"),
        ("Thunder-Tok 8k", "은/는", "Thunder-Tok 8k는"),
        ("BPE-Mecab", "은/는", "BPE-Mecab은"),
        ("Tokenizer", "은/는", "Tokenizer는"),
        ("Unigram LM", "은/는", "Unigram LM은"),
        ("BPE", "은/는", "BPE는"),
        ("λ", "은/는", "λ는"),
        ("␣", "은/는", "␣은"),
        ("‘ing’", "이/가", "‘ing’이"),
        ("Google", "으로/로", "Google로"),
        ("URL", "으로/로", "URL로"),
        ("BPE (문자)", "은/는", "BPE (문자)는"),
        ("LM(언어 모델)", "을/를", "LM(언어 모델)을"),
        ("(가)", "은/는", "(가)는"),
    ],
)
def test_particles_fit_their_word(word: str, pair: str, expected: str) -> None:
    assert with_particle(word, pair) == expected


def test_a_placeholder_may_ask_for_a_particle() -> None:
    text = translate("train.corpus.decoded", "ko", name="책.txt", encoding="CP949")
    assert text.startswith("책.txt를 CP949")


def test_no_link_ends_within_brackets_that_it_opened_in_its_text() -> None:
    """`[바이트 쌍(BPE](term:bpe))` is cut in the middle: what a link names has all of its brackets."""
    links = [
        (key, label)
        for key, texts in _TEXTS.items()
        for text in texts.values()
        for label in re.findall(r"\[([^]\[]+)\]\(", text)
    ]
    assert len(links) > 100
    assert [(key, label) for key, label in links if label.count("(") != label.count(")")] == []


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        translate("train.size.feasible", "ko", low=1)


def test_two_probabilities_have_two_names() -> None:
    """P(x) is the inclusion probability, p(x) the unigram probability; a bare P tells nobody which."""
    for key, texts in _TEXTS.items():
        for text in map(texts.__getitem__, _COMPLETE):
            assert (
                not re.search(r"^P$|확률 P$|log₂ P\b(?!\()|\blog P\b(?!\()", text)
                or "포함 확률" in text
                or "inclusion" in text
            ), key
    for lang, names in {"ko": ("유니그램 확률", "포함 확률"), "en": ("unigram", "inclusion probability")}.items():
        for key, name in zip(("explore.column.log2_prob", "explore.column.p"), names, strict=True):
            assert name in translate(key, lang)
