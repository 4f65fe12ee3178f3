"""SuperBPE (Liu et al. 2025): byte-level BPE inside words, then on across spaces; the model is ordinary byte-level BPE.

The second stage takes the text as pieces that are mostly whole lines, applies the merges of the first and merges on.
Merges of the first stage that no piece has are left out, as in the authors' program (alisawuffles/tokenizers-superbpe):
` 2` of `in 2024`, for instance, since a number is a piece.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.config import TrainingSettings
from engine.corpus.arrays import Pretokens, _count_words, _gather, _intern, count_pretokens, frozen
from engine.corpus.normalize import normalize
from engine.corpus.pretokens.known_patterns import SUPERWORDS
from engine.corpus.pretokens.pretokenize import to_codes, utf8_offsets
from engine.merge_history import MergeHistory
from engine.merge_settings import MergeSettings, merge_settings
from engine.merges.replay import build_merge_table, merge_words
from engine.merges.run import MergeRun
from engine.merges.trainer import _REPORT_EVERY, MergeTrainer
from engine.merges.vocabulary import add_merged, first_tokens
from engine.pretokenization import get_pretokenizer, pretokenizer_for
from engine.progress import Progress

# Words that a token of the second stage may join, as in the authors' program.
_MOST_WORDS = 4

# Symbols that are compared with their neighbours in one step, to save memory.
_AT_ONCE = 1 << 20


class SuperBpeTrainer(MergeTrainer):
    """Learns merges in two stages; the interface is that of MergeTrainer.

    Parameters
    ----------
    words : the corpus as distinct pre-tokens, which no merge of the first stage crosses.
    pieces : the same corpus as distinct pieces of the pattern SUPERWORDS.
    settings : of byte-level BPE, with the size after the second stage.
    first_size : size of the vocabulary after the first stage.
    n_words : white-space-separated words in the corpus.

    Raises
    ------
    InputError : as MergeTrainer.
    """

    def __init__(
        self, words: Pretokens, pieces: Pretokens, settings: MergeSettings, first_size: int, n_words: int
    ) -> None:
        super().__init__(words, replace(settings, pretokenizer=SUPERWORDS), n_words)
        self._pieces: Pretokens | None = pieces
        self._first_size = first_size
        self._max_merges = int(utf8_offsets(frozen(pieces.chars))[-1]) - pieces.count.size

    def rounds(self, every: int = _REPORT_EVERY) -> Iterator[Progress]:
        """Train; the second stage begins with a report of the corpus in the tokens of the first."""
        for report in self._merge_to(max(0, self._first_size - self.n_first), every):
            yield report._replace(is_last=False)
        self._cross_spaces()
        yield from self._merge_to(self.target, every)

    def _cross_spaces(self) -> None:
        """Apply the merges to the pieces, which the second stage goes on from."""
        pieces, self._pieces = self._pieces, None
        assert pieces is not None  # a generator's rounds are made once
        history, n_first = self.history, self.n_first
        symbols, ptr = self.alphabet.symbols(frozen(pieces.chars), pieces.ptr[:-1], pieces.ptr[1:])
        ids, ptr = _merge_pieces(symbols, ptr, history, n_first)
        times = np.bincount(ids, np.repeat(pieces.count, np.diff(ptr)), n_first + history.n_merges)
        used = _uses(times.astype(np.int64), history, n_first)
        history, new_id = _without_unused(history, used, n_first)
        used = used[n_first:]
        history = history._replace(n_tokens=self.n_symbols - np.cumsum(used[used > 0]))
        self._parts = [history]
        first = first_tokens(self.settings.specials, self.alphabet.tokens)
        tokens = add_merged(first, history.left, history.right, "", is_bytes=True)
        self._run = MergeRun(new_id[ids], ptr, pieces.count, tokens, self.settings, _MOST_WORDS)


def _merge_pieces(
    symbols: np.ndarray, ptr: np.ndarray, history: MergeHistory, n_first: int
) -> tuple[np.ndarray, np.ndarray]:
    """Tokens of the pieces and their ptr, as `merge_words` gives them.

    No token crosses two bytes that are neighbours in none, so the pieces are cut there first: few of the parts differ.
    """
    is_whole = np.zeros((n_first, n_first), dtype=np.bool_)
    opening, closing = [*range(n_first)], [*range(n_first)]
    for left, right in zip(history.left.tolist(), history.right.tolist(), strict=True):
        is_whole[closing[left], opening[right]] = True
        opening.append(opening[left])
        closing.append(closing[right])
    is_cut = np.ones(symbols.size + 1, dtype=np.bool_)
    for at in range(1, symbols.size, _AT_ONCE):
        here = slice(at, min(at + _AT_ONCE, symbols.size))
        is_cut[here] = ~is_whole[symbols[here.start - 1 : here.stop - 1], symbols[here]]
    is_cut[ptr] = True
    cuts = np.flatnonzero(is_cut)
    numbers, first = _intern(frozen(symbols), cuts[:-1], cuts[1:])
    parts, part_ptr = _gather(frozen(symbols), cuts[first], cuts[first + 1])
    made = n_first + np.arange(history.n_merges, dtype=np.int32)
    ids, _, part_ptr = merge_words(parts, part_ptr, build_merge_table(history.left, history.right, made))
    sizes = np.diff(part_ptr)[numbers]
    ends = np.cumsum(sizes)
    places = np.repeat(part_ptr[numbers] - (ends - sizes), sizes)
    places += np.arange(places.size)
    return ids[places], np.append(0, ends)[np.searchsorted(cuts, ptr)]


def _uses(times: np.ndarray, history: MergeHistory, n_first: int) -> np.ndarray:
    """How often each token is made, also those that are parts of others now (int64), from the times that it is left."""
    uses = times.tolist()
    pairs = zip(history.left.tolist(), history.right.tolist(), strict=True)
    for made, (left, right) in reversed([*enumerate(pairs, start=n_first)]):
        uses[left] += uses[made]
        uses[right] += uses[made]
    return np.array(uses, dtype=np.int64)


def _without_unused(history: MergeHistory, uses: np.ndarray, n_first: int) -> tuple[MergeHistory, np.ndarray]:
    """The merges whose tokens are used, and the new ids (int32; -1: left out; the last entry is for the id -1)."""
    is_kept = uses > 0
    is_kept[:n_first] = True
    new_id = np.append(np.where(is_kept, np.cumsum(is_kept) - 1, -1), -1).astype(np.int32)
    history = MergeHistory(*(column[is_kept[n_first:]] for column in history))
    left, right, runner_left, runner_right = (
        new_id[ids] for ids in (history.left, history.right, history.runner_left, history.runner_right)
    )
    is_lost = np.minimum(runner_left, runner_right) < 0
    runner_left[is_lost] = runner_right[is_lost] = -1
    return history._replace(left=left, right=right, runner_left=runner_left, runner_right=runner_right), new_id


def superbpe_trainer(lines: Sequence[str], settings: TrainingSettings) -> SuperBpeTrainer:
    """A trainer for the lines, normalised.

    Raises
    ------
    InputError : as `engine.merges.trainer.merge_trainer`.
    """
    merges = merge_settings(replace(settings, algorithm="byte-bpe"))
    if settings.normalization != "none":
        lines = [normalize(line, settings.normalization) for line in lines]
    words = count_pretokens(lines, pretokenizer_for(settings.pretokenizer, lines))
    pieces = count_pretokens(lines, get_pretokenizer(SUPERWORDS))
    first_size = round(settings.transition * settings.vocab_size)
    return SuperBpeTrainer(words, pieces, merges, first_size, int(_count_words(to_codes("\n".join(lines)))))
