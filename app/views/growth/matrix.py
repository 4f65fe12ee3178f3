"""Training language × test language × algorithm: the training data matters more than the algorithm."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_list
from app.parts.data_table import render_data, say_bold
from app.parts.figures.lines import matrix_figure
from app.parts.layout import Layout, render_figure
from app.parts.texts.text_set import language_name
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session.comparison import taught_reference
from app.session.models import ActiveTokenizer
from app.session.reference import ModelReference
from app.texts.corpora import builtin_text, language_text, parallel_texts
from app.texts.i18n import language, t
from app.texts.mixture import mixture_languages
from engine.errors import InputError
from engine.measure.best import ties_with_best
from engine.measure.encoded import encode_lines

_ALGORITHMS = ("byte-bpe", "unigram")
_DEFAULT = ("ko", "en", "ja", "ru")
_MAX, _SIZE = 6, 1000


def _tokens(active: ActiveTokenizer, code: str) -> np.ndarray:
    key, lines = (active.sha256, code), parallel_texts()[code]
    return remember("growth.matrix", key, lambda: encode_lines(active.model, lines).per_line, 2000, is_shared=True)


def render_matrix(view: Layout) -> None:
    """Heat maps of tokens per sentence, one per algorithm."""
    names = {code: language_name(code) for code in mixture_languages()}
    with view.settings(t("growth.languages")):
        codes = tuple(url_list("languages", t("growth.languages"), names, _DEFAULT, _MAX))
    with view.pending:
        table, is_whole = _measured(codes, names)
        if table.empty:
            return
    with view.picture:
        _render_maps(table)
    with view.sections:
        say_bold(table[["best"]])
        # Wait for all trainings before comparing the algorithms.
        if is_whole:
            st.markdown(_finding(table))
        tested = {names[code]: builtin_text(f"parallel.{code}").fingerprint for code in codes}
        columns = {name: t(f"growth.column.{name}") for name in table.columns}
        render_data(
            "matrix", table, columns, of=table["tested"].map(tested), bold=table[["best"]].set_axis(["tokens"], axis=1)
        )


def _measured(codes: tuple[str, ...], names: Mapping[str, str]) -> tuple[pd.DataFrame, bool]:
    """A row per algorithm, training language and test language, and whether all are ready.

    `best`: whether its tokens tie with the fewest of the test language.
    """
    if not codes:
        st.info(t("growth.languages_none"), icon=":material/translate:")
        return pd.DataFrame(), False
    wanted: dict[tuple[str, str], ModelReference] = {}
    for algorithm in _ALGORITHMS:
        for code in codes:
            try:
                reference = taught_reference(algorithm, language_text(code), _SIZE)
            except InputError:
                continue  # a corpus too small for this algorithm
            if reference is not None:
                wanted[algorithm, code] = reference
    ready = {active.reference: active for active in ready_references(wanted.values(), ("languages",))}
    known = {key: ready[reference] for key, reference in wanted.items() if reference in ready}
    tokens = {other: [_tokens(active, other) for active in known.values()] for other in codes}
    sums = [[np.column_stack([own, np.ones_like(own)]) for own in of] for of in tokens.values()]
    ties = dict(zip(codes, ties_with_best(sums, is_lowest=True), strict=True))
    rows = [
        {
            "algorithm": t(f"train.algorithm.{algorithm}"),
            "trained": names[code],
            "tested": names[other],
            "tokens": tokens[other][k].mean(),
            "best": ties[other][k].is_best,
        }
        for k, (algorithm, code) in enumerate(known)
        for other in codes
    ]
    return pd.DataFrame(rows), len(ready) == len(wanted)


def _render_maps(table: pd.DataFrame) -> None:
    """Side by side, so that both have one look."""
    groups = list(table.groupby("algorithm", sort=False))
    for place, (algorithm, part) in zip(st.columns(len(groups)), groups, strict=True):
        wide = part.pivot_table(index="trained", columns="tested", values="tokens", sort=False)
        best = part.pivot(index="trained", columns="tested", values="best").loc[wide.index, wide.columns]
        title = t("growth.matrix_title", algorithm=algorithm)
        axes = (t("growth.column.trained"), t("growth.column.tested"))
        render_figure(matrix_figure(wide, title, axes, language(), best), f"growth.matrix.{algorithm}", title, place)


def _finding(table: pd.DataFrame) -> str:
    """How much the data and how much the algorithm changes the numbers."""
    by_data = table.groupby(["algorithm", "tested"])["tokens"].agg(lambda v: v.max() / v.min()).median()
    by_algorithm = table.groupby(["trained", "tested"])["tokens"].agg(lambda v: v.max() / v.min()).median()
    return t("growth.matrix_finding", data=by_data, algorithm=by_algorithm)
