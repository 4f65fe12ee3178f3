"""The command `fit`: files, maps, errors in one sentence."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from engine.cli import main
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.tiktoken.ranks import to_tiktoken
from engine.model_files import load_tokenizer
from tests.engine.fit.starts import LINES, PIECES, trained
from tests.hub_server import HubServer


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return str(path)


def test_ranks_are_extended_with_maps(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    output, table, arrays = (str(tmp_path / name) for name in ("out.tiktoken", "map.csv", "map.npz"))
    asked = ["fit", "--model", "public:gpt2", "--extend", "5", "--text", text, "--output", output, "--json"]
    assert main([*asked, "--map", table, arrays]) == 0
    printed = json.loads(capsys.readouterr().out)
    before, after = printed["rows"]
    assert (printed["n_added"], printed["n_removed"]) == (5, 0)
    assert after["vocab_size"] == before["vocab_size"] + 5
    assert after["tokens"] < before["tokens"]
    old, new = load_tokenizer("public:gpt2"), load_tokenizer(output, "gpt2")
    assert sum(len(new.encode(line).ids) for line in LINES) == after["tokens"]
    rows = list(csv.DictReader(Path(table).read_text(encoding="utf-8").splitlines()))
    with np.load(arrays) as packed:
        ptr, old_ids = packed["ptr"].tolist(), packed["old_ids"].tolist()
        assert packed["new_id_of_old"].tolist() == list(range(old.vocab_size))
    assert len(rows) == new.vocab_size == len(ptr) - 1
    for row in rows[-5:]:
        i = int(row["new_id"])
        ids = [int(k) for k in row["old_ids"].split()]
        assert ids == old_ids[ptr[i] : ptr[i + 1]]
        assert b"".join(map(old.token_bytes, ids)) == new.token_bytes(i)


def test_a_tokenizer_of_the_hub_is_extended(
    hub: HubServer, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model, output = trained(270), tmp_path / "tokenizer.json"
    hub.files["owner/name"] = {"tokenizer.json": to_tokenizer_json(model)}
    asked = ["fit", "--model", "hub:owner/name", "--extend", "5", "--text", text, "--output", str(output)]
    assert main(asked) == 0, capsys.readouterr().err
    assert load_tokenizer(str(output)).vocab_size == model.vocab_size + 5


def test_listed_tokens_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted, output = tmp_path / "list.txt", str(tmp_path / "out.tiktoken")
    wanted.write_text(" 다람쥐\r\n\r\nthe\n 다람쥐\n 헌 쳇\n", encoding="utf-8")
    asked = ["fit", "--model", "public:gpt2", "--add", str(wanted), "--output", output]
    assert main([*asked, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    new = load_tokenizer(output, "gpt2")
    assert len(new.encode(" 다람쥐가").ids) < len(load_tokenizer("public:gpt2").encode(" 다람쥐가").ids)
    assert printed["n_added"] == len(printed["parts"]) + 1
    assert [row["line"] for row in printed["left_out"]] == [2, 3, 4, 5]
    assert main(asked) == 0
    assert "4 left out: line 2: the line is empty; line 3: 'the' is in" in capsys.readouterr().out


def test_a_trained_model_is_trimmed(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    model, output = str(tmp_path / "model.tok"), str(tmp_path / "out.tok")
    trained().save(model)
    Path(text).write_text("theme", encoding="utf-8")
    asked = ["fit", "--model", model, "--trim-unused", "--text", text, "--output", output]
    assert main(asked) == 2
    assert "--renumber" in capsys.readouterr().err
    assert not Path(output).exists()
    assert main([*asked, "--renumber"]) == 0
    assert load_tokenizer(output).vocab_size < 270


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--extend", "5"], "needs a text"),
        (["--trim-unused"], "needs a text"),
        (["--trim", "5"], "give 258 to 290"),
        (["--trim", "280", "--map", "map.txt"], ".csv or .npz"),
        (["--extend", "600000", "--text", "TEXT"], "between 0 and 500,000"),
        (["--trim", "280", "--extend", "5"], "not allowed with"),
        (["--add", "nothing.txt"], "nothing.txt"),
        (["--add", "MANY"], "100,001 tokens; at most 100,000"),
        (["--add", "BYTES"], "byte 0xFF"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    model, output = str(tmp_path / "model.tok"), tmp_path / "out.tok"
    trained().save(model)
    Path(text).write_text("theme", encoding="utf-8")
    files = {"TEXT": text, "MANY": str(tmp_path / "many.txt"), "BYTES": str(tmp_path / "bytes.txt")}
    Path(files["MANY"]).write_text("a\n" * 100_001)
    Path(files["BYTES"]).write_bytes(b"\xff\xfe\xfd")
    asked = [files.get(word, word) for word in more]
    try:
        code = main(["fit", "--model", model, *asked, "--output", str(output)])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    errors = capsys.readouterr().err
    assert code == 2
    assert said in errors
    assert errors.count("\n") == 1
    assert not output.exists()


@pytest.mark.parametrize("start", ["unigram", "pieces", "ranks"])
def test_the_curve_has_the_sizes_in_between(
    start: str, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model, output, other = tmp_path / "start.model", tmp_path / "out.model", tmp_path / "other.txt"
    model.write_bytes(to_tiktoken(trained(270)) if start == "ranks" else PIECES[start]().data)
    other.write_text("the theme\n다람쥐가 헌\n", encoding="utf-8")
    asked = ["fit", "--model", str(model), "--text", text, "--other", str(other), "--output", str(output), "--json"]
    asked += ["--pattern", "gpt2"] if start == "ranks" else []
    assert main([*asked, "--extend", "10"]) == 0
    printed = json.loads(capsys.readouterr().out)
    curve = printed["curve"]
    rows = {row["model"]: row for row in printed["rows"] if row["file"] == str(other)}
    assert curve[0]["added"] == 0 and curve[-1]["added"] == printed["n_added"] >= 3
    for point, row in ((curve[0], rows["before"]), (curve[-1], rows["after"])):
        assert all(point[name] == row[name] for name in ("vocab_size", "tokens", "fertility", "fertility_low"))
    for point in curve[1:-1:3]:  # what fewer tokens would have made
        assert main([*asked, "--extend", str(point["added"])]) == 0
        (fewer,) = [row for row in json.loads(capsys.readouterr().out)["rows"] if row["model"] == "after"][1:]
        assert point["vocab_size"] == fewer["vocab_size"]
        if start != "unigram":  # whose scores depend on the other new tokens
            assert point["tokens"] == fewer["tokens"]
    assert main([*asked, "--trim-unused", "--renumber"]) == 0
    assert json.loads(capsys.readouterr().out)["curve"] == []


def test_a_unigram_model_is_extended(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    model, output = tmp_path / "unigram.model", tmp_path / "out.model"
    model.write_bytes(PIECES["unigram"]().data)
    asked = ["fit", "--model", str(model), "--extend", "4", "--text", text, "--output", str(output)]
    written = set()
    for scores in ("keep", "all"):
        assert main([*asked, "--scores", scores, "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        before, after = printed["rows"]
        assert (
            after["tokens"] < before["tokens"]
            and before["vocab_size"] < after["vocab_size"] <= before["vocab_size"] + 4
        )
        assert load_tokenizer(output).vocab_size == after["vocab_size"]
        written.add(output.read_bytes())
    assert len(written) == 2


def test_a_sentencepiece_model_is_trimmed(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.model"
    for name in ("unigram", "pieces"):
        model = tmp_path / f"{name}.model"
        model.write_bytes(PIECES[name]().data)
        asked = ["fit", "--model", str(model), "--text", text, "--output", str(output)]
        assert main([*asked, "--trim-unused", "--renumber", "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        before, after = printed["rows"]
        assert after["tokens"] == before["tokens"] and after["vocab_size"] < before["vocab_size"]
        assert load_tokenizer(output).vocab_size == after["vocab_size"]
        assert printed["checked_with"].startswith("sentencepiece")
        output.unlink()
    Path(text).write_text(LINES[0], encoding="utf-8")
    assert main([*asked, "--trim-unused"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "--renumber" in error
    assert not output.exists()
