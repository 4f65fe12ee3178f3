"""What the difference costs: a million messages at a price per model, and what a context of 128,000 tokens contains."""

from datetime import date

import pandas as pd
import streamlit as st

from app.parts.choices import won_per_dollar
from app.parts.data_table import ALL_ROWS, PINNED, draw_table, headings
from app.parts.texts.text_set import language_name
from app.session.url import UrlValue, number_in
from app.texts.corpora import parallel_texts
from app.texts.i18n import t
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
_CONTEXT = 128_000
_WORDS_PER_MINUTE = 150  # read aloud
_WORDS_PER_PAGE = 250
_PRICED, _REFUSED = "cost.priced", "cost.refused"

Prices = dict[str, float]


def _decode(text: str) -> Prices | None:
    """Parses `<name>-<price>~<name>-<price>`; None if a part is not such."""
    prices: Prices = {}
    for part in text.split("~"):
        name, _, number = part.rpartition("-")
        price = number_in(0.0, _MAX_PRICE)(number)
        if name not in PUBLIC_TOKENIZERS or price is None:
            return None
        prices[name] = price
    return prices


def _encode(prices: Prices) -> str:
    return "~".join(f"{name}-{price:g}" for name, price in prices.items())


_PRICES = UrlValue("prices", "cost.prices", _decode, _encode, {name: price for name, (price, _) in _LISTED.items()})


def render_money(code: str) -> None:
    """A table of what a million messages cost, in which prices can be edited; models without a price are named."""
    st.subheader(t("cost.money.heading"), anchor=False)
    typed = st.query_params.get(_PRICES.param, "")
    _say_refused(typed if typed and _decode(typed) is None else st.session_state.pop(_REFUSED, ""))
    prices = _PRICES.adopt()
    table = premium_table(SENTENCES, code).set_index("name")
    left, right = st.columns([3, 1])
    with left:
        _render_priced(dict(table["title"].items()))
    with right:
        won = won_per_dollar()
    _render_prices(table.loc[[name for name in table.index if name in prices]], code, won)
    if missing := [title for name, title in table["title"].items() if name not in prices]:
        st.caption(t("cost.money.unknown", names=", ".join(missing)))
    if free := [title for name, title in table["title"].items() if prices.get(str(name)) == 0]:
        st.caption(t("cost.money.free", names=", ".join(free)))
    st.caption(t("cost.money.note", n=n_sentences(SENTENCES)))
    _PRICES.publish(prices)


def _say_refused(text: str) -> None:
    """That what a link or the visitor asked for is no price."""
    if text:
        st.warning(t("cost.money.refused", asked=plain(text[:40]), most=_MAX_PRICE), icon=":material/money_off:")


def _render_priced(titles: dict[str, str]) -> None:
    """Which models have a price; another begins with that of the cheapest listed one."""
    usual = min(price for price, _ in _LISTED.values())

    def choose() -> None:
        _PRICES.set({name: _PRICES.value.get(name, usual) for name in st.session_state[_PRICED]})

    st.session_state[_PRICED] = [name for name in titles if name in _PRICES.value]
    st.multiselect(t("cost.money.priced"), list(titles), format_func=titles.__getitem__, key=_PRICED, on_change=choose)


def _render_prices(table: pd.DataFrame, code: str, won: int) -> None:
    prices = pd.Series({name: _PRICES.value[str(name)] for name in table.index}, dtype=float)
    # Dollars per million tokens times tokens per message are dollars per million messages.
    base, dollars = (table[column] / n_sentences(SENTENCES) * prices for column in ("base", "tokens"))
    costs = pd.DataFrame(
        {
            "title": table["title"],
            "price": prices,
            "date": [_listed_since(str(name)) for name in table.index],
            "base": base,
            "dollars": dollars,
            "in_won": dollars * won,
            "more": (dollars - base) * won,
        }
    )
    key = f"cost.editor.{'.'.join(map(str, table.index))}"

    def edit() -> None:
        edited = dict(_PRICES.value)
        for row, cells in st.session_state[key]["edited_rows"].items():
            name, price = str(table.index[row]), cells.get("price")
            if price is None:
                edited.pop(name, None)
            elif 0 <= price <= _MAX_PRICE:
                edited[name] = float(price)
            else:
                st.session_state[_REFUSED] = f"{price:g}"
        _PRICES.set(edited)

    price = st.column_config.NumberColumn(min_value=0.0, max_value=_MAX_PRICE, format="$%g")
    since = st.column_config.DateColumn(format="YYYY-MM")
    columns = headings("cost.column", title=PINNED) | headings("cost.money", price=price, date=since)
    columns["base"] = headings("cost.money", {"name": language_name(BASE)}, dollars="$%,.0f")["dollars"]
    columns |= headings("cost.money", {"name": language_name(code)}, dollars="$%,.0f", in_won="₩%,.0f", more="₩%,.0f")
    fixed = [name for name in costs if name != "price"]
    st.data_editor(costs, hide_index=True, key=key, on_change=edit, disabled=fixed, column_config=columns)


def _listed_since(name: str) -> date | None:
    """When the price was listed, unless the visitor has another."""
    price, since = _LISTED.get(name, (None, None))
    return since if price == _PRICES.value[name] else None


def render_context(code: str) -> None:
    """Pages that fit into a context, and how long it takes to read them aloud."""
    st.subheader(t("cost.context.heading", context=_CONTEXT), anchor=False)
    n = n_sentences(SENTENCES)
    table = premium_table(SENTENCES, code)
    words = sum(len(line.split()) for line in parallel_texts()[BASE]) / n
    contents = {column: _CONTEXT / (table[column] / n) * words for column in ("base", "tokens")}  # in English words
    results = pd.DataFrame(
        {
            "title": table["title"],
            "base_pages": contents["base"] / _WORDS_PER_PAGE,
            "pages": contents["tokens"] / _WORDS_PER_PAGE,
            "base_hours": contents["base"] / _WORDS_PER_MINUTE / 60,
            "hours": contents["tokens"] / _WORDS_PER_MINUTE / 60,
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
