"""The command line is a contract: exit codes, one clear line on standard error, JSON fields."""

import argparse
import io
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import thundertok
from engine import VERSION
from engine.cli import build_parser, main
from engine.errors import InputError
from engine.model_files import load_tokenizer
from engine.pretokenization import PRETOKENIZERS
from tests.conftest import ROOT
from tests.engine.unigram.test_trainer import sentences


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(sentences(120)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(corpus: Path) -> Path:
    path = corpus.with_name("model.tok")
    assert main(["train", str(corpus), "--vocab-size", "300", "--output", str(path), "--json"]) == 0
    return path


def run(capsys, *arguments: str) -> str:
    """Output of a command that succeeds."""
    capsys.readouterr()
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments: str) -> str:
    """The one line of a command that is refused."""
    capsys.readouterr()
    try:
        code = main(list(arguments))
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.splitlines() and "Traceback" not in captured.err
    return captured.err


def test_numba_is_loaded_for_kernels_only() -> None:
    script = "import sys, thundertok; from engine.cli import main; main(sys.argv[1:]); print('numba' in sys.modules)"
    for command in ("models",), ("tokens", "--model", "shipped:thunder-tok-8k"):
        done = subprocess.run(
            [sys.executable, "-c", script, *command], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.endswith("\nFalse\n")


def test_train_prints_what_the_contract_names(corpus: Path, tmp_path, capsys) -> None:
    results = []
    for threads in ("1", "2"):
        arguments = ["train", str(corpus), "--vocab-size", "300", "--output", str(tmp_path / "m"), "--threads", threads]
        results.append(json.loads(run(capsys, *arguments, "--json")))
        assert list(results[-1]) == ["vocab_size", "rounds", "objective", "seconds", "sha256"]
    assert results[0]["sha256"] == results[1]["sha256"]
    assert results[0]["vocab_size"] == 300


def test_train_names_the_options_that_it_makes_no_use_of(corpus: Path, tmp_path, capsys) -> None:
    arguments = [
        "train",
        str(corpus),
        "--algorithm",
        "byte-bpe",
        "--vocab-size",
        "280",
        "--output",
        str(tmp_path / "m"),
    ]
    assert main([*arguments, "--score", "ml", "--min-count=1", "--ties", "tokenizers"]) == 0
    assert capsys.readouterr().err.splitlines()[0] == "byte-bpe does not use --score, --min-count"
    assert main([*arguments, "--score", "be_p"]) == 0
    assert "does not use" not in capsys.readouterr().err


def test_unigram_is_a_setting_of_the_same_trainer(corpus: Path, tmp_path, capsys) -> None:
    path = tmp_path / "m"
    run(capsys, "train", str(corpus), "--algorithm", "unigram", "--vocab-size", "280", "--output", str(path))

    settings = load_tokenizer(path).settings
    assert (settings.score, settings.seed_vocabulary) == ("ml", "ngrams")


def test_a_preset_sets_what_is_not_asked_for(corpus: Path, tmp_path, capsys) -> None:
    digests = []
    for threads in ("1", "2"):
        arguments = ["train", str(corpus), "--vocab-size", "300", "--output", str(tmp_path / "m"), "--threads", threads]
        preset = ["--preset", "fewest-tokens", "--seed-factor", "1.5", "--pretokenizer", "gpt2"]
        digests.append(json.loads(run(capsys, *arguments, *preset, "--json"))["sha256"])
    assert digests[0] == digests[1]
    settings = load_tokenizer(tmp_path / "m").settings
    assert (settings.score, settings.seed_vocabulary, settings.pretokenizer) == ("tokens", "bpe", "gpt2")
    assert settings.seed_factor == 1.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--preset", "fewest-tokens", "--algorithm", "bpe"], {"en": "leave out --preset", "ko": "--preset이나"}),
        (["--seed-factor", "0.5"], {"en": "between 1 and 10,000, got 0.5", "ko": "초기 어휘의 배수"}),
    ],
)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_recipe_that_cannot_be_is_refused(language, options, said, corpus, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("LC_ALL", language)
    arguments = ["train", str(corpus), "--vocab-size", "300", "--output", str(tmp_path / "m"), *options]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert said[language] in error and error.count("\n") == 1


def test_help_names_every_pretokenizer(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    shown = "".join(capsys.readouterr().out.split())
    assert all(name in shown for name in PRETOKENIZERS)


def test_help_is_written_in_one_style() -> None:
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, parser in commands.choices.items():
        for action in parser._actions:
            if isinstance(action, argparse._HelpAction):
                continue
            place, text = f"{name} {action.dest}", action.help
            assert text and (text[0].islower() or text.split()[0] in ("E", "Unicode", "JSON")), place
            assert not text.endswith("."), place
            assert ("(default:" in text) or action.default in (None, False, []), place


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LC_MESSAGES": "ko"}, "ko"),
        ({"LC_ALL": "", "LC_MESSAGES": "ko_KR", "LANG": "en_US.UTF-8"}, "ko"),
        ({"LC_ALL": "C", "LANG": "ko_KR.UTF-8"}, "en"),
        ({"LC_ALL": "kok_IN"}, "en"),
        ({"LANG": "de_DE@euro"}, "en"),
        ({}, "en"),
    ],
)
def test_messages_are_in_the_language_of_the_locale(
    locale: dict[str, str], expected: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    said = {"en": "has no pruning rounds; choose", "ko": "가지치기 라운드가 없"}
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\na\n", encoding="utf-8")
    assert main(["tokens", "--model", str(path), "--all", "--json"]) == 2
    captured = capsys.readouterr()
    assert said[expected] in captured.err and captured.err.count("\n") == 1
    # What scripts read stays as it is.
    assert said["en"] in json.loads(captured.out)["error"]["message"]


def test_numbers_join_words_where_asked_to(tmp_path, capsys) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("커피 2잔 주세요.\n" * 20, encoding="utf-8")
    arguments = ["train", str(corpus), "--vocab-size", "262", "--output", str(tmp_path / "m")]
    assert main([*arguments, "--pretokenizer", "thunder-tok-joined"]) == 0
    model = load_tokenizer(tmp_path / "m")
    assert model.pretokenizer.split("커피 2잔") == ["커피 2잔"]


def test_encode_prints_a_line_for_each_line(model: Path, tmp_path, capsys) -> None:
    text = tmp_path / "text.txt"
    text.write_text("그 말은 틀렸어\n\n쀍", encoding="utf-8")
    lines = run(capsys, "encode", "--model", str(model), str(text)).splitlines()
    assert lines[0].replace("|", "") == "그 말은 틀렸어" and lines[1] == "" and lines[2] == "<0xEC>|<0x80>|<0x8D>"
    rows = [json.loads(row) for row in run(capsys, "encode", "--model", str(model), str(text), "--json").splitlines()]
    assert rows[1] == {"ids": [], "tokens": [], "spans": []}
    assert rows[2]["spans"] == [[0, 1], [1, 2], [2, 3]]


def test_encode_with_the_fewest_tokens(model: Path, tmp_path, capsys) -> None:
    lines = ["그 말은 틀렸어", "", "쀍 그 말은"]
    text = tmp_path / "text.txt"
    text.write_text("\n".join(lines), encoding="utf-8")
    command = ("encode", "--model", str(model), "--encode", "fewest", str(text), "--json")
    rows = [json.loads(row) for row in run(capsys, *command).splitlines()]
    tokenizer = load_tokenizer(model)
    assert [len(row["ids"]) for row in rows] == tokenizer.fewest_tokens(lines).tolist()
    assert [tokenizer.decode(row["ids"]) for row in rows] == lines
    for row, line in zip(rows, lines, strict=True):
        pieces = [line.encode()[begin:end] for begin, end in row["spans"]]
        assert pieces == [tokenizer.token_bytes(token_id) for token_id in row["ids"]]


def test_lattice_prints_arcs_and_paths(model: Path, capsys) -> None:
    out = json.loads(run(capsys, "lattice", "--model", str(model), "--text", "그 말은 쀍", "--nbest", "3", "--json"))
    assert list(out) == ["arcs", "log_z", "entropy", "nbest"]
    fallback = out["arcs"][-1]
    assert fallback["id"] is None and len(fallback["ids"]) == 3 and fallback["token"] == "<0xEC><0x80><0x8D>"
    assert sum(path["posterior"] for path in out["nbest"]) <= 1 + 1e-9
    best = [arc["token"] for arc in out["arcs"] if arc["best"]]
    assert out["nbest"][0]["tokens"] == best
    assert "log Z" in run(capsys, "lattice", "--model", str(model), "--text", "그 말은", "--round", "0")
    *rows, _ = run(capsys, "lattice", "--model", str(model), "--text", "그\n말\t").splitlines()
    assert {row.count("\t") for row in rows} == {6}


def test_tokens_lists_the_living_and_on_demand_the_dead(model: Path, capsys) -> None:
    alive = json.loads(run(capsys, "tokens", "--model", str(model), "--json"))
    every = json.loads(run(capsys, "tokens", "--model", str(model), "--all", "--json"))
    assert len(alive) == 300 and len(every) > 300
    assert all(row["died_in_round"] is None for row in alive)
    assert list(alive[0]) == ["token", "id", "log_prob", "p", "be", "score", "died_in_round"]
    assert sum(row["died_in_round"] is not None for row in every) == len(every) - 300
    by_id = json.loads(run(capsys, "tokens", "--model", str(model), "--sort", "id", "--json"))
    assert [row["id"] for row in by_id] == list(range(300))


def test_bad_input_is_one_line(corpus: Path, model: Path, tmp_path, capsys) -> None:
    output = str(tmp_path / "out")
    assert "feasible" in refused(capsys, "train", str(corpus), "--vocab-size", "9999", "--output", output)
    assert "No such file" in refused(capsys, "train", str(tmp_path / "none"), "--vocab-size", "300", "--output", output)
    nowhere = str(tmp_path / "no" / "folder")
    for path in (nowhere, str(tmp_path), ""):  # before the training, which may take hours
        (error,) = refused(capsys, "train", str(corpus), "--vocab-size", "300", "--output", path).splitlines()
        assert error.startswith("cannot write ")
    for threads in ("0", "-2", "1000000"):
        arguments = ("train", str(corpus), "--vocab-size", "300", "--output", output, "--threads", threads)
        assert "give a whole number from 1 to 1024" in refused(capsys, *arguments)
    assert "required" in refused(capsys, "train", str(corpus))
    assert "not a supported tokenizer file" in refused(capsys, "tokens", "--model", str(corpus))
    assert "there is no round 77" in refused(capsys, "tokens", "--model", str(model), "--round", "77")
    assert "invalid choice" in refused(capsys, "bake")
    assert not (tmp_path / "out").exists()


def _standard_input(monkeypatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input_is_a_file(corpus: Path, model: Path, tmp_path, capsys, monkeypatch) -> None:
    encode = "encode", "--model", str(model)
    expected = run(capsys, *encode, str(corpus))
    for command in (*encode, "-"), encode:
        _standard_input(monkeypatch, corpus.read_bytes())
        assert run(capsys, *command) == expected
    _standard_input(monkeypatch, corpus.read_bytes())
    from_input = json.loads(run(capsys, "fertility", "--model", str(model), "--text", "-", "--json"))
    from_file = json.loads(run(capsys, "fertility", "--model", str(model), "--text", str(corpus), "--json"))
    assert [{**row, "file": ""} for row in from_input] == [{**row, "file": ""} for row in from_file]
    for way in [], ["--stream"]:
        _standard_input(monkeypatch, corpus.read_bytes())
        output = tmp_path / "model.tok"
        run(capsys, "train", "-", "--vocab-size", "300", "--output", str(output), *way)
        assert output.read_bytes() == model.read_bytes()
    _standard_input(monkeypatch, model.read_bytes())
    assert run(capsys, "tokens", "--model", "-") == run(capsys, "tokens", "--model", str(model))


def test_a_pipe_that_would_be_read_twice_is_refused(model: Path, tmp_path, capsys) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    for command in (
        ("fertility", "--model", str(model), "--text", str(pipe)),
        ("train", "--stream", str(pipe), "--vocab-size", "300", "--output", str(tmp_path / "a.tok")),
    ):
        assert "is a pipe and can be read only once" in refused(capsys, *command)


def test_other_processes_cannot_read_standard_input(model: Path, capsys) -> None:
    for command in (
        ("fertility", "--model", str(model), "--text", "-"),
        ("train", "-", "--vocab-size", "300", "--output", "a.tok"),
    ):
        assert "standard input" in refused(capsys, *command, "--dask", "local:2")


def test_a_pattern_is_for_ranks_only(corpus: Path, model: Path, tmp_path, capsys) -> None:
    for name in str(model), "shipped:byte-bpe-32k", "public:gpt2":
        assert "only tiktoken ranks" in refused(capsys, "encode", "--model", name, "--pattern", "gpt2", str(corpus))
    with pytest.raises(InputError, match="only tiktoken ranks"):
        thundertok.fit("public:gpt2", add=["가나"], pattern="gpt2")
    with pytest.raises(InputError, match="only tiktoken ranks"):
        thundertok.load(model, pattern="gpt2")
    ranks = tmp_path / "a.tiktoken"
    run(capsys, "export", "--model", "shipped:byte-bpe-32k", "--to", "tiktoken", "--output", str(ranks))
    several = "fertility", "--model", str(model), str(ranks), "--text", str(corpus), "--json"
    cut = json.loads(run(capsys, *several, "--pattern", "."))
    assert cut[1]["characters_per_token"] <= 1 < json.loads(run(capsys, *several))[1]["characters_per_token"]
    assert run(capsys, "audit", "--model", "public:gpt2", "--against", str(ranks), "--pattern", "gpt2")


def test_a_column_to_split_by_that_no_file_has_is_refused(corpus: Path, model: Path, tmp_path, capsys) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,register\n가나 다라,novel\n가나 마바,news\n", encoding="utf-8")
    encoding = "--model", str(model)
    for command in (
        ("train", "--vocab-size", "300", "--output", str(tmp_path / "a.tok"), str(corpus)),
        ("fertility", *encoding, "--text", str(corpus)),
        ("audit", *encoding, "--text", str(corpus)),
        ("concordance", *encoding, "--text", "가", str(corpus)),
    ):
        assert "'register' to split by" in refused(capsys, *command, "--split", "register")
    both = "fertility", *encoding, "--text", str(corpus), str(table)
    assert "'year' to split by" in refused(capsys, *both, "--split", "register", "year")
    assert run(capsys, *both, "--split", "register")


def test_an_unknown_option_points_at_the_help_of_its_command(capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["models", "--no-such-option"])
    assert "engine models: unrecognized arguments: --no-such-option (see" in (said := capsys.readouterr().err)
    assert said.endswith("models --help)\n") and said.count("\n") == 1


def test_the_version_is_printed(capsys) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"Thunder-Tok Explorer {VERSION}\n"


def test_an_output_keeps_what_is_no_file(model: Path, tmp_path, capsys) -> None:
    """A link still points to its file, and a pipe, as `/dev/null` would, gets the bytes instead of being replaced."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    export = ("export", "--model", str(model), "--to", "vocab", "--output")
    with ThreadPoolExecutor(1) as pool:
        content = pool.submit((tmp_path / "pipe").read_bytes)
        run(capsys, *export, str(tmp_path / "pipe"))
    run(capsys, *export, str(tmp_path / "link"))
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink()
    assert content.result() == (tmp_path / "file").read_bytes() != b""


@pytest.mark.parametrize("command", ["models", "--version", "models --help"])
@pytest.mark.parametrize(
    ("stream", "code"), [("> /dev/full", 2), (">&-", 2), ("<&- >&-", 2), ("2>&-", 0), ("2> /dev/full", 0), ("<&-", 0)]
)
def test_a_standard_stream_that_is_full_or_closed_is_no_traceback(command: str, stream: str, code: int) -> None:
    """What cannot be printed is told in one line."""
    line = f"{sys.executable} -m engine {command} {stream}"
    done = subprocess.run(line, cwd=ROOT, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (code, code // 2)
    assert done.stderr.startswith("cannot write the output") or code == 0


@pytest.mark.parametrize("stream", ["> /dev/full", ">&-", "2> /dev/full", "> /dev/full 2>&1"])
def test_an_error_that_cannot_be_printed_ends_as_others(stream: str) -> None:
    line = f"{sys.executable} -m engine encode --json --model nothing {stream}"
    done = subprocess.run(line, cwd=ROOT, shell=True, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == ("2" not in stream)


@pytest.mark.parametrize("name", ["gtp2", "llama3", "thunder-token"])
def test_a_word_is_no_pretokenizer(name: str, corpus: Path, tmp_path, capsys) -> None:
    """As a pattern it would cut nothing."""
    output = str(tmp_path / "out.tok")
    train = ["train", str(corpus), "--vocab-size", "300", "--algorithm", "byte-bpe", "--output", output]
    assert main([*train, "--pretokenizer", name]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert f"there is no pre-tokenizer '{name}'; choose among thunder-tok, " in said
    assert main([*train, "--pretokenizer", f"(?:{name})"]) == 0


def test_a_file_name_that_is_no_text_is_named() -> None:
    command = [os.fsencode(sys.executable), b"-m", b"engine", b"encode", b"--model", b"no\xff.tok"]
    done = subprocess.run(command, cwd=ROOT, input=b"", capture_output=True)
    assert done.returncode == 2
    assert done.stderr.startswith(b"cannot read no\\udcff.tok")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.slow
def test_warmup_is_done_only_once(tmp_path) -> None:
    def warm() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "engine", "warmup", "--json"], cwd=ROOT, capture_output=True, text=True, check=True
        )

    first, second = warm(), warm()
    assert json.loads(first.stdout)["seconds"] >= 0
    assert second.stderr == ""


def test_an_error_that_quotes_a_file_moves_no_cursor(tmp_path, capsys) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(b'"a\nb\x1b[31m","c\xe2\x80\xae"\n1,2\n')
    assert main(["train", str(table), "--vocab-size", "300", "--output", str(tmp_path / "x.tok")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and error[:-1].isprintable() and "\\x1b[31m" in error


def test_an_empty_name_of_one_of_several_models_is_a_file_that_is_not_there(capsys, corpus) -> None:
    assert len(refused(capsys, "fertility", "--model", "", "--text", str(corpus)).splitlines()) == 1


def test_ids_are_read_and_a_text_is_cut_at_a_number_of_tokens(model: Path, tmp_path, capsys) -> None:
    tokenizer, text = load_tokenizer(str(model)), tmp_path / "text.txt"
    lines = ["나는 학교에 갔다.", "", "쀍 책"]
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    encoded = [tokenizer.encode(line).ids for line in lines]
    pasted = tmp_path / "ids.txt"
    pasted.write_text("".join(f"{ids}\n" for ids in encoded), encoding="utf-8")
    model_of = ("encode", "--model", str(model))
    assert run(capsys, *model_of, "--ids", str(pasted)) == run(capsys, *model_of, str(text))
    assert run(capsys, *model_of, "--ids", "--show", "text", str(pasted)).split("\n")[:-1] == lines
    rows = [json.loads(line) for line in run(capsys, *model_of, "--ids", "--json", str(pasted)).splitlines()]
    assert [(row["ids"], row["text"]) for row in rows] == list(zip(encoded, lines, strict=True))
    whole = "\n".join(lines)
    for n in range(1, sum(map(len, encoded)) + 2):
        kept = run(capsys, *model_of, "--first", str(n), "--show", "text", str(text))
        assert whole.startswith(kept.removesuffix("\n"))
        told = run(capsys, *model_of, "--first", str(n), "--json", str(text)).splitlines()
        assert sum(len(json.loads(line)["ids"]) for line in told) == min(n, sum(map(len, encoded)))
    plain = run(capsys, *model_of, "--show", "strip", str(text))  # not a terminal
    assert "\x1b" not in plain and plain.endswith(f"# tokens: {sum(map(len, encoded))}\n")


def test_the_strip_has_colours_in_a_terminal_only(model: Path, tmp_path, capsys, monkeypatch) -> None:
    text = tmp_path / "text.txt"
    text.write_text("나는 \x1b[31m갔다\n", encoding="utf-8")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    command = ("encode", "--model", str(model), "--show", "strip", str(text))
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout.isatty", lambda: True)
        assert "\x1b[30;48;5;" in (found := run(capsys, *command)) and "\x1b[31m" not in found
        patched.setenv("NO_COLOR", "1")
        assert "\x1b" not in run(capsys, *command)
    assert "\x1b" not in run(capsys, *command)


def test_bad_ids_are_refused(model: Path, tmp_path, capsys) -> None:
    pasted = tmp_path / "ids.txt"
    for content, message in (
        ("1 2\n3 x\n", "line 2: “x” is not a token id"),
        ("-1\n", "the id -1 is not in this vocabulary of 300 tokens (0 to 299)"),
        ("300\n", "it may be another tokenizer's"),
        ("9" * 5000, "the id 99999999999999999999 is not"),
    ):
        pasted.write_text(content, encoding="utf-8")
        assert main(["encode", "--model", str(model), "--ids", str(pasted)]) == 2
        assert message in capsys.readouterr().err
    assert "is not in this vocabulary" in refused(capsys, "tokens", "--model", str(model), "--id", "300")
    rows = json.loads(run(capsys, "tokens", "--model", str(model), "--id", "5,7", "259", "--json"))
    assert sorted(row["id"] for row in rows) == [5, 7, 259]


def test_sub_corpora_are_texts_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "novel_1998.txt": "그는 길을 걸었다.\n",
        "news_1998.txt": "시장은 내렸다.\n",
        "news_2004.txt": "비가 온다.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name) for name in texts]
    command = ["fertility", "--model", "shipped:thunder-tok-8k", "--json", "--text", *paths]

    def measured(*options: str) -> dict[str, tuple[int, int]]:
        assert main([*command, *options]) == 0
        return {row["file"]: (row["lines"], row["tokens"]) for row in json.loads(capsys.readouterr().out)}

    each = measured()
    assert list(each) == paths
    by_year = measured("--by", "year")
    assert by_year == {"1998": (2, each[paths[0]][1] + each[paths[1]][1]), "2004": each[paths[2]]}
    assert measured("--where", "register=news", "--by", "register") == {
        "news": (2, each[paths[1]][1] + each[paths[2]][1])
    }
    assert measured("--where", "year=1990..1999", "register=novel") == {paths[0]: each[paths[0]]}


# A command that waits: in its work, as it hears of Ctrl+C or not, in a callback, whose exceptions Python ignores, or
# before it begins.
_WAITING = """
import sys, time
from engine import __main__ as command_line
from engine.commands import models

where, sys.argv[1:] = sys.argv[1], ["models"]

class Waits:
    def __del__(self):
        wait()

    def find_spec(self, name, *_):
        if name == "engine.cli":
            wait()

def wait():
    print("waits", flush=True)
    time.sleep(60)

def run(options):
    while True:
        try:
            if where == "in a callback":
                Waits()
            wait()
        except KeyboardInterrupt:
            if where != "deaf":
                raise

models.run, command_line._STOP_SECONDS = run, 30.0 if where == "in a callback" else 1.0
if where == "in an import":
    sys.meta_path.insert(0, Waits())
command_line.main()
"""


@pytest.mark.parametrize("where", ["in an import", "in its work", "in a callback", "deaf"])
def test_ctrl_c_ends_any_command_in_one_line(where: str) -> None:
    command = [sys.executable, "-c", _WAITING, where]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "waits\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and errors == ("" if where == "deaf" else "stopped\n")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("segment --lambda 1 --rule peak TEXT", "--method=none does not use --lambda, --rule"),
        ("segment --method entropy-only --total characters TEXT", "--method=entropy-only does not use --total"),
        ("segment --method lm-entropy --no-edges TEXT", "--method=lm-entropy does not use --no-edges"),
        ("segment --at-inference bpe-only TEXT", "without --bpe-vocab-size does not use --at-inference"),
        ("segment --train TEXT TEXT", "--method=none without --bpe-vocab-size --gold does not use --train"),
        ("papers --markdown --source authors", "--markdown does not use --source"),
        ("papers --json --markdown", "--json does not use --markdown"),
        ("encode --model MODEL --ids --allow-special IDS", "--ids does not use --allow-special"),
        ("encode --model MODEL --json --show text TEXT", "--json does not use --show"),
        ("lattice --model MODEL --text 가 --width 84", "without --figure does not use --width"),
        (
            "export --model MODEL --to tsv --profile byte-fallback --output OUT",
            "without --to=hf does not use --profile",
        ),
        ("export --model MODEL --to tsv --column a --output OUT", "without --sample does not use --column"),
        ("audit --model MODEL --split a --work b", "without --text does not use --split, --work"),
        ("audit --model MODEL --against MODEL --list broken", "--against does not use --list"),
        ("keyness TEXT --against IDS --unit words --model MODEL", "--unit=words does not use --model"),
        ("keyness TEXT --against IDS --model MODEL --words graphemes", "--unit=tokens does not use --words"),
        ("morphology --model MODEL --gold GOLD --encoding cp949", "without --text does not use --encoding"),
        ("fit --model MODEL --trim 290 --min-count 9 --output OUT", "without --extend does not use --min-count"),
        (
            "fit --model MODEL --extend 0 --text IDS --renumber --output OUT",
            "without --trim --trim-unused does not use --renumber",
        ),
        (
            "fit --model MODEL --trim 290 --encoding cp949 --output OUT",
            "without --text --other does not use --encoding",
        ),
        ("concordance --model MODEL --text 가 --words graphemes TEXT", "without words does not use --words"),
        ("concordance --model MODEL --query [] --analyser mecab TEXT", "without morphemes does not use --analyser"),
        (
            "collocates --model MODEL --node 가 --unit words --analyser mecab TEXT",
            "without morphemes does not use --analyser",
        ),
        (
            "robustness --model MODEL --text TEXT --variants nfd --rate 0.5",
            "without typing and wrong-spaces does not use --rate",
        ),
        ("train TEXT --vocab-size 280 --spool a --output OUT", "without --stream --dask does not use --spool"),
    ],
)
def test_options_that_have_no_effect_are_named(
    line: str, named: str, model: Path, corpus: Path, tmp_path, capsys
) -> None:
    paths = {"MODEL": tmp_path / "m", "TEXT": corpus, "IDS": tmp_path / "ids", "GOLD": tmp_path / "gold"}
    paths["IDS"].write_text("12 13\n", encoding="utf-8")
    paths["GOLD"].write_text("갔다\t가+았+다\n", encoding="utf-8")
    paths["OUT"] = tmp_path / "out"
    trained = ["train", str(corpus), "--algorithm", "byte-bpe", "--vocab-size", "300", "--output", str(tmp_path / "m")]
    run(capsys, *trained)
    if line.startswith("lattice"):
        paths["MODEL"] = model

    assert main([str(paths.get(word, word)) for word in line.split()]) == 0
    said = capsys.readouterr().err.splitlines()
    assert [text for text in said if " does not use " in text] == [f"{line.split()[0]} {named}"]


def test_no_output_replaces_what_is_read(model: Path, corpus: Path, tmp_path, capsys) -> None:
    (tmp_path / "link").symlink_to(corpus)
    for line in (
        f"encode --model {model} {corpus} --output {corpus.parent}/./{corpus.name}",
        f"encode --model {model} {tmp_path}/link --output {corpus}",
        f"train {corpus} --vocab-size 280 --output {corpus}",
        f"export --model {model} --to tsv --output {model}",
        f"fit --model {model} --trim 280 --text {corpus} --output {corpus}",
        f"fit --model {model} --trim 280 --output {tmp_path}/a.csv --map {tmp_path}/a.csv",
    ):
        before = model.read_bytes(), corpus.read_bytes()
        assert "give another name" in refused(capsys, *line.split())
        assert (model.read_bytes(), corpus.read_bytes()) == before


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_a_name_that_no_file_can_have_is_refused(name: str, model: Path, corpus: Path, tmp_path, capsys) -> None:
    for files in ([name, "--output", str(tmp_path / "ids")], [str(corpus), "--output", name + "/ids"]):
        assert refused(capsys, "encode", "--model", str(model), *files)


def test_a_dash_is_no_output_and_nothing_is_no_text_to_look_for(model: Path, corpus: Path, capsys) -> None:
    assert "/dev/stdout" in refused(capsys, "encode", "--model", str(model), str(corpus), "--output", "-")
    train = ("train", str(corpus), "--vocab-size", "300", "--output", str(corpus.parent / "b.tok"), "--stream")
    assert "./-" in refused(capsys, *train, "--spool", "-")
    assert "./-" in refused(capsys, "fertility", "--model", str(model), "--text", str(corpus), "--work", "-")
    assert "empty" in refused(capsys, "concordance", "--model", str(model), "--text", "", str(corpus))


def test_a_pipe_is_read_once(corpus: Path, tmp_path, capsys) -> None:
    ranks = str(tmp_path / "a.tiktoken")
    trained = ["train", str(corpus), "--algorithm", "byte-bpe", "--vocab-size", "280", "--output", str(tmp_path / "m")]
    run(capsys, *trained)
    run(capsys, "export", "--model", str(tmp_path / "m"), "--to", "tiktoken", "--output", ranks)
    for command in (f"encode --pattern gpt2 {corpus} --model", f"fertility --text {corpus} --model"):
        shell = f"{sys.executable} -m engine {command} <(cat {ranks})"
        done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_segmentation_of_nothing_has_no_score(tmp_path, capsys) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n\n", encoding="utf-8")
    assert "no text" in refused(capsys, "segment", "--gold", str(path), str(path))


def test_numbers_out_of_range_are_told_to_the_last_digit(corpus: Path, model: Path, capsys) -> None:
    lattice = ["lattice", "--model", str(model), "--text", "가", "--nbest"]
    assert "between 0 and 10,000, got 99,999,999;" in refused(capsys, *lattice, "99999999")
    assert "is at least 0, got nan" in refused(
        capsys, "segment", "--method", "pmi-entropy", "--lambda=nan", str(corpus)
    )
    lm = ["segment", "--method", "lm-entropy", str(corpus), "--order"]
    assert "between 1 and 6, got 0; choose a value" in refused(capsys, *lm, "0")
    for seconds in ("1e10", "1e300", "inf", "0"):
        said = refused(capsys, "encode", "--model", str(model), "--pattern-seconds", seconds)
        assert "number of seconds up to 1,000,000,000" in said
