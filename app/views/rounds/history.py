"""The slider of the page Pruning rounds and what depends on it: the round's figures, a sentence, the removed tokens."""

import time
from typing import Any

import pandas as pd
import streamlit as st

from app.components.strip.data import Place, StripRow
from app.components.strip.widget import token_strip
from app.parts.choices import ROUND, round_slider, url_choice
from app.parts.data_table import download_csv, pick_row, render_data
from app.parts.tables.rounds import RoundRange, most_changed, pieces_row, removed_in, sentence_rounds, with_pieces
from app.parts.tables.segmentation import TextPart
from app.parts.tables.tokens import shown, shown_scores
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.cached import MAX_REMOVED, cached_removed, cached_round, cached_rounds
from app.parts.tokens.morpheme_layer import LayerOptions, layer_of, render_about
from app.parts.tokens.token_class_filter import Kinds, render_kind_counts
from app.parts.tokens.token_columns import shown_tokens, token_columns, token_file
from app.parts.tokens.token_field import follow_token
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.texts.presets import PRESETS
from app.views.rounds.figures.round_curve import CURVES, round_curve_figure
from engine.corpus.normalize import normalize
from engine.unigram.model.model import token_label

_PLAYING, _EXPECTED, _ADVANCED = "rounds.playing", "rounds.expected", "rounds.advanced"
_PLAY_SECONDS = 1.5
_MAX_SENTENCE = 120
# Long enough for every round of most models to change it.
_DEFAULT = "고구마는 찌거나 굽기만 해도 맛있지만, 조금만 손을 더하면 근사한 한 끼 식사가 됩니다."
_SENTENCE = url_text("sentence", "rounds.sentence", _DEFAULT)
_PRESETS = ("that_thing", "lunch", "korea", "horse")
_OWN_LABELS = ("title", "ringed", "mark", "file")
_ORDERS = ("close", "low", "long", "spared")


def render_history(active: ActiveModel, unit: str, options: LayerOptions | None, kinds: Kinds | None) -> None:
    """Everything that depends on the slider, in a fragment: nothing else on the page reruns when it moves.

    Parameters
    ----------
    look : the morpheme view of the sentence, if it is on.
    kinds : the grammatical classes of the tokens, if they are analysed.
    """
    is_playing = bool(st.session_state.get(_PLAYING, False))
    # The interval of a fragment's automatic reruns can only change when the whole page runs.
    fragment(run_every=_PLAY_SECONDS if is_playing else None)(_render)(active, unit, options, kinds, is_playing)


def _render(
    active: ActiveModel, unit: str, options: LayerOptions | None, kinds: Kinds | None, is_playing: bool
) -> None:
    rounds = active.model.kept_rounds
    if st.session_state.get(_PLAYING, False):
        _advance(rounds)
    if bool(st.session_state.get(_PLAYING, False)) != is_playing:
        st.rerun()
    slider, button = st.columns([5, 1], vertical_alignment="bottom")
    with slider:
        number = round_slider(rounds)
    with button:
        name = "pause" if is_playing else "play"
        st.button(
            t(f"rounds.{name}"),
            key="rounds.play",
            on_click=_toggle,
            args=(rounds,),
            disabled=len(rounds) == 1,
            icon=f":material/{name}_arrow:" if name == "play" else ":material/pause:",
            width="stretch",
        )
    table = cached_rounds(active.sha256, active.model)
    _render_metrics(active, table, number, unit)
    for cell, column in zip(st.columns(len(CURVES)), CURVES, strict=True):
        figure = round_curve_figure(table, column, number, active.model.settings.score, unit, language())
        alt = t(f"rounds.curve.{column}", unit=t(f"figure.unit.{unit}"))
        cell.plotly_chart(figure, key=f"rounds.curve.{column}", alt=alt, config={"displayModeBar": False})
    render_data(f"rounds-{unit}", *rounds_columns(table, active.model.settings.score, unit), of=active)
    _render_sentence(active, number, options)
    _render_removed(active, number, unit, kinds)


def rounds_columns(table: pd.DataFrame, score: str, unit: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A `rounds_table` in the page's unit, and the headings of its columns."""
    scaled = table.assign(
        objective=table["objective"] * per_nat(unit), threshold=table["threshold"] * factor_of(score, unit)
    )
    name = t(f"figure.unit.{unit}")
    return scaled, {
        column: st.column_config.NumberColumn(t(f"rounds.column.{column}", unit=name)) for column in table.columns
    }


def _toggle(rounds: range) -> None:
    starts = not st.session_state.get(_PLAYING, False)
    st.session_state[_PLAYING] = starts
    if starts:
        if st.session_state.get(ROUND, rounds[0]) >= rounds[-1]:
            st.session_state[ROUND] = rounds[0]
        st.session_state[_EXPECTED] = st.session_state.get(ROUND, rounds[0])
        st.session_state[_ADVANCED] = time.monotonic()


def _advance(rounds: range) -> None:
    """Advance to the next round; stop at the last one, or when the visitor moves the slider."""
    now = st.session_state.get(ROUND, rounds[0])
    # A busy browser may resend the previous round if it asked before drawing the new one.
    if now == st.session_state[_EXPECTED] - 1:
        now = st.session_state[ROUND] = st.session_state[_EXPECTED]
    if now >= rounds[-1] or now != st.session_state[_EXPECTED]:
        st.session_state[_PLAYING] = False
    # The fragment also runs for reasons other than its timer.
    elif time.monotonic() - st.session_state[_ADVANCED] > 0.8 * _PLAY_SECONDS:
        st.session_state[ROUND] = st.session_state[_EXPECTED] = now + 1
        st.session_state[_ADVANCED] = time.monotonic()


def _render_metrics(active: ActiveModel, table: pd.DataFrame, number: int, unit: str) -> None:
    now = table.iloc[number]
    before = table.iloc[number - 1] if number else None
    name = t(f"figure.unit.{unit}")
    kind = active.model.settings.score
    own_unit = unit_of(kind, unit)
    score_unit = f" {t(f'figure.unit.{own_unit}')}" if own_unit else ""
    shown_as: list[tuple[str, float, str, str]] = [
        ("vocab_size", 1.0, ",.0f", ""),
        ("objective", per_nat(unit), ",.2f", f" {name}"),
        ("n_tokens", 1.0, ",.0f", ""),
        ("fertility", 1.0, ".3f", ""),
        ("threshold", factor_of(kind, unit), ".3g", score_unit),
    ]
    with st.container(horizontal=True, gap="medium", key="rounds.metrics"):
        for column, factor, form, suffix in shown_as:
            value = now[column] * factor
            if pd.isna(value):
                st.metric(t(f"rounds.metric.{column}"), "–", help=t(f"rounds.metric.{column}_help"), width="content")
                continue
            delta: Any = None
            if before is not None and not pd.isna(before[column]):
                delta = f"{value - before[column] * factor:+{form}}"
            st.metric(
                t(f"rounds.metric.{column}"),
                f"{value:{form}}{suffix}",
                delta,
                delta_color="off",
                help=t(f"rounds.metric.{column}_help"),
                width="content",
            )


def _use_sentence(text: str) -> None:
    _SENTENCE.set(text)


def _use_most_changed(active: ActiveModel) -> None:
    _use_sentence(most_changed(active.model, active.text.lines(), _MAX_SENTENCE) or _DEFAULT)


def _render_sentence(active: ActiveModel, number: int, options: LayerOptions | None) -> None:
    st.subheader(t("rounds.sentence.heading"))
    _SENTENCE.adopt()
    label = t("rounds.sentence.label")
    typed = st.text_input(label, key=_SENTENCE.key, max_chars=_MAX_SENTENCE, persist_state="session")
    sentence = (typed or "").encode("utf-8", "ignore").decode()[:_MAX_SENTENCE]
    _SENTENCE.publish(sentence)
    with st.container(horizontal=True, gap="xsmall", key="rounds.presets"):
        st.button(
            t("rounds.sentence.most_changed"),
            key="rounds.most_changed",
            on_click=_use_most_changed,
            args=(active,),
            icon=":material/search:",
        )
        for name in _PRESETS:
            st.button(plain(PRESETS[name]), key=f"rounds.preset.{name}", on_click=_use_sentence, args=(PRESETS[name],))
    if not sentence:
        st.caption(t("rounds.sentence.empty"))
        return
    layer = options and layer_of("rounds", options, normalize(sentence, active.model.normalization), may_correct=False)
    chars, stretches = sentence_rounds(active.model, sentence)
    rows = [_strip_row(active, stretch, number) for stretch in stretches]
    if layer:
        rows.append(layer.row(TextPart(0, 0, 0, len(chars))))

    def pick(place: Place) -> None:
        if place.row >= len(stretches):
            return
        row = stretches[place.row].pieces[place.token].row
        follow_token(shown(token_label(active.model.tokens[row])))

    token_strip(
        "rounds.strips",
        rows,
        pick,
        chars=chars,
        labels={name: t(f"rounds.strip.{name}") for name in _OWN_LABELS},
        lang=TEXT_LANGUAGE,
    )
    if layer:
        render_about(layer)
    st.caption(t("rounds.sentence.note"))
    segmentations = pd.DataFrame(
        {
            "rounds": [_span(stretch) for stretch in stretches],
            "tokens": [len(stretch.pieces) for stretch in stretches],
            "segmentation": [" | ".join(shown(piece.label) for piece in stretch.pieces) for stretch in stretches],
        }
    )
    columns: dict[str, Any] = {name: t(f"rounds.column.{name}") for name in segmentations.columns}
    render_data("sentence-rounds", segmentations, columns, of=active)


def _span(stretch: RoundRange) -> str:
    return str(stretch.first) if stretch.first == stretch.last else f"{stretch.first}–{stretch.last}"


def _strip_row(active: ActiveModel, stretch: RoundRange, number: int) -> StripRow:
    is_now = stretch.first <= number <= stretch.last
    name = t("rounds.strip.round" if stretch.first == stretch.last else "rounds.strip.rounds", span=_span(stretch))
    note = t("rounds.strip.count", count=len(stretch.pieces)) + (t("rounds.strip.now") if is_now else "")
    return pieces_row(stretch.pieces, ("▶ " if is_now else "") + name, note)


def _render_removed(active: ActiveModel, number: int, unit: str, kinds: Kinds | None) -> None:
    st.subheader(t("rounds.removed.heading", number=number))
    model = active.model
    report = model.rounds[number]
    if report.is_last:
        st.markdown(t("rounds.removed.none"))
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
        lambda row: follow_token(tokens[row]),
        token_columns(columns, unit),
        alt=t("rounds.removed.heading", number=number),
    )
    st.caption(t("rounds.removed.note"))
    download_csv(f"removed-in-round-{number}", lambda: _removed_file(active, number), of=active)


def _removed_file(active: ActiveModel, number: int) -> pd.DataFrame:
    """All tokens that the round removed, with what each is cut into afterwards."""
    table = cached_round(active.sha256, number, active.model)
    removed = with_pieces(active.model, removed_in(table, "close", len(table)), number)
    return token_file(removed, ["token", "level", *shown_scores(active.model), "rank", "reason", "pieces"])
