"""The menu in the sidebar, a few entries and under each the names of its views, and the language switch."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app import VERSION
from app.components.component import draw
from app.parts.choices import chosen, set_choice
from app.parts.tokens.token_field import FROM
from app.session import state
from app.texts.catalogue import LANGUAGES
from app.texts.i18n import LANGUAGE, language, t

_KEY = "language_switch"
_MENU = "menu"


def render_language_switch() -> None:
    """The switch; not in the sidebar, which is closed on a phone."""
    st.session_state[_KEY] = language()
    st.segmented_control(
        t("frame.language"),
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key=_KEY,
        required=True,
        label_visibility="collapsed",
        on_change=_switch,
    )


def _switch() -> None:
    """Options have other names from now on, and by its name the browser would send the one of a list again."""
    state.set_in_url(LANGUAGE, st.session_state[_KEY])
    for key, value in list(st.session_state.items()):
        if isinstance(value, str):
            st.session_state[key] = value


# Entries by name: icon, and views as (page, view); the default view of a page is "".
Menu = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


def render_menu(menu: Menu, pages: Sequence[str], current: str, model: Sequence[str]) -> None:
    """Each entry links to its first view; pages without an entry come last.

    Parameters
    ----------
    current : name of the page that is shown; the views of its entry follow that in small type.
    model : what is said of the active model, below the links: a heading, its title, and more.
    """
    shown = (current, _current_view([view for _, views in menu.values() for page, view in views if page == current]))

    def link(page: str, view: str, name: str, is_current: bool) -> dict[str, object]:
        address = ("" if page == pages[0] else page) + (f"?view={view}" if view else "")
        return {"address": address, "name": name} | ({"is_current": True} if is_current else {})

    entries = []
    for entry, (icon, views) in menu.items():
        is_open = current in [page for page, _ in views]
        entries.append(link(*views[0], f"entry.{entry}", is_open) | {"icon": icon})
        if is_open and len(views) > 1:
            entries[-1]["views"] = [link(*one, _name(*one), one == shown) for one in views]
    listed = {page for _, views in menu.values() for page, _ in views}
    data = {
        "entries": entries,
        "foot": [link(page, "", _name(page, ""), page == current) for page in pages if page not in listed],
        "kept": [LANGUAGE, state.MODEL, state.CHECK],
        "followed": {FROM: _MENU},
        "model": model,
        "version": t("frame.version", version=VERSION),
    }
    draw("menu", "menu", data)


def _name(page: str, view: str) -> str:
    """The label of a view of a page; "" is its default view."""
    return f"view.{page}_{view}" if view else f"page.{page}"


def _current_view(views: Sequence[str]) -> str:
    asked = (chosen("view"), st.query_params.get("view"))
    return next((str(view) for view in asked if view in views), views[0] if views else "")


def follow_menu() -> None:
    """Show the view whose link in this menu was followed.

    To Streamlit the visitor went forward in the history, where an address without a parameter means its default. But
    what the session has chosen stays.
    """
    context = get_script_run_ctx()
    if context is None or st.query_params.get(FROM) != _MENU:
        return
    context.is_history_navigation = False
    del st.query_params[FROM]
    if "view" in st.query_params:
        set_choice("view", st.query_params["view"])
