"""The curse of multilinguality as seen in a vocabulary: languages join one by one while its size stays fixed."""

from itertools import takewhile

import pandas as pd
import streamlit as st

from app.parts.data_table import headings, render_data
from app.parts.figures.base import Plot, arrange
from app.parts.figures.charts import lines, split
from app.parts.figures.lines import matrix_figure
from app.parts.layout import Layout, render_figure
from app.parts.texts.text_set import language_name
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session.comparison import taught_reference
from app.session.models import ActiveTokenizer
from app.texts.corpora import Text, builtin_text, parallel_texts
from app.texts.i18n import language, t
from app.texts.mixture import mixture_id, mixture_languages, mixture_text
from app.views.growth.mixture import CONTROLS, mixture_controls
from app.views.growth.tables import joined_table, shared_table, token_counts

_DEFAULT = ("ko", "en", "tr", "th")
_MAX = 6


def _counts(active: ActiveTokenizer, codes: tuple[str, ...]) -> pd.DataFrame:
    def count() -> pd.DataFrame:
        counts = token_counts(active.model, [parallel_texts()[code] for code in codes])
        return pd.DataFrame(dict(zip(codes, counts, strict=True)))

    return remember("growth.joined", (active.sha256, codes), count, 200, is_shared=True)


def render_languages(view: Layout) -> None:
    """Choose languages in joining order, exponent and size; the cost of each language, and the tokens they share."""
    names = {code: language_name(code) for code in mixture_languages()}
    wanted = mixture_controls(view, t("growth.languages_order"), names, _DEFAULT, _MAX)
    codes = wanted.codes
    if len(codes) < 2:
        view.picture.info(t("growth.languages_two"), icon=":material/translate:")
        return
    sources = [mixture_text(mixture_id(codes[:n], wanted.percent)) for n in range(1, len(codes) + 1)]
    references = [taught_reference(wanted.algorithm, source, wanted.size) for source in sources]
    known = [reference for reference in references if reference]
    with view.pending:
        ready = {active.reference: active for active in ready_references(known, CONTROLS)}
        # From one language on; a gap is still being trained.
        shown = [ready[one] for one in takewhile(ready.__contains__, references) if one]
        if not shown:
            return
    with view.picture:
        uses = [_counts(active, codes[: n + 1]) for n, active in enumerate(shown)]
        n_lines = len(parallel_texts()[codes[0]])
        table = joined_table([counts.sum() / n_lines for counts in uses], names)
        title = t("growth.joined_title", size=shown[-1].model.vocab_size)
        figure = joined_figure(table, title, (t("growth.column.languages"), t("growth.column.tokens_per_line")))
        render_figure(figure, "growth.joined", title)
    with view.sections:
        st.caption(t("growth.joined_note", lines=n_lines))
        columns = headings("growth.column", name="", languages="", tokens="", change="%+.1f%%")
        measured = [builtin_text(f"parallel.{code}") for code in codes]
        render_data("joined", table, columns, of=measured)
        if len(shown) == len(codes):
            _render_shared(uses[-1].rename(columns=names), measured)


def _render_shared(uses: pd.DataFrame, measured: list[Text]) -> None:
    """The tokens that two languages share, with the vocabulary of all languages."""
    st.subheader(t("growth.shared"))
    title = t("growth.shared_title")
    shared = shared_table(uses)
    axes = (t("growth.shared_of"), t("growth.shared_with"))
    figure = matrix_figure(shared, title, axes, language())
    render_figure(figure, "growth.shared", title)
    st.caption(t("growth.shared_note"))
    rows = shared.rename_axis("name").reset_index()
    columns = {"name": t("growth.column.name"), **{name: name for name in shared.columns}}
    render_data("shared", rows, columns, of=measured)


def joined_figure(table: pd.DataFrame, title: str, axes: tuple[str, str]) -> Plot:
    """Tokens per line over the number of languages, from a `joined_table`."""
    hover = "%{fullData.name}: %{y:.2f} (%{customdata:+.1f} %)"
    traces = lines(split(table, "name"), "languages", "tokens", hover, size=9, customdata="change")
    xaxis = {"title": axes[0], "dtick": 1, "tickformat": "d"}
    return arrange(traces, title, 460, xaxis=xaxis, yaxis={"title": axes[1]})
