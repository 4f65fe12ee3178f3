"""The layout of every view, top to bottom: heading, topic, picture, scrubber, settings, sections.

The places are containers, so a control whose value the picture needs can run first and still be drawn below it:

    heading("growth", _VIEWS)
    view = layout()
    with view.settings(t("growth.settings")):
        size = url_number(...)
    with view.picture:
        render_figure(...)

A fragment makes its own `layout()`: it cannot draw controls into containers outside it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import ROOT
from app.parts.choices import read_choice, url_choice
from app.parts.figures.base import Plot
from app.parts.projector import for_screen
from app.parts.texts.missing_texts import render_missing_texts
from app.server.http.page_head import view_title
from app.session.state import publish
from app.session.url import UrlValue, some_of
from app.share.facts import share_button, view_package
from app.texts.catalogue import catalogue
from app.texts.i18n import language, t
from app.texts.plain import plain

_ICON = str(ROOT / "app" / "static" / "icon.png")


@dataclass(frozen=True)
class Layout:
    """Places of one view; use each in a `with` statement.

    Attributes
    ----------
    topic : at most one line that decides the picture: a text, a sentence, a subject.
    picture : the main picture; only here.
    scrubber : what moves the picture: a round, a size, a step.
    sections : everything else, numbers and tables first.
    """

    topic: DeltaGenerator
    picture: DeltaGenerator
    scrubber: DeltaGenerator
    sections: DeltaGenerator
    _folded: DeltaGenerator

    @property
    def pending(self) -> DeltaGenerator:
        """For what the picture still waits for, below what is ready of it."""
        return self.scrubber.container(gap="xsmall")

    @contextmanager
    def settings(self, label: str, key: str = "settings") -> Iterator[None]:
        """One collapsed line that says what the picture depends on, and opens the controls for it.

        Parameters
        ----------
        label : for example the names of the tokenizers that are compared; it may change while the line is open.
        """
        with self._folded, st.expander(label, icon=":material/tune:", key=key):
            yield


def more(page: str, *params: str) -> DeltaGenerator | None:
    """The closed line "More about this"; None while it is closed, so that nothing in it is computed or sent.

        if place := more("token", "growth"):
            with place:
                render_growth()

    Parameters
    ----------
    params : of what is in it, in the URL: a link with one of them opens it.
    """
    return open_lines(page, {"all": t("frame.more")}, params).get("all")


def open_lines(page: str, labels: Mapping[str, str], params: Sequence[str] = ()) -> dict[str, DeltaGenerator]:
    """Closed lines by name, of which only the open ones are returned; `more=<name>.<name>` in the URL."""
    value: UrlValue[list[str]] = UrlValue("more", f"{page}.more", some_of(labels), ".".join, [])
    is_moved = value.value != (opened := value.adopt())
    is_linked = any(param in st.query_params for param in params)
    places: dict[str, DeltaGenerator] = {}
    for name, label in labels.items():
        key = f"{page}.more.{name}"
        if is_moved or key not in st.session_state:
            st.session_state[key] = is_linked or name in opened
        place = st.expander(label, key=key, on_change="rerun")
        if place.open:
            places[name] = place
    value.publish([*places])
    return places


def heading(page: str, views: Sequence[str] = (), sentence: str | Callable[[str], str] | None = None) -> str:
    """Title, switch of views, and one sentence; returns the current view, "" without views.

    Views that the menu lists have no switch here, and their names there are the titles; the first one's is the page's.

    Parameters
    ----------
    page : its texts in the catalogue are `<page>.title`, `<page>.view.<view>`, and `<page>.intro.<view>` or, without
        views, `<page>.intro`.
    views : the first is the default; `view` in the URL.
    sentence : replaces the one of the catalogue; a function of the view, if there are views.
    """
    is_listed = bool(views) and f"frame.view.{page}_{views[0]}" in catalogue()
    title = st.empty()
    view = _current_view(page, views, not is_listed) if views else ""
    title.title(t(f"frame.view.{page}_{view}" if is_listed and view != views[0] else f"{page}.title"), anchor=False)
    set_page(page, view)
    view_package().view = view
    said = sentence(view) if callable(sentence) else sentence
    st.markdown(said or (t(f"{page}.intro.{view}") if views else t(f"{page}.intro")))
    render_missing_texts()
    return view


def set_page(page: str, view: str = "") -> None:
    """What the browser calls the page, and its width."""
    st.set_page_config(page_title=view_title(page, view, language()), page_icon=_ICON, layout="wide")


def _current_view(page: str, views: Sequence[str], has_switch: bool) -> str:
    asked = st.query_params.get("view")
    names = {view: t(f"{page}.view.{view}") for view in views}
    if has_switch:
        with st.container(key="views"):
            view = url_choice("view", t(f"{page}.view.label"), names, views[0], label_visibility="collapsed")
    else:
        view = read_choice("view", names, views[0])
        publish("view", None if view == views[0] else view)
    if asked is not None and asked not in names:
        st.info(t("frame.unknown_view", asked=plain(asked[:40]), shown=names[view]), icon=":material/link_off:")
    return view


def lone_picture() -> DeltaGenerator:
    """The picture of a page that has a head of its own, and nothing below."""
    return st.container(key="picture")


def layout(*, is_shared: bool = True, is_live: bool = False) -> Layout:
    """The places of a view, in their order; without a Share button where the picture is a list of what is stored.

    Topic and picture of a live view are one place, in which a fragment draws both with `live_layout`.
    """
    topic, picture = [st.container()] * 2 if is_live else live_layout()
    if is_shared:
        share_button()
    scrubber = st.container(key="scrubber", gap="xsmall")
    folded = st.container(key="folded", gap="xsmall")
    return Layout(topic, picture, scrubber, st.container(key="sections"), folded)


def live_layout() -> tuple[DeltaGenerator, DeltaGenerator]:
    return st.container(key="topic", gap="xsmall"), st.container(key="picture")


def render_figure(
    figure: Plot, key: str, alt: str, place: DeltaGenerator | None = None, *, is_flat: bool = False
) -> None:
    """A figure; `alt` is its accessible name, and nothing in a flat one moves."""
    config = {"displayModeBar": False} if is_flat else {"displaylogo": False}
    (place or st).plotly_chart(for_screen(figure), key=key, config=config, alt=alt)
