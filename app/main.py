"""The frame: language, navigation, and the active model in the sidebar. Start it from the root of the project with
`python -m streamlit run app/main.py` (the `-m` puts the root on the path, so that `engine` is found)."""

from pathlib import Path

import streamlit as st

from app.i18n import adopt_language, render_language_switch, t

_HERE = Path(__file__).resolve().parent

# Sections of the menu: (page, icon). A page is views/<page>.py, its title is the text frame.page.<page>, and its URL
# is /<page> in every language. The first page is where a visitor arrives.
_SECTIONS = {
    "look": (
        ("explore", ":material/text_fields:"),
        ("lattice", ":material/account_tree:"),
        ("scores", ":material/scatter_plot:"),
        ("rounds", ":material/content_cut:"),
    ),
    "make": (("train", ":material/model_training:"),),
}


def _pages() -> dict[str, list[st.Page]]:
    menu: dict[str, list[st.Page]] = {}
    for section, pages in _SECTIONS.items():
        entries = [
            st.Page(_HERE / "views" / f"{name}.py", title=t(f"frame.page.{name}"), icon=icon, url_path=name)
            for name, icon in pages if (_HERE / "views" / f"{name}.py").exists()
        ]
        menu[t(f"frame.section.{section}")] = entries
    return menu


adopt_language()
st.set_page_config(page_title=t("frame.title"), layout="wide")
page = st.navigation(_pages())
with st.sidebar:
    render_language_switch()
page.run()
