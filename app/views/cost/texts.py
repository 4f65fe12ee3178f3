"""Tokenizers × texts: the layout of the paper's Table 3, on texts the visitor chooses."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_row
from app.parts.data_table import (
    ALL_ROWS,
    PINNED,
    TEXT_SHA256,
    download_csv,
    draw_table,
    headings,
    in_bold,
    render_data,
    say_bold,
)
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout, render_figure
from app.parts.problem import reason
from app.parts.tables.fertility import TextCost, all_measures, cost_by_file, text_cost
from app.parts.texts.text_set import render_text_set
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.session.own_texts import held_texts
from app.session.titles import titled_files
from app.share.facts import model_commands, share
from app.texts.commands import fertility_command, file_names
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.errors import InputError
from engine.evidence.templates import TEMPLATES, wrap
from engine.measure.best import FromBest, ties_with_best
from engine.measure.words import AUTO, DEFINITIONS, definition_of

_DEFAULT = ("parallel.ko", "ko.news", "ko.reviews")
_MAX_LINES = 20_000
# Measures by what studies found them to predict; the texts name the studies.
_PREDICTS = {
    "compression": ("fertility", "floor", "characters_per_token", "graphemes_per_token", "bytes_per_token"),
    "continued": ("continued_words",),
    "words": ("single_token_words",),
    "renyi": ("renyi_efficiency",),
}
_MAX_COSTS = 1000
V = TypeVar("V")


def cost_columns(names: Sequence[str]) -> dict[str, Any]:
    """Headings and number formats of the tables of texts and of languages."""
    columns: dict[str, Any] = {name: t(f"fertility.column.{name}") for name in names}
    columns["above_floor"] = st.column_config.NumberColumn(columns["above_floor"], format="percent")
    return columns


def cost(active: ActiveTokenizer, text: Text, definition: str) -> TextCost:
    """One tokenizer on one text; results on a visitor's own text are cached in the session only."""
    is_known = active.reference.is_named or (active.source is not None and active.source.is_builtin)
    key = (active.sha256, text.digest, definition)

    def make() -> TextCost:
        return text_cost(active.model, text.sentences(), definition)

    return remember("fertility", key, make, _MAX_COSTS, is_shared=text.is_builtin and is_known)


def render_texts(view: Layout) -> None:
    """Choose texts, word and template; bars, the table, and every measure."""
    with view.settings(t("fertility.texts_settings"), "texts"):
        texts = render_text_set(_DEFAULT)
        words = {name: t(f"fertility.word.{name}") for name in DEFINITIONS}
        definition = url_choice(
            "word", t("fertility.word.label"), {AUTO: t("fertility.word.auto"), **words}, AUTO, t("fertility.word.help")
        )
        template = url_choice(
            "template",
            t("fertility.template.label"),
            {name: t(f"fertility.template.{name}") for name in TEMPLATES},
            "none",
            t("fertility.template.help"),
        )
    chosen = render_tokenizer_set(view)
    with view.picture:
        if not texts or not chosen:
            st.info(t("fertility.choose"), icon=":material/library_books:")
            return
        prepared = [_prepared(text, template) for text in texts]
        shown = [
            active
            for _, active, _ in measured_by(
                chosen, lambda active: [cost(active, text, _definition(text, definition)) for text in prepared]
            )
        ]
        if shown:
            table = _table(shown, prepared, definition)
            _render_bars(table)
    with view.sections:
        if shown:
            st.caption(t("fertility.texts_note"))
            _render_table(table)
            _render_files(shown, texts, prepared, definition)
            _render_measures(shown, prepared, definition)
        if template == "none":
            _render_commands(chosen, texts, definition)


def _render_bars(table: pd.DataFrame) -> None:
    title = t("fertility.texts_title")
    figure = grouped_bars_figure(table, "text", "tokenizer", "fertility", title, t("fertility.axis"), language())
    render_figure(figure, "fertility.bars", title)


def _render_commands(shown: list[ActiveTokenizer], texts: list[Text], chosen: str) -> None:
    """Commands that train the models and print the table; one table per definition of a word."""
    held = held_texts()  # a pasted text has a name here but not on the command line
    texts = [held.get(text.id, text) for text in texts]
    names = file_names([*texts, *(active.source for active in shown if active.source)])
    models, commands = model_commands(shown, names)
    definitions: dict[str, list[Text]] = {}
    for text in texts:
        definitions.setdefault(_definition(text, chosen), []).append(text)
    commands += [fertility_command(models, group, name, names) for name, group in definitions.items()]
    share(commands=commands)


def _prepared(text: Text, template: str) -> Text:
    lines = text.sentences()
    if len(lines) > _MAX_LINES:
        st.caption(t("fertility.cut", name=plain(text.name), limit=_MAX_LINES))
        lines = lines[:_MAX_LINES]
    return text.with_lines(wrap(lines, template))


def _definition(text: Text, chosen: str) -> str:
    return definition_of(text.sentences(), chosen)


def measured_by(
    shown: list[ActiveTokenizer], measure: Callable[[ActiveTokenizer], V]
) -> Iterator[tuple[int, ActiveTokenizer, V]]:
    """What is measured, by number from 1 and tokenizer; of one that cannot encode the texts, a message.

    An imported vocabulary may lack a character and have no unknown token.
    """
    for number, active in enumerate(shown, start=1):
        try:
            with st.spinner(t("fertility.measuring", name=plain(active.title), number=number, count=len(shown))):
                found = measure(active)
        except InputError as error:
            st.warning(plain(f"{active.title}: {reason(error)}"), icon=":material/warning:")
        else:
            yield number, active, found


def _table(shown: list[ActiveTokenizer], texts: list[Text], chosen: str) -> pd.DataFrame:
    """One row per tokenizer and text."""
    rows: list[dict[str, Any]] = []
    definitions = [_definition(text, chosen) for text in texts]
    against = _against_fewest(shown, texts, definitions)
    for number, active in enumerate(shown, start=1):
        for text, definition, own in zip(texts, definitions, against, strict=True):
            found = cost(active, text, definition)
            values = found._asdict()
            del values["sums"]
            rows.append(
                {
                    "tokenizer": f"{number}. {active.title}",
                    "text": text.name,
                    **values,
                    **own[number - 1].fields(),
                    "characters_per_token": found.characters / found.tokens if found.tokens else None,
                    "vocab_size": active.model.vocab_size,
                    "word": t(f"fertility.word.{definition}"),
                    TEXT_SHA256: text.fingerprint,
                }
            )
    return pd.DataFrame(rows)


def _against_fewest(shown: list[ActiveTokenizer], texts: list[Text], definitions: list[str]) -> list[list[FromBest]]:
    """Fertility of each on every text, relative to the lowest."""
    pairs = list(zip(texts, definitions, strict=True))
    key = (*((text.digest, definition) for text, definition in pairs), *(active.sha256 for active in shown))
    sums = [[cost(active, text, definition).sums for active in shown] for text, definition in pairs]
    return remember("fertility.best", key, lambda: ties_with_best(sums, is_lowest=True), _MAX_COSTS)


def _render_table(table: pd.DataFrame) -> None:
    wide = table.pivot_table(index="tokenizer", columns="text", values="fertility", sort=False)
    best = table.pivot_table(index="tokenizer", columns="text", values="best", aggfunc="all", sort=False)[wide.columns]
    columns = headings("fertility.column", tokenizer=PINNED) | {name: name for name in wide}
    draw_table(in_bold(wide.reset_index(), best.reset_index(drop=True)), columns, "fertility.wide")
    say_bold(best)
    names = (
        "tokenizer",
        "text",
        "tokens",
        "words",
        "characters",
        "fertility",
        "low",
        "high",
        "from_best",
        "from_best_low",
        "from_best_high",
        "from_best_p",
        "best",
        "floor",
        "above_floor",
        "characters_per_token",
        "vocab_size",
        "word",
    )
    render_data(
        "fertility",
        table,
        cost_columns(names),
        of=table[TEXT_SHA256],
        bold=table[["best"]].set_axis(["fertility"], axis=1),
    )


def _render_files(shown: list[ActiveTokenizer], texts: list[Text], prepared: list[Text], chosen: str) -> None:
    """Fertility in every file of the texts that have several."""
    tables = []
    for text, own in zip(texts, prepared, strict=True):
        if len(text.files()) < 2:
            continue
        files = replace(text.sentence_files(), names=titled_files(text).names)
        for number, active in enumerate(shown, start=1):
            found = cost(active, own, _definition(own, chosen))
            table = cost_by_file(found.sums, files).assign(text=text.name, tokenizer=f"{number}. {active.title}")
            tables.append(table.assign(**{TEXT_SHA256: text.fingerprint}))
    if not tables:
        return
    with st.expander(t("fertility.files"), icon=":material/folder_open:"):
        table = pd.concat(tables, ignore_index=True)
        columns = cost_columns(("tokenizer", "text", "tokens", "words", "fertility", "low", "high"))
        columns = {"file": t("files.column.file"), **columns}
        st.dataframe(table, hide_index=True, column_order=list(columns), column_config=columns, key="fertility.files")
        download_csv("fertility-files", lambda: table[list(columns)], of=table[TEXT_SHA256])


def _predicts() -> str:
    """What measures have been found to predict, a line for each group of them."""
    lines = []
    for about, names in _PREDICTS.items():
        measures = ", ".join(t(f"fertility.measure.{name}") for name in names)
        lines.append(f"- **{measures}**: {t(f'fertility.predicts.{about}')}")
    return "\n".join([t("fertility.predicts.heading"), "", *lines, "", t("fertility.predicts.others")])


def _render_measures(shown: list[ActiveTokenizer], texts: list[Text], chosen: str) -> None:
    """Every measure, of one tokenizer on one text."""
    with st.expander(t("fertility.measures.heading"), icon=":material/straighten:"):
        left, right = st.columns(2)
        titles = [f"{number}. {active.title}" for number, active in enumerate(shown, start=1)]
        with left:
            row = url_row("row", t("fertility.column.tokenizer"), titles)
        with right:
            column = url_row("column", t("fertility.column.text"), [text.name for text in texts])
        active, text = shown[row], texts[column]
        table = _measures(active, text, _definition(text, chosen))
        table = table.assign(
            measure=[t(f"fertility.measure.{name}") for name in table["measure"]],
            definition=[t(f"fertility.define.{name}") for name in table["measure"]],
            n_of=[t(f"fertility.n_of.{name.replace(' ', '_')}") for name in table["n_of"]],
        )
        columns = headings("fertility.column", measure=PINNED, value="%.4g", low="%.4g", high="%.4g", n="localized")
        columns |= headings("fertility.column", n_of="", definition=st.column_config.TextColumn(width="large"))
        draw_table(table, columns, "fertility.measures", ALL_ROWS)
        st.caption(t("fertility.measures.note", size=active.model.vocab_size))
        st.caption(_predicts())


def _measures(active: ActiveTokenizer, text: Text, definition: str) -> pd.DataFrame:
    """The table of the tokenizer and text shown; cached in the session."""
    key = (active.sha256, text.digest, definition)
    return remember("fertility.all", key, lambda: all_measures(active.model, text.sentences(), definition), 1)
