"""The menu in the sidebar, a few entries and under each the names of its views, and the language switch."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app import VERSION
from app.parts.choices import chosen, set_choice
from app.parts.tokens.token_field import FROM
from app.session import state
from app.texts.catalogue import LANGUAGES
from app.texts.i18n import LANGUAGE, language, t

_KEY = "language_switch"


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

_MENU = "menu"


def render_menu(menu: Menu, pages: Mapping[str, st.Page], current: str) -> None:
    """Each entry links to its first view; pages without an entry come last.

    Parameters
    ----------
    current : name of the page that is shown; the views of its entry follow that in small type.
    """
    with st.container(key="menu", gap="xxsmall"):
        for entry, (icon, views) in menu.items():
            (first, view), *others = views
            with st.container(key=f"menu_{entry}", gap=None):
                st.page_link(pages[first], label=t(f"frame.entry.{entry}"), icon=icon, query_params=_query(view))
                if others and current in [page for page, _ in views]:
                    _render_views(views, pages, current)
        listed = {page for _, views in menu.values() for page, _ in views}
        with st.container(horizontal=True, gap="xxsmall", key="views_unlisted"):
            for name in pages.keys() - listed:
                st.page_link(pages[name], label=t(f"frame.page.{name}"))
            st.caption(t("frame.version", version=VERSION))


def _render_views(views: Sequence[tuple[str, str]], pages: Mapping[str, st.Page], current: str) -> None:
    """The current view is in bold."""
    shown = (current, _current_view([view for page, view in views if page == current]))
    with st.container(horizontal=True, gap="xxsmall", key="views_of_entry"):
        for page, view in views:
            title = view_title(page, view)
            label = f"**{title}**" if (page, view) == shown else title
            st.page_link(pages[page], label=label, query_params=_query(view))


def view_title(page: str, view: str) -> str:
    """What the menu calls a view of a page; "" is its default view."""
    return t(f"frame.view.{page}_{view}") if view else t(f"frame.page.{page}")


def _current_view(views: Sequence[str]) -> str:
    """The view of a page that is shown, known before the page runs."""
    asked = (chosen("view"), st.query_params.get("view"))
    return next((str(view) for view in asked if view in views), views[0])


def take_followed_view() -> None:
    """Adopt the view of a link of this menu: within a page, the session would not look at the URL again."""
    if st.query_params.get(FROM) == _MENU:
        del st.query_params[FROM]
        set_choice("view", st.query_params["view"])


def _query(view: str) -> dict[str, str] | None:
    return {"view": view, FROM: _MENU} if view else None
