"""Composition of a vocabulary: linguistic levels, and the forms that only this pre-tokenization allows."""

import numpy as np
import pandas as pd

from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import LEVELS

# Share of the two special forms in a vocabulary of 128,000 tokens (Thunder-Tok paper, appendix D, Figure 1).
PAPER_SHARE = 0.1349
PAPER_SIZE = 128_000


def composition_table(model: PrunedTokenizer, catalogue: pd.DataFrame) -> pd.DataFrame:
    """Tokens of every round stored in the model, by level and by special form.

    Columns: number, vocab_size (without special tokens), one for each of LEVELS, multi_word (two or more words),
    punctuated (one word with its final . ? or !), special (either).
    """
    last = np.where(model.died_in_round < 0, model.last_round, model.died_in_round)
    is_multi_word = (catalogue["level"] == "phrase").to_numpy()
    is_punctuated = catalogue["punctuated"].to_numpy() & ~is_multi_word
    columns = {level: (catalogue["level"] == level).to_numpy() for level in LEVELS}
    columns |= {"multi_word": is_multi_word, "punctuated": is_punctuated, "special": is_multi_word | is_punctuated}
    n_rounds = model.last_round + 1
    # Reverse cumulative sum of tokens by their last round: the tokens alive in each round.
    alive = {name: np.bincount(last[mask], minlength=n_rounds)[::-1].cumsum()[::-1] for name, mask in columns.items()}
    size = np.bincount(last, minlength=n_rounds)[::-1].cumsum()[::-1]
    table = pd.DataFrame({"number": np.arange(n_rounds), "vocab_size": size, **alive})
    return table.iloc[model.first_round :].reset_index(drop=True)
