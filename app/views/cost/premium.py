"""The sentence and the figures: times the tokens of English, by release year and by language."""

import pandas as pd
import streamlit as st

from app.parts.data_table import render_data, say_bold
from app.parts.figures.bars import dots_figure, ranked_bars_figure
from app.parts.figures.base import Plot
from app.parts.figures.premium import premium_figure
from app.parts.layout import render_figure
from app.parts.projector import is_projected
from app.parts.texts.text_set import language_name
from app.server.remember import remember
from app.session.titles import text_title
from app.session.url import UrlValue, one_of
from app.share.facts import note_models
from app.texts.i18n import language, t
from app.views.cost.stored import (
    BASE,
    NEWS,
    OTHERS,
    SENTENCES,
    bytes_premium,
    characters_premium,
    fingerprint,
    korean,
    languages,
    n_sentences,
    premium_table,
    ties,
)

_LANGUAGE = UrlValue("of", "cost.language", one_of(OTHERS), str, "ko")
HEADLINED = ("gpt2", "cl100k_base", "o200k_base")


def chosen_language() -> str:
    return _LANGUAGE.adopt()


def premium_sentence(code: str) -> str:
    return _sentence(SENTENCES, code, "sentence")


def render_premium(code: str) -> None:
    """The figure of all tokenizers."""
    title = t("cost.figure", name=language_name(code))
    baselines = {
        t("cost.bytes", times=bytes_premium(SENTENCES, code)): bytes_premium(SENTENCES, code),
        t("cost.same"): 1.0,
    }
    key = (code, language(), is_projected())

    def draw() -> Plot:
        return premium_figure(premium_table(SENTENCES, code), baselines, title, language(), is_projected())

    render_figure(remember("cost.premium", key, draw, 4 * len(OTHERS), is_shared=True), "cost.premium", title)


def render_all_languages(code: str) -> None:
    """The figure of all languages under the tokenizers of the sentence; the chosen one in bold."""
    tables = []
    for other in OTHERS:
        table = premium_table(SENTENCES, other)
        table = table[table["name"].isin(HEADLINED)]
        tables.append(table.assign(language=f"{language_name(other)} ◀" if other == code else language_name(other)))
    title = t("cost.languages_figure")
    # Below all rows the names would not be seen at once.
    dots = dots_figure(
        pd.concat(tables), "language", "title", "value", title, t("cost.languages_axis"), language(), names_on_top=True
    )
    render_figure(dots, "cost.languages", title)


def render_language_choice() -> None:
    """The languages, Korean in bold."""
    names = {code: f"**{language_name(code)}**" if code == "ko" else language_name(code) for code in OTHERS}
    st.pills(
        t("cost.language"),
        OTHERS,
        format_func=names.__getitem__,
        key=_LANGUAGE.key,
        required=True,
        persist_state="session",
        wrap=True,
        label_visibility="collapsed",
    )
    _LANGUAGE.publish(_LANGUAGE.value)


def render_others(code: str) -> None:
    """The second text, what the numbers are, and the numbers."""
    said = [_sentence(NEWS, code, "news")] if code in languages(NEWS) else []
    times = premium_table(SENTENCES, code).set_index("name")["value"]
    said.append(t("cost.others", early=times["mistral_v1"], late=times["kimi_k2"]))
    baseline = {"characters": characters_premium(code), "bytes": bytes_premium(SENTENCES, code)}
    said.append(t("cost.baseline", name=language_name(code), **baseline))
    st.caption(" ".join([*said, t("cost.interval", n=n_sentences(SENTENCES))]))
    tables = [premium_table(text, code).assign(text=t(f"cost.text.{text}")) for text in _texts(code)]
    table = pd.concat(tables, ignore_index=True)
    origins = {t(f"cost.text.{text}"): fingerprint(text, code, BASE) for text in _texts(code)}
    names = ("text", "title", "year", "tokens", "base", "value", "low", "high", "best")
    columns = {name: t(f"cost.column.{name}") for name in names}
    note_models(table["title"].tolist())
    render_data("cost", table, columns, of=table["text"].map(origins))


def _texts(code: str) -> list[str]:
    return [text for text in (SENTENCES, NEWS) if code in languages(text)]


def _sentence(text: str, code: str, key: str) -> str:
    times = premium_table(text, code).set_index("name")["value"]
    values = {f"times_{number}": times[name] for number, name in enumerate(HEADLINED, start=1)}
    return t(f"cost.{key}", n=n_sentences(text), name=language_name(code), **values)


def render_korean() -> None:
    """The Korean sentences alone, under all tokenizers: those made for Korean have no place in a ratio to English.

    Bars from the most tokens to the fewest, and what most of the gain is due to.
    """
    best = ties(SENTENCES, "korean")
    rows = [
        (text_title(reference, None), reference.startswith("shipped:"), *values, reference in best)
        for reference, values in korean(SENTENCES).items()
    ]
    table = pd.DataFrame(rows, columns=["title", "is_ours", "tokens", "value", "low", "high", "best"])
    table = table.sort_values("value", ascending=False)
    title = t("cost.korean.figure", n=n_sentences(SENTENCES))
    render_figure(ranked_bars_figure(table, title, t("cost.korean.axis"), language()), "cost.korean", title)
    say_bold(table[["best"]])
    st.caption(t("cost.korean.note"))
    names = ("title", "tokens", "value", "low", "high", "best")
    columns = {name: t(f"cost.korean.column.{name}") for name in names}
    render_data(
        "cost_korean", table, columns, of=fingerprint(SENTENCES, "ko"), bold=table[["best"]].set_axis(["value"], axis=1)
    )
