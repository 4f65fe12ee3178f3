"""Every command of the README and of the page about the command line runs as it is written there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest
import sentencepiece

import install
from engine.cli import main as run_engine
from tests.conftest import ROOT

_ASSETS = ROOT / "assets"
_CONLLU = """# text = 밥을 먹었다
1\t밥을\t밥+을\tNOUN\tNNG+JKO\t_\t2\tobj\t_\t_
2\t먹었다\t먹+었+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_

"""


def _commands() -> list[str]:
    """The lines between fences that begin with a prompt or with `make`."""
    blocks = [
        block
        for name in ("README.md", "docs/command-line.md")
        for block in re.findall(r"^```\n(.+?)^```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    ]
    lines = [line for block in blocks for line in block.splitlines()]
    return sorted({line.removeprefix("$ ") for line in lines if line.startswith(("$ ", "make "))})


_COMMANDS = _commands()
_TARGETS = [command for command in _COMMANDS if command.startswith("make ")]
_PROGRAM = [command for command in _COMMANDS if command not in _TARGETS]
# Vocabularies of 32,000 to 262,000 tokens, many new tokens, twenty trainings.
_LONG = re.compile(r"public:(gemma3|llama3|mistral_v1)|--extend 8000|--resamples")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment with the packages of this one and the project as `install.py` links it."""
    folder = tmp_path_factory.mktemp("environment of a project") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    install.link_project(site, folder / "bin")
    return folder / "bin"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands name."""
    folder = tmp_path_factory.mktemp("texts")
    korean = sorted((_ASSETS / "corpora" / "ko").glob("*.txt"))
    (folder / "corpus.txt").write_bytes(b"".join(path.read_bytes() for path in korean))
    (folder / "corpus").mkdir()
    for name, source in {
        "news": "news",
        "reviews": "reviews",
        "novels": "fairytale",
        "courts": "instructions",
        "corpus/novel_1998_kim": "fairytale",
        "corpus/news_2001_lee": "news",
    }.items():
        shutil.copy(_ASSETS / "corpora" / "ko" / f"{source}.txt", folder / f"{name}.txt")
    gold = (_ASSETS / "gold" / "ko_nospace.txt").read_text(encoding="utf-8")
    (folder / "gold.txt").write_text(gold, encoding="utf-8")
    (folder / "list.txt").write_text(" 대한민국\n 다람쥐\n", encoding="utf-8")
    (folder / "text.txt").write_text(gold.replace(" ", ""), encoding="utf-8")
    for language in ("en", "ko", "tr"):
        parallel = _ASSETS / "parallel" / f"{language}.txt"
        shutil.copy(parallel, folder / f"{language}.txt")
        shutil.copy(parallel, folder / f"{language}_dev.txt")
    (folder / "treebank.conllu").write_text(50 * _CONLLU, encoding="utf-8")
    unigram = {"input": str(folder / "corpus.txt"), "model_prefix": str(folder / "a"), "vocab_size": 2000}
    sentencepiece.SentencePieceTrainer.train(**unigram, minloglevel=2)
    for name, size in {"a": 1500, "b": 2000, "model": 2000}.items():
        train = ["train", str(folder / "corpus.txt"), "--vocab-size", str(size), "--algorithm", "byte-bpe"]
        train = train[:4] if name == "model" else train
        assert run_engine([*train, "--output", str(folder / f"{name}.tok")]) == 0
    return folder


def _in_a_shell(command: str, programs: Path) -> str:
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "command",
    [pytest.param(command, marks=pytest.mark.slow) if _LONG.search(command) else command for command in _PROGRAM],
)
def test_the_command_runs_as_written(
    command: str,
    programs: Path,
    texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "--gold mecab" in command and find_spec("mecab") is None:
        pytest.skip("python-mecab-ko is not built for this Python")
    monkeypatch.chdir(shutil.copytree(texts, tmp_path / "texts"))
    if "|" in command:  # the installed program; it starts for a second, so the others run here
        written = _in_a_shell(command, programs)
    else:
        program, *words = shlex.split(command)
        assert program == "thunder-tok"
        assert run_engine([path for word in words for path in sorted(map(str, Path().glob(word))) or [word]]) == 0
        written = capsys.readouterr().out
    output = re.search(r"(?:--output|--figure) (\S+)", command)
    assert Path(output[1]).stat().st_size if output else written.strip()


@pytest.mark.parametrize("command", _TARGETS)
def test_make_knows_the_target(command: str) -> None:
    done = subprocess.run(["sh", "-c", f"make --dry-run {command[5:]}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_both_documents_have_commands() -> None:
    assert len(_TARGETS) == 2 and len(_PROGRAM) > 15
    assert any("| thunder-tok " in command for command in _PROGRAM)
