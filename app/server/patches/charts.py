"""A chart that comes is drawn once, and the script that draws it is loaded early.

Streamlit gives each new chart to Plotly twice: the same data in other arrays, and the same template in another object.
Plotly compares these by identity and draws all of it again. Here its script compares templates by what is in them, and
with a `datarevision` no arrays, those of numbers neither.

The 4.7 MB of this script take a second to run, and Streamlit asks for it only when a chart has come. A page whose head
names it asks for it as soon as Streamlit's own scripts run.

Upstream: https://github.com/streamlit/streamlit/pull/15035, which was given up.
"""

from functools import cache
from pathlib import Path

import streamlit
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.server.request import base_path

_FOLDER = "streamlit/static/static/js"
_CHANGES = {
    "template:{valType:`any`": "template:{_compareAsJSON:!0,valType:`any`",
    "S=Array.isArray(h),C=Array.isArray(g)": "S=i.isArrayOrTypedArray(h),C=i.isArrayOrTypedArray(g)",
}
RELIES_ON = {f"{_FOLDER}/PlotlyChart.*.js": (*_CHANGES, "i.isArrayOrTypedArray", "_compareAsJSON")}


@cache
def _file() -> Path:
    return next(Path(streamlit.__file__).parents[1].glob(f"{_FOLDER}/PlotlyChart.*.js"))


@cache
def charts_script() -> bytes:
    """The script of the charts, changed."""
    script = _file().read_text(encoding="utf-8")
    for now, then in _CHANGES.items():
        script = script.replace(now, then)
    return script.encode()


def charts_address() -> str:
    """Where it is, relative to every page."""
    return f"static/js/{_file().name}"


class Charts:
    """Middleware that answers with it where Streamlit would with its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._path = app, f"{base_path()}/{charts_address()}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        answer = self._app
        if scope["type"] == "http" and scope["path"] == self._path:
            headers = {"Cache-Control": "public, immutable, max-age=31536000"}
            answer = Response(charts_script(), media_type="text/javascript", headers=headers)
        await answer(scope, receive, send)
