"""Every visible string is in the catalogue, in Korean and English, and nothing else is."""

import ast
import math
import re
import string
import tomllib
from collections import Counter

import pytest

from app.components.sources import LABELS, STREAMLIT
from app.parts.figures.scatter import FRONTIERS
from app.texts.catalogue import FOLDER, LANGUAGES, catalogue, translate
from app.texts.corpora import registers
from engine.messages import fill, leaves, number_text, with_particle
from engine.pruning_scores import PRUNING_SCORES
from tests.app.sources import nodes, parsed
from tests.conftest import ROOT

_FUNCTIONS = {"t", "raw", "template", "translate"}


def _calls() -> list[tuple[str, ast.expr]]:
    """First argument of every call of `t` and `translate` in the app; of `headings`, each key of a column."""
    found = []
    for path, tree in parsed("app").items():
        for node in nodes(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            if node.func.id in _FUNCTIONS:
                found.append((path, node.args[0]))
            elif node.func.id == "headings" and isinstance(prefix := node.args[0], ast.Constant):
                keys = [f"{prefix.value!s}.{column.arg}" for column in node.keywords if column.arg]
                keys += [help_text for key in keys if (help_text := f"{key}_help") in catalogue()]
                found += [(path, ast.Constant(key)) for key in keys]
                found += [(path, ast.JoinedStr([prefix, node])) for column in node.keywords if not column.arg]
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


# What is said here, by what is not: patterns of terms and of manners of writing in Korean.
_KOREAN = {
    r"낱말": "단어",
    r"하위 단어": "서브워드",
    r"단어당": "어절당",
    r"견[주준줄줘]": "비교하다",
    r"뒤집니다": "뒤처집니다",
    r"훈련": "학습",
    r"주의\(attention\)|주의 연산": "어텐션",
    r"모형": "모델",
    r"학습(한)? 글(?!자)": "학습 말뭉치",
    r"어휘([는가])? (\d[\d,]*|\{[^}]*\})개": "토큰 n개(어휘)",
    r"(?<!난수 )시드|처음 어휘": "초기 어휘",
    r"최선의|최고 확률의|가장 (좋은|그럴듯한) (분할|길|경로)": "최적 분할",
    r"덜어 ?[내낸냅]": "제거하다",
    r"기대(되는)? 횟수": "기대 빈도",
    r"(왼쪽|오른쪽|좌우) 분기 엔트로피": "왼쪽·오른쪽 엔트로피",
    r"모르는 (글자|토큰|어절|단어)": "미등록 글자·토큰",
    r"대체 바이트": "바이트 대체",
    r"가장 긴 일치": "최장 일치",
    r"대역 문장|평행 문장|나란히 옮긴": "병렬 문장",
    r"(?<![({:])fertility": "어절당 토큰 수",
    r"premium": "영어 대비 배수",
    r"바닥": "하한",
    r"갈래(?!로)|문체": "장르",
    r"(?<!복)원전": "출처",
    r"교과서": "교재",
    r"(?<!웹)페이지": "화면",
    r"단추": "버튼",
    r"까닭": "이유",
    r"빈칸": "공백",
    r"걸음": "단계",
    r"교실": "실시간 수업",
    r"물음(?!표)": "연습 문제",
    r"서브워드 정규화": "서브워드 정칙화",
    r"사용권": "라이선스",
    r"대리 코드": "서로게이트",
    r"자소 묶음": "보이는 글자",
    r"잦은": "빈도가 높은",
    r"(?<![가-힣])(잰|재는|재고|재어|재면|잽니)": "측정하다",
    r"[가-힣A-Za-z)]의 것": "the noun itself",
    r"(줄|자|개)(만|까지)? 보입니다": "표시합니다",
    r"십시오": "-세요",
    r"[와을은이]\([과를는가]\)|\(으\)로": "{name:과/와}",
    r"(?<!F)\d %|\} %": "95%",
    r"[\d}] [KMG]B\b": "25MB",
    r"\d–\d": "1~4",
}
# The same in English.
_ENGLISH = {
    r"\b[Bb]ehind\b": "after",
    r"so-manieth": "every k-th",
    r"raised to this": "floored at this",
    r"what travels": "what is sent",
    r"\bour fault\b": "a bug",
    r"\bnobody needs\b": "unused",
    r"\bholds (?!for\b)|\b(is|are) held\b(?! out)": "contains",
    r"\bstands\b(?! for)|\blies\b(?! between)": "is in",
    r"what is chosen": "the selection",
    r"what is in view": "the current view",
    r"[Ss]tretch(es)? between white space": "white-space-separated words",
    r"the beginning is shown": "longer text is truncated",
    r"equal in the first": "ties are broken by the next level",
    r"\} before it\b": "ahead in the queue",
    r"goes on as soon as": "No connection. Reconnecting…",
    r"\b(It|one) was not taken": "Your answer was not accepted.",
    r"\broams?\b": "free exploration",
    r"\bNot so\b": "not quite",
    r"[Hh]ow many times as many|[Ss]o many times": "a ÷ b",
    r"keep a text again": "saving again extends the date",
    r"[Nn]othing of what": "no matching claims",
    r"the same all the same": "is nevertheless identical",
    r"what is not a mean": "only means have intervals",
    r"(?<!F)\d %|\} %": "95%",
}
# Where a word is what is between spaces: 어절.
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


@pytest.mark.parametrize(("lang", "said"), [("ko", _KOREAN), ("en", _ENGLISH)])
def test_plain_words(lang: str, said: dict[str, str]) -> None:
    """What was rewritten does not come back: one name for one thing, and what a native speaker would say."""
    found = [
        f"{key}: {match[0]!r}, say {better}"
        for key, texts in catalogue().items()
        for pattern, better in said.items()
        if (match := re.search(pattern, texts.get(lang, "")))
    ]
    assert found == []


def test_a_word_between_spaces_has_its_korean_name() -> None:
    korean = {key: texts["ko"] for key, texts in catalogue().items()}
    found = {key for key in korean if key.startswith(_OF_WHITE_SPACE) and "단어" in korean[key]}
    assert found == {"explore.example.city", "explore.example.spelling"}  # of English


# Placeholders that are no whole numbers, or always more than 1, by their name or their key and name.
_NO_COUNTS = {
    "context",
    "left",
    "likelihood",
    "limit",
    "loss",
    "name",
    "ratio",
    "ties",
    "times_1",
    "times_3",
    "token",
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
    "cost.baseline bytes",
    "cost.baseline characters",
    "cost.money.refused most",
    "cost.others early",
    "cost.why news",
    "cost.why times",
    "compare.make_up_text size",
    "growth.mixture_note size",
    "learn_tradeoff.lesson_note characters",
    "learn_unigram.round.several count",
    "learn_unigram.round.tie count",
    "learn_unigram.target low",
    "limits.vocab value",
    "model.name size",
    "model.size size",
    "set.larger size",
    "toy.long longest",
    "train.size.feasible high",
    "train.size.infeasible size",
}
# A text that was cut has more than the limit.
_CUT = ("cut", ".too_many")
_COUNTED = re.compile(r"\{(\w+)[^}|]*\}\**(?! of the)((?: [a-z'-]{2,}){1,3})")
_NO_PLURALS = {"applies", "as", "cuts", "has", "is", "its", "keeps", "leaves", "less", "removes", "this", "was"}


def _counted_plurals() -> list[tuple[str, str, str]]:
    """Key, placeholder and what follows it, wherever an English text has a placeholder and a plural after it."""
    found = []
    for key, texts in _TEXTS.items():
        # Most numbers of errors are limits, or values that were refused; Streamlit's texts are its own.
        if key.startswith(("error.", "streamlit.")):
            continue
        for match in _COUNTED.finditer(texts["en"]):
            words = [word for word in match[2].split() if word.endswith("s") and word not in _NO_PLURALS]
            if words and not key.endswith(_CUT):
                found.append((key, match[1], match[2].strip()))
    return found


def test_one_of_something_is_not_called_by_its_plural() -> None:
    found = [(key, name, words, _NO_COUNTS & {name, f"{key} {name}"}) for key, name, words in _counted_plurals()]
    assert [(key, name, words) for key, name, words, excepted in found if not excepted] == []
    assert _NO_COUNTS - {one for *_, excepted in found for one in excepted} == set(), "no longer needed"
    said = {n: translate("learn_unigram.segmentations_text", "en", count=n, share=100.0) for n in (0, 1, 2)}
    assert said[1].startswith("There is 1 way to segment this word.")
    assert said[0].startswith("There are 0 ways") and said[2].startswith("There are 2 ways")
    assert translate("learn_bpe.ties", "en", count=1) == "1 tie: decide it yourself"


def test_every_key_that_the_app_asks_for_exists() -> None:
    keys = set(catalogue())
    asked_for = {pattern: path for path, argument in _calls() if (pattern := _pattern(argument))}
    assert len(asked_for) > 500
    assert {
        pattern: name for pattern, name in asked_for.items() if not any(map(re.compile(pattern).fullmatch, keys))
    } == {}


def test_every_key_is_asked_for() -> None:
    asked_for = re.compile("|".join({pattern for _, argument in _calls() if (pattern := _pattern(argument))}))
    # A key may also be handed over as a value: `Preset("lattice.preset.greeting", ...)`.
    literals = {
        node.value
        for tree in parsed("app").values()
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    literals |= {key for labels in (*LABELS.values(), STREAMLIT) for key in labels.values()}
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
    families = ("train.score", "figure.column", "scores.axis", "scores.about")
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
        ("‘(가)’", "은/는", "‘(가)’는"),
        ("‘BPE (문자열)’", "은/는", "‘BPE (문자열)’는"),
        ("Mistral NeMo (Tekken)", "은/는", "Mistral NeMo (Tekken)는"),
        ("[UNK]", "으로/로", "[UNK]로"),
        ("가)", "은/는", "가)는"),
        ("Thunder-Tok((a))", "은/는", "Thunder-Tok((a))은"),
        ("<0x80>", "은/는", "<0x80>은"),
        ("</w>", "은/는", "</w>는"),
        ("‘r + _’", "을/를", "‘r + _’을"),
        ("_", "으로/로", "_로"),
        ("‘ca | ts’", "을/를", "‘ca | ts’를"),
        ("##ing", "은/는", "##ing은"),
        ("ㄴ", "이/가", "ㄴ이"),
        ("ㄹ", "으로/로", "ㄹ로"),
        ("ㅏ", "이/가", "ㅏ가"),
        ("ㅂ니다", "을/를", "ㅂ니다를"),
        ("\u1100\u1161\u11a8", "을/를", "\u1100\u1161\u11a8을"),
        ("안녕␣", "은/는", "안녕␣은"),
        ("n²", "은/는", "n²은"),
        ("web", "은/는", "web은"),
        ("feet", "은/는", "feet는"),
        ("unit", "은/는", "unit은"),
        ("JSON", "은/는", "JSON은"),
        ("12%", "이/가", "12%가"),
        ("UTF-8", "으로/로", "UTF-8로"),
        ("ᄒᆞᆫ", "은/는", "ᄒᆞᆫ은"),
        ("나랏〮", "을/를", "나랏〮을"),
        ("ﾡ", "이/가", "ﾡ이"),
        ("①", "으로/로", "①로"),
        ("②", "을/를", "②를"),
        ("ＡＢＬ", "은/는", "ＡＢＬ은"),
        ("《책》", "으로/로", "《책》으로"),
        ("말（마）", "으로/로", "말（마）로"),
    ],
)
def test_particles_fit_their_word(word: str, pair: str, expected: str) -> None:
    assert with_particle(word, pair) == expected


def test_what_fills_a_text_has_the_particle_that_fits_it() -> None:
    """A percentage and what is in brackets, which are not read, do not decide."""
    fixed = re.compile(r"\{[^{}]*[^{}%]\}[’”`*]*(?:(?:은|는|을|를|과|와|으로|로|가)(?![가-힣])|이(?=\s))")
    texts = {key: texts["ko"] for key, texts in _TEXTS.items() if "ko" in texts}
    found = {key: match[0] for key, text in texts.items() if (match := fixed.search(re.sub(r"\{\w+!r\}", "", text)))}
    assert found == {}


def test_a_placeholder_may_ask_for_a_particle() -> None:
    text = translate("error.files.twice", "ko", name="책.txt")
    assert "책.txt가 두 번" in text


def test_a_power_of_ten_is_typeset() -> None:
    assert [number_text(value) for value in (0.0000124, -2e21, 0.0124, 0, math.inf)] == [
        *("1.24×10⁻⁵", "-2×10²¹", "0.0124", "0", "inf")
    ]
    assert fill("P = {p:.2g}, {n:.1e}, {n:,}", {"p": 1e-7, "n": 1500}) == "P = 1×10⁻⁷, 1.5×10³, 1,500"


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
