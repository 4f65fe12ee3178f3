"""What a training reports of each round."""

from typing import NamedTuple


class Progress(NamedTuple):
    """Progress of a training.

    Attributes
    ----------
    number : pruning rounds or merges completed; 0 is the start, with the seed vocabulary.
    vocab_size : size of the vocabulary, including special tokens; of a pruning round, at its start.
    objective : the quantity minimized: mean negative log likelihood per unit (sentence, or pre-token with context
        `pretoken`) in nats (unigram), tokens in the corpus (all others).
    n_tokens : tokens in the corpus (expected number with a unigram model).
    threshold : score of the best removed token, or count of the last merged pair; None if there is none.
    n_removed : tokens removed at the end of the round; 0 for algorithms that only add.
    is_last : whether this is the final report.
    """

    number: int
    vocab_size: int
    objective: float
    n_tokens: float
    threshold: float | None
    n_removed: int
    is_last: bool
