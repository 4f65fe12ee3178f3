"""One token: everything on a token of the active model, or on a text that is not a token, and the vocabulary."""

from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from app.components.pictures import token_strip
from app.parts.choices import round_slider, set_choice, unit_choice, url_choices, url_range, url_toggle
from app.parts.data_table import download_csv, pick_row, render_data
from app.parts.figures.rounds import life_mark, token_life_figure
from app.parts.layout import heading, layout, more, render_figure
from app.parts.problem import reason
from app.parts.tables.rounds import cut_in_round, pieces_row, sentence_rounds
from app.parts.tables.segmentation import TextPart
from app.parts.tables.tokens import visible, with_numbers
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.parts.tokenizers.active_model import active_model, render_text_note
from app.parts.tokenizers.cached import cached_catalogue, cached_examples, cached_life, cached_round
from app.parts.tokens.example_token import example_row
from app.parts.tokens.morpheme_layer import LayerOptions, analyser_choice, layer_of, render_about, row_switch
from app.parts.tokens.token_class_filter import kind_names, kinds_of, kinds_switch, render_kind_of
from app.parts.tokens.token_field import (
    TOKEN,
    choose_token,
    follow_link,
    lattice_link,
    occurrences_link,
    token_choice,
    token_field,
    typed_token,
)
from app.server.remember import remember
from app.session.models import ActiveModel
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.token.entropy import render_growth, render_scatter, render_sentences
from app.views.token.stability import found_stability, render_stability
from app.views.token.tables import allomorph_table, relatives, search_tokens, with_kept
from engine.corpus.normalize import normalize, normalize_token
from engine.errors import InputError
from engine.hangul.allomorphs import allomorphs
from engine.messages import number_text
from engine.unigram.model.levels import LEVELS, level_of


def render_allomorphs(active: ActiveModel, text: str, number: int, unit: str) -> None:
    """The allomorphs of a form, if it has any."""
    forms = allomorphs(text.strip())
    if not forms:
        return
    st.subheader(t("token.allomorphs.heading"))
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
    if others:
        token_choice("allomorphs", t("token.allomorphs.heading"), others, cached_catalogue(active))


_MAX_ROWS, _MAX_RELATIVES = 2000, 30
# The page's own value: it starts with the last round, the vocabulary in use; Scores and Rounds start with the first.
_ROUND = "token.round"


class _Settings(NamedTuple):
    """The unit of entropies, and which morphemes are shown: an analyser if any are."""

    unit: str
    has_row: bool
    has_kinds: bool
    analyser: str | None


def _choose_settings() -> _Settings:
    unit = unit_choice()
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="token.morphemes"):
        has_row, has_kinds = row_switch(), kinds_switch()
        return _Settings(unit, has_row, has_kinds, analyser_choice() if has_row or has_kinds else None)


def _render_state(active: ActiveModel, row: int, number: int) -> None:
    """The page's round, and whether the token is in its vocabulary and in the finished one."""
    died, last = int(active.model.died_in_round[row]), active.model.last_round
    if 0 <= died < number:
        st.info(t("token.state.dead", number=number, died=died), icon=":material/content_cut:")
    elif died >= 0:
        st.info(t("token.state.later", number=number, died=died), icon=":material/content_cut:")
    else:
        st.caption(t("token.state.final" if number == last else "token.state.alive", number=number, last=last))


def _render_facts(active: ActiveModel, row: int, life: pd.DataFrame, number: int, unit: str) -> None:
    """Bytes, code points, level and the numbers of the round, or of the token's last round."""
    data = active.model.tokens[row]
    text = data.decode(errors="ignore")
    codes = " ".join(f"U+{ord(char):04X}" for char in text)
    level = t(f"figure.level.{level_of(data)}")
    with st.container(border=True, key="token.facts"):
        st.markdown(t("token.facts", level=level, data=data.hex(" ").upper(), codes=codes or "–", size=len(data)))
        died = int(active.model.died_in_round[row])
        is_alive = died < 0 or died >= number
        own = life.loc[number if is_alive else died]
        score = own["score"] * factor_of(active.model.settings.score, unit)
        ranked = is_alive and own["rank"] > 0
        with st.container(horizontal=True, gap="medium"):
            p = number_text(own["p"], ".4g")
            st.metric(t("explore.column.p"), p, help=t("explore.column.p_help"), width="content")
            be = f"{own['be'] * per_nat(unit):.3f} {t(f'figure.unit.{unit}')}"
            st.metric("BE", be, help=t("explore.column.be_help"), width="content")
            own_unit = unit_of(active.model.settings.score, unit)
            score_unit = f" {t(f'figure.unit.{own_unit}')}" if own_unit else ""
            st.metric(t("token.metric.score"), number_text(score, ".4g") + score_unit, width="content")
            rank = f"{own['rank']:,} / {own['n_prunable']:,}" if ranked else "–"
            st.metric(t("token.metric.rank"), rank, help=t("token.rank_help"), width="content")
            st.metric(t("token.metric.percentile"), f"{own['percentile']:.1%}" if ranked else "–", width="content")
            st.metric(t("token.died"), t("token.alive") if died < 0 else str(died), width="content")


def _render_life(active: ActiveModel, life: pd.DataFrame, unit: str) -> None:
    """What its text is cut into after its removal, and its numbers in every round."""
    gone = life[~life["alive"]]
    if len(gone):
        st.markdown(t("token.gone", number=int(gone["number"].iloc[0]) - 1, pieces=plain(gone["pieces"].iloc[-1])))
    name = t(f"figure.unit.{unit}")
    columns = {
        column: t(f"token.life.{column}", unit=name)
        for column in ("number", "rank", "percentile", "p", "be", "score", "pieces")
    }
    scaled = life.assign(
        be=life["be"] * per_nat(unit), score=life["score"] * factor_of(active.model.settings.score, unit)
    )
    render_data(f"token-life-{unit}", scaled, columns, of=active)


def _render_relatives(active: ActiveModel, row: int, number: int) -> None:
    st.subheader(t("token.relatives"))
    inside, around = relatives(active.model, row, number)
    catalogue = cached_catalogue(active)
    for name, tokens in (("inside", inside), ("around", around)):
        token_choice(name, t(f"token.{name}", count=len(tokens)), tokens[:_MAX_RELATIVES], catalogue)


def _render_in_grammar(
    active: ActiveModel, text: str, number: int, shown_as: _Settings, row: int | None = None
) -> None:
    """The tokens of a text in a round over its morphemes, and a token's most frequent class in that text."""
    if shown_as.analyser is None:
        return
    options = LayerOptions(shown_as.analyser)
    layer = layer_of("token", options, text, may_correct=False) if shown_as.has_row and text else None
    if layer:
        chars, stretches = sentence_rounds(active.model, text, [number])
        cut = pieces_row(stretches[0].pieces, t("token.string.split"), "")
        part = TextPart(0, 0, 0, len(chars))
        token_strip("token.strip", [cut, layer.row(part)], chars=chars, show_help=False, lang=TEXT_LANGUAGE)
        render_about(layer)
        st.caption(t("morpheme.alone"))
    kinds = kinds_of(active, shown_as.analyser, can_filter=False) if shown_as.has_kinds else None
    if kinds and row is not None:
        render_kind_of(kinds, row)


def _render_cuts(active: ActiveModel, text: str, number: int) -> None:
    """How a round cuts a text that is not a token."""
    st.subheader(t("token.string.heading", text=plain(visible(text))), anchor=False)
    # A word in a text usually follows a space, and is cut differently then.
    texts = [text] if text.startswith(" ") else [text, f" {text}"]
    cuts = [cut_in_round(active.model, one, number) for one in texts]
    table = pd.DataFrame([(visible(one), *cut) for one, cut in zip(texts, cuts, strict=True)])
    table.columns = pd.Index([t(f"token.string.{name}") for name in ("text", "split", "tokens")])
    st.dataframe(table, hide_index=True)


def _render_string(active: ActiveModel, text: str, number: int, shown_as: _Settings) -> None:
    """Of a text that is not a token: links to its lattice and to where it occurs, and its allomorphs."""
    st.markdown(t("token.string.about", number=number))
    _render_in_grammar(active, normalize_token(text, active.model.normalization), number, shown_as)
    lattice_link("string", text, t("token.string.lattice"))
    render_allomorphs(active, text, number, shown_as.unit)
    occurrences_link(text, active, is_token=False)


def _render_token(active: ActiveModel) -> None:
    view = layout()
    catalogue = cached_catalogue(active)
    with view.topic:
        rows = token_field(catalogue)
    with view.scrubber:
        number = round_slider(active.model.kept_rounds, active.model.last_round, _ROUND)
    with view.settings(t("token.settings", name=plain(active.title))):
        shown_as = _choose_settings()
    typed = typed_token().strip()
    if not rows and typed:
        text = typed_token().replace("␣", " ")
        with view.picture:
            _render_cuts(active, text, number)
        with view.sections:
            _render_string(active, text, number, shown_as)
        return
    row = rows[0] if rows else example_row(active, is_removed=False)
    token, life = str(catalogue["token"].iloc[row]), cached_life(active, row)
    with view.picture:
        st.subheader(t("token.heading", token=plain(token)), anchor=False)
        figure = token_life_figure({token: life}, language())
        render_figure(figure, "token.life", t("rounds.life.chart"))
        st.html(f"<span></span><style>{life_mark('token.life', number - active.model.first_round + 1)}</style>")
    with view.sections:
        if not typed:
            token_choice("examples", t("rounds.life.examples"), cached_examples(active), catalogue)
        _render_details(active, row, life, number, shown_as)


def _render_details(active: ActiveModel, row: int, life: pd.DataFrame, number: int, shown_as: _Settings) -> None:
    """Everything else on a token."""
    unit, text = shown_as.unit, active.model.tokens[row].decode(errors="ignore")
    _render_state(active, row, number)
    occurrences_link(str(cached_catalogue(active)["token"].iloc[row]), active)
    _render_facts(active, row, life, number, unit)
    _render_in_grammar(active, text, number, shown_as, row)
    _render_life(active, life, unit)
    render_allomorphs(active, text, number, unit)
    if not active.lacks_text:
        render_text_note(active)
        if active.source is None:
            st.caption(t("token.other_text"))
        render_sentences(active, row, number, unit)
    else:
        st.caption(t("own_text.needed"))
    _render_relatives(active, row, number)
    if not active.lacks_text and (place := more("token", "growth")):
        with place:
            render_growth(active, row, number, unit)
            if active.source is not None:
                render_scatter(active, active.source, row, number, unit)


def _render_vocabulary(active: ActiveModel) -> None:
    """Search by text, initial consonants, level and length."""
    view = layout()
    with view.topic:
        text = (
            st.text_input(
                t("token.search"),
                key="search",
                bind="query-params",
                persist_state="session",
                help=t("token.search_help"),
                max_chars=60,
            )
            or ""
        )
    table = cached_round(active, active.model.last_round)
    kind, size = active.model.settings.score, len(table)
    stability = found_stability(active)
    with view.settings(t("token.settings_vocabulary", name=plain(active.title))):
        unit = unit_choice()
        levels = url_choices("levels", t("token.levels"), {level: t(f"figure.level.{level}") for level in LEVELS})
        is_pattern = url_toggle("regex", t("token.regex"))
        lengths = url_range("lengths", t("token.lengths"), int(table["n_chars"].max()))
        if stability is not None:
            low, high = url_range("kept", t("token.stability.filter"), stability.n_resamples)
        analyser = analyser_choice() if kinds_switch() else None
    with view.sections:
        kinds = kinds_of(active, analyser) if analyser else None
    table = kinds.chosen_of(table) if kinds else table
    try:
        found = search_tokens(table, text.replace(" ", "␣"), levels, lengths, is_pattern)
    except InputError as error:
        view.picture.warning(plain(reason(error)), icon=":material/regular_expression:")
        return
    if stability is not None:
        found = with_kept(found, active.model.ids, stability)
        found = found[found["kept"].between(low, high)].assign(stability=found["kept"] / stability.n_resamples)
    view.scrubber.caption(t("token.found", count=len(found), total=size))
    column = st.column_config
    columns = {
        "token": column.TextColumn(t("token.column.token")),
        "level": column.TextColumn(t("token.levels")),
        **({"kind": column.TextColumn(t("figure.column.kind"))} if kinds else {}),
        "p": column.NumberColumn(t("figure.column.p"), format="%.3g", help=t("explore.column.p_help")),
        "be": column.NumberColumn(t("token.column.be", unit=t(f"figure.unit.{unit}")), format="%.3f"),
        "score": column.NumberColumn(t("token.column.score", name=t(f"train.score.{kind}")), format="%.4g"),
        "n_chars": column.NumberColumn(t("token.column.n_chars"), format="%d"),
        "n_bytes": column.NumberColumn(t("token.column.n_bytes"), format="%d"),
    }
    if stability is not None:
        columns["stability"] = column.ProgressColumn(
            t("token.stability.column.share"),
            format="percent",
            min_value=0,
            max_value=1,
            help=t("token.stability.column.share_help", count=stability.n_resamples),
        )
    factors = {"be": per_nat(unit), "score": factor_of(kind, unit)}

    def scaled(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[list(columns)].assign(**{name: rows[name] * factor for name, factor in factors.items()})

    first = scaled(found.head(_MAX_ROWS))
    words = {"level": {level: t(f"figure.level.{level}") for level in LEVELS}} | (
        {"kind": kind_names()} if kinds else {}
    )

    def open_token(row: int) -> None:
        choose_token(str(found["token"].iloc[row]))
        set_choice("view", "token")

    named = first.assign(**{name: first[name].map(known) for name, known in words.items()})
    with view.picture:
        pick_row(named, "token.browser", open_token, columns, height=460)
    if len(found) > _MAX_ROWS:
        view.scrubber.caption(t("token.first", count=_MAX_ROWS))
    in_text = ["kind_text_sha256"] if kinds else []

    def file() -> pd.DataFrame:
        """The table shown, with the additional columns of the file."""
        own = with_numbers(active.model, active.model.last_round, found)
        shown = scaled(own).join(found[in_text])
        shown = shown.assign(log_prob=own["log_prob_nats"] * per_nat(unit), frequency=own["frequency"])
        shown.insert(0, "id", own["id"])
        return shown

    with view.sections:
        download_csv(f"vocabulary-{unit}", file, t("token.csv"), of=active)


_RENDER = {"token": _render_token, "vocabulary": _render_vocabulary, "stability": render_stability}

follow_link("view", TOKEN.param)
view = heading("token", tuple(_RENDER))
_RENDER[view](active_model())
