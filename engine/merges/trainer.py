"""Training by merges: cut the corpus into initial symbols, merge the best pair, repeat."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import Pretokens, _count_words, count_pretokens
from engine.corpus.morphemes.selective import is_selective
from engine.corpus.normalize import normalize
from engine.corpus.pretokens.presets import boundary_safe_mask
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes
from engine.errors import InputError
from engine.merge_history import MergeHistory, join_histories
from engine.merge_settings import MergeSettings, merge_settings
from engine.merges.alphabet import Alphabet, ByteAlphabet, CharacterAlphabet, character_forms, strip_space
from engine.merges.bpe import Bpe
from engine.merges.run import MergeRun
from engine.merges.vocabulary import first_tokens
from engine.merges.wordpiece import WordPiece
from engine.pretokenization import pretokenizer_for
from engine.progress import Progress

# Merges between two reports.
_REPORT_EVERY = 250


class MergeTrainer:
    """Learns merges from distinct pre-tokens. Iterate over `rounds()` to the end, then call `model()`.

    Parameters
    ----------
    pretokens : the corpus, as distinct pre-tokens in order of first appearance.
    settings : everything else.
    n_words : white-space-separated words in the corpus, for fertility; None: the number of pre-tokens.
    pretokenizer : of the tokenizer; None: the one named in the settings.

    Attributes
    ----------
    alphabet : the initial symbols.
    n_first : tokens before the first merge, including special tokens: the minimum vocabulary size.
    n_symbols : tokens in the corpus before the first merge.

    Raises
    ------
    InputError : there is no text, or the vocabulary size is smaller than the alphabet.
    """

    def __init__(
        self,
        pretokens: Pretokens,
        settings: MergeSettings,
        n_words: int | None = None,
        pretokenizer: Pretokenizer | None = None,
    ) -> None:
        self.settings = settings
        self._pretokenizer = pretokenizer
        chars = pretokens.chars.view()
        chars.flags.writeable = False  # like all codes, so that kernels are not compiled twice
        begin, end = pretokens.ptr[:-1], pretokens.ptr[1:]
        count = np.asarray(pretokens.count, dtype=np.int64)
        if settings.drops_space:
            begin, end, kept = strip_space(chars, begin, end)
            count = count[kept]
        if begin.size == 0:
            raise InputError("corpus.empty")
        self.n_words = int(count.sum()) if n_words is None else n_words
        self.alphabet = build_alphabet(chars, begin, end, settings)
        first = first_tokens(settings.specials, self.alphabet.tokens)
        self.n_first = len(first)
        self._check_size()
        symbols, ptr = self.alphabet.symbols(chars, begin, end)
        self.n_symbols = int((np.diff(ptr) * count).sum())
        self._max_merges = int(np.maximum(np.diff(ptr) - 1, 0).sum())
        self._run: MergeRun | None = MergeRun(symbols, ptr, count, first, settings)
        self._parts: list[MergeHistory] = []

    def _check_size(self) -> None:
        size = self.settings.vocab_size
        if size is not None and size < self.n_first:
            is_bytes = isinstance(self.alphabet, ByteAlphabet)
            what = "alphabet_bytes" if is_bytes else "alphabet_characters"
            raise InputError("vocabulary.alphabet", size=size, what=what, least=self.n_first)

    @property
    def feasible(self) -> tuple[int, int]:
        """Minimum vocabulary size, and an upper bound of the maximum: each merge joins two symbols of some word."""
        return self.n_first, self.n_first + self._max_merges

    @property
    def history(self) -> MergeHistory:
        """The merges so far."""
        return join_histories(self._parts)

    @property
    def target(self) -> int | None:
        """Number of merges requested by the settings; None: until no pair is left."""
        sizes = [self.settings.max_merges]
        if self.settings.vocab_size is not None:
            sizes.append(self.settings.vocab_size - self.n_first)
        return min((size for size in sizes if size is not None), default=None)

    def rounds(self, every: int = _REPORT_EVERY) -> Iterator[Progress]:
        """Train; yields a report before the first merge and after every `every` merges. It can be iterated once.

        Training may stop below `target` if no pair is left.
        """
        return self._merge_to(self.target, every)

    def _merge_to(self, target: int | None, every: int) -> Iterator[Progress]:
        """Merge until there are `target` merges."""
        run = self._run
        if run is None:
            raise InputError("merges.over")
        self._run = None  # only the generator keeps its large arrays alive
        n_merges = sum(part.n_merges for part in self._parts)
        is_last = n_merges == target
        yield self._progress(n_merges, run.n_tokens, None, is_last)
        while not is_last:
            part = run.merge(every if target is None else min(every, target - n_merges))
            self._parts.append(part)
            n_merges += part.n_merges
            is_last = run.is_exhausted or n_merges == target
            threshold = float(part.frequency[-1]) if part.n_merges else 0.0
            yield self._progress(n_merges, run.n_tokens, threshold, is_last)

    def _progress(self, n_merges: int, n_tokens: int, threshold: float | None, is_last: bool) -> Progress:
        return Progress(n_merges, self.n_first + n_merges, int(n_tokens), int(n_tokens), threshold, 0, is_last)

    def model(self) -> Bpe | WordPiece:
        """The tokenizer with the merges so far."""
        kind = WordPiece if self.settings.algorithm == "wordpiece" else Bpe
        return kind(self.settings, self.alphabet, self.history, self.n_symbols, self.n_words, self._pretokenizer)


def build_alphabet(codes: np.ndarray, begin: np.ndarray, end: np.ndarray, settings: MergeSettings) -> Alphabet:
    """The initial symbols of the words `codes[begin[i]:end[i]]`."""
    n_special = len(settings.specials)
    if settings.algorithm == "byte-bpe":
        return ByteAlphabet(n_special)
    forms = character_forms(codes, begin, end, settings)
    return CharacterAlphabet(n_special, forms, settings, settings.specials.index(settings.unknown))


def merge_trainer(lines: Sequence[str], settings: TrainingSettings | MergeSettings) -> MergeTrainer:
    """A trainer for the lines, normalised and cut according to the settings.

    Raises
    ------
    InputError : there is no text, the pre-tokenizer cannot be used, or the vocabulary is smaller than the alphabet.
    """
    if isinstance(settings, TrainingSettings):
        settings = merge_settings(settings)
    if settings.normalization != "none":
        lines = [normalize(line, settings.normalization) for line in lines]
    pretokenizer = pretokenizer_for(settings.pretokenizer, lines)
    pretokens = count_pretokens(lines, pretokenizer)
    encoding = None if is_selective(settings.pretokenizer) else pretokenizer
    return MergeTrainer(pretokens, settings, int(_count_words(to_codes("\n".join(lines)))), encoding)


def train_merges(lines: Sequence[str], settings: TrainingSettings | MergeSettings) -> Bpe | WordPiece:
    """Train to the end; see merge_trainer."""
    trainer = merge_trainer(lines, settings)
    for _ in trainer.rounds():
        pass
    return trainer.model()


def toy_pretokens(words: Mapping[str, int]) -> Pretokens:
    """Pre-tokens from a table of words and counts, as in slides and textbooks."""
    chars = to_codes("".join(words))
    ptr = np.concatenate([[0], np.cumsum([len(word) for word in words])]).astype(np.int64)
    return Pretokens(chars, ptr, np.array(list(words.values()), dtype=np.int64))


# The seed vocabulary `bpe`: the tokens of whole characters that BPE merges inside the same pre-tokens.
#
# Greedy merges find strings that save tokens, but also intermediate steps that save none once the longer string exists;
# pruning removes those, and rare characters.

# Merges are made in this many parts; surplus tokens of the last part are dropped.
_PARTS = 16


def bpe_tokens(pretokens: Pretokens, settings: TrainingSettings) -> list[str]:
    """Multi-character tokens, in the order in which byte-level BPE merges them.

    With the bytes, there are `seed_factor` x `vocab_size` tokens, or fewer if no pair with a count of `min_count` is
    left. Ties are broken as in `tokenizers`, so that the result does not depend on the order of the sentences.
    """
    room = int(settings.seed_factor * settings.vocab_size) - N_BYTES
    if room <= 0:
        return []
    trainer = MergeTrainer(pretokens, MergeSettings(vocab_size=None, ties="tokenizers", min_count=settings.min_count))
    surfaces = [token.surface for token in trainer.alphabet.tokens]
    found: dict[str, None] = {}  # two merges may create the same text
    for _ in trainer.rounds(-(-room // _PARTS)):
        n_merges = len(surfaces) - trainer.n_first
        new = (column[n_merges:].tolist() for column in trainer.history[:2])
        for left, right in zip(*new, strict=True):
            surfaces.append(surfaces[left] + surfaces[right])
        found |= dict.fromkeys(_allowed(surfaces[trainer.n_first + n_merges :], settings))
        if len(found) >= room:
            break
    return list(found)[:room]


def _allowed(surfaces: list[bytes], settings: TrainingSettings) -> list[str]:
    """The texts of several whole characters that the settings allow in a vocabulary."""
    texts = [_text(surface) for surface in surfaces if len(surface) <= settings.max_token_bytes]
    texts = [text for text in texts if len(text) > 1]
    if not settings.sentencepiece_safe:
        return texts
    return np.array(texts, dtype=object)[boundary_safe_mask(texts, settings.pretokenizer)].tolist()


def _text(surface: bytes) -> str:
    """The text of the bytes; empty if a character is incomplete."""
    try:
        return surface.decode()
    except UnicodeDecodeError:
        return ""
