"""Settings of a merge training run."""

from dataclasses import dataclass

from engine.config import MERGE_ALGORITHMS, NORMALIZATIONS, SUPERBPE, TIES, TrainingSettings, require_unicode
from engine.errors import InputError, require_choice

# All but those that merge in stages, whose models are of one of these.
ONE_STAGE = tuple(algorithm for algorithm in MERGE_ALGORITHMS if algorithm != SUPERBPE)
SCORES = ("frequency", "likelihood")
MARK_PLACES = ("attached", "symbol")


@dataclass(frozen=True)
class MergeSettings:
    """All settings of one training run. `merge_settings` makes them from a TrainingSettings.

    Parameters
    ----------
    algorithm : `bpe` and `wordpiece` start from characters, `byte-bpe` from the 256 bytes.
    vocab_size : maximum size, including special tokens and initial symbols; None: merge until no pair is left.
    max_merges : maximum number of merges; None: as `vocab_size` allows.
    pretokenizer : a preset's name or a regular expression.
    normalization : applied to the text first, see TrainingSettings.
    special_tokens : get the first ids.
    ties : which of several pairs with the same score is merged. `first-seen`: the one found first when the distinct
        pre-tokens are scanned in corpus order; `lexicographic`: the largest pair of strings, as in Sennrich's
        subword-nmt; `tokenizers`: the smallest pair of ids, as in the `tokenizers` library.
    score : `frequency` merges the pair with the largest count(ab), `likelihood` the one with the largest
        count(ab) / (count(a) count(b)), the gain in corpus likelihood (Schuster and Nakajima 2012).
    min_count : minimum count of a pair to be merged.
    end_of_word : end-of-word mark (Sennrich et al. 2016: `</w>`; the slides: `_`); "" for none. Not for bytes.
    mark_place : the mark is `attached` to the last character, or is a separate `symbol`.
    continuing : prefix of every symbol that does not begin a word (BERT: `##`); "" for none. Not for bytes.
    unknown : token for characters outside the vocabulary, always included (bytes need none).
    max_word_chars : WordPiece only: a longer word becomes the unknown token.

    Notes
    -----
    With a mark or a prefix, the white space around a pre-token is dropped, since the mark shows where words begin or
    end. Without either, white space is ordinary text.
    """

    algorithm: str = "byte-bpe"
    vocab_size: int | None = 8000
    max_merges: int | None = None
    pretokenizer: str = "gpt2"
    normalization: str = "none"
    special_tokens: tuple[str, ...] = ()
    ties: str = "first-seen"
    score: str = "frequency"
    min_count: int = 1
    end_of_word: str = ""
    mark_place: str = "attached"
    continuing: str = ""
    unknown: str = "[UNK]"
    max_word_chars: int = 100

    def __post_init__(self) -> None:
        for what, value, choices in (
            ("algorithm", self.algorithm, ONE_STAGE),
            ("ties", self.ties, TIES),
            ("score", self.score, SCORES),
            ("mark_place", self.mark_place, MARK_PLACES),
            ("normalization", self.normalization, NORMALIZATIONS),
        ):
            require_choice(what, value, choices)
        if self.algorithm == "byte-bpe" and (self.end_of_word or self.continuing):
            raise InputError("merges.byte_marks")
        if self.continuing and self.end_of_word and self.mark_place == "symbol":
            raise InputError("merges.two_marks")
        if self.vocab_size is not None and self.vocab_size < 1:
            raise InputError("merges.size", size=self.vocab_size)
        if self.max_merges is not None and self.max_merges < 0:
            raise InputError("merges.count", count=self.max_merges)
        if self.min_count < 1 or self.max_word_chars < 1:
            raise InputError("merges.least")
        if "" in self.special_tokens or len(set(self.special_tokens)) != len(self.special_tokens):
            raise InputError("specials.repeated")
        require_unicode((*self.special_tokens, self.unknown))
        if not self.unknown:
            raise InputError("merges.unknown")

    @property
    def drops_space(self) -> bool:
        """Whether the white space around a pre-token is dropped."""
        return bool(self.end_of_word or self.continuing) or self.algorithm == "wordpiece"

    @property
    def specials(self) -> tuple[str, ...]:
        """Tokens with the first ids: the unknown token (not for bytes), then the special tokens."""
        if self.algorithm == "byte-bpe" or self.unknown in self.special_tokens:
            return self.special_tokens
        return (self.unknown, *self.special_tokens)


def merge_settings(settings: TrainingSettings) -> MergeSettings:
    """Settings of the merge algorithm in `settings`, with its conventional marks.

    `bpe` attaches `</w>` to the last character; `wordpiece` writes `##` and trains by likelihood gain. `min_count`
    applies to WordPiece only, whose gain is largest for pairs that occur once.
    """
    if settings.algorithm not in ONE_STAGE:
        raise InputError("merges.algorithm", algorithm=settings.algorithm, choices=", ".join(ONE_STAGE))
    wordpiece = settings.algorithm == "wordpiece"
    return MergeSettings(
        algorithm=settings.algorithm,
        vocab_size=settings.vocab_size,
        pretokenizer=settings.pretokenizer,
        normalization=settings.normalization,
        special_tokens=settings.special_tokens,
        ties=settings.ties,
        score="likelihood" if wordpiece else "frequency",
        min_count=settings.min_count if wordpiece else 1,
        end_of_word="</w>" if settings.algorithm == "bpe" else "",
        continuing="##" if wordpiece else "",
    )
