"""One vocabulary for several languages, sampled with an exponent alpha."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, url_choice, url_list, url_slider
from app.parts.data_table import render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout, render_figure
from app.parts.texts.text_set import language_name
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session.comparison import taught_reference
from app.session.models import ActiveTokenizer
from app.session.state import note_choice
from app.texts.corpora import builtin_text, parallel_texts
from app.texts.i18n import language, t
from app.texts.mixture import language_sizes, mixture_id, mixture_languages, mixture_shares, mixture_text
from app.views.growth.tables import SHARES, mixture_table, share_bars, token_counts, use_table
from engine.measure.parallel import sampling_shares

_DEFAULT = ("ko", "en", "tr", "th")
_ALGORITHMS = ("byte-bpe", "unigram")
_COLUMNS = ("name", "characters", *SHARES, "tokens")
_MAX = 8
_ALPHA, _SIZE = 0.3, 2000
CONTROLS = ("languages", "alpha", "mixsize", "algorithm")  # in the URL


class Mixture(NamedTuple):
    """The settings of the controls: languages, exponent in percent, vocabulary size and algorithm."""

    codes: tuple[str, ...]
    percent: int
    size: int
    algorithm: str


def _used(active: ActiveTokenizer, codes: tuple[str, ...]) -> pd.DataFrame:
    texts = [parallel_texts()[code] for code in codes]

    def make() -> pd.DataFrame:
        return use_table(codes, token_counts(active.model, texts), len(texts[0]))

    return remember("growth.mixture", (active.sha256, codes), make, 400, is_shared=True)


def render_mixture(view: Layout) -> None:
    """Choose languages, exponent and size; sampling shares, vocabulary shares and tokens per sentence by language."""
    names = {code: language_name(code) for code in mixture_languages()}
    wanted = mixture_controls(view, t("growth.languages"), names, _DEFAULT, _MAX)
    codes = wanted.codes
    if not codes:
        view.picture.info(t("growth.languages_none"), icon=":material/translate:")
        return
    source = mixture_text(mixture_id(codes, wanted.percent))
    reference = taught_reference(wanted.algorithm, source, wanted.size)
    with view.picture:
        shown = ready_references([reference] if reference else [], CONTROLS)
    if not shown:
        return
    used = _used(shown[0], codes)
    table = mixture_table(used, names, language_sizes(codes), mixture_shares(codes, wanted.percent))
    with view.picture:
        _render_shares(table)
    with view.sections:
        st.caption(t("growth.mixture_note", size=shown[0].model.vocab_size))
        _render_tokens(table)
        render_data(
            "mixture",
            table,
            {name: t(f"growth.column.{name}") for name in _COLUMNS},
            of=[source, *(builtin_text(f"parallel.{code}") for code in codes)],
        )
        st.markdown(t("growth.formula", alpha=wanted.percent / 100))
        _render_example()


def mixture_controls(view: Layout, label: str, names: Mapping[str, str], default: Sequence[str], limit: int) -> Mixture:
    """Controls for languages, exponent, size and algorithm, stored in the URL.

    Parameters
    ----------
    label, names, default, limit : of the languages.
    """
    titles = {name: t(f"train.algorithm.{name}") for name in _ALGORITHMS}
    current = titles[read_choice("algorithm", titles, _ALGORITHMS[0])]
    with view.settings(f"{label} · {current}"):
        codes = tuple(url_list("languages", label, names, default, limit))
        algorithm = url_choice("algorithm", t("train.algorithm.label"), titles, _ALGORITHMS[0])
    with view.scrubber:
        left, right = st.columns(2)
    with left:
        alpha = url_slider("alpha", t("growth.alpha"), 0.0, 1.0, _ALPHA, 0.1, t("growth.alpha_help"))
    with right:
        size = url_slider("mixsize", t("growth.size"), 500, 6000, _SIZE, 500)
    note_choice("alpha", None if alpha == _ALPHA else str(alpha))
    note_choice("mixsize", None if size == _SIZE else str(size))
    return Mixture(codes, round(100 * alpha), size, algorithm)


def _render_shares(table: pd.DataFrame) -> None:
    bars = share_bars(table, {name: t(f"growth.share.{name}") for name in SHARES})
    title, axis = t("growth.shares_title"), t("growth.axis.share")
    figure = grouped_bars_figure(bars, "name", "kind", "share", title, axis, language(), in_percent=True)
    render_figure(figure, "growth.shares", title)


def _render_tokens(table: pd.DataFrame) -> None:
    title, axis = t("growth.tokens_title"), t("growth.column.tokens_per_line")
    figure = grouped_bars_figure(table.assign(kind=axis), "name", "kind", "tokens", title, axis, language())
    render_figure(figure, "growth.mixture_tokens", title)


def _render_example() -> None:
    """The lesson's example, computed: the shares printed there differ."""
    with st.expander(t("growth.example.heading"), icon=":material/calculate:"):
        sizes = {"A": 300.0, "B": 50.0, "C": 1.0}
        rows = [{"alpha": alpha, **sampling_shares(sizes, alpha)} for alpha in (1.0, 0.7, 0.5, 0.3, 0.0)]
        st.markdown(t("growth.example.text"))
        st.dataframe(pd.DataFrame(rows).style.format(precision=3), hide_index=True, key="growth.example")
