"""One vocabulary for several languages, sampled with an exponent alpha."""

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_list
from app.parts.data_table import render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.text_set import language_name
from app.parts.tokenizer_set import ready_references
from app.session.comparison import taught_reference
from app.session.models import ActiveTokenizer
from app.texts.i18n import language, t
from app.texts.measured import parallel_texts
from app.texts.mixture import language_sizes, mixture_id, mixture_languages, mixture_shares, mixture_source
from engine.measure.parallel import sampling_shares

_DEFAULT = ("ko", "en", "tr", "th")
_MAX = 8


@st.cache_data(max_entries=400, show_spinner=False)
def _shares(sha256: str, codes: tuple[str, ...], _active: ActiveTokenizer) -> pd.DataFrame:
    """Per language: tokens a sentence on the parallel text, and the share of the vocabulary that it uses most."""
    counts = []
    texts = parallel_texts()
    for code in codes:
        count = np.zeros(_active.model.vocab_size)
        for line in texts[code]:
            np.add.at(count, _active.model.encode(line).ids, 1)
        counts.append(count)
    table = np.array(counts)
    frequency = table / table.sum(axis=1, keepdims=True)
    owner = np.where(table.sum(axis=0) > 0, frequency.argmax(axis=0), -1)
    used = max(1, int((owner >= 0).sum()))
    return pd.DataFrame(
        {
            "language": codes,
            "tokens": table.sum(axis=1) / len(texts[codes[0]]),
            "vocabulary": [float((owner == k).sum()) / used for k in range(len(codes))],
        }
    )


def render_mixture() -> None:
    """Languages, exponent, size; sampling shares, vocabulary shares and tokens a sentence by language."""
    names = {code: language_name(code) for code in mixture_languages()}
    codes = tuple(url_list("languages", t("growth.languages"), names, _DEFAULT, _MAX))
    if not codes:
        st.info(t("growth.languages_none"), icon=":material/translate:")
        return
    left, right = st.columns(2)
    with left:
        alpha = st.slider(
            t("growth.alpha"), 0.0, 1.0, 0.3, 0.1, key="alpha", bind="query-params", persist_state="session",
            help=t("growth.alpha_help"),
        )  # fmt: skip
    percent = round(100 * alpha)
    with right:
        size = st.slider(
            t("growth.size"), 500, 6000, 2000, 500, key="mixsize", bind="query-params", persist_state="session"
        )
    algorithm = url_choice(
        "algorithm", t("train.algorithm.label"), {n: t(f"train.algorithm.{n}") for n in ("byte-bpe", "unigram")},
        "byte-bpe",
    )  # fmt: skip
    st.markdown(t("growth.formula", alpha=alpha))
    sizes, sampled = language_sizes(codes), mixture_shares(codes, percent)
    reference = taught_reference(algorithm, mixture_source(mixture_id(codes, percent)), size)
    shown = ready_references([reference] if reference else [])
    if not shown:
        return
    table = _shares(shown[0].sha256, codes, shown[0])
    table = table.assign(
        name=[names[code] for code in codes],
        characters=[sizes[code] for code in codes],
        own=[sizes[code] / sum(sizes.values()) for code in codes],
        sampled=[sampled[code] for code in codes],
    )
    shares = table.melt("name", ["own", "sampled", "vocabulary"], "kind", "share")
    shares["kind"] = [t(f"growth.share.{kind}") for kind in shares["kind"]]
    title = t("growth.shares_title")
    figure = grouped_bars_figure(shares, "name", "kind", "share", title, t("growth.axis.share"), language())
    figure.update_yaxes(tickformat=".0%")
    st.plotly_chart(
        figure, key="growth.shares", config={"displaylogo": False}, alt=title,
    )  # fmt: skip
    title = t("growth.tokens_title")
    st.plotly_chart(
        grouped_bars_figure(
            table.assign(kind=t("growth.column.tokens_per_line")), "name", "kind", "tokens", title,
            t("growth.column.tokens_per_line"), language(),
        ),
        key="growth.mixture_tokens", config={"displaylogo": False}, alt=title,
    )  # fmt: skip
    st.caption(t("growth.mixture_note", size=shown[0].model.vocab_size))
    columns = ("name", "characters", "own", "sampled", "vocabulary", "tokens")
    render_data("mixture", table, {name: t(f"growth.column.{name}") for name in columns})
    _render_example()


def _render_example() -> None:
    """The lesson's example, worked out: its own printed shares are other ones."""
    with st.expander(t("growth.example.heading"), icon=":material/calculate:"):
        sizes = {"A": 300.0, "B": 50.0, "C": 1.0}
        rows = [{"alpha": alpha, **sampling_shares(sizes, alpha)} for alpha in (1.0, 0.7, 0.5, 0.3, 0.0)]
        st.markdown(t("growth.example.text"))
        st.dataframe(pd.DataFrame(rows).style.format(precision=3), hide_index=True, key="growth.example")
