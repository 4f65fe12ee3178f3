"""Pictures for print: what the server converts, what it refuses, and what is in a package."""

import io
import json
import zipfile

import pandas as pd
import pypdf
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import VERSION
from app.server.visitors import Visitor
from app.server.work.kernels import KernelsNotReadyError
from app.share import routes
from app.share.packages import PackedModel, PackedTable, ViewPackage, find_package, new_package
from app.texts.catalogue import translate
from app.texts.glossary import _METHODS, GLOSSARY, method_terms
from app.worker import read
from engine.errors import InputError
from engine.report.figure import svg_pdf
from tests.conftest import ROOT

_TYPE = {"Content-Type": "image/svg+xml"}
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="84mm" height="20mm" viewBox="0 0 420 100">'
    '<text x="10 30" y="50" font-size="14" font-family="Noto Sans KR">가나</text></svg>'
).encode()
_TABLE = pd.DataFrame(
    {"model": ["=1+1", r"\input{x}"], "value": [1.5, 2.0], "low": [1.4, 1.9], "text_sha256": ["ab cd", "ab"]}
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """Without worker processes."""

    def convert(svg: bytes, width: float, title: str, visitor: Visitor) -> bytes:
        return svg_pdf(svg, width, title)

    monkeypatch.setattr(routes, "figure_pdf", convert)
    return TestClient(Starlette(routes=routes.share_routes()))


@pytest.fixture
def package() -> ViewPackage:
    """A view with a table, of which LaTeX shows two columns."""
    made = new_package()
    made.begin("cost", "en")
    made.view = "premium"
    bold = pd.DataFrame({"value": [True, False]})
    heads = {"model": "tokenizer", "value": "times"}
    made.tables["st-key-csv-cost"] = PackedTable("cost", lambda: _TABLE, heads, bold, ["thunder-tok train corpus.txt"])
    made.models.append(PackedModel("모델", "shipped:thunder-tok-8k", "12", "34"))
    return made


def _files(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_picture_becomes_a_page_as_wide_as_asked_for(server: TestClient) -> None:
    answer = server.post("/figure.pdf?width=84&title=제목", content=_SVG, headers=_TYPE)
    assert answer.headers["content-type"] == "application/pdf"
    reader = pypdf.PdfReader(io.BytesIO(answer.content))
    (page,) = reader.pages
    assert float(page.mediabox.width) / 72 * 25.4 == pytest.approx(84, abs=0.01)
    assert page.extract_text().split() in (["가나"], ["가", "나"])
    assert reader.metadata is not None and reader.metadata.title == "제목"


@pytest.mark.parametrize(
    ("address", "content", "headers", "status"),
    [
        ("/figure.pdf?width=84", _SVG, {"Content-Type": "text/plain"}, 415),  # a form of another site could send this
        ("/figure.pdf?width=84", _SVG, {}, 415),
        ("/figure.pdf", _SVG, _TYPE, 400),
        ("/figure.pdf?width=nan", _SVG, _TYPE, 400),
        ("/figure.pdf?width=19", _SVG, _TYPE, 400),
        ("/figure.pdf?width=501", _SVG, _TYPE, 400),
        ("/figure.pdf?width=1e9999", _SVG, _TYPE, 400),
        ("/figure.pdf?width=84", _SVG + b"\0" + _SVG, _TYPE, 400),
        ("/figure.pdf?width=84", b"<svg", _TYPE, 400),
        ("/figure.pdf?width=84", b" " * 6_000_001, _TYPE, 413),
        ("/figure.zip?width=84&package=unknown", _SVG + b"\0" + _SVG, _TYPE, 404),
    ],
)
def test_what_is_no_picture_is_refused(
    server: TestClient, address: str, content: bytes, headers: dict[str, str], status: int
) -> None:
    assert server.post(address, content=content, headers=headers).status_code == status


def test_a_reason_is_said_in_the_language_of_the_page(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = server.post("/figure.pdf?width=84&lang=ko", content=b"<svg", headers=_TYPE)
    assert answer.headers["x-said"] and "올바른 SVG가 아닙니다" in answer.text

    def prepare(*_: object) -> bytes:
        raise KernelsNotReadyError

    monkeypatch.setattr(routes, "figure_pdf", prepare)
    answer = server.post("/figure.pdf?width=84&lang=en", content=_SVG, headers=_TYPE)
    assert answer.status_code == 503 and answer.headers["x-said"] and answer.text.startswith("Preparing")


def test_pictures_are_not_asked_for_by_get(server: TestClient) -> None:
    assert server.get("/figure.pdf?width=84").status_code == 405


def test_a_package_has_everything_that_a_paper_needs(server: TestClient, package: ViewPackage) -> None:
    address = f"/figure.zip?width=84&package={package.token}&data=st-key-csv-cost"
    answer = server.post(address, content=_SVG + b"\0" + _SVG, headers=_TYPE)
    assert answer.headers["content-type"] == "application/zip"
    files = _files(answer.content)
    assert sorted(files) == [
        "README.md",
        "SHA256SUMS",
        "command.sh",
        "data/cost.csv",
        "data/cost.md",
        "data/cost.tex",
        "figure.pdf",
        "figure.svg",
        "manifest.json",
        "method.md",
        "references.bib",
    ]
    assert files["figure.svg"] == _SVG and files["figure.pdf"].startswith(b"%PDF-")
    assert files["data/cost.csv"].decode("utf-8-sig").splitlines()[1].startswith("'=1+1,1.5")
    assert r"=1+1 & \textbf{1.500} \\" in files["data/cost.tex"].decode()
    assert r"\textbackslash{}input\{x\} & 2.000 \\" in files["data/cost.tex"].decode()
    assert "| tokenizer | times |" in files["data/cost.md"].decode()
    assert files["command.sh"] == b"thunder-tok train corpus.txt\n"
    facts = json.loads(files["manifest.json"])
    assert facts["version"] == VERSION and facts["texts_sha256"] == ["ab", "cd"]
    assert facts["models"] == [
        {"title": "모델", "reference": "shipped:thunder-tok-8k", "sha256": "12", "training_text": "34"}
    ]
    assert facts["libraries"]["numpy"]
    method, cited = files["method.md"].decode(), files["references.bib"].decode()
    assert r"$$\frac{|T(s_A)|}{|T(s_B)|}$$" in method and "Petrov" in method
    assert all(f"{{{key}," in cited for key in ("thunder_tok_explorer", "cho2025", "petrov2023", "efron1993"))


def test_a_package_is_the_same_bytes_each_time_and_has_no_data_that_it_does_not_know(
    server: TestClient, package: ViewPackage
) -> None:
    address = f"/figure.zip?width=84&package={package.token}&data=../../etc"
    first, second = (server.post(address, content=_SVG + b"\0" + _SVG, headers=_TYPE).content for _ in range(2))
    assert first == second
    assert not any(name.startswith(("data/", "command")) for name in _files(first))


def test_a_package_ends_with_its_session() -> None:
    token = new_package().token
    assert find_package(token) is None


def test_every_view_with_a_method_is_a_page_and_its_terms_are_in_the_glossary() -> None:
    for name in _METHODS:
        page, _, view = name.partition(".")
        assert (ROOT / "app" / "views" / page / "page.py").exists()
        assert not view or translate(f"{page}.view.{view}", "en")
        assert all(term in GLOSSARY for term in method_terms(page, view))
    assert method_terms("glossary", "") == ()


def test_the_worker_converts(tmp_path) -> None:
    (tmp_path / "file").write_bytes(_SVG)
    paths = {"path": str(tmp_path / "file"), "output": str(tmp_path / "made")}
    read({"what": "figure", "width": 84.0, "title": "t", **paths}, lambda **_: None)
    assert (tmp_path / "made").read_bytes() == svg_pdf(_SVG, 84, "t")
    (tmp_path / "file").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not valid SVG"):
        read({"what": "figure", "width": 84.0, "title": "t", **paths}, lambda **_: None)


@pytest.mark.parametrize(
    ("interval", "word", "absent"), [("bootstrap", "bootstrap", "delta"), ("delta", "delta method", "bootstrap")]
)
def test_the_method_is_that_of_the_figure_and_defines_what_its_columns_measure(
    interval: str, word: str, absent: str, server: TestClient, package: ViewPackage
) -> None:
    rows = pd.DataFrame({"label": ["a"], "g2": [3.0], "log_ratio_low": [0.5]})
    heads, helps = {"label": "Unit", "g2": "G²"}, {"g2": "Log-likelihood **ratio**.", "dp": "Deviation of proportions."}
    table = PackedTable("registers", lambda: rows, heads, None, [], helps, interval)
    package.tables["st-key-csv-registers"] = table
    address = f"/figure.zip?width=84&package={package.token}&data=st-key-csv-registers"
    files = _files(server.post(address, content=_SVG + b"\0" + _SVG, headers=_TYPE).content)
    method, cited = files["method.md"].decode(), files["references.bib"].decode()
    assert "**G²**: Log-likelihood ratio." in method and "Deviation" not in method
    assert word in method and absent not in method
    assert ("{katz1978," in cited, "{efron1993," in cited) == (interval == "delta", interval == "bootstrap")
