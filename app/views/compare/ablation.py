"""The paper's ablation (Tables 5 and 12): pre-tokenizer x seed vocabulary x score, trained here and now."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, url_choice
from app.parts.data_table import render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout, render_figure
from app.parts.tables.fertility import TextCost, text_cost
from app.parts.texts.text_set import text_name
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session import state
from app.session.models import ActiveTokenizer
from app.session.reference import ModelReference
from app.texts.corpora import Text, builtin_text
from app.texts.i18n import language, t
from engine.config import TrainingSettings
from engine.measure.best import ties_with_best

PRETOKENIZERS = ("gpt2", "thunder-tok")
# The paper's two, and the merges of BPE.
PAPER_SEEDS = ("ngrams", "linguistic")
SEEDS = (*PAPER_SEEDS, "bpe")
# The paper's two, and one that counts only tokens.
PAPER_SCORES = ("ml", "be_p")
SCORES = (*PAPER_SCORES, "tokens")


class Recipe(NamedTuple):
    """One combination of the grid."""

    pretokenizer: str
    seed: str
    score: str

    def settings(self, vocab_size: int) -> TrainingSettings:
        return TrainingSettings(
            vocab_size=vocab_size, pretokenizer=self.pretokenizer, seed_vocabulary=self.seed, score=self.score
        )


class RecipeStep(NamedTuple):
    """A change to one part of the recipe: a field of Recipe (`what`), its value before and after."""

    name: str
    what: str
    without: str
    with_: str


class Effect(NamedTuple):
    """The effect of a step, all else equal: mean change in percent, pairs where fertility falls, all pairs."""

    mean: float
    better: int
    pairs: int


GRID = tuple(Recipe(*parts) for parts in product(PRETOKENIZERS, SEEDS, SCORES))
STEPS = (
    RecipeStep("pretokenizer", "pretokenizer", "gpt2", "thunder-tok"),
    RecipeStep("seed", "seed", "ngrams", "linguistic"),
    RecipeStep("score", "score", "ml", "be_p"),
    RecipeStep("tokens", "score", "be_p", "tokens"),
    RecipeStep("bpe", "seed", "linguistic", "bpe"),
)
# The paper's three steps together: from the Unigram LM to Thunder-Tok.
FIRST, LAST = Recipe("gpt2", "ngrams", "ml"), Recipe("thunder-tok", "linguistic", "be_p")


_SIZES = (1000, 2000, 4000)
_TEXTS = ("parallel.ko", "ko.news", "ko.reviews")


def _cost(active: ActiveTokenizer, text_id: str) -> TextCost:
    def measure() -> TextCost:
        return text_cost(active.model, builtin_text(text_id).sentences(), "eojeol")

    return remember("ablation", (active.sha256, text_id), measure, 500, is_shared=True)


def render_ablation(view: Layout) -> None:
    """Train every combination, and say whether the paper's order holds."""
    with view.picture:
        active = active_tokenizer()
        if active.lacks_text:
            st.caption(t("own_text.needed"))
            return
    source = active.text
    sizes, texts = {str(n): f"{n:,}" for n in _SIZES}, {id_: text_name(id_) for id_ in _TEXTS}
    with view.scrubber:
        size = int(url_choice("ablation", t("train.size.label"), sizes, str(_SIZES[1])))
    with view.settings(texts[read_choice("text", texts, _TEXTS[0])]):
        text_id = url_choice("text", t("growth.text"), texts, _TEXTS[0])
    wanted = {recipe: ModelReference(source.id, recipe.settings(size)) for recipe in GRID}
    with view.pending:
        ready = {one.reference: one for one in ready_references(wanted.values(), ("ablation", state.MODEL))}
    trained = {recipe: ready[reference] for recipe, reference in wanted.items() if reference in ready}
    costs = {recipe: _cost(one, text_id) for recipe, one in trained.items()}
    if costs:
        _render_fertility(view, costs, size, builtin_text(text_id))


def _render_fertility(view: Layout, costs: Mapping[Recipe, TextCost], size: int, text: Text) -> None:
    """The bars, the finding once all trainings are done, and the table."""
    fertility = {recipe: cost.fertility for recipe, cost in costs.items()}
    (ties,) = ties_with_best([[cost.sums for cost in costs.values()]], is_lowest=True)
    table = ablation_table(fertility, _title).assign(best=[one.is_best for one in ties])
    title, axis = t("compare.ablation_title", size=size), t("compare.column.fertility")
    figure = grouped_bars_figure(
        table,
        "pretokenizer",
        "recipe",
        "fertility",
        title,
        axis,
        language(),
        xaxis={"title": t("compare.column.pretokenizer")},
    )
    if len(fertility) < len(GRID):
        view.pending.caption(t("compare.ablation_waiting", ready=len(fertility), count=len(GRID)))
    with view.picture:
        render_figure(figure, "compare.ablation", title)
    with view.sections:
        if len(fertility) == len(GRID):
            st.markdown(_finding(fertility))
        st.caption(f"{t('compare.ablation_text')} {t('compare.ablation_note')}")
        names = (*Recipe._fields, "fertility", "best")
        render_data("ablation", table, {name: t(f"compare.column.{name}") for name in names}, of=text)


def _title(what: str, value: str) -> str:
    return t(f"train.{what}.{value}").partition(":")[0]


def _finding(fertility: Mapping[Recipe, float]) -> str:
    """Whether each step alone, and the paper's three together, lower fertility here."""
    lines = []
    for step in STEPS:
        mean, better, pairs = effect(step, fertility)
        lines.append(t(f"compare.step.{step.name}", mean=mean, better=better, count=pairs))
    lines.append(t("compare.step.all", change=change(fertility)))
    return "\n".join(f"- {line}" for line in lines)


def effect(step: RecipeStep, fertility: Mapping[Recipe, float]) -> Effect:
    """The step alone, over all pairs of recipes that differ in nothing else; all recipes must have a value.

    The other parts are limited to the paper's scores and seed vocabularies.
    """
    changes = [
        change(fertility, after._replace(**{step.what: step.without}), after)
        for after in fertility
        if getattr(after, step.what) == step.with_
        and (step.what == "score" or after.score in PAPER_SCORES)
        and (step.what == "seed" or after.seed in PAPER_SEEDS)
    ]
    return Effect(sum(changes) / len(changes), sum(one < 0 for one in changes), len(changes))


def change(fertility: Mapping[Recipe, float], before: Recipe = FIRST, after: Recipe = LAST) -> float:
    return 100 * (fertility[after] / fertility[before] - 1)


def ablation_table(fertility: Mapping[Recipe, float], title: Callable[[str, str], str]) -> pd.DataFrame:
    """One row per recipe. Columns: pretokenizer, seed, score, fertility, recipe (seed and score).

    Parameters
    ----------
    title : the name of a value of a field of Recipe, `title("seed", "ngrams")`.
    """
    rows = [{what: title(what, value) for what, value in recipe._asdict().items()} for recipe in fertility]
    table = pd.DataFrame(rows, columns=list(Recipe._fields)).assign(fertility=list(fertility.values()))
    return table.assign(recipe=table["seed"] + " · " + table["score"])
