"""The menu in the sidebar: a few entries, and under each the names of its views."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app.texts.i18n import t

# Entries by name: icon, and views as (page, view); the default view of a page is "".
Menu = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


def render_menu(menu: Menu, pages: Mapping[str, st.Page]) -> None:
    """Each entry links to its first view, and its views follow in small type; pages without an entry come last."""
    with st.container(key="menu", gap="xxsmall"):
        for entry, (icon, views) in menu.items():
            (first, view), *others = views
            with st.container(key=f"menu_{entry}", gap=None):
                st.page_link(pages[first], label=t(f"frame.entry.{entry}"), icon=icon, query_params=_query(view))
                if others:
                    with st.container(horizontal=True, gap="xxsmall", key=f"views_{entry}"):
                        for page, view in views:
                            st.page_link(pages[page], label=view_title(page, view), query_params=_query(view))
        listed = {page for _, views in menu.values() for page, _ in views}
        with st.container(horizontal=True, gap="xxsmall", key="views_unlisted"):
            for name in pages.keys() - listed:
                st.page_link(pages[name], label=t(f"frame.page.{name}"))


def view_title(page: str, view: str) -> str:
    """What the menu calls a view of a page; "" is its default view."""
    return t(f"frame.view.{page}_{view}") if view else t(f"frame.view.{page}")


def _query(view: str) -> dict[str, str] | None:
    return {"view": view} if view else None
