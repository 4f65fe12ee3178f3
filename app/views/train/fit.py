"""Change the active model's vocabulary: add tokens learned from a text, or remove tokens, and see what that costs."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import pandas as pd
import streamlit as st

from app.components.data import StripRow
from app.components.pictures import token_strip
from app.parts.choices import url_choice
from app.parts.data_table import headings, render_data, say_bold
from app.parts.figures.bars import grouped_bars_figure
from app.parts.figures.lines import added_figure
from app.parts.layout import render_figure
from app.parts.problem import reason
from app.parts.texts.text_set import language_name, text_name
from app.parts.tokenizers.active_model import active_tokenizer
from app.server.work.jobs import DONE, registry
from app.server.work.work_kinds import FITTING, Errand
from app.session import state
from app.session.models import ActiveTokenizer, model_file
from app.session.titles import text_title
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.corpora import Text, builtin_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.errors import InputError
from engine.fit.seen import AFTER, BEFORE

_CHANGES = {"extend": "extend", "add": "add", "trim": "trim", "unused": "trim_unused"}
_MOST = {"extend": 50_000, "trim": 1_000_000}
_FIRST = {"extend": 1_000, "trim": 8_000}
# Texts that the vocabulary is not fitted to: what the change costs them.
_OTHERS = ("parallel.ko", "parallel.en", "parallel.de", "parallel.tr", "parallel.vi", "web.code")
_LINES, _SENTENCE, _LISTED, _MOST_CHARACTERS = 200, 60, 200, 20_000
_MADE = "fit.made"


class _Made(NamedTuple):
    """A changed tokenizer: its ZIP, what `app.worker.fit` reports, and the text that it was fitted to."""

    data: bytes
    result: Mapping[str, Any]
    source: Text


def render_fit(source: Text | None) -> None:
    """What to change, the button, and what came of it; `source` is the text that the vocabulary is fitted to."""
    active = active_tokenizer()
    st.caption(t("fit.intro"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        change = url_choice(
            "change", t("fit.change.label"), {name: t(f"fit.change.{name}") for name in _CHANGES}, "extend"
        )
        value: object = True
        if change in _MOST:
            label, most = t(f"fit.n.{change}"), _MOST[change]
            value = st.number_input(label, 1, most, _FIRST[change], key=f"fit.n.{change}", persist_state="session")
        elif change == "add":
            listed = st.text_area(t("fit.list"), max_chars=_MOST_CHARACTERS, key="fit.list", persist_state="session")
            value = listed.splitlines()
        is_asked = st.button(
            t("fit.start"), key="fit.start", type="primary", disabled=source is None or not source.n_lines
        )
    if is_asked and source is not None:
        with st.spinner(t("fit.running")):
            try:
                st.session_state[_MADE] = (active.sha256, _changed(active, source, {_CHANGES[change]: value}))
            except InputError as error:
                st.session_state[_MADE] = (active.sha256, error)
    of, made = st.session_state.get(_MADE, ("", None))
    if of != active.sha256 or made is None:
        return
    if isinstance(made, InputError):
        st.error(t("fit.refused"), icon=":material/error:")
        st.text(reason(made))
        return
    _render_made(made)


def _changed(active: ActiveTokenizer, source: Text, change: Mapping[str, Any]) -> _Made:
    """Waits for the worker; InputError if it refuses."""
    path = None if active.reference.is_named else model_file(active.reference, active.source)
    lines = [line for line in source.lines() if line.strip()]
    with tempfile.TemporaryDirectory(prefix="fit-", dir=registry().folder) as folder:
        text, output = Path(folder) / "text.txt", Path(folder) / "changed.zip"
        text.write_text("\n".join(lines), encoding="utf-8", errors="ignore", newline="")
        others = {id_: str(builtin_text(id_).paths[0]) for id_ in _OTHERS if id_ != source.id}
        request = {
            "model": str(path or active.reference),
            "change": change,
            "texts": {source.id: str(text), **others},
            "lines": [line[:_SENTENCE] for line in (*change.get("add", ()), *lines[:_LINES])],
            "output": str(output),
        }
        job = registry().run(Errand(FITTING, request), state.visitor())
        if job.state == DONE:
            return _Made(output.read_bytes(), job.result, source)
    # Worker errors about trainings and their texts do not fit here.
    raise InputError("fit.failed") if job.error is None or job.error.code.startswith("job.") else job.error


def _render_made(made: _Made) -> None:
    result = made.result
    names = {name: t(f"fit.{name}") for name in (BEFORE, AFTER)}
    table = _table(made, names)
    title = t("fit.figure")
    figure = grouped_bars_figure(table, "text", "name", "fertility", title, t("fit.column.fertility"), language())
    render_figure(figure, "fit.figure", title)
    token_strip(
        "fit.strip",
        [cast(StripRow, {**row, "name": name}) for row, name in zip(result["strips"], names.values(), strict=True)],
        chars=list(result["sentence"]),
        show_help=False,
        count_title=t("strips.column.tokens"),
        lang=TEXT_LANGUAGE,
    )
    counts = {name: result["syllables"][name] for name in (BEFORE, AFTER)}
    st.markdown(t("fit.done", added=result["n_added"], removed=result["n_removed"], **counts))
    if result["curve"]:
        _render_curve(pd.DataFrame(result["curve"]).astype(float))
    if result["n_parts"]:
        st.caption(t("fit.parts", count=result["n_parts"]))
    for kind in ("added", "removed"):
        # Parts of characters say little to people; the file has them all.
        if labels := [label for label in result[kind] if "<0x" not in label][:_LISTED]:
            st.caption(t(f"fit.{kind}"))
            st.text(" · ".join(labels))
    if result["left_out"]:
        st.caption(t("fit.left_out"))
        errors = result["left_out"][:_LISTED]
        st.text("\n".join(f"{error['line']}: {reason(InputError.from_fields(error))}" for error in errors))
    st.success(
        t("export.done", lines=result["checked_lines"], name=plain(result["checked_with"])), icon=":material/verified:"
    )
    st.download_button(
        t("fit.download"),
        made.data,
        file_name="tokenizer.zip",
        key="fit.download",
        icon=":material/download:",
        on_click="ignore",
    )
    say_bold(table[["best"]])
    columns = headings("fit.column", text="", name="", vocab_size="localized", tokens="localized", fertility="%.3f")
    bold = table[["best"]].set_axis(["fertility"], axis=1)
    render_data("fit", table, columns, of=made.source, bold=bold)


def _render_curve(curve: pd.DataFrame) -> None:
    """Tokens per word by tokens added; the intervals are those of the paired difference from the best size."""
    best = curve["fertility"] - curve["from_best"]
    table = curve.assign(low=best + curve["from_best_low"], high=best + curve["from_best_high"])
    title, axes = t("fit.curve"), (t("fit.n.extend"), t("fit.column.fertility"))
    render_figure(added_figure(table, "added", "fertility", title, axes, language()), "fit.curve", title)
    st.caption(t("fit.curve_about"))


def _name(id_: str) -> str:
    collection, _, code = id_.partition(".")
    return language_name(code) if collection == "parallel" else text_name(id_)


def _table(made: _Made, names: Mapping[str, str]) -> pd.DataFrame:
    """A row per text and tokenizer. Columns: text, name, vocab_size, tokens, fertility, low, high, best."""
    texts = {id_: _name(id_) for id_ in _OTHERS} | {made.source.id: text_title(made.source.id, made.source)}
    rows = [
        {
            "text": texts[row["file"]],
            "name": names[row["model"]],
            "low": row["fertility_low"],
            "high": row["fertility_high"],
            **{name: row[name] for name in ("vocab_size", "tokens", "fertility", "best")},
        }
        for row in made.result["rows"]
    ]
    return pd.DataFrame(rows)
