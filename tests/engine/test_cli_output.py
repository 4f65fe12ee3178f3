"""What commands write for a paper: `--latex`, and `--figure`."""

import io
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pypdf
import pytest

from engine.cli import main
from tests.conftest import ROOT

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


@pytest.fixture
def hostile(tmp_path: Path) -> list[str]:
    """Two files whose words are what LaTeX and SVG read as their own."""
    (tmp_path / "a_50%.txt").write_text("철수_1 \\input{x} 50%&#$ <b>나무</b> ]]> \x1b[31m ~^\n" * 6, encoding="utf-8")
    (tmp_path / "b.txt").write_text("영희 밥을 <!-- 먹었다\n" * 6, encoding="utf-8")
    return [str(tmp_path / "a_50%.txt"), str(tmp_path / "b.txt")]


_SEARCHES = {
    "keyness": ["{a}", "--against", "{b}", "--unit", "words"],
    "collocates": ["{a}", "--model", *_MODELS, "--node", '[word="50.*"]', "--unit", "words"],
    "concordance": ["{a}", "--model", *_MODELS, "--text", "50%&#$"],
}


@pytest.mark.parametrize("name", _SEARCHES)
def test_what_is_found_in_a_text_is_escaped(
    name: str, hostile: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [name, *(one.format(a=hostile[0], b=hostile[1]) for one in _SEARCHES[name])]
    figure = tmp_path / "figure.svg"
    written = _run(capsys, *arguments, "--latex", *(["--figure", str(figure)] if name != "concordance" else []))
    body = written.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    rows = json.loads(_run(capsys, *arguments, "--json"))
    assert body.count(" \\\\\n") == len(rows) > 0
    assert r"\textbackslash{}input\{x\}" in body and r"\textless{}b\textgreater{}" in body
    assert r"\input" not in body and "\x1b" not in written
    if name == "concordance":
        assert r"a\_50\%.txt" in body and r"50\%\&\#\$" in body
    else:
        assert len(list(Xml.parse(figure).iter("{http://www.w3.org/2000/svg}circle"))) == len(rows)


def test_the_figure_of_keys_has_either_direction_and_that_of_collocates_its_measure(
    hostile: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "figure.pdf"
    search = {name: [one.format(a=hostile[0], b=hostile[1]) for one in own] for name, own in _SEARCHES.items()}
    plain = _run(capsys, "keyness", *search["keyness"])
    assert _run(capsys, "keyness", *search["keyness"], "--figure", str(figure)) == plain
    drawn = _words(figure)
    assert drawn.index("first corpus") < drawn.index("철수_1") < drawn.index("second corpus") < drawn.index("먹었다")
    for sort, axis in (("log_dice", "logDice, 95%"), ("g2", "log-likelihood ratio"), ("observed", "occurrences")):
        written = _run(capsys, "collocates", *search["collocates"], "--sort", sort, "--latex", "--svg", str(figure))
        assert axis in _words(figure) and ("95%" in _words(figure)) == ("CI" in written) == (sort == "log_dice")
    nothing = [*search["keyness"], "--min-count", "999", "--figure", str(figure)]
    assert main(["keyness", *nothing]) == 2 and "no value to draw" in capsys.readouterr().err
    assert main(["collocates", *search["collocates"], "--figure", "a.png"]) == 2


def test_the_same_model_twice_is_two_rows(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(_run(capsys, "fertility", "--model", *_MODELS, *_MODELS, "--text", text, "--json"))
    assert [row["model"] for row in found] == 2 * _MODELS and found[0] == found[1] and found[0]["best"]
    gold = Path(text).with_name("gold.tsv")
    gold.write_text("갔다\t가+았+다\n\n밥을\t밥+을\n", encoding="utf-8")
    found = json.loads(_run(capsys, "morphology", "--model", *_MODELS, *_MODELS, "--gold", str(gold), "--json"))
    assert [row["model"] for row in found] == 2 * _MODELS and found[0] == found[1]


def test_what_prints_no_latex_does_not_load_pandas() -> None:
    names = ("fertility", "keyness", "collocates", "concordance", "lattice", "encode", "stability", "morphology")
    imports = "; ".join(f"import engine.commands.{name}" for name in names)
    script = f"import sys; {imports}; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_module_that_writes_cut_bytes_knows_how() -> None:
    using = [path for path in ROOT.glob("engine/**/*.py") if 'hex_tokens"' in path.read_text(encoding="utf-8")]
    for path in using:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        script = f"import codecs, {name}; codecs.lookup_error('hex_tokens')"
        subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
    assert len(using) > 5
