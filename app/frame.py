"""The frame of every page: language, navigation, and the active model in the sidebar."""

from collections.abc import Sequence
from contextlib import nullcontext
from copy import copy
from functools import cache
from pathlib import Path

import streamlit as st

from app.classroom.page.alone import render_question_figure
from app.components.browser import serve_browser, set_page_language
from app.parts.layout import set_page
from app.parts.menu import Menu, follow_menu, render_language_switch, render_menu
from app.parts.problem import reason
from app.parts.projector import adopt_projector, render_projector_switch
from app.parts.texts.link_check import keep_link_check, render_link_check
from app.parts.tokenizers.active_model import active_model_lines
from app.server.http.headers import NOT_ALONE, PICTURE
from app.server.start_up import settle
from app.session import state
from app.session.figure import figure_alone, refuse, render_refusal
from app.session.models import note_model
from app.session.own_texts import adopt_own_texts, publish_own_texts
from app.session.page_run import page_run, said_of_input, said_while_preparing
from app.session.state import begin_with_link
from app.share.facts import begin_page, origin_name, share_menu, view_package
from app.texts.i18n import LANGUAGE, decided, language
from app.texts.plain import plain
from engine.errors import InputError

_HERE = Path(__file__).resolve().parent


@cache
def _pages(names: Sequence[str]) -> list[st.Page]:
    """The pages, all by one name, which every run sends; a page sets its title."""
    return [st.Page(_HERE / "views" / name / "page.py", title="Thunder-Tok", url_path=name) for name in names]


def show(menu: Menu, names: Sequence[str]) -> None:
    """Run the visitor's current page, once it is its turn."""
    settle()
    with page_run(), said_while_preparing():
        _show(menu, names)


def _show(menu: Menu, names: Sequence[str]) -> None:
    st.session_state.setdefault(state.PENDING, {})
    begin_with_link()
    follow_menu()
    adopt_projector()
    figure = figure_alone()
    with nullcontext() if figure else st.sidebar:
        state.carry_in_url(LANGUAGE, state.MODEL)
        decided.set(language())
        note_model()
        is_checked = keep_link_check()
        adopt_own_texts()
        if is_checked:
            state.carry_in_url(state.CHECK)
    page = st.navigation([*map(copy, _pages(names))], position="hidden")  # copies: it marks the one that may run
    name = page.url_path or names[0]
    begin_page(name, language())
    if figure == PICTURE:
        _show_picture(page)
        return
    if figure:
        _show_question(page.url_path)
        return
    with st.sidebar:
        render_menu(menu, names, name, active_model_lines())
        serve_browser()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="corner"):
        render_language_switch()
        render_projector_switch()
        share_menu(name, origin_name((), ()), name not in NOT_ALONE, view_package().token)
    if notice := st.session_state.pop(state.NOTICE, None):
        st.toast(notice)
    render_link_check()
    publish_own_texts()
    with said_of_input():
        page.run()


def _show_picture(page: st.Page) -> None:
    """Run the page and show its main picture and nothing else: the style sheet removes the rest."""
    set_page_language()
    if page.url_path in NOT_ALONE:
        refuse()
    with st.container(key="no_picture"):
        render_refusal()
    try:
        with st.container(key="picture_alone"), said_of_input():
            page.run()
    except InputError as error:
        st.error(plain(reason(error)), icon=":material/error:")


def _show_question(address: str) -> None:
    """Show one question of a class and nothing else; on any other page, say so."""
    set_page("lessons")
    set_page_language()
    with st.container(key="figure_alone"):
        if address != "lessons":
            refuse()
        try:
            render_question_figure()
        except InputError as error:
            st.error(plain(reason(error)), icon=":material/error:")
