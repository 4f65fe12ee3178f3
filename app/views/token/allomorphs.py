"""The allomorphs of a particle or an ending, side by side: which are tokens, their scores, their frequencies."""

from typing import Any

import streamlit as st

from app.parts.tables.units import factor_of, per_nat
from app.parts.tokenizers.cached import cached_catalogue
from app.parts.tokens.token_field import token_buttons
from app.server.remember import remember
from app.session.models import ActiveModel
from app.texts.i18n import t
from app.views.token.tables import allomorph_table
from engine.corpus.normalize import normalize
from engine.hangul.allomorphs import allomorphs


def render_allomorphs(active: ActiveModel, text: str, number: int, unit: str) -> None:
    """The allomorphs of a form, if it has any."""
    forms = allomorphs(text.strip())
    if not forms:
        return
    st.header(t("token.allomorphs.heading"))
    st.markdown(t("token.allomorphs.text", number=number))
    model = active.model
    if active.lacks_text:
        st.caption(t("own_text.needed"))
        return
    key = (active.sha256, active.text.digest, number, tuple(forms))
    lines = [normalize(line, model.settings.normalization) for line in active.text.lines()]
    table = remember("token.allomorphs", key, lambda: allomorph_table(model, lines, forms, number))
    column = st.column_config
    name, score = t(f"figure.unit.{unit}"), t(f"train.score.{model.settings.score}")
    columns: dict[str, Any] = {
        "form": column.TextColumn(t("token.allomorphs.form")),
        "p": column.NumberColumn(t("token.life.p"), format="%.3g"),
        "be": column.NumberColumn(t("token.life.be", unit=name), format="%.3f"),
        "score": column.NumberColumn(t("token.column.score", name=score), format="%.4g"),
        "rank": column.NumberColumn(t("token.life.rank"), format="localized"),
        "died": column.NumberColumn(t("token.died"), help=t("token.allomorphs.died_help")),
        "string": column.NumberColumn(t("token.allomorphs.string"), format="localized"),
        "token": column.NumberColumn(t("token.allomorphs.token"), format="localized"),
        "pieces": column.TextColumn(t("token.life.pieces")),
    }
    if active.source is None:  # frequencies in another text are not comparable with these scores
        columns = {name: column for name, column in columns.items() if name not in ("string", "token")}
    scaled = table.assign(be=table["be"] * per_nat(unit), score=table["score"] * factor_of(model.settings.score, unit))
    st.dataframe(scaled, hide_index=True, column_order=list(columns), column_config=columns, placeholder="–")
    others = [one.text for one in forms if one.text != text.strip()]
    token_buttons("allomorphs", others, cached_catalogue(active))
