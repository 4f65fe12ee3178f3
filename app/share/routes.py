"""Pictures of the page for print: `POST /figure.pdf?width=84` answers with a PDF of the SVG that is sent, and
`POST /figure.zip?width=84&package=TOKEN&data=CLASS` with a package of the view.

A worker converts: the SVG comes from a visitor. A package is sent two pictures, with a zero byte between them: one
whose letters are outlines, for its SVG, and one whose letters are text, for its PDF.
"""

import hashlib
import io
import json
import math
import platform
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

import pandas as pd
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from app import VERSION
from app.server.http.page_head import view_title
from app.server.request import base_path
from app.server.visitors import Visitor, network
from app.server.work.kernels import KernelsNotReadyError, kernels
from app.server.work.reading import figure_pdf
from app.server.work.threads import Threads
from app.share.packages import TEXT_SHA256, PackedTable, ViewPackage, find_package
from app.texts.catalogue import error_text, translate
from app.texts.glossary import GLOSSARY, method_terms
from app.texts.plain import unmarked
from engine.errors import InputError
from engine.interop.spreadsheet import csv_bytes
from engine.report.references import PAPER, PROGRAM, bibtex, cited_keys, source_keys
from engine.report.size import WIDTHS
from engine.report.table import latex, markdown

SUMS = "SHA256SUMS"
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that the format has
_PLAIN_FILE = 0o644 << 16


def bundle(files: Mapping[str, bytes]) -> bytes:
    """The files by name, and `SHA256SUMS`, as `sha256sum --check` reads it."""
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in sorted({**files, SUMS: sums.encode()}.items()):
            about = zipfile.ZipInfo(name, _TIME)
            about.external_attr, about.create_system = _PLAIN_FILE, 3
            archive.writestr(about, data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()


_LIBRARIES = ("numpy", "numba", "pandas", "plotly", "regex", "splintr-rs", "streamlit", "typst")
# What to cite for intervals, by how they are made, and for tests.
_SOURCES = {"bootstrap": ("efron1993", "holm1979"), "delta": ("katz1978", "holm1979"), "count": ("rao1948", "holm1979")}


# Other sites cannot send this type without asking first, which is not granted.
_SVG = "image/svg+xml"
_MOST_BYTES = 6_000_000
_LONGEST_TITLE = 200
_threads = Threads(at_a_time=2, waiting=40)


class _NoFigureError(Exception):
    """With the answer to give; `is_said`: a sentence for the visitor."""

    def __init__(self, status: int, text: str, is_said: bool = False) -> None:
        super().__init__(text)
        self.answer = PlainTextResponse(text, status, {"X-Said": "1"} if is_said else None)


def share_routes() -> list[BaseRoute]:
    base = base_path()
    return [
        Route(f"{base}/figure.pdf", _pdf_of_picture, methods=["POST"]),
        Route(f"{base}/figure.zip", _package_of_view, methods=["POST"]),
    ]


async def _pdf_of_picture(request: Request) -> Response:
    try:
        (svg,), width = await _pictures(request, 1), _width(request)
        pdf = await _threads.run(request, _converted, request, svg, width)
    except _NoFigureError as refused:
        return refused.answer
    return Response(pdf, media_type="application/pdf")


async def _package_of_view(request: Request) -> Response:
    try:
        found = find_package(request.query_params.get("package", ""))
        if found is None:
            raise _NoFigureError(404, "Not Found")
        (outlined, written), width = await _pictures(request, 2), _width(request)
        data = request.query_params.get("data", "")

        def bundled() -> bytes:
            pictures = {"figure.svg": outlined, "figure.pdf": _converted(request, written, width)}
            return bundle(package_files(found, data, pictures))

        archive = await _threads.run(request, bundled)
    except _NoFigureError as refused:
        return refused.answer
    return Response(archive, media_type="application/zip")


async def _pictures(request: Request, number: int) -> list[bytes]:
    if request.headers.get("content-type", "").partition(";")[0] != _SVG:
        raise _NoFigureError(415, "Unsupported Media Type")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise _NoFigureError(413, "Content Too Large")
    pictures = bytes(body).split(b"\0")
    if len(pictures) != number:
        raise _NoFigureError(400, "Bad Request")
    return pictures


def _width(request: Request) -> float:
    try:
        width = float(request.query_params.get("width", ""))
    except ValueError:
        width = math.nan
    if not WIDTHS[0] <= width <= WIDTHS[1]:
        raise _NoFigureError(400, "Bad Request")
    return width


def _converted(request: Request, svg: bytes, width: float) -> bytes:
    visitor = Visitor(network(request.client.host if request.client else None))
    title = request.query_params.get("title", "")[:_LONGEST_TITLE]
    language = request.query_params.get("lang", "en")
    try:
        return figure_pdf(svg, width, title, visitor)
    except KernelsNotReadyError:
        done, of = kernels().progress or (0, 1)
        raise _NoFigureError(503, translate("preparing.page", language, done=done, of=of), is_said=True) from None
    except InputError as error:
        raise _NoFigureError(400, error_text(error, language), is_said=True) from None


def package_files(package: ViewPackage, data: str, pictures: Mapping[str, bytes]) -> dict[str, bytes]:
    """All files by name.

    Parameters
    ----------
    data : class of the table that belongs to the picture; if the view has no such table, there are no data.
    """
    table = package.tables.get(data)
    made = table.make() if table else pd.DataFrame()
    commands = package.commands or (table.commands if table else ())
    has_intervals = any(str(name).endswith(("low", "high")) for name in made)
    interval = table.interval if table and has_intervals else ""
    helps = {table.heads[name]: text for name, text in table.helps.items() if name in made} if table else {}
    files = {
        **pictures,
        **(_data_files(table, made) if table else {}),
        "manifest.json": _manifest(package, made).encode(),
        "method.md": _method(package, helps, interval).encode(),
        "references.bib": bibtex([*_keys(package, interval), *cited_keys(" ".join(helps.values()))]).encode(),
        "README.md": _readme(package).encode(),
    }
    return files | ({"command.sh": "".join(f"{line}\n" for line in commands).encode()} if commands else {})


def _data_files(table: PackedTable, made: pd.DataFrame) -> dict[str, bytes]:
    shown = made[[name for name in table.heads if name in made] or list(made)]
    return {
        f"data/{table.name}.csv": csv_bytes(made),
        f"data/{table.name}.tex": latex(shown, table.heads, table.bold).encode(),
        f"data/{table.name}.md": markdown(shown, table.heads, table.bold).encode(),
    }


def _manifest(package: ViewPackage, made: pd.DataFrame) -> str:
    texts = [one for cell in made.get(TEXT_SHA256, ()) for one in str(cell).split()]
    facts = {
        "program": "Thunder-Tok Explorer",
        "version": VERSION,
        "page": package.page,
        "view": package.view,
        "language": package.language,
        "models": [model._asdict() for model in package.models],
        "texts_sha256": list(dict.fromkeys(texts)),
        "python": platform.python_version(),
        "libraries": dict(_versions(_LIBRARIES)),
    }
    return json.dumps(facts, ensure_ascii=False, indent=2) + "\n"


def _versions(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _terms(package: ViewPackage) -> tuple[str, ...]:
    return method_terms(package.page, package.view)


def _method(package: ViewPackage, helps: Mapping[str, str], interval: str) -> str:
    language = package.language
    paragraphs = [f"# {view_title(package.page, package.view, language)}"]
    paragraphs.append(translate("share.method_made", language, version=VERSION))
    for term in _terms(package):
        about = GLOSSARY[term]
        said = unmarked(translate(f"glossary.{term}.text", language))
        source = translate("glossary.source", language, source=about.source)
        formula = f"\n\n$${about.formula}$$" if about.formula else ""
        paragraphs.append(f"**{translate(f'glossary.{term}.name', language)}**: {said} {source}{formula}")
    paragraphs += [f"**{name}**: {unmarked(text)}" for name, text in helps.items()]
    if interval:
        paragraphs.append(translate(f"share.method_{interval}", language))
    return "\n\n".join(paragraphs) + "\n"


def _keys(package: ViewPackage, interval: str) -> list[str]:
    sources = [key for term in _terms(package) for key in source_keys(GLOSSARY[term].source)]
    return [PROGRAM, PAPER, *sources, *_SOURCES.get(interval, ())]


def _readme(package: ViewPackage) -> str:
    title = view_title(package.page, package.view, package.language)
    return f"# {title}\n\n{translate('share.readme', package.language)}\n"
