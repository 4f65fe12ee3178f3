"""What commands write for a paper: `--latex`, and `--figure`."""

import io
import json
from pathlib import Path

import pypdf
import pytest

from engine.cli import main

_MODELS = ["shipped:thunder-tok-8k"]
_LINES = "철수는 학교에 갔다.\n영희가 밥을 먹었다.\n"


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text.txt"
    path.write_text(_LINES, encoding="utf-8")
    return str(path)


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def _words(path: Path) -> str:
    (page,) = pypdf.PdfReader(io.BytesIO(path.read_bytes())).pages
    return page.extract_text()


def test_fertility_for_a_paper(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "figure.pdf"
    arguments = ["fertility", "--model", *_MODELS, "--text", text]
    written = _run(capsys, *arguments, "--latex", "--figure", str(figure), "--width", "84")
    (row,) = json.loads(_run(capsys, *arguments, "--json"))
    assert f"{row['fertility']:.3f}" in written and r"\begin{tabular}" in written and r"\bottomrule" in written
    assert "shipped:thunder-tok-8k" in _words(figure).replace("\n", "")


def test_tokens_as_a_strip_and_a_lattice(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strip, lattice = tmp_path / "strip.pdf", tmp_path / "lattice.pdf"
    plain = _run(capsys, "encode", "--model", *_MODELS, text)
    assert _run(capsys, "encode", "--model", *_MODELS, text, "--figure", str(strip)) == plain
    _run(capsys, "lattice", "--model", *_MODELS, "--text", "학교에 갔다", "--figure", str(lattice))
    assert "␣학교" in _words(strip) and "갔다" in _words(lattice)


def test_an_audit_and_lists_as_latex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "audit.svg"
    written = _run(capsys, "audit", "--model", *_MODELS, "--latex", "--figure", str(figure))
    assert r"never\_normalization & " in written and figure.read_bytes().startswith(b"<svg")
    assert _run(capsys, "tokens", "--model", *_MODELS, "--latex").count(r" \\") == 1001
    assert r"\begin{tabular}{lrrlllll}" in _run(capsys, "models", "--latex")
    assert r"thunder\_tok & " in _run(capsys, "papers", "--source", "thunder_tok", "--latex")


def test_a_text_that_is_too_long_for_a_picture_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = tmp_path / "long.txt"
    long.write_text("가 나 다\n" * 201, encoding="utf-8")
    assert main(["encode", "--model", *_MODELS, str(long), "--figure", str(tmp_path / "a.pdf")]) == 2
    assert "at most 2,000 in 200 rows" in capsys.readouterr().err
    assert main(["lattice", "--model", *_MODELS, "--text", "", "--figure", str(tmp_path / "a.pdf")]) == 2


def test_json_and_latex_exclude_each_other(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fertility", "--model", *_MODELS, "--text", text, "--json", "--latex"])
    assert "not allowed with" in capsys.readouterr().err
