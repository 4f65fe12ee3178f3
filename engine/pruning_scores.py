"""The table of scores by which a pruning round can rank tokens.

To add a score, add it here, to the naive oracle and to the catalogue (a test lists the missing texts). Every command
and every page imports this file, so it imports no kernels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from engine.errors import require_choice

# Units of a score. Entropies are computed in nats and may be shown in bits.
NO_UNIT, ENTROPY, TOKENS = "", "entropy", "tokens"

# Statistics of a round's tokens, float64[n_tokens] each. Every model file stores the first two for each round; the last
# four are computed only for the scores that need them (see `neighbours` and `removal`).
P, BE = "p", "be"  # P(x) of eq. 5; nats
EXPECTED_COUNT = "expected_count"
NEIGHBOUR_BE = "neighbour_be"  # mean entropy of the left and the right neighbours, nats
USES = "uses"  # in the best segmentations of the corpus
N_PIECES = "n_pieces"  # of the best segmentation of the token's text without it
LOSS = "loss"  # likelihood loss, nats per token of the corpus

_IN_EVERY_FILE = {P, BE}
_OF_REMOVAL = {USES, N_PIECES, LOSS}

# Far below any trained log probability (counts are floored, see `em`), yet one per character of a text still sums to a
# finite number.
LEAST_LOG_PROB = -10_000.0


@dataclass(frozen=True)
class PruningScore:
    """One way to rank tokens; the lowest are removed.

    Parameters
    ----------
    name : used in settings, on the command line and in the catalogue (`train.score.<name>`).
    needs : statistics that the score is a function of.
    of : that function.
    unit : NO_UNIT, ENTROPY or TOKENS.
    formula : LaTeX, in the notation of its source.
    """

    name: str
    needs: tuple[str, ...]
    of: Callable[..., np.ndarray]
    unit: str
    formula: str

    @property
    def is_stored(self) -> bool:
        """Whether each round stores the values because they cannot be computed from what it stores anyway."""
        return not _IN_EVERY_FILE.issuperset(self.needs)

    @property
    def needs_removal(self) -> bool:
        """Whether it depends on how the corpus is segmented without each token."""
        return not _OF_REMOVAL.isdisjoint(self.needs)

    def values(self, known: Mapping[str, np.ndarray]) -> np.ndarray:
        """Scores (float64[n_tokens]) from the statistics in `needs`; KeyError if one is missing."""
        return self.of(*(known[name] for name in self.needs))


PRUNING_SCORES: dict[str, PruningScore] = {
    score.name: score
    for score in (
        # Thunder-Tok paper eq. 6, and each factor alone (eq. 1 and 5).
        PruningScore("be_p", (P, BE), lambda p, be: p * be, ENTROPY, r"\mathrm{Score}(x)=BE(x)\times P(x)"),
        PruningScore("be", (BE,), lambda be: be, ENTROPY, r"BE(x)=-\sum_{y}P(y|x)\log P(y|x)"),
        PruningScore("p", (P,), lambda p: p, NO_UNIT, r"P(x)=\sum_{y}P(y)\,P(x\mid y)"),
        # Jin and Tanaka-Ishii (2006), in the best segmentations.
        PruningScore(
            "neighbour_be",
            (NEIGHBOUR_BE,),
            lambda entropy: entropy,
            ENTROPY,
            r"H(x)=\tfrac{1}{2}\bigl(H_{\mathrm{left}}(x)+H_{\mathrm{right}}(x)\bigr)",
        ),
        # Kudo (2018), section 3.2, as SentencePiece computes it.
        PruningScore(
            "ml", (LOSS,), lambda loss: loss, ENTROPY, r"L(x)=f(x)\,\bigl(\log P(x)-\log P(\mathrm{seg}'_x)\bigr)"
        ),
        # Additional tokens that the corpus would need.
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
    """The score with this name; InputError if there is none."""
    require_choice("score", name, PRUNING_SCORES)
    return PRUNING_SCORES[name]
