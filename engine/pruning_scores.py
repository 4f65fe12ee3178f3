"""What a pruning round can rank its tokens by: one table, which everything else reads.

A score is added here (and to the naive oracle, and with its texts to the catalogue: a test lists which are missing).
This file is read by every command and every page, so it imports no kernels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError

# Units of a score. An entropy is computed in nats and may be shown in bits.
NO_UNIT, ENTROPY, TOKENS = "", "entropy", "tokens"

# Quantities of a token that a round knows, float64[n_tokens] each. Every model file has the first two for each round;
# the last three are worked out only for the scores that need them (see `removal`).
P, BE = "p", "be"  # P(x) of eq. 5; nats
EXPECTED_COUNT = "expected_count"
USES = "uses"  # in the best segmentations of the corpus
N_PIECES = "n_pieces"  # of the best segmentation of its own text without it
LOSS = "loss"  # likelihood loss, nats a token of the corpus

_IN_EVERY_FILE = {P, BE}
_OF_REMOVAL = {USES, N_PIECES, LOSS}

# No log probability that is trained here comes near it (counts have a floor, see `em`), and sums of as many as a text
# has characters stay finite.
LEAST_LOG_PROB = -10_000.0


@dataclass(frozen=True)
class PruningScore:
    """One way to rank tokens; the lowest are removed.

    Parameters
    ----------
    name : as settings and the command line write it, and in the keys of its texts (`train.score.<name>`).
    needs : quantities that the score is a function of.
    of : that function.
    unit : of its values, one of NO_UNIT, ENTROPY and TOKENS.
    formula : LaTeX, in the letters of its source.
    """

    name: str
    needs: tuple[str, ...]
    of: Callable[..., np.ndarray]
    unit: str
    formula: str

    @property
    def is_stored(self) -> bool:
        """Whether each round keeps the values, because they do not follow from what else it keeps."""
        return not _IN_EVERY_FILE.issuperset(self.needs)

    @property
    def needs_removal(self) -> bool:
        """Whether it must be known how the corpus is written without each token."""
        return not _OF_REMOVAL.isdisjoint(self.needs)

    def values(self, known: Mapping[str, np.ndarray]) -> np.ndarray:
        """Scores (float64[n_tokens]) from the quantities that it needs, at least; a missing one is a KeyError."""
        return self.of(*(known[name] for name in self.needs))


PRUNING_SCORES: dict[str, PruningScore] = {
    score.name: score
    for score in (
        # Thunder-Tok paper eq. 6, and both factors by themselves (eq. 1 and 5).
        PruningScore("be_p", (P, BE), lambda p, be: p * be, ENTROPY, r"\mathrm{Score}(x)=BE(x)\times P(x)"),
        PruningScore("be", (BE,), lambda be: be, ENTROPY, r"BE(x)=-\sum_{y}P(y|x)\log P(y|x)"),
        PruningScore("p", (P,), lambda p: p, NO_UNIT, r"P(x)=\sum_{y}P(y)\,P(x\mid y)"),
        # Kudo (2018), section 3.2, as SentencePiece computes it.
        PruningScore(
            "ml", (LOSS,), lambda loss: loss, ENTROPY, r"L(x)=f(x)\,\bigl(\log P(x)-\log P(\mathrm{seg}'_x)\bigr)"
        ),
        # How many tokens more the corpus would need.
        PruningScore(
            "tokens",
            (USES, N_PIECES),
            lambda uses, n_pieces: uses * (n_pieces - 1),
            TOKENS,
            r"T(x)=n(x)\,\bigl(|\mathrm{seg}'_x|-1\bigr)",
        ),
    )
}


def pruning_score(name: str) -> PruningScore:
    """The score of that name.

    Raises
    ------
    InputError : there is none.
    """
    if name not in PRUNING_SCORES:
        raise InputError("choice.unknown", what="score", value=name, choices=", ".join(PRUNING_SCORES))
    return PRUNING_SCORES[name]
