"""What a pruning round removed."""

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import download_csv, pick_row
from app.parts.tables.rounds import removed_in, with_pieces
from app.parts.tables.tokens import shown_scores
from app.parts.tokenizers.cached import MAX_REMOVED, cached_removed, cached_round
from app.parts.tokens.token_class_filter import Kinds, render_kind_counts
from app.parts.tokens.token_columns import shown_tokens, token_columns, token_file
from app.parts.tokens.token_field import choose_token
from app.session.models import ActiveModel
from app.texts.i18n import t

_ORDERS = ("close", "low", "long", "spared")


def render_removed(active: ActiveModel, number: int, unit: str, kinds: Kinds | None) -> None:
    """The tokens that the round removed, in one of four orders; a click puts one into view.

    Parameters
    ----------
    kinds : the grammatical classes of the tokens, if they are analysed.
    """
    st.header(t("rounds.removed.heading", number=number))
    model = active.model
    report = model.rounds[number]
    if report.is_last:
        st.markdown(t("rounds.removed.none"))
        return
    if number < model.first_round:
        first = model.first_round
        st.markdown(t("scores.early.about", first=first, size=report.vocab_size, removed=report.n_removed))
        return
    order = url_choice(
        "removed", t("rounds.removed.order"), {name: t(f"rounds.removed.{name}") for name in _ORDERS}, "close"
    )
    columns = ["token", "level", *shown_scores(model), "rank", *([] if order == "spared" else ["reason", "pieces"])]
    if kinds:
        # Filter everything the round removed, not only what is shown without the filter.
        every = cached_round(active.sha256, number, model)
        render_kind_counts(kinds, every)
        removed = with_pieces(model, removed_in(kinds.chosen_of(every), order, MAX_REMOVED), number)
        columns.insert(2, "kind")
    else:
        removed = cached_removed(active.sha256, number, order, model)
    st.caption(t("rounds.removed.count", removed=report.n_removed, shown=len(removed)))
    tokens = removed["token"].tolist()
    key = f"rounds.removed.{number}.{order}.{'.'.join(kinds.chosen) if kinds else ''}"
    pick_row(
        shown_tokens(removed, columns, unit),
        key,
        lambda row: choose_token(tokens[row]),
        token_columns(columns, unit),
        alt=t("rounds.removed.heading", number=number),
    )
    st.caption(t("rounds.removed.note"))
    download_csv(f"removed-in-round-{number}", lambda: _removed_file(active, number), of=active)


def _removed_file(active: ActiveModel, number: int) -> pd.DataFrame:
    table = cached_round(active.sha256, number, active.model)
    removed = with_pieces(active.model, removed_in(table, "close", len(table)), number)
    return token_file(removed, ["token", "level", *shown_scores(active.model), "rank", "reason", "pieces"])
