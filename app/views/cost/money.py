"""What the difference costs: a million messages at a price per model, and what a context of 128,000 tokens contains."""

import math
from datetime import date

import pandas as pd
import streamlit as st

from app.parts.data_table import ALL_ROWS, PINNED, draw_table, headings
from app.parts.prices import won_per_dollar
from app.parts.texts.text_set import language_name
from app.session.url import UrlValue
from app.texts.i18n import t
from app.texts.measured import parallel_texts
from app.texts.plain import plain
from app.views.cost.stored import BASE, SENTENCES, n_sentences, premium_table
from engine.public.catalogue import PUBLIC_TOKENIZERS

# List prices in US dollars per million input tokens, and when they were such. Open models have no one price.
_LISTED = {
    "cl100k_base": (30.0, date(2023, 3, 14)),
    "o200k_base": (2.5, date(2024, 8, 6)),
    "mistral_v3": (0.15, date(2024, 9, 18)),
    "deepseek_v3": (0.27, date(2025, 2, 8)),
}
_MAX_PRICE = 10_000.0
_CONTEXT, _MESSAGES = 128_000, 1_000_000
_WORDS_PER_MINUTE = 150  # read aloud
_WORDS_PER_PAGE = 250
_EDITOR, _REFUSED = "cost.editor", "cost.refused"

Prices = dict[str, float]


def _decode(text: str) -> Prices | None:
    """Parses `<name>-<price>~<name>-<price>`; None if a part is not such."""
    prices: Prices = {}
    for part in text.split("~"):
        name, _, number = part.rpartition("-")
        try:
            price = float(number)
        except ValueError:
            return None
        if name not in PUBLIC_TOKENIZERS or not 0 <= price <= _MAX_PRICE:
            return None
        prices[name] = price
    return prices


def _encode(prices: Prices) -> str:
    return "~".join(f"{name}-{price:g}" for name, price in prices.items())


_PRICES = UrlValue("prices", "cost.prices", _decode, _encode, {name: price for name, (price, _) in _LISTED.items()})


def render_money(code: str) -> None:
    """Prices to edit, and what they come to."""
    st.subheader(t("cost.money.heading"), anchor=False)
    asked = st.query_params.get(_PRICES.param, "")
    _say_refused(asked if asked and _decode(asked) is None else st.session_state.pop(_REFUSED, ""))
    _PRICES.adopt()
    table = premium_table(SENTENCES, code).set_index("name")
    table = table.sort_index(key=lambda names: ~names.isin(list(_LISTED)), kind="stable")
    results, prices = st.container(), st.container()
    with prices:
        won = won_per_dollar()
        _render_prices(table)
    with results:
        _render_results(table, code, won)
    free = [str(title) for name, title in table["title"].items() if _PRICES.value.get(str(name)) == 0]
    if free:
        st.caption(t("cost.money.free", names=", ".join(free)))
    _PRICES.publish(_PRICES.value)


def _say_refused(asked: str) -> None:
    """That what a link or the visitor asked for is no price."""
    if asked:
        st.warning(t("cost.money.refused", asked=plain(asked[:40]), most=_MAX_PRICE), icon=":material/money_off:")


def _render_prices(table: pd.DataFrame) -> None:
    prices = _PRICES.value
    # What is typed is kept by the editor; the table it starts from must not change with it.
    start = pd.DataFrame(
        {
            "title": table["title"],
            "price": [prices.get(name) for name in table.index],
            "date": [
                listed[1] if (listed := _LISTED.get(str(name))) and prices.get(str(name)) == listed[0] else None
                for name in table.index
            ],
        }
    )

    def edited() -> None:
        rows = st.session_state[_EDITOR]["edited_rows"]
        found = dict(_PRICES.value)
        for row, cells in rows.items():
            price = cells.get("price", found.get(str(table.index[row])))
            if price is None:
                found.pop(str(table.index[row]), None)
            elif 0 <= price <= _MAX_PRICE:
                found[str(table.index[row])] = float(price)
            else:
                st.session_state[_REFUSED] = f"{price:g}"
        _PRICES.set({str(name): found[str(name)] for name in table.index if str(name) in found})

    column = st.column_config
    st.data_editor(
        start,
        hide_index=True,
        key=_EDITOR,
        height=38 + 35 * len(start),
        on_change=edited,
        disabled=("title", "date"),
        column_config={
            "title": column.TextColumn(t("cost.column.title")),
            "price": column.NumberColumn(
                t("cost.money.price"),
                min_value=0.0,
                max_value=_MAX_PRICE,
                format="$%g",
                help=t("cost.money.price_help"),
            ),
            "date": column.DateColumn(t("cost.money.date"), format="YYYY-MM"),
        },
        placeholder="–",
    )


def _render_results(table: pd.DataFrame, code: str, won: int) -> None:
    n = n_sentences(SENTENCES)
    price = pd.Series({name: _PRICES.value.get(str(name), math.nan) for name in table.index}, dtype=float)
    # Dollars per million tokens times a million messages: the millions cancel.
    dollars = {one: table[one] / n * price * (_MESSAGES / 1e6) for one in ("base", "tokens")}
    results = pd.DataFrame(
        {
            "title": table["title"],
            "base": dollars["base"],
            "dollars": dollars["tokens"],
            "in_won": dollars["tokens"] * won,
            "more": (dollars["tokens"] - dollars["base"]) * won,
        }
    ).dropna()
    columns = headings("cost.column", title=PINNED) | {
        "base": headings("cost.money", {"name": language_name(BASE)}, dollars="$%,.0f")["dollars"],
        **headings("cost.money", {"name": language_name(code)}, dollars="$%,.0f", in_won="₩%,.0f", more="₩%,.0f"),
    }
    draw_table(results, columns, "cost.money", ALL_ROWS)
    st.caption(t("cost.money.note", n=n))


def render_context(code: str) -> None:
    """Pages that fit into a context, and how long it takes to read them aloud."""
    st.subheader(t("cost.context.heading", context=_CONTEXT), anchor=False)
    n = n_sentences(SENTENCES)
    table = premium_table(SENTENCES, code)
    words = sum(len(line.split()) for line in parallel_texts()[BASE]) / n
    said = {one: _CONTEXT / (table[one] / n) * words for one in ("base", "tokens")}  # in English words
    results = pd.DataFrame(
        {
            "title": table["title"],
            "base_pages": said["base"] / _WORDS_PER_PAGE,
            "pages": said["tokens"] / _WORDS_PER_PAGE,
            "base_hours": said["base"] / _WORDS_PER_MINUTE / 60,
            "hours": said["tokens"] / _WORDS_PER_MINUTE / 60,
        }
    )
    base, translated = (
        headings("cost.context", {"name": language_name(one)}, pages="%,.0f", hours="%.1f") for one in (BASE, code)
    )
    columns = headings("cost.column", title=PINNED)
    for name in base:
        columns |= {f"base_{name}": base[name], name: translated[name]}
    draw_table(results, columns, "cost.context", ALL_ROWS)
    st.caption(t("cost.context.note", page=_WORDS_PER_PAGE, words=_WORDS_PER_MINUTE))
