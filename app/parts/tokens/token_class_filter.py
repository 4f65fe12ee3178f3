"""The tokens of a model by grammatical class, on some lines of the current text: a switch, and a filter.

analyser = analyser_choice() if kinds_switch() else None     # in the settings of a view
kinds = kinds_of(active, analyser) if analyser else None     # None while the text is analysed, which it says
table = kinds.chosen_of(table) if kinds else table
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.parts.choices import url_choices, url_toggle
from app.parts.tables.classes import ALL_CLASSES, UNUSED, class_names, round_classes, sample_of
from app.parts.tables.tokens import FATES, LOW_SCORE, RARE
from app.parts.tables.units import factor_of, is_entropy
from app.parts.tokenizers.job_progress import awaited
from app.server.remember import note_use
from app.session.models import ActiveModel
from app.session.titles import text_title
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.measure.morphemes.analysis import silver_analysis
from engine.pruning_scores import ENTROPY, NO_UNIT, PRUNING_SCORES, TOKENS
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import LEVELS

# About three seconds of work for a model of 200,000 seed tokens and eight rounds; all of a built-in text.
_MAX_CHARS = 100_000


class _CountedClasses(NamedTuple):
    """The class of each token of the seed (int8[n_seed]), and how many of how many lines it is based on."""

    classes: np.ndarray
    n_lines: int
    n_all: int


class Kinds(NamedTuple):
    """The class of each token of the seed (int8[n_seed]), the selected ones of ALL_CLASSES, and the text."""

    classes: np.ndarray
    chosen: list[str]
    text: Text

    def added_to(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of tokens by row with columns for the kind and for the text it is based on."""
        names = class_names(self.classes[table["row"].to_numpy()])
        return table.assign(kind=names, kind_text_sha256=self.text.fingerprint)

    def chosen_of(self, table: pd.DataFrame) -> pd.DataFrame:
        table = self.added_to(table)
        return table[table["kind"].isin(self.chosen)]


def kinds_switch() -> bool:
    """Whether tokens are parted by what they are; `by_kind` in the URL."""
    return url_toggle("by_kind", t("morpheme.class.switch"), t("morpheme.class.switch_help"))


def kind_names() -> dict[str, str]:
    return {name: t("morpheme.class.unused" if name == UNUSED else f"strips.class_{name}") for name in ALL_CLASSES}


def kinds_of(active: ActiveModel, analyser: str, can_filter: bool = True) -> Kinds | None:
    """The filter, with a note on text and analyser; None while the text is analysed."""
    if active.lacks_text:
        st.caption(t("own_text.needed"))
        return None
    text = plain(text_title(active.text.id, active.text))
    counted = awaited(
        "kinds",
        (active.sha256, active.text.digest, analyser),
        partial(_count, active.model, active.text, analyser),
        t("morpheme.class.waiting", text=text),
        t("morpheme.class.failed"),
    )
    if counted is None:
        return None
    chosen = url_choices("kinds", t("morpheme.class.label"), kind_names()) if can_filter else list(ALL_CLASSES)
    program = ANALYSERS[analyser].title
    st.caption(t("morpheme.class.about", text=text, count=counted.n_lines, total=counted.n_all, program=program))
    return Kinds(counted.classes, chosen, active.text)


def render_kind_of(kinds: Kinds, row: int) -> None:
    name = str(class_names(kinds.classes[[row]])[0])
    st.markdown(t("morpheme.class.here", name=kind_names()[name]))


def render_kind_counts(kinds: Kinds, table: pd.DataFrame) -> None:
    counts = kinds.added_to(table)["kind"].value_counts()
    parts = [f"{text} {int(counts[name]):,}" for name, text in kind_names().items()]
    st.caption(t("morpheme.class.seen", total=len(table), counts=" · ".join(parts)))


def _count(model: PrunedTokenizer, text: Text, analyser: str) -> _CountedClasses:
    sample = sample_of(text.lines(), model.normalization, _MAX_CHARS)
    classes = round_classes(model, silver_analysis(sample.lines, analyser))
    note_use(analyser)
    return _CountedClasses(classes, len(sample.lines), sample.n_lines)


_UNIT_FORMATS = {NO_UNIT: "%.3g", ENTROPY: "%.4g", TOKENS: "localized"}
_FORMATS = {name: _UNIT_FORMATS[score.unit] for name, score in PRUNING_SCORES.items()}
_FORMATS |= {"be": "%.3f", "rank": "localized"}


def token_columns(columns: list[str], unit: str) -> dict[str, ColumnConfig]:
    """Streamlit's configuration of the columns of a table of tokens, in the order given."""
    name = t(f"figure.unit.{unit}")
    made: dict[str, ColumnConfig] = {}
    for column in columns:
        label = t(f"figure.column.{column}", unit=name)
        if column in _FORMATS:
            made[column] = st.column_config.NumberColumn(label, format=_FORMATS[column])
        else:
            made[column] = st.column_config.TextColumn(label)
    return made


def shown_tokens(table: pd.DataFrame, columns: list[str], unit: str) -> pd.DataFrame:
    """These columns of `round_tokens` with entropies in the unit and codes in the session's language."""
    words = {
        "level": {level: t(f"figure.level.{level}") for level in LEVELS},
        "fate": {fate: t(f"scores.fate.{fate}") for fate in FATES},
        "kind": kind_names() if "kind" in columns else {},
        "reason": {code: t(f"figure.reason.{code}") for code in (RARE, LOW_SCORE)} | {"": ""},
    }
    made = {}
    for column in columns:
        values = table[column]
        if column in words:
            values = values.astype(object).map(words[column])
        elif column in PRUNING_SCORES:
            values = values * factor_of(column, unit)
        elif column == "rank":
            values = values.astype("Int64").where(values > 0)  # a byte has no rank
        made[column] = values
    return pd.DataFrame(made)


def token_file(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The same columns for a file: codes instead of words, entropies in nats and named so."""
    return table[columns].rename(
        columns={name: f"{name}_nats" for name in columns if name in PRUNING_SCORES and is_entropy(name)}
    )
