"""The server, and the script it runs for every visitor: `streamlit run app/main.py`.

Streamlit serves `app` below; for every run of a page it executes this file again, as a script.
"""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

# Streamlit adds the folder of this file only.
sys.path.extend({str(Path(__file__).resolve().parent.parent)}.difference(sys.path))

from app.classroom.serving import class_routes, rooms_open
from app.components.sources import script_routes
from app.server.http.addresses import HiddenAddresses, Missing, routes
from app.server.http.connections import InTime
from app.server.http.headers import Headers
from app.server.http.metrics import metrics_routes
from app.server.http.origins import SameOrigin, allowed_hosts
from app.server.http.readiness import readiness_route
from app.server.http.static_files import CompressedFiles
from app.server.http.uploads import BoundedUploads
from app.server.limits import with_preset
from app.server.start_up import settled
from app.share.routes import share_routes

# The menu: each entry with its icon and its views, (page, view) with the page's default view as "". A page is
# views/<page>/page.py; its URL is /<page> in every language. The first page is the start page: its URL is /.
_MENU = {
    "explore": ("text_fields", (("explore", ""), ("lattice", ""), ("compare", ""))),
    "inside": ("content_cut", (("rounds", ""), ("scores", ""), ("token", ""))),
    "cost": ("payments", (("cost", ""),)),
    "search": (
        "manage_search",
        tuple(("search", view) for view in ("concordance", "collocates", "frequency", "dispersion", "compare")),
    ),
    "korean": (
        "spellcheck",
        (("morphology", "scores"), ("morphology", "grid"), ("morphology", "jamo"), ("boundaries", "")),
    ),
    "learn": (
        "school",
        (
            ("learn_tradeoff", ""),
            ("learn_bpe", ""),
            ("learn_unigram", ""),
            ("learn_bytes", ""),
            ("growth", ""),
            ("learn_failures", ""),
        ),
    ),
    "class": ("groups", (("lessons", ""), ("exercises", ""))),
    "train": ("model_training", (("train", ""),)),
}
# Small links at the foot of the menu.
_UNLISTED = ("papers", "glossary")


def pages() -> tuple[str, ...]:
    listed = (page for _, views in _MENU.values() for page, _ in views)
    return tuple(dict.fromkeys((*listed, *_UNLISTED)))


@asynccontextmanager
async def _running(server: st.App) -> AsyncGenerator[None]:
    async with settled(server), rooms_open():
        yield


if __name__ == "__main__":
    # Imported here: the server imports it together with the pages once Streamlit is up.
    from app.frame import show

    show(_MENU, pages())
else:
    os.environ.update(with_preset(os.environ))
    app = st.App(
        __file__,
        lifespan=_running,
        routes=[
            *routes(pages()),
            *class_routes(),
            *share_routes(),
            *script_routes(),
            readiness_route(),
            *metrics_routes(os.environ),
        ],
        middleware=[
            Middleware(InTime),
            Middleware(Headers),
            Middleware(TrustedHostMiddleware, allowed_hosts=allowed_hosts(os.environ), www_redirect=False),
            *(Middleware(one) for one in (SameOrigin, HiddenAddresses, Missing, CompressedFiles, BoundedUploads)),
        ],
    )
