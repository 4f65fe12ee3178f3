"""concordance and collocates on the command line: rows by file and line, and a caret under what is wrong."""

import json
import time
from pathlib import Path

import pytest

from engine.cli import main
from engine.config import TrainingSettings
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.training import train

_NEWS = ["학교에 가는 길", "학교 앞에 가게가 있다", "", "=가게\t는 멀다"]
_NOVEL = ["길이 멀다", "학교 앞에 길이 있다"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("query")
    (path / "news.txt").write_text("\n".join(_NEWS) + "\n", encoding="utf-8")
    (path / "novel.txt").write_text("\n".join(_NOVEL) + "\n", encoding="utf-8")
    settings = TrainingSettings(algorithm="characters", vocab_size=300)
    train([*_NEWS, *_NOVEL], settings).save(path / "characters.tok")
    return path


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def run(name: str, *words: str) -> tuple[int, str, str]:
        code = main([name, "news.txt", "novel.txt", "--model", "characters.tok", *words])
        return code, *capsys.readouterr()

    return run


def test_places_in_a_line_of_megabytes_take_no_longer_than_in_short_ones(folder: Path, capsys) -> None:
    line = ("나는 학교에 간다😀. " + "바람이 분다. " * 80) * 2000
    (folder / "long.txt").write_text(line, encoding="utf-8")
    began = time.process_time()
    command = ["concordance", str(folder / "long.txt"), "--model", str(folder / "characters.tok"), "--text", "학교"]
    assert main([*command, "--json", "--context", "9"]) == 0
    assert time.process_time() - began < 10  # a minute, if every place looked at the whole line
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 2000
    assert {row["left"] for row in rows[1:]} == {"이 분다. 나는 "} and {row["right"] for row in rows} == {
        "에 간다😀. 바람"
    }


def test_places_are_named_by_file_and_line(command) -> None:
    _, out, _ = command("concordance", "--query", '"학교.*" "앞에"?', "--json", "--context", "3")
    assert json.loads(out) == [
        {"file": "news.txt", "line": 1, "left": "", "match": "학교에", "right": " 가는"},
        {"file": "news.txt", "line": 2, "left": "", "match": "학교 앞에", "right": " 가게"},
        {"file": "novel.txt", "line": 2, "left": "", "match": "학교 앞에", "right": " 길이"},
    ]
    code, out, _ = command("concordance", "--text", "길이", "--context", "0")
    assert code == 0 and out.splitlines() == [
        "file\tline\tleft\tmatch\tright",
        "novel.txt\t1\t\t길이\t",
        "novel.txt\t2\t\t길이\t",
        "# 2 places in 2 of 6 lines",
    ]
    _, out, _ = command("concordance", "--token", "멀", "--json", "--limit", "1")
    assert [(row["file"], row["line"], row["left"]) for row in json.loads(out)] == [("news.txt", 4, "=가게<0x09>는 ")]
    for token in ("(", '"', "[token]"):  # a token is never read as a query
        assert command("concordance", "--token", token, "--json")[:2] == (0, "[]\n")
    _, out, _ = command("concordance", "--query", '[token="는"] [token="␣"]', "--json", "--where", "file=novel.txt")
    assert json.loads(out) == []


def test_a_wrong_query_has_a_caret(command) -> None:
    code, out, err = command("concordance", "--query", '[token="학"] 가')
    assert (code, out) == (2, "")
    assert err.splitlines()[:2] == ['[token="학"] 가', "        \u3000   ^"]
    assert err.splitlines()[2].startswith("character 13 of the query is '가' where")
    code, out, _ = command("collocates", "--node", '[word="("]', "--json")
    error = json.loads(out)["error"]
    assert code == 2 and error["code"] == "query.pattern" and error["values"]["at"] == 8


def test_without_an_analyser_there_is_a_sentence(command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.query.build.installed_analysers", list)
    code, _, err = command("concordance", "--query", '[tag="NNG"]')
    assert code == 2 and all(one.package in err for one in ANALYSERS.values()) and err.count("\n") == 1


@pytest.mark.skipif("mecab" not in installed_analysers(), reason="needs python-mecab-ko")
def test_morphemes_have_places_in_the_line(command) -> None:
    _, out, _ = command("concordance", "--query", '[tag="NNG"] [tag="JK."]', "--json", "--analyser", "mecab")
    assert [row["match"] for row in json.loads(out)] == ["학교에", "앞에", "가게가", "길이", "앞에", "길이"]


def test_collocates_lead_to_their_lines(command) -> None:
    words = ("--unit", "words", "--left", "0", "--right", "2", "--min-count", "1", "--json")
    _, out, _ = command("collocates", "--node", "앞에", *words)
    rows = json.loads(out)
    assert [(row["word"], row["observed"], row["frequency"], row["left"]) for row in rows] == [
        ("있다", 2, 2, 0),
        ("가게가", 1, 1, 0),
        ("길이", 1, 2, 0),
    ]
    assert rows[0]["log_dice"] == 14 and rows[0]["log_dice_low"] < 14 < rows[0]["log_dice_high"]
    _, out, _ = command("concordance", "--query", rows[2]["query"], "--json")
    assert [(row["file"], row["line"], row["match"]) for row in json.loads(out)] == [("novel.txt", 2, "앞에 길이")]
    _, out, _ = command("collocates", "--node", '[word=".*에"]', "--sort", "g2", "--limit", "2", "--min-count", "1")
    assert out.splitlines()[0].endswith("\tp\ttoken") and len(out.splitlines()) == 4
    code, _, err = command("collocates", "--node", "앞에", "--left", "0", "--right", "0")
    assert code == 2 and "0 to 100 units" in err


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        *(
            (name, "--query-seconds", value)
            for name in ("concordance", "collocates")
            for value in ("nan", "inf", "-1", "0", "soon")
        ),
        *(
            (name, option, value)
            for name, option in [
                ("concordance", "--context"),
                ("concordance", "--limit"),
                ("collocates", "--min-count"),
                ("keyness", "--limit"),
                ("keyness", "--parts"),
            ]
            for value in ("-1", "9" * 30, "1.5")
        ),
        ("keyness", "--parts", "1"),
        ("keyness", "--parts", "2000000000"),
    ],
)
def test_numbers_that_nothing_can_be_computed_with_are_refused(
    name: str, option: str, value: str, command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command(name, option, value)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert f"argument {option}: give a " in error and error.count("\n") == 1
