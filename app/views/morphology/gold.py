"""Scores of tokenizers on a gold file, or on an analyser's output for a built-in text."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.parts.choices import url_toggle
from app.parts.data_table import draw_table, headings, in_bold, render_data, say_bold
from app.parts.layout import Layout, render_figure
from app.parts.problem import show_problem
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.share.facts import model_commands, share
from app.texts.commands import morphology_command
from app.texts.corpora import Text, own_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.morphology.chosen_gold import GOLDS, Gold, choose_gold, gold_label, shown_or_said
from app.views.morphology.figures import tradeoff_figure
from app.views.morphology.tables import MEASURES, Row, against_best, points_table, scores_row, scores_table
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.errors import InputError
from engine.evidence.treebank import stored_facts, stored_scores
from engine.measure.morphemes.analysis import LEAST_ALIGNED, OWN_TAGS
from engine.measure.morphemes.morphology import TradeoffPoint, morphology_scores, tradeoff_points
from engine.public.catalogue import PUBLIC, PUBLIC_TOKENIZERS
from engine.shipped.catalogue import SHIPPED

_AGAINST = ("from_best", "from_best_low", "from_best_high", "from_best_p", "best")


_MAX_LISTED = 500


def render_scores(view: Layout) -> None:
    """F1 over fertility on a chosen gold, the table, and the unaligned eojeols."""
    with view.settings(gold_label("gold", GOLDS)):
        gold = choose_gold("gold", GOLDS, view)
        has_paths = isinstance(gold, Gold) and url_toggle("paths", t("morphology.paths"), t("morphology.paths_help"))
    shown = shown_or_said(view)
    if not shown or gold is None:
        return
    if isinstance(gold, Gold):
        _render_live(view, shown, gold, has_paths)
    else:
        render_stored(view, shown)


def _render_live(view: Layout, shown: list[ActiveTokenizer], gold: Gold, has_paths: bool) -> None:
    rows: dict[str, Row] = {}
    paths: dict[str, list[TradeoffPoint]] = {}
    with view.picture, st.spinner(t("morphology.measuring")):
        for active in shown:
            try:
                rows[active.title] = _row(active, gold)
                if has_paths:
                    paths[active.title] = _path(active, gold)
            except InputError as error:
                show_problem(active.title, error)
        if not rows:
            return
        key = (gold.key, *((active.title, active.sha256) for active in shown))
        table = scores_table(remember("morphology.best", key, lambda: against_best(rows, gold.analysis.has_verdict)))
    render_board(view, table, paths, list(rows), own_text("\n".join(gold.analysis.lines)))
    with view.sections:
        render_about(gold)
        if gold.file:
            models, commands = model_commands(shown)
            share(commands=[*commands, morphology_command(models, gold.file)])


def render_about(gold: Gold) -> None:
    """How much of the gold is counted, and the eojeols that are not."""
    n_words, n_aligned = gold.analysis.aligned.size, int(gold.analysis.aligned.sum())
    st.caption(
        t("morphology.aligned", aligned=n_aligned, words=n_words, sentences=len(gold.analysis.lines))
        + " "
        + (t("morphology.silver", program=gold.program) if gold.program else tags_text(gold.analysis.tags_of))
    )
    if not gold.analysis.has_verdict:
        st.caption(t("morphology.no_verdict", share=gold.analysis.share_aligned, least=LEAST_ALIGNED))
    if unaligned := gold.analysis.unaligned:
        heading = t("morphology.unaligned", count=n_words - n_aligned, distinct=len(unaligned))
        with st.expander(heading, icon=":material/link_off:"):
            names = [t(f"morphology.column.{name}") for name in ("eojeol", "morphemes", "count")]
            st.dataframe(pd.DataFrame(unaligned[:_MAX_LISTED], columns=names), hide_index=True)


def _path(active: ActiveTokenizer, gold: Gold) -> list[TradeoffPoint]:
    def measure() -> list[TradeoffPoint]:
        return list(tradeoff_points(active.model, gold.analysis))

    is_shared = gold.is_shared and active.reference.is_named
    return remember("morphology.paths", (active.sha256, gold.key), measure, 200, is_shared=is_shared)


def _row(active: ActiveTokenizer, gold: Gold) -> Row:
    def measure() -> Row:
        return scores_row(morphology_scores(active.model, gold.analysis, has_parts=False))

    is_shared = gold.is_shared and active.reference.is_named
    return remember("morphology", (active.sha256, gold.key), measure, 200, is_shared=is_shared)


def render_board(
    view: Layout,
    table: pd.DataFrame,
    paths: Mapping[str, Sequence[TradeoffPoint]],
    chosen: Sequence[str],
    of: Text | str,
) -> None:
    """A `scores_table`: its figure is the picture, its numbers are below.

    Parameters
    ----------
    paths : points of a tokenizer, by its name.
    chosen : the names highlighted in colour in the figure.
    of : the gold's text, or its fingerprint.
    """
    points = points_table(paths)
    with view.picture:
        render_figure(
            tradeoff_figure(table, points, chosen, language()), "morphology.figure", t("morphology.figure.title")
        )
    with view.sections:
        _render_numbers(table, points, of)


def _render_numbers(table: pd.DataFrame, points: pd.DataFrame, of: Text | str) -> None:
    """A `scores_table` and a `points_table`."""
    measures = dict.fromkeys(("fertility", *MEASURES), "%.3f")
    columns = headings("morphology.column", tokenizer="", **measures, interval="")
    is_best = table[["best"]].set_axis(["f1"], axis=1)
    draw_table(in_bold(table, is_best), columns)
    say_bold(is_best)
    st.caption(t("morphology.predicts"))
    against = headings("morphology.column", **dict.fromkeys(_AGAINST, ""))
    render_data("morphology", table, columns | against, of=of, bold=is_best)
    if not points.empty:
        names = ("tokenizer", "vocab_size", "round", "fertility", "f1")
        render_data("morphology-points", points, {name: t(f"morphology.column.{name}") for name in names}, of=of)


def tags_text(tags_of: str | None) -> str:
    if tags_of in ANALYSERS:
        return t("morphology.tags.program", program=ANALYSERS[tags_of].title)
    return t("morphology.tags.gold" if tags_of == OWN_TAGS else "morphology.tags.none")


def render_stored(view: Layout, shown: list[ActiveTokenizer]) -> None:
    """The stored results on a treebank that cannot be redistributed; rounds and sizes for the selection."""
    stored, gold = stored_scores(), stored_facts()["gold"]
    chosen = [str(active.reference) for active in shown if str(active.reference) in stored]
    names = {reference: _name(reference) for reference in stored}
    table = scores_table({names[one.reference]: one.measures for one in stored.values()})
    points = {names[one]: stored[one].points for one in chosen}
    render_board(view, table, points, [names[one] for one in chosen], gold["sha256"])
    missing = [active.title for active in shown if str(active.reference) not in stored]
    with view.sections:
        if missing:
            st.caption(t("morphology.not_stored", names=plain(", ".join(missing))))
        st.caption(
            t("morphology.aligned", aligned=gold["aligned"], words=gold["eojeols"], sentences=gold["sentences"])
            + " "
            + tags_text(gold["tags_of"])
            + " "
            + t("morphology.unaligned", count=gold["eojeols"] - gold["aligned"], distinct=gold["unaligned"])
            + "."
            + " "
            + t("morphology.stored", command=stored_facts()["command"])
        )


def _name(reference: str) -> str:
    if reference.startswith(SHIPPED):
        return t(f"shipped.{reference.removeprefix(SHIPPED)}")
    return PUBLIC_TOKENIZERS[reference.removeprefix(PUBLIC)].title
