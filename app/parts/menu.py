"""The menu in the sidebar: a few entries, and under each the names of its views."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app.texts.i18n import t

# Entries by name: icon, and views as (page, view); the default view of a page is "".
Menu = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


def render_menu(menu: Menu, pages: Mapping[str, st.Page], current: st.Page) -> None:
    """Each entry links to its first view, and its views follow in small type."""
    with st.container(key="menu", gap="xxsmall"):
        for entry, (icon, views) in menu.items():
            (first, view), *others = views
            is_open = current.url_path in {pages[page].url_path for page, _ in views}
            with st.container(key=f"menu_{entry}{'_open' if is_open else ''}", gap=None):
                st.page_link(pages[first], label=t(f"frame.entry.{entry}"), icon=icon, query_params=_query(view))
                if others:
                    with st.container(horizontal=True, gap="xxsmall", key=f"views_{entry}"):
                        for page, view in views:
                            label = t(f"frame.view.{page}_{view}" if view else f"frame.view.{page}")
                            st.page_link(pages[page], label=label, query_params=_query(view))


def _query(view: str) -> dict[str, str] | None:
    return {"view": view} if view else None
