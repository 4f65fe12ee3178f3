"""Pictures of the page for print: `POST /figure.pdf?width=84` answers with a PDF of the SVG that is sent, and
`POST /figure.zip?width=84&package=TOKEN&data=CLASS` with a package of the view.

A worker converts: the SVG comes from a visitor. A package is sent two pictures, with a zero byte between them: one
whose letters are outlines, for its SVG, and one whose letters are text, for its PDF.
"""

import math

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from app.server.http.package import package_files
from app.server.packages import find_package
from app.server.visitors import Visitor, network
from app.server.work.kernels import KernelsNotReadyError, kernels
from app.server.work.reading import figure_pdf
from app.server.work.threads import Threads
from app.texts.catalogue import translate
from app.texts.error_texts import error_text
from engine.errors import InputError
from engine.report.bundle import bundle
from engine.report.size import WIDTHS

FIGURE_PDF, FIGURE_ZIP = "figure.pdf", "figure.zip"
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


async def pdf_of_picture(request: Request) -> Response:
    """The picture of the body as PDF."""
    try:
        (svg,), width = await _pictures(request, 1), _width(request)
        pdf = await _threads.run(request, _converted, request, svg, width)
    except _NoFigureError as refused:
        return refused.answer
    return Response(pdf, media_type="application/pdf")


async def package_of_view(request: Request) -> Response:
    """The ZIP of a view, with the two pictures of the body."""
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
