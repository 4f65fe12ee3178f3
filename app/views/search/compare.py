"""Compare parts: words, morphemes or tokens that are key in a sub-corpus, and their lines."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from functools import cache, partial

import pandas as pd
import streamlit as st

from app.parts.choices import url_number
from app.parts.data_table import Columns, download_csv, pick_row
from app.parts.layout import Layout, layout, render_figure
from app.parts.problem import reason, show_problem
from app.parts.texts.corpus_choice import choose_corpus
from app.parts.tokens.morpheme_layer import is_ready
from app.server.background import begin, in_background
from app.server.remember import remember
from app.server.work.kernels import KernelsNotReadyError
from app.session.page_run import render_preparing, rerun_when
from app.session.url import UrlValue, whole_number
from app.share.facts import model_commands, note_models, share
from app.texts.commands import keyness_command
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.search.choice import Chosen, ChosenUnit, choose_groups, choose_layer, choose_unit
from app.views.search.field import search_for
from app.views.search.figures import key_figure
from app.views.search.tables import MORPHEMES, key_table, others_of
from engine.corpus.morphemes.analysers import installed_analysers
from engine.errors import InputError
from engine.measure.corpus_units import CorpusUnits, LineUnits, corpus_units
from engine.measure.keyness import MIN_COUNT, not_the_same
from engine.measure.morphemes.token_classes import row_classes
from engine.query.near import unit_query

_MAX_FILES = 400  # results of a session


def counted(text: Text, unit: Hashable, count: Callable[[list[str]], LineUnits]) -> "list[Future[list[LineUnits]]]":
    """The units of every file of a text, in order; the counting of a built-in text is one piece of work.

    Parameters
    ----------
    unit : what is counted, with everything that decides the result.
    count : counts the lines of one file.
    """
    files, lines = text.files(), cache(text.lines)
    if text.is_builtin:
        every = range(len(files))
        return [
            in_background("units", (text.digest, unit), lambda: [count(files.lines_of((i,), lines())) for i in every])
        ]

    def begun(i: int) -> "Future[list[LineUnits]]":
        own = files.lines_of((i,), lines())
        return begin(lambda: [count(own)])

    def part(i: int) -> "Future[list[LineUnits]]":
        key = (text.digest, files.names[i], files.line_ptr[i], unit)
        return remember("counted", key, lambda: begun(i), _MAX_FILES)

    return [part(i) for i in range(len(files))]


def _search_for(chosen: Chosen, unit: ChosenUnit, picked: pd.Series) -> None:
    """Show the lines of the picked row in its sub-corpus."""
    label, group = str(picked["label"]), str(picked["group"])
    form, _, tag = label.rpartition("/")
    query = (
        f'[form=="{form}" & tag=="{tag}"]' if unit.unit.name == MORPHEMES else unit_query(label, unit.unit.name).text
    )
    search_for(query, unit.unit.name, chosen.conditions.get(group, []))


_ROW = UrlValue("row", "search.row", whole_number, str, 1)


def render_compare() -> None:
    view = layout()
    try:
        _render(view)
    except KernelsNotReadyError:
        with view.picture:
            render_preparing()


def _render(view: Layout) -> None:
    with view.topic:
        corpus, parts, unit_place = st.columns([7, 5.5, 6.5], vertical_alignment="center")
        with corpus:
            text = choose_corpus()
        with unit_place:
            layer = choose_layer()
    if text is None:
        view.picture.info(t("search.no_corpus"), icon=":material/link_off:")
        return
    with view.settings(t("search.settings_compare")):
        chosen = choose_groups(view, parts, text)
        unit = choose_unit(text, layer)
        least = int(url_number("least", t("search.least"), 1, 10_000, MIN_COUNT, 1, t("search.least_help")))
    if chosen is None or unit is None:
        with view.picture:
            st.info(t("search.choose"), icon=":material/folder_open:")
        return
    if unit.active is not None:
        note_models([unit.active])
    units = counted_units(view, chosen.text, unit)
    if units is None:
        return
    table = _table(view, chosen, unit, units, least)
    if table is None:
        return
    classes = _classes(chosen, unit, units, table)
    if classes is not None and classes.done():
        table["kind"] = [t(f"strips.class_{name}") if name else "" for name in classes.result()]
    _show(view, chosen, unit, units, table)
    if classes is not None and not classes.done():
        with view.pending:
            rerun_when(classes.done, partial(st.caption, t("search.classes")))


def counted_units(view: Layout, text: Text, unit: ChosenUnit) -> CorpusUnits | None:
    """The counted corpus; None, and how far the counting is, until it is ready."""
    with view.picture:
        parts = counted(text, unit.key, unit.count_lines)
        if any(not part.done() for part in parts):
            _wait(parts)
            return None
        try:
            own = [units for part in parts for units in part.result()]
        except InputError as error:
            show_problem(t("search.refused"), error.again())
            return None
    size = unit.unit.tokenizer.vocab_size if unit.unit.tokenizer else 0
    key = (text.digest, text.files().line_ptr, unit.key)
    return remember("search_units", key, lambda: corpus_units(text.files(), own, size), 1)


def _wait(parts: "Sequence[Future[list[LineUnits]]]") -> None:
    def meanwhile() -> None:
        n_done = sum(part.done() for part in parts)
        st.progress(n_done / len(parts), t("search.counting", done=n_done, count=len(parts)))

    rerun_when(lambda: all(part.done() for part in parts), meanwhile)


def _table(view: Layout, chosen: Chosen, unit: ChosenUnit, units: CorpusUnits, least: int) -> pd.DataFrame | None:
    """What is key; None, and why, if the sub-corpora cannot be compared."""
    key = (chosen.text.digest, unit.key, tuple(chosen.groups.items()), least, language())
    try:
        return remember("search_table", key, lambda: _compared(chosen, unit, units, least)).assign(kind="")
    except InputError as error:
        with view.picture:
            st.warning(plain(reason(error)), icon=":material/difference:")
        return None


def _compared(chosen: Chosen, unit: ChosenUnit, units: CorpusUnits, least: int) -> pd.DataFrame:
    groups = list(chosen.groups.values())
    for k, first in enumerate(groups):
        for second in groups[k + 1 :]:
            not_the_same(units, first, second)
    return key_table(units, chosen.groups, unit.unit.tokenizer, least)


def _classes(
    chosen: Chosen, unit: ChosenUnit, units: CorpusUnits, table: pd.DataFrame
) -> "Future[list[str | None]] | None":
    """Morphological classes of the rows, found in the background; None where there are none to find."""
    analyser = next(iter(installed_analysers()), None)
    tokenizer = unit.unit.tokenizer
    if tokenizer is None or analyser is None or table.empty or not is_ready(analyser):
        return None

    def find() -> list[str | None]:
        lines, found = chosen.text.lines(), []
        for group, own in table.groupby("group", sort=False):
            compared = chosen.groups[str(group)], others_of(chosen.groups, str(group))
            rows: Sequence[dict[str, object]] = own.to_dict("records")
            found += row_classes(tokenizer, units, lines, rows, compared, analyser)
        return found

    key = (chosen.text.digest, unit.key, tuple(chosen.groups.items()), tuple(table["type"]))
    return remember("search_classes", key, lambda: begin(find), 20)


def _show(view: Layout, chosen: Chosen, unit: ChosenUnit, units: CorpusUnits, table: pd.DataFrame) -> None:
    names = " · ".join(chosen.groups)
    with view.picture:
        title = t(f"search.title_{unit.unit.name}", names=names)
        figure = key_figure(table, title, language())
        render_figure(figure, "search.keys", title)
    share(commands=_commands(chosen, unit), data="search")
    with view.sections:
        sizes = ", ".join(f"{plain(name)} {int(units.counts(own).sum()):,}" for name, own in chosen.groups.items())
        st.caption(t("search.sizes", unit=t(f"search.of.{unit.unit.name}"), sizes=sizes))
        if table.empty:
            return
        row = _picked(table)
        _render_table(chosen, table if unit.active is not None else table.drop(columns=["kind"]))
        picked = table.iloc[row]
        st.caption(t("search.spread_note", count=int(picked["n_parts"])))
        label = t("search.lines", label=plain(str(picked["label"])), group=plain(str(picked["group"])))
        st.button(label, icon=":material/notes:", on_click=_search_for, args=(chosen, unit, picked), key="search.lines")


def _picked(table: pd.DataFrame) -> int:
    if not 1 <= _ROW.adopt() <= len(table):
        _ROW.set(1)
    _ROW.publish(_ROW.value)
    return _ROW.value - 1


def _render_table(chosen: Chosen, table: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    formats = {
        "count": "localized",
        "against": "localized",
        "g2": "%,.1f",
        "log_ratio": "%.2f",
        "log_ratio_low": "%.2f",
        "log_ratio_high": "%.2f",
        "percent_diff": "%.0f",
        "p_holm": "%.2g",
        "dp": "%.3f",
        "dp_norm": "%.3f",
        "juilland_d": "%.3f",
        "range": "%d",
    }
    texts: Columns = {name: t(f"search.column.{name}") for name in ("group", "label", "kind") if name in table}
    columns: Columns = {**texts} | {
        name: number(t(f"search.column.{name}"), format=form, help=t(f"search.help.{name}"))
        for name, form in formats.items()
    }
    st.caption(t("search.table_note"))
    pick_row(table, "search.table", lambda row: _ROW.set(row + 1), columns, alt=t("search.column.label"))
    download_csv("search", lambda: table.drop(columns=["type"]), of=chosen.text, columns=columns, interval="delta")


def _commands(chosen: Chosen, unit: ChosenUnit) -> list[str]:
    models, commands = model_commands([unit.active] if unit.active is not None else [])
    for name, own in list(chosen.groups.items())[: 1 if len(chosen.groups) == 2 else None]:
        second = others_of(chosen.groups, name)
        commands.append(keyness_command(chosen.text, own, second, unit.unit.name, models))
    return commands
