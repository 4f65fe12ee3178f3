"""The numbers of a figure: an expandable table, and its files."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.elements.lib.column_types import ColumnConfig

from app.session.models import Active, ActiveTokenizer
from app.share.facts import origin_name, tell_file
from app.share.packages import TEXT_SHA256
from app.texts.catalogue import catalogue
from app.texts.corpora import Text
from app.texts.i18n import t
from engine.interop.spreadsheet import csv_bytes, tsv_bytes
from engine.report.table import latex, markdown

MAX_ROWS = 300  # that a table shows; its file has all
_CHANGES = re.compile(r"-(bit|nat|\d+|[0-9a-f]{8})$")

# The origin: the text, a model (its training text), several of these, or fingerprints, one per row.
Origin: TypeAlias = Text | ActiveTokenizer | Sequence[Text | ActiveTokenizer] | str | pd.Series
# Streamlit's column headings, by column.
Columns: TypeAlias = Mapping[str, str | ColumnConfig]
# Forms for a paper, by their names: ending, type, writer.
_WRITTEN: Mapping[str, tuple[str, str, Callable[..., str]]] = {
    "LaTeX": ("tex", "application/x-tex", latex),
    "Markdown": ("md", "text/markdown", markdown),
}
# For numbers that come from no text, such as answers of a class.
NO_TEXT = ""
# As the format of a column: it stays in view when the table is scrolled sideways.
PINNED = st.column_config.TextColumn(pinned=True)
ALL_ROWS = 10**6  # as the height of a table


def headings(
    prefix: str, values: Mapping[str, str] | None = None, /, **formats: str | ColumnConfig
) -> dict[str, ColumnConfig]:
    """Columns by convention, in this order: headed `<prefix>.<column>`, with the help `<prefix>.<column>_help` if any.

    Parameters
    ----------
    values : of the placeholders in headings and helps.
    formats : of the numbers of a column, empty where they are shown as they are; or the column without its heading.
    """
    made: dict[str, ColumnConfig] = {}
    for name, form in formats.items():
        if isinstance(form, str):
            form = st.column_config.NumberColumn(format=form) if form else st.column_config.Column()
        key, help_key = f"{prefix}.{name}", f"{prefix}.{name}_help"
        made[name] = {**form, "label": t(key, **(values or {}))}
        if help_key in catalogue():
            made[name]["help"] = t(help_key, **(values or {}))
    return made


def draw_table(
    table: pd.DataFrame | Styler,
    columns: Columns,
    key: str | None = None,
    height: int | None = None,
    *,
    picked: Callable[[], None] | None = None,
    alt: str | None = None,
) -> None:
    """These columns of the table, without its index.

    Parameters
    ----------
    height : at most, in pixels; by default Streamlit's.
    picked : called when a row is picked; None: none can be.
    alt : accessible name.
    """
    st.dataframe(
        table,
        hide_index=True,
        height="auto" if height is None else min(38 + 35 * max(1, len(table.index)), height),  # of all rows
        key=key,
        column_order=list(columns),
        column_config=dict(columns),
        placeholder="–",
        on_select=picked or "ignore",
        selection_mode="single-row",
        alt=alt,
    )


def draw_first(table: pd.DataFrame, columns: Columns, key: str | None = None) -> None:
    """The first MAX_ROWS of a table, whose file has all of them."""
    draw_table(table.head(MAX_ROWS), columns, key)
    if len(table) > MAX_ROWS:
        st.caption(t("figure.data_first", shown=MAX_ROWS, count=len(table)))


def render_data(
    name: str,
    table: pd.DataFrame,
    columns: Columns,
    file: Callable[[], pd.DataFrame] | None = None,
    *,
    of: Origin | Callable[[], Origin],
    bold: pd.DataFrame | None = None,
) -> None:
    """A folded table with downloads, which is sent once it is opened.

    Parameters
    ----------
    name : of the file, and part of the keys; one that ends in a unit or a number stays open when that changes.
    table : shown; a long one is truncated, with a note.
    columns : Streamlit's column configuration by column; other columns are not shown.
    file : makes the table for the file on demand; by default the one shown.
    of : origin of the numbers, see `with_origin`.
    bold : bool, for some of the columns: cells that are bold in a paper.
    """
    make = file or (lambda: table)
    key = f"data.{_CHANGES.sub('', name)}"
    place = st.expander(t("figure.data"), icon=":material/table_rows:", key=key, on_change="rerun")
    with place:
        if not is_open(place.open):
            _tell_csv(name, make, of, columns, bold, folded=key)
            return
        draw_first(table, columns)
        download_csv(name, make, of=of, columns=columns, bold=bold)


def is_open(flag: bool | None) -> bool:
    return bool(flag)


def _heads(columns: Columns) -> dict[str, str]:
    labels = {name: about if isinstance(about, str) else about["label"] for name, about in columns.items()}
    return {name: label or name for name, label in labels.items()}


def _helps(columns: Columns) -> dict[str, str]:
    return {name: text for name, about in columns.items() if not isinstance(about, str) and (text := about.get("help"))}


def pick_row(
    table: pd.DataFrame | Styler,
    key: str,
    take: Callable[[int], None],
    columns: Columns,
    *,
    height: int = 360,
    alt: str = "",
) -> None:
    """A table of these columns whose rows can be clicked: `take` gets the row's number before the script runs again."""

    def picked() -> None:
        rows = st.session_state[key].selection.rows
        if rows and rows[0] < len(table):
            take(rows[0])

    draw_table(table, columns, key, height, picked=picked, alt=alt or None)


def in_bold(table: pd.DataFrame, is_bold: pd.DataFrame) -> Styler:
    """The table with these cells in bold; numbers have three decimals.

    Parameters
    ----------
    is_bold : bool, for some columns of the table.
    """
    return table.style.apply(
        lambda column: np.where(is_bold[column.name], "font-weight: bold", ""), subset=list(is_bold.columns)
    ).format(precision=3, na_rep="–")


def say_bold(is_bold: pd.DataFrame) -> None:
    """What the bold cells of a table are, and why a column has none (`engine.measure.best`)."""
    columns = is_bold.any()
    st.caption(
        " ".join(
            t(f"figure.{note}")
            for note, is_said in (("best", columns.any()), ("no_best", not columns.all()))
            if is_said
        )
    )


def with_origin(table: pd.DataFrame, of: Origin | Callable[[], Origin]) -> pd.DataFrame:
    """The table with a column for the text that each row's numbers come from."""
    origin = _origin(of)
    if not isinstance(origin, str | pd.Series):
        origin = " ".join(dict.fromkeys(one.fingerprint for one in origin))
    return table.assign(**{TEXT_SHA256: origin})


def _origin(of: Origin | Callable[[], Origin]) -> str | pd.Series | Sequence[Text | ActiveTokenizer]:
    origin = of() if callable(of) else of
    return [origin] if isinstance(origin, Text | Active) else origin


def _origin_name(of: Origin | Callable[[], Origin]) -> str:
    origin = _origin(of)
    if isinstance(origin, str):
        return origin_name((), origin.split())
    if isinstance(origin, pd.Series):
        return origin_name((), [one for cell in origin.unique() for one in str(cell).split()])
    return origin_name([one for one in origin if isinstance(one, Active)], [one.fingerprint for one in origin])


def download_csv(
    name: str,
    make: Callable[[], pd.DataFrame],
    label: str = "",
    *,
    of: Origin | Callable[[], Origin],
    columns: Columns | None = None,
    bold: pd.DataFrame | None = None,
    interval: str = "bootstrap",
) -> None:
    """Buttons that make a table as CSV, LaTeX and Markdown on click.

    Parameters
    ----------
    label : of the button for CSV, which has all columns.
    columns : for LaTeX and Markdown, and what they measure; other columns are left out. By default all are there.
    bold : as for `render_data`.
    interval : as in `PackedTable`.
    """
    origin, heads = _origin_name(of), _heads(columns or {})

    def without_hidden() -> pd.DataFrame:
        table = make()
        return table[[column for column in heads or table if column in table]]

    key = _tell_csv(name, make, of, columns, bold, interval)
    with st.container(horizontal=True, gap="xsmall", key=f"files.{name}"):
        file = f"{name}_{origin}.csv"
        download(label or t("figure.csv"), lambda: csv_bytes(with_origin(_for_file(make()), of)), file, "text/csv", key)
        for kind, (ending, mime, written) in _WRITTEN.items():
            content = partial(_written, written, without_hidden, heads, bold)
            download(kind, content, f"{name}_{origin}.{ending}", mime, f"{ending}.{name}", icon=None)


def _tell_csv(
    name: str,
    make: Callable[[], pd.DataFrame],
    of: Origin | Callable[[], Origin],
    columns: Columns | None,
    bold: pd.DataFrame | None,
    interval: str = "bootstrap",
    folded: str = "",
) -> str:
    """Tell Share of the file, as for `download_csv`, and of the closed line with its buttons; returns its key."""
    key, heads, helps = f"csv.{name}", _heads(columns or {}), _helps(columns or {})
    tell_file(key, _origin_name(of), lambda: with_origin(_for_file(make()), of), heads, bold, helps, interval, folded)
    return key


def _written(
    write: Callable[..., str],
    make: Callable[[], pd.DataFrame],
    heads: Mapping[str, str] | None,
    bold: pd.DataFrame | None,
) -> bytes:
    return write(make(), heads, bold).encode()


def download_tsv(
    name: str,
    make: Callable[[], pd.DataFrame],
    label: str,
    help_text: str | None = None,
    *,
    of: Origin | Callable[[], Origin],
) -> None:
    """A button that makes a TSV file on click. Tabs and line ends in texts must have been replaced."""
    file = f"{name}_{_origin_name(of)}.tsv"
    mime, key = "text/tab-separated-values", f"tsv.{name}"
    download(label, lambda: tsv_bytes(with_origin(_for_file(make()), of)), file, mime, key, help_text)


def download(
    label: str,
    content: bytes | Callable[[], bytes],
    file: str,
    mime: str,
    key: str,
    help_text: str | None = None,
    *,
    icon: str | None = ":material/download:",
    is_on: bool = True,
) -> None:
    """A button for a file, which may be made on click; the page does not run again."""
    st.download_button(
        label,
        content,
        file_name=file,
        mime=mime,
        key=key,
        help=help_text,
        icon=icon,
        disabled=not is_on,
        on_click="ignore",
    )


def _for_file(table: pd.DataFrame) -> pd.DataFrame:
    """With plain spaces: ␣ is for display only."""
    texts = table.select_dtypes(include=["object", "string"])
    return table.assign(**{name: texts[name].map(_plain) for name in texts})


def _plain(cell: object) -> object:
    return cell.replace("␣", " ") if isinstance(cell, str) else cell
