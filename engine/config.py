"""Settings of a training run: frozen, so that they can be a cache key, and validated on construction."""

from dataclasses import dataclass, replace
from typing import Any

from engine.errors import InputError
from engine.pruning_scores import PRUNING_SCORES, pruning_score

UNIGRAM_ALGORITHMS = ("thunder-tok", "unigram")
MERGE_ALGORITHMS = ("bpe", "byte-bpe", "wordpiece")
PLAIN_ALGORITHMS = ("words", "characters", "bytes")
ALGORITHMS = (*UNIGRAM_ALGORITHMS, *MERGE_ALGORITHMS, *PLAIN_ALGORITHMS)
SCORES = tuple(PRUNING_SCORES)
SEED_VOCABULARIES = ("linguistic", "ngrams", "bpe")
CONTEXTS = ("sentence", "pretoken")
MEMBERSHIPS = ("inclusion", "expected", "occurrence")
NORMALIZATIONS = ("none", "nfc", "nfd", "jamo")
TIES = ("first-seen", "lexicographic", "tokenizers")

N_BYTES = 256
LARGEST_VOCAB = 2_000_000
MOST_SEED_FACTOR = 10_000.0  # with 256 tokens or more: every merge that BPE can make

# Named combinations of settings: Thunder-Tok as published, and the one with the fewest tokens
# (docs/performance.md#fewest-tokens).
RECIPES: dict[str, dict[str, Any]] = {
    "thunder-tok": {"score": "be_p", "seed_vocabulary": "linguistic", "pretokenizer": "thunder-tok"},
    "fewest-tokens": {"score": "tokens", "seed_vocabulary": "bpe", "pretokenizer": "thunder-tok-joined"},
}


@dataclass(frozen=True)
class TrainingSettings:
    """All settings of one training run.

    Parameters
    ----------
    algorithm : one of ALGORITHMS. `unigram` is the same trainer as `thunder-tok` with score `ml` and seed `ngrams`;
        `words`, `characters` and `bytes` only count.
    vocab_size : size of the final vocabulary, including the special tokens and the 256 bytes.
    pretokenizer : a preset, boundaries learned from the corpus (`pmi-entropy:4`, `entropy-only`, `lm-entropy:2`) or a
        regular expression.
    score : how a pruning round ranks tokens, one of SCORES (see `engine.pruning_scores`).
    seed_vocabulary : `linguistic` (paper section 3.2, Table 1), `ngrams` (every substring) or `bpe` (BPE trained inside
        the same pre-tokens).
    seed_factor : size of the BPE seed (single characters not counted), as a multiple of `vocab_size`.
    context : the y of eq. 1: a distinct sentence, or a distinct pre-token weighted by its count.
    membership : how P(x|y) is computed: probability that x occurs, expected number of occurrences, or a separate
        probability for each occurrence.
    shrink : share of the prunable tokens that each round removes (m of Algorithm 1).
    sub_iterations : E steps per round.
    min_count : minimum count for a substring to become a candidate.
    max_token_bytes : maximum token length in UTF-8 bytes.
    max_seed : maximum size of the seed vocabulary; candidates are ranked by count x length.
    special_tokens : tokens that text never becomes unless the caller allows it.
    normalization : applied to the text first: a Unicode normal form, or `jamo` (see engine.corpus.normalize).
    sentencepiece_safe : keep only tokens that no pre-token boundary can cut in any context, and the characters of
        such tokens; an exact SentencePiece export needs this.
    partial_characters : also allow tokens that are runs of bytes inside one character.
    ties : how merge algorithms break ties.

    Examples
    --------
    >>> TrainingSettings(algorithm="unigram", score="ml", seed_vocabulary="ngrams").vocab_size
    8000
    >>> TrainingSettings(context="word")
    Traceback (most recent call last):
    engine.errors.InputError: unknown context 'word'; choose one of: sentence, pretoken
    """

    algorithm: str = "thunder-tok"
    vocab_size: int = 8000
    pretokenizer: str = "thunder-tok"
    score: str = "be_p"
    seed_vocabulary: str = "linguistic"
    seed_factor: float = 1.1
    context: str = "sentence"
    membership: str = "inclusion"
    shrink: float = 0.25
    sub_iterations: int = 2
    min_count: int = 2
    max_token_bytes: int = 32
    max_seed: int = 1_000_000
    special_tokens: tuple[str, ...] = ()
    normalization: str = "none"
    sentencepiece_safe: bool = False
    partial_characters: bool = False
    ties: str = "first-seen"

    def __post_init__(self) -> None:
        _one_of("algorithm", self.algorithm, ALGORITHMS)
        pruning_score(self.score)
        _one_of("seed_vocabulary", self.seed_vocabulary, SEED_VOCABULARIES)
        _one_of("context", self.context, CONTEXTS)
        _one_of("membership", self.membership, MEMBERSHIPS)
        _one_of("normalization", self.normalization, NORMALIZATIONS)
        _one_of("ties", self.ties, TIES)
        _between("vocab_size", self.vocab_size, 1, LARGEST_VOCAB)
        _between("seed_factor", self.seed_factor, 1, MOST_SEED_FACTOR)
        _between("shrink", self.shrink, 0.01, 0.9)
        _between("sub_iterations", self.sub_iterations, 1, 20)
        _between("min_count", self.min_count, 1, 1_000_000)
        _between("max_token_bytes", self.max_token_bytes, 1, 255)
        _between("max_seed", self.max_seed, 1, 5_000_000)
        if len(set(self.special_tokens)) != len(self.special_tokens) or "" in self.special_tokens:
            raise InputError("specials.repeated")
        require_unicode(self.special_tokens)
        if self.normalization == "jamo" and self.pretokenizer == "mecab":
            raise InputError("jamo.mecab")


# With these settings the Thunder-Tok trainer is the Unigram LM.
_UNIGRAM = {"score": "ml", "seed_vocabulary": "ngrams"}
# Settings that do not affect the feasible sizes.
_FREE_OF_SIZES = ("score", "seed_factor", "context", "membership", "shrink", "sub_iterations", "ties")


def defaults_of(algorithm: str) -> TrainingSettings:
    """Default settings of one of ALGORITHMS."""
    own: dict[str, Any] = _UNIGRAM if algorithm == "unigram" else {}
    return TrainingSettings(algorithm=algorithm, **own)


def recipe_of(settings: TrainingSettings) -> str | None:
    """The recipe of RECIPES that the settings match, or None."""
    return next(
        (name for name, parts in RECIPES.items() if all(getattr(settings, part) == parts[part] for part in parts)), None
    )


def size_probe(settings: TrainingSettings) -> TrainingSettings:
    """Canonical settings with the same feasible sizes as `settings`, to be used as a cache key.

    A unigram model can always be as small as its bytes and special tokens. The minimum for a merge model is not known
    in advance, so its probe is large.
    """
    is_merges = settings.algorithm in MERGE_ALGORITHMS
    defaults = TrainingSettings()
    fixed: dict[str, Any] = {name: getattr(defaults, name) for name in _FREE_OF_SIZES}
    if settings.algorithm in UNIGRAM_ALGORITHMS:
        fixed["algorithm"] = defaults.algorithm
    fixed["vocab_size"] = LARGEST_VOCAB if is_merges else N_BYTES + len(settings.special_tokens)
    if settings.seed_vocabulary == "bpe" and not is_merges:
        fixed["seed_factor"] = MOST_SEED_FACTOR
    return replace(settings, **fixed)


def require_unicode(special_tokens: tuple[str, ...]) -> None:
    """Raise InputError for a special token with a lone surrogate, which no UTF-8 text can contain."""
    for text in special_tokens:
        if any("\ud800" <= c <= "\udfff" for c in text):
            raise InputError("specials.unicode", token=text)


def _one_of(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError("choice.unknown", what=what, value=value, choices=", ".join(choices))


def _between(what: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise InputError("setting.range", what=what, low=low, high=high, value=value)
