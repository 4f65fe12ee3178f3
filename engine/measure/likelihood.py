"""The cost of a text under a unigram model, in bits per UTF-8 byte: comparable between vocabularies."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.lattice.lattice import Lattice
from engine.measure.distribution import shannon_entropy
from engine.measure.encoded import EncodedLines, units_per_line
from engine.measure.result import Measure, ratio, ratio_of_lines
from engine.tokenizer import LatticeTokenizer, require_pruning


def viterbi_bits_per_byte(
    model: LatticeTokenizer, lines: Sequence[str], round: int | None = None, seed: int = 0
) -> Measure:
    """-log2 P(best segmentation) / bytes under the model's own probabilities (Kudo 2018, eq. 3 for P).

    `round` is a pruning round, for models with rounds.
    """
    nats = np.array([-lattice.best_log_prob for lattice in _lattices(model, lines, round)])
    return _per_byte("viterbi_bits_per_byte", nats, lines, seed)


def marginal_bits_per_byte(
    model: LatticeTokenizer, lines: Sequence[str], round: int | None = None, seed: int = 0
) -> Measure:
    """-log2 of the sum of P over all segmentations / bytes; at most the Viterbi figure (Kudo 2018, eq. 4).

    The sum is over the segmentations that the model's pre-tokenization allows.
    """
    nats = np.array([-lattice.log_z for lattice in _lattices(model, lines, round)])
    return _per_byte("marginal_bits_per_byte", nats, lines, seed)


def empirical_bits_per_byte(encoded: EncodedLines) -> Measure:
    """H |T| / bytes with the token frequencies of the same text: for tokenizers without probabilities.

    Optimistic on short texts, because the frequencies come from the text itself; not comparable with the other two.
    """
    n = int(units_per_line(encoded.lines, "bytes").sum())
    bits = shannon_entropy(encoded.counts()) * encoded.n_tokens
    return Measure("empirical_bits_per_byte", ratio(bits, n), n, "bytes")


def _lattices(model: LatticeTokenizer, lines: Sequence[str], round: int | None) -> Iterator[Lattice]:
    if round is None:
        return map(model.lattice, lines)
    pruned = require_pruning(model)
    return (pruned.lattice(line, round) for line in lines)


def _per_byte(name: str, nats: np.ndarray, lines: Sequence[str], seed: int) -> Measure:
    return ratio_of_lines(name, nats / np.log(2), units_per_line(lines, "bytes"), "bytes", seed)
