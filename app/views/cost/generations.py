"""Release year against tokens per word: which tokenizers got better at a language, and at whose expense."""

import pandas as pd
import streamlit as st

from app.parts.data_table import render_data
from app.parts.figures.premium import premium_figure
from app.parts.layout import Layout, render_figure
from app.parts.texts.text_set import language_name
from app.session.url import UrlValue, one_of
from app.texts.i18n import language, t
from app.texts.measured import LANGUAGES, parallel_texts
from app.views.cost.premium import render_pills
from app.views.cost.stored import (
    BASE,
    MOST_UNKNOWN,
    NEWS,
    SENTENCES,
    family_table,
    fingerprint,
    languages,
    unknown_titles,
    words_table,
)
from engine.measure.words import definition_of

_LANGUAGE = UrlValue("of", "cost.words_language", one_of(LANGUAGES), str, "ko")
_OLD = "gpt2"


def generations_sentence() -> str:
    """The oldest and the best tokenizer not made for Korean; of the base language, the range of both kinds."""
    code = _LANGUAGE.adopt()
    table = words_table(SENTENCES, code).set_index("name")
    ours = table["is_loud"]
    if code == BASE:
        ends = {
            f"{end}_{who}": getattr(table["value"][rows], end)()
            for end in ("min", "max")
            for who, rows in (("korean", ours), ("other", ~ours))
        }
        return t("cost.generations.sentence_base", name=language_name(code), **ends)
    best = table["value"][~ours].idxmin()
    base = words_table(SENTENCES, BASE).set_index("name")["value"]
    return t(
        "cost.generations.sentence",
        name=language_name(code),
        unit=_unit(code),
        value_old=table["value"][_OLD],
        value_best=table["value"][best],
        base_old=base[_OLD],
        base_best=base[best],
        title=table["title"][best],
        year=table["year"][best],
    )


def _unit(code: str) -> str:
    has_words = definition_of(parallel_texts()[code]) == "eojeol"
    return t(f"cost.generations.unit.{'word' if has_words else 'character'}")


def render_generations(view: Layout) -> None:
    """The figure, the choice of the language, who paid in each family, and the numbers."""
    code = _LANGUAGE.value
    title = t("cost.generations.figure", name=language_name(code), unit=_unit(code))
    with view.picture:
        render_figure(
            premium_figure(words_table(SENTENCES, code), {}, title, language(), "cost.generations.label"),
            "cost.generations",
            title,
        )
    with view.scrubber:
        render_pills(_LANGUAGE, LANGUAGES, t("cost.generations.language"))
    with view.sections:
        note = [t("cost.generations.note")]
        if unknown := unknown_titles(SENTENCES, code):
            note.append(t("cost.generations.unknown", names=", ".join(unknown), share=100 * MOST_UNKNOWN))
        st.caption(" ".join(note))
        _render_families(code)
        _render_numbers(code)


def _render_families(code: str) -> None:
    st.subheader(t("cost.generations.families"), anchor=False)
    table = family_table(SENTENCES, code)
    worse = int((table["base_low"] > 0).sum())
    st.markdown(
        t(
            "cost.generations.who_paid",
            n=len(table),
            worse=worse,
            better=int((table["high"] < 0).sum()),
            name=language_name(code),
        )
    )
    shown = pd.DataFrame(
        {
            "families": table["first"] + " → " + table["last"],
            "change": [_change(*row) for row in table[["value", "low", "high"]].to_numpy()],
            "base": [_change(*row) for row in table[["base", "base_low", "base_high"]].to_numpy()],
            "dearest": [
                f"{language_name(one)} {value:+.1f}%" for one, value in table[["dearest", "dearest_value"]].to_numpy()
            ],
        }
    )
    names = {"change": {"name": language_name(code)}, "base": {"name": language_name(BASE)}}
    st.dataframe(
        shown,
        hide_index=True,
        column_config={one: t(f"cost.generations.column.{one}", **names.get(one, {})) for one in shown},
        key="cost.families",
    )


def _change(value: float, low: float, high: float) -> str:
    return f"{value:+.1f}% ({low:+.1f} ~ {high:+.1f})"


def _render_numbers(code: str) -> None:
    texts = [text for text in (SENTENCES, NEWS) if code in languages(text)]
    table = pd.concat(
        [words_table(text, code).assign(text=t(f"cost.text.{text}")) for text in texts], ignore_index=True
    )
    origins = {t(f"cost.text.{text}"): fingerprint(text, code) for text in texts}
    columns = {one: t(f"cost.column.{one}") for one in ("text", "title", "year", "low", "high")}
    columns |= {one: t(f"cost.generations.column.{one}") for one in ("value", "size")}
    order = ("text", "title", "year", "size", "value", "low", "high")
    render_data("cost_generations", table, {one: columns[one] for one in order}, of=table["text"].map(origins))
