"""Streamlit's page, told where its server is, with the style sheet of the app.

Streamlit's page first looks for its server below its own address, which is a 404 on every page but the first. Here
every page lies directly below the server's address, with or without a proxy that adds a prefix to the path.

Streamlit has browsers load its own font first, in which nothing is set here.

The style sheet is at its end, after the rules that Streamlit makes: sent with a run, it would be sent with each.

Upstream: https://github.com/streamlit/streamlit/issues/7074
"""

import re
from functools import cache
from pathlib import Path

import streamlit

RELIES_ON = {
    "streamlit/static/index.html": ("<head>", "</body>", "/SourceSans"),
    "streamlit/static/static/js/*.js": ("BACKEND_BASE_URL",),
    "streamlit/static/static/js/PlotlyChart.*.js": ("newPlot", "typeof self<", "window.Plotly="),
}

STATIC = Path(streamlit.__file__).resolve().parent / "static"
_SHEET = Path(__file__).resolve().parents[3] / "assets" / "styles" / "app.css"
_THEIR_FONT = re.compile(r'<link\s+rel="preload"\s+href="[^"]*/SourceSans[^>]*>')
_AT_HOME = 'window.__streamlit = { BACKEND_BASE_URL: new URL(".", window.location.href).href }'


@cache
def plotly_script() -> str:
    """The address of Plotly, which Streamlit asks for only when it has a chart to draw."""
    return next(f"./{file.relative_to(STATIC)}" for file in STATIC.glob("static/js/PlotlyChart.*.js"))


@cache
def index_page() -> str:
    """Streamlit's page, told where its server is, with the style sheet."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    page = _THEIR_FONT.sub("", page).replace("<head>", f"<head>\n    <script>{_AT_HOME}</script>", 1)
    return page.replace("</body>", f"<style>{_SHEET.read_text(encoding='utf-8')}</style>\n  </body>", 1)
