"""The frame: language, navigation, and the active model in the sidebar. Start it from the root of the project with
`python -m streamlit run app/main.py` (the `-m` puts the root on the path, so that `engine` is found)."""

from pathlib import Path

import streamlit as st

from app.components.page_language.widget import render_page_language
from app.parts.active_model import render_active_model
from app.parts.language_switch import render_language_switch
from app.parts.link_check import keep_link_check, render_link_check
from app.parts.problem import reason
from app.server.quarantine import quarantine
from app.server.start_up import settle
from app.server.turns import TURNS
from app.session import state
from app.texts.i18n import LANGUAGE, language, t
from app.texts.plain import plain
from engine.corpus.own_pattern import pattern_allowance
from engine.errors import InputError

_HERE = Path(__file__).resolve().parent

# Time for patterns of visitors' own in one run of a page.
_PATTERN_SECONDS = 5.0

# What pages are made of, imported before the first visitor comes.
_ROOMS = ("app.components", "app.parts", "app.views")

# Sections of the menu: (page, icon). A page is views/<page>/page.py, its title is the text frame.page.<page>, and its
# URL is /<page> in every language. The first page is where a visitor arrives: its URL is /.
_SECTIONS = {
    "look": (
        ("explore", ":material/text_fields:"),
        ("lattice", ":material/account_tree:"),
        ("scores", ":material/scatter_plot:"),
        ("rounds", ":material/content_cut:"),
        ("token", ":material/token:"),
        ("boundaries", ":material/vertical_split:"),
    ),
    "compare": (
        ("fertility", ":material/bar_chart:"),
        ("growth", ":material/show_chart:"),
        ("compare", ":material/join_inner:"),
    ),
    "make": (
        ("train", ":material/model_training:"),
        ("library", ":material/bookmarks:"),
    ),
    "learn": (
        ("learn_bpe", ":material/call_merge:"),
        ("learn_wordpiece", ":material/compare_arrows:"),
        ("learn_unigram", ":material/alt_route:"),
        ("learn_bytes", ":material/memory:"),
        ("learn_tradeoff", ":material/balance:"),
        ("learn_failures", ":material/troubleshoot:"),
    ),
}


def _pages() -> dict[str, list[st.Page]]:
    menu: dict[str, list[st.Page]] = {}
    for section, pages in _SECTIONS.items():
        entries = [
            st.Page(_HERE / "views" / name / "page.py", title=t(f"frame.page.{name}"), icon=icon, url_path=name)
            for name, icon in pages
        ]
        menu[t(f"frame.section.{section}")] = entries
    return menu


def _show_notice() -> None:
    notice = st.session_state.pop(state.NOTICE, None)
    if notice:
        st.toast(notice)


def _show() -> None:
    st.session_state.setdefault(state.PENDING, {})
    st.html(_HERE.parent / "assets" / "styles" / "app.css")
    with st.sidebar, st.container(key="url_fields"):
        state.carry_in_url(LANGUAGE, state.MODEL)
        keep_link_check()
        state.carry_in_url(state.CHECK)
    st.set_page_config(page_title=t("frame.title"), page_icon=str(_HERE / "static" / "icon.png"), layout="wide")
    page = st.navigation(_pages(), expanded=True)
    with st.sidebar:
        render_active_model()
        render_language_switch()
        render_page_language(language())
    _show_notice()
    render_link_check()
    try:
        page.run()
    except InputError as error:
        if not error.code.startswith("pattern."):
            raise
        st.error(plain(reason(error)), icon=":material/error:")


settle(*_ROOMS)
with TURNS.turn(), quarantine().page_run(), pattern_allowance(_PATTERN_SECONDS):
    _show()
