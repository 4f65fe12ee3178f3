"""Compare parts: tokens, words or morphemes that are key in a sub-corpus, how they are spread, and their lines."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from functools import cache, partial
from typing import Any

import pandas as pd
import streamlit as st

from app.components.concordance import kwic
from app.components.data import KwicPlace
from app.concordance.tables import sort_concordance, with_files
from app.parts.choices import url_number
from app.parts.data_table import Columns, download_csv, download_tsv, pick_row
from app.parts.layout import Layout, layout, render_figure
from app.parts.problem import reason, show_problem
from app.parts.texts.corpus_choice import choose_corpus
from app.parts.tokens.morpheme_layer import is_ready
from app.parts.tokens.token_field import lattice_link
from app.server.background import begin, in_background
from app.server.remember import remember
from app.server.work.kernels import KernelsNotReadyError
from app.session.page_run import fragment, render_preparing, rerun_when
from app.session.titles import titled_files
from app.session.url import UrlValue, whole_number
from app.share.facts import model_commands, note_models, share
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.commands import keyness_command
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.search.choice import Chosen, ChosenUnit, choose_groups, choose_unit
from app.views.search.figures import key_figure, spread_figure
from app.views.search.tables import key_table, others_of, spread_table, unit_concordance
from engine.corpus.morphemes.analysers import installed_analysers
from engine.errors import InputError
from engine.measure.corpus_units import CorpusUnits, LineUnits, corpus_units
from engine.measure.keyness import MIN_COUNT, not_the_same
from engine.measure.morphemes.token_classes import row_classes

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


_PICKED, _ORDER = "search.line", "search.order"


@fragment
def render_lines(chosen: Chosen, unit: ChosenUnit, units: CorpusUnits, picked: pd.Series) -> None:
    """The lines of the sub-corpus where the picked row is key, and a picked line with its lattice."""
    group, kind = str(picked["group"]), int(picked["type"])
    own = chosen.groups[group]
    key = (chosen.text.digest, unit.key, own, kind)
    found = remember("search_lines", key, lambda: unit_concordance(units, chosen.text.lines(), own, kind, unit.unit))
    order = st.session_state.get(_ORDER, "corpus")
    table = with_files(sort_concordance(found.table, [order]), titled_files(chosen.text))
    st.subheader(t("search.lines", label=plain(str(picked["label"])), group=plain(group)), anchor=False)
    if found.n_examined < found.n_lines:
        st.caption(t("scores.kwic.sampled", examined=found.n_examined, lines=found.n_lines))
    index = st.session_state.get(_PICKED, (None, -1))
    at = index[1] if index[0] == (key, order) and 0 <= index[1] < len(table) else None
    records: Any = table.assign(line=table["file_line"])[["line", "file", "left", "token", "right"]].to_dict("records")
    places: list[KwicPlace] = records
    kwic(
        "search.kwic",
        places,
        [order],
        selected=at,
        on_pick=lambda row: st.session_state.update({_PICKED: ((key, order), row)}),
        on_sort=lambda wish: st.session_state.update({_ORDER: wish}),
        lang=TEXT_LANGUAGE,
    )
    download_tsv(
        "search-lines",
        lambda: table.drop(columns=["begin", "end", "probability"]),
        t("scores.kwic.tsv"),
        of=chosen.text,
    )
    if at is not None:
        place = table.iloc[at]
        with st.container(border=True, key="search.sentence"):
            st.caption(t("scores.kwic.file_line", file=plain(place["file"]), number=place["file_line"]))
            st.text(place["sentence"])
            under = str(unit.active.reference) if unit.active is not None else ""
            lattice_link("search", place["sentence"], t("scores.kwic.lattice"), under)


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
        text = choose_corpus()
    if text is None:
        view.picture.info(t("search.choose"), icon=":material/link_off:")
        return
    with view.settings(t("search.settings")):
        chosen = choose_groups(view, text)
        unit = choose_unit(text)
        least = int(url_number("least", t("search.least"), 1, 10_000, MIN_COUNT, 1, t("search.least_help")))
    if chosen is None or unit is None:
        with view.picture:
            st.info(t("search.choose"), icon=":material/folder_open:")
        return
    if unit.active is not None:
        note_models([unit.active])
    units = _units(view, chosen, unit)
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


def _units(view: Layout, chosen: Chosen, unit: ChosenUnit) -> CorpusUnits | None:
    """The counted corpus; None, and how far the counting is, until it is ready."""
    with view.picture:
        parts = counted(chosen.text, unit.key, unit.count_lines)
        if any(not part.done() for part in parts):
            _wait(parts)
            return None
        try:
            own = [units for part in parts for units in part.result()]
        except InputError as error:
            show_problem(t("search.refused"), error.again())
            return None
    size = unit.unit.tokenizer.vocab_size if unit.unit.tokenizer else 0
    key = (chosen.text.digest, chosen.text.files().line_ptr, unit.key)
    return remember("search_units", key, lambda: corpus_units(chosen.text.files(), own, size), 1)


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
        _render_table(chosen, table)
        picked = table.iloc[row]
        spread = spread_table(units, chosen.groups, int(picked["type"]), titled_files(chosen.text))
        title = t("search.spread_title", label=picked["label"])
        figure = spread_figure(spread, title, language())
        render_figure(figure, "search.spread", title)
        st.caption(t("search.spread_note", count=int(picked["n_parts"])))
        render_lines(chosen, unit, units, picked)


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
        "g2": "%.1f",
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
    texts: Columns = {name: t(f"search.column.{name}") for name in ("group", "label", "kind")}
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
