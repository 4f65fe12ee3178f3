"""The server, and the script it runs for every visitor. Start it from the project root with
`python -m streamlit run app/main.py` (`-m` puts the root on the path, so that `engine` can be imported).

Streamlit serves `app` below; for every run of a page it executes this file again, as a script.
"""

import streamlit as st
from starlette.middleware import Middleware

from app.server.http.addresses import HiddenAddresses, Missing, routes
from app.server.http.connections import InTime
from app.server.http.headers import Headers
from app.server.http.uploads import BoundedUploads
from app.server.start_up import settled

# Sections of the menu: (page, icon). A page is views/<page>/page.py, its title is the text frame.page.<page>, and its
# URL is /<page> in every language. The first page is the start page: its URL is /.
_SECTIONS = {
    "look": (
        ("explore", ":material/text_fields:"),
        ("lessons", ":material/school:"),
        ("lattice", ":material/account_tree:"),
        ("scores", ":material/scatter_plot:"),
        ("rounds", ":material/content_cut:"),
        ("token", ":material/token:"),
        ("boundaries", ":material/vertical_split:"),
    ),
    "compare": (
        ("cost", ":material/payments:"),
        ("fertility", ":material/bar_chart:"),
        ("growth", ":material/show_chart:"),
        ("morphology", ":material/spellcheck:"),
        ("compare", ":material/join_inner:"),
        ("papers", ":material/fact_check:"),
    ),
    "make": (("train", ":material/model_training:"), ("library", ":material/bookmarks:")),
    "learn": (
        ("learn_bpe", ":material/call_merge:"),
        ("learn_wordpiece", ":material/compare_arrows:"),
        ("learn_unigram", ":material/alt_route:"),
        ("learn_bytes", ":material/memory:"),
        ("learn_tradeoff", ":material/balance:"),
        ("learn_failures", ":material/troubleshoot:"),
        ("exercises", ":material/quiz:"),
        ("glossary", ":material/dictionary:"),
    ),
}

if __name__ == "__main__":
    # Imported here: the server imports it together with the pages once Streamlit is up.
    from app.frame import show

    show(_SECTIONS)
else:
    app = st.App(
        __file__,
        lifespan=settled,
        routes=routes([name for pages in _SECTIONS.values() for name, _ in pages]),
        middleware=[Middleware(one) for one in (InTime, Headers, HiddenAddresses, Missing, BoundedUploads)],
    )
