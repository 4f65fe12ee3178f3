"""The grid of the paper's ablation, and the effect of each step; trains and draws nothing.

To add a score, a seed vocabulary or a pre-tokenizer to the grid, name it below; to describe a comparison of two of them
in a sentence, add it to STEPS, with the text `compare.step.<name>`.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import pandas as pd

from engine.config import TrainingSettings

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
