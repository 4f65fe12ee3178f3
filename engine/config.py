"""Settings of a training run: frozen, so that they can be a cache key, and validated on construction."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from engine.errors import InputError, WrongTypeError, require_between, require_choice, require_type
from engine.pruning_scores import PRUNING_SCORES

UNIGRAM_ALGORITHMS = ("thunder-tok", "unigram")
SUPERBPE = "superbpe"
PARITY_BPE = "parity-bpe"  # takes a corpus of each language, so it is of the command line only
MERGE_ALGORITHMS = ("bpe", "byte-bpe", "wordpiece", SUPERBPE)
FOR_MERGES = ("algorithm", "vocab_size", "pretokenizer", "min_count", "special_tokens", "normalization", "ties")
PLAIN_ALGORITHMS = ("words", "characters", "bytes")
ALGORITHMS = (*UNIGRAM_ALGORITHMS, *MERGE_ALGORITHMS, *PLAIN_ALGORITHMS)
SCORES = tuple(PRUNING_SCORES)
LINGUISTIC_SEEDS = ("linguistic", "right-branching")
SEED_VOCABULARIES = (*LINGUISTIC_SEEDS, "ngrams", "bpe")
AUTHORS_MISREAD = "authors-misread"
AUTHORS_SEEDS = ("authors", AUTHORS_MISREAD)
CONTEXTS = ("sentence", "pretoken")
MEMBERSHIPS = ("inclusion", "expected", "occurrence")
NORMALIZATIONS = ("none", "nfc", "nfd", "jamo")
TIES = ("first-seen", "lexicographic", "tokenizers")

N_BYTES = 256
LARGEST_VOCAB = 2_000_000
MOST_SEED_FACTOR = 10_000.0  # with 256 tokens or more: every merge that BPE can make

# Named combinations of settings: Thunder-Tok as in the paper, the one with the fewest tokens
# (docs/performance.md#fewest-tokens), and the authors' program (`engine.unigram.train.authors`).
RECIPES: dict[str, dict[str, Any]] = {
    "thunder-tok": {"score": "be_p", "seed_vocabulary": "linguistic", "pretokenizer": "thunder-tok"},
    "fewest-tokens": {"score": "tokens", "seed_vocabulary": "bpe", "pretokenizer": "thunder-tok-joined"},
    "authors": {"score": "be_p", "seed_vocabulary": "authors", "pretokenizer": "thunder-tok"},
}

# The only settings that the authors' program, and so its seed vocabulary, has.
AUTHORS: dict[str, Any] = {
    "score": "be_p",
    "context": "pretoken",
    "membership": "occurrence",
    "partial_characters": True,
    "sentencepiece_safe": False,
}


def _setting(
    default: Any,
    help: str,
    choices: tuple[str, ...] = (),
    between: tuple[float, float] | None = None,
    metavar: str | None = None,
) -> Any:
    """A setting with what the command line says of it, and the values that it may have."""
    about = {"help": help, "choices": choices, "between": between, "metavar": metavar}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class TrainingSettings:
    """All settings of one training run; the help of `train` says what each is.

    Notes
    -----
    The algorithm `unigram` is the same trainer as `thunder-tok` with score `ml` and seed `ngrams`; `words`,
    `characters` and `bytes` only count. `pretokenizer` is a preset's name, boundaries that are learned from the corpus
    (`pmi-entropy:4`, `entropy-only`, `lm-entropy:2`) or a regular expression. The seed vocabulary is `linguistic`
    (paper section 3.2, Table 1), `right-branching` (of these, only what different symbols follow), `ngrams` (every
    substring), `bpe` (what BPE merges inside the same pre-tokens) or `authors`: then everything is done as in the
    authors' program (`engine.unigram.train.authors`), with `authors-misread` even its wrong counts.
    A `context`, the y of eq. 1, is a distinct sentence, or a distinct pre-token weighted by its count; `membership`,
    P(x|y), is the probability that x occurs, the expected number of occurrences, or each place by itself.

    Examples
    --------
    >>> TrainingSettings(algorithm="unigram", score="ml", seed_vocabulary="ngrams").vocab_size
    8000
    >>> TrainingSettings(context="word")
    Traceback (most recent call last):
    engine.errors.InputError: unknown context 'word'; choose one of: sentence, pretoken
    """

    algorithm: str = _setting("thunder-tok", "what to train", ALGORITHMS)
    vocab_size: int = _setting(
        8000, "tokens in the end, special ones and the 256 bytes included", between=(1, LARGEST_VOCAB), metavar="N"
    )
    pretokenizer: str = _setting("thunder-tok", "what no token crosses", metavar="NAME|REGEX")
    score: str = _setting("be_p", "what a round prunes by", SCORES)
    seed_vocabulary: str = _setting("linguistic", "candidates to begin with", (*SEED_VOCABULARIES, *AUTHORS_SEEDS))
    seed_factor: float = _setting(
        1.1,
        "tokens of BPE in the seed vocabulary bpe beside all characters, in vocabulary sizes",
        between=(1, MOST_SEED_FACTOR),
        metavar="F",
    )
    context: str = _setting("sentence", "what a context y of the branching entropy is", CONTEXTS)
    membership: str = _setting("inclusion", "what P(x|y) is", MEMBERSHIPS)
    shrink: float = _setting(0.25, "share of the prunable tokens to remove a round", between=(0.01, 0.9), metavar="M")
    sub_iterations: int = _setting(2, "E steps a round", between=(1, 20), metavar="K")
    min_count: int = _setting(
        2, "occurrences that a candidate needs, of WordPiece a pair", between=(1, 1_000_000), metavar="C"
    )
    max_token_bytes: int = _setting(32, "length of the longest token in UTF-8 bytes", between=(1, 255), metavar="B")
    max_seed: int = _setting(
        1_000_000, "tokens of the seed vocabulary at most, by count x length", between=(1, 5_000_000), metavar="S"
    )
    special_tokens: tuple[str, ...] = _setting((), "token with an id of its own; may be repeated", metavar="TEXT")
    normalization: str = _setting(
        "none", "Unicode normal form of the text, or jamo: Hangul letter by letter", NORMALIZATIONS
    )
    sentencepiece_safe: bool = _setting(False, "make an exact SentencePiece export possible")
    partial_characters: bool = _setting(False, "let runs of bytes in a character be tokens")
    ties: str = _setting("first-seen", "which of several equal pairs BPE and WordPiece merge first", TIES)
    transition: float = _setting(
        0.8, "share of the vocabulary after which superbpe merges across spaces", between=(0.01, 1), metavar="T"
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            about, value = setting.metadata, vars(self)[setting.name]
            require_type(type(self).__name__, setting.name, value, setting.type)
            if about["choices"]:
                require_choice(setting.name, value, about["choices"])
            if about["between"]:
                require_between(setting.name, value, *about["between"])
            plain: type[Any] = type(setting.default)
            object.__setattr__(self, setting.name, plain(value))  # JSON has no numbers of NumPy
        if len(set(self.special_tokens)) != len(self.special_tokens) or "" in self.special_tokens:
            raise InputError("specials.repeated")
        require_unicode(self.special_tokens)
        if self.normalization == "jamo" and self.pretokenizer == "mecab":
            raise InputError("jamo.mecab")
        if self.pretokenizer.startswith("kiwi-") and self.algorithm not in MERGE_ALGORITHMS:
            raise InputError("kiwi.merges", name=self.pretokenizer, algorithm=self.algorithm)
        if self.seed_vocabulary in AUTHORS_SEEDS:
            for name, value in (AUTHORS | {"algorithm": "thunder-tok"}).items():
                if getattr(self, name) != value:
                    raise InputError("authors.fixed", option=f"--{name.replace('_', '-')}", value=value)


# The Unigram LM is the trainer of Thunder-Tok with these settings.
UNIGRAM = {"score": "ml", "seed_vocabulary": "ngrams"}
# Its first stage must not cross spaces, which is what the second is for.
_SUPERBPE = {"pretokenizer": "gpt2", "ties": "tokenizers"}
_DEFAULTS = {"unigram": UNIGRAM, SUPERBPE: _SUPERBPE}


# How a seed vocabulary shrinks, and which of two equal merges comes first: nothing that the feasible sizes depend on.
_FREE_OF_SIZES = ("score", "seed_factor", "context", "membership", "shrink", "sub_iterations", "ties", "transition")


def stored_settings(settings: TrainingSettings) -> dict[str, Any]:
    """By name, as files of models other than SuperBPE's have them: the transition is that one's alone."""
    return {name: value for name, value in vars(settings).items() if name != "transition"}


def defaults_of(algorithm: str) -> TrainingSettings:
    """Settings of one of ALGORITHMS where nothing else is asked for."""
    own: dict[str, Any] = _DEFAULTS.get(algorithm, {})
    return TrainingSettings(algorithm=algorithm, **own)


def chosen_settings(algorithm: str, preset: str | None = None, **changes: Any) -> TrainingSettings:
    """Settings of an algorithm, with those of a preset of RECIPES, then with the changes.

    Raises
    ------
    WrongTypeError : there is no such setting.
    InputError : the preset is unknown, it or the transition is not of this algorithm, or a setting is out of range.
    """
    defaults = defaults_of(algorithm)
    if unknown := sorted(changes.keys() - vars(defaults).keys()):
        raise WrongTypeError("setting.unknown", name=unknown[0], names=", ".join(vars(defaults)))
    if preset is not None:
        require_choice("preset", preset, tuple(RECIPES))
        if algorithm != TrainingSettings.algorithm:
            raise InputError("preset.algorithm", known=TrainingSettings.algorithm, algorithm=algorithm)
        changes = {**RECIPES[preset], **changes}
    if "transition" in changes and algorithm != SUPERBPE:
        raise InputError("superbpe.transition", algorithm=algorithm)
    if changes.get("seed_vocabulary") in AUTHORS_SEEDS:
        changes = AUTHORS | changes
    return replace(defaults, **changes)


def unused_settings(settings: TrainingSettings) -> list[str]:
    """Names of the settings that are not the algorithm's defaults and that it does not use."""
    algorithm, defaults = settings.algorithm, defaults_of(settings.algorithm)
    if algorithm in UNIGRAM_ALGORITHMS:
        unused = {"ties"} if settings.seed_vocabulary == "bpe" else {"ties", "seed_factor"}
    else:
        unused = vars(settings).keys() - {*FOR_MERGES, "transition"}
        unused |= {"min_count"} if algorithm != "wordpiece" else set()
        unused |= {"ties"} if algorithm in PLAIN_ALGORITHMS else set()
        unused |= {"pretokenizer"} if algorithm in ("characters", "bytes") else set()
    return [name for name, value in vars(settings).items() if name in unused and value != getattr(defaults, name)]


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
    if settings.seed_vocabulary in AUTHORS_SEEDS:
        fixed |= AUTHORS
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
