"""User dictionaries of both analysers: what a file says, what it may not say, and what changes in the analysis."""

import importlib.util
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli import main
from engine.corpus.morphemes.analysers import ANALYSERS, line_morphemes
from engine.corpus.morphemes.morpheme import AnalyserSettings
from engine.corpus.morphemes.user_dictionary import UserWord, Weights, parse_user_dictionary
from engine.errors import InputError

TAGS = {"NNG": Weights(-10, 10, False), "NNP": Weights(-32768, 32767, True)}
WORDS = ["갓생\tNNG", "오픈␣소스,NNP", "우마무스메\tNNP"]
TEXT = "나는 갓생 우마무스메를 오픈 소스로 본다"

has_mecab = pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")
has_kiwi = pytest.mark.skipif(importlib.util.find_spec("kiwipiepy") is None, reason="kiwipiepy is not installed")
BOTH = [pytest.param("mecab", marks=has_mecab), pytest.param("kiwi", marks=[has_kiwi, pytest.mark.slow])]


def test_columns_in_both_notations() -> None:
    lines = ["\ufeffform\ttag\tscore", "# a comment", "", "갓생\tNNG\t2.5\r", '"a,b",NNG', " 오픈␣ 소스 ,NNP, -7"]
    lines.append("갓생\tNNG")
    assert parse_user_dictionary(lines, TAGS).words == (
        UserWord("갓생", "NNG"),  # the last line of a word applies
        UserWord("a,b", "NNG"),
        UserWord("오픈 소스", "NNP", -7),
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("갓생", "columns"),
        ("갓생 NNG", "columns"),
        ("갓생\tNNG\t1\t2", "columns"),
        ("갓\0생\tNNG", "columns"),
        ("\tNNG", "form"),
        ("␣␣\tNNG", "form"),
        ("가" * 61 + "\tNNG", "form"),
        ("가\u202e나\tNNG", "form"),
        ("갓생\tNNX", "tag"),
        ("갓생\tVV+EC", "tag"),
        ("갓생\tNNG\tmuch", "score"),
        ("갓생\tNNG\tnan", "score"),
        ("갓생\tNNG\t11", "score"),
        ("갓생\tNNP\t1.5", "cost"),
        ("갓생\tNNP\t99999", "cost"),
    ],
)
def test_a_wrong_line_is_named(line: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_user_dictionary(["가\tNNG", line], TAGS)
    assert caught.value.code == f"user_dictionary.{code}" and caught.value.values["number"] == 2
    for language in ("ko", "en"):
        text = caught.value.text(language)
        assert "2" in text and "\n" not in text


def test_a_file_without_words_and_one_with_too_many() -> None:
    with pytest.raises(InputError) as caught:
        parse_user_dictionary(["# nothing", ""], TAGS)
    assert caught.value.code == "user_dictionary.empty"
    with pytest.raises(InputError) as caught:
        parse_user_dictionary([f"가{number}\tNNG" for number in range(20_001)], TAGS)
    assert caught.value.code == "user_dictionary.large"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4))
def test_any_file_is_read_or_refused(lines: list[str]) -> None:
    words: tuple[UserWord, ...] = ()
    with suppress(InputError):
        words = parse_user_dictionary(lines, TAGS).words
    assert all(word.form.strip() == word.form and word.tag in TAGS for word in words)


@pytest.mark.parametrize("analyser", BOTH)
def test_new_words_are_found_and_the_others_stay(analyser: str) -> None:
    dictionary = parse_user_dictionary(WORDS, ANALYSERS[analyser].user_tags)
    before = line_morphemes(TEXT, analyser)
    after = line_morphemes(TEXT, analyser, AnalyserSettings(dictionary))
    new = {("갓생", "NNG"), ("우마무스메", "NNP"), ("오픈 소스", "NNP")}
    assert new <= {(TEXT[one.begin : one.end], one.tag) for one in after}
    assert not new & {(TEXT[one.begin : one.end], one.tag) for one in before}
    assert [one for one in after if one.end <= 2] == [one for one in before if one.end <= 2]
    assert line_morphemes(TEXT, analyser) == before  # of nobody else


@has_mecab
def test_a_cost_decides() -> None:
    """나는 is the verb or a noun of the user's, as its cost says."""

    def tag_at_the_start(cost: int) -> str:
        dictionary = parse_user_dictionary([f"나는\tNNG\t{cost}"], ANALYSERS["mecab"].user_tags)
        return line_morphemes("나는 간다", "mecab", AnalyserSettings(dictionary))[0].tag

    assert tag_at_the_start(-20_000) == "NNG" and tag_at_the_start(30_000) == "NP"


@has_mecab
def test_every_tag_that_is_offered_is_one_that_mecab_takes() -> None:
    tags = ANALYSERS["mecab"].user_tags
    dictionary = parse_user_dictionary([f"갓뷁{tag.lower()}\t{tag}" for tag in tags], tags)
    assert line_morphemes("갓뷁nng", "mecab", AnalyserSettings(dictionary))[0].tag == "NNG"
    # A form in the syntax of MeCab's own file stays a form.
    odd = parse_user_dictionary(['"가,""나"" +/*",NNP,-9000'], tags)
    assert line_morphemes('그 가,"나" +/*는', "mecab", AnalyserSettings(odd))[1].form == '가,"나" +/*'


@has_mecab
def test_the_command_takes_it(tmp_path, capsys) -> None:
    text, words, wrong = tmp_path / "text.txt", tmp_path / "words.tsv", tmp_path / "wrong.tsv"
    text.write_text(TEXT + "\n", encoding="utf-8")
    words.write_text("\n".join(WORDS), encoding="utf-8")
    wrong.write_text("은\tJX\n", encoding="utf-8")
    arguments = ["morphology", "--model", "public:gpt2", "--gold", "mecab", "--text", str(text), "--json"]
    assert main(arguments) == 0
    before = capsys.readouterr().out
    assert main([*arguments, "--user-dictionary", str(words)]) == 0
    assert capsys.readouterr().out != before
    assert main([*arguments, "--user-dictionary", str(wrong)]) == 2
    assert capsys.readouterr().err.startswith("line 1 of the user dictionary")
    assert main([*arguments, "--correct"]) == 2
    assert "only Kiwi" in capsys.readouterr().err
