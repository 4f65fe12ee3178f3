"""BPE: trained here, with its history, or the ranks of tiktoken, as which public tokenizers come."""

import dataclasses

import numpy as np

from engine.errors import InputError, ModelFileError
from engine.fit.editable import Editable, EncodedWords, MergeParts, NewMerge
from engine.interop.tiktoken.ranks import TiktokenBpe, from_tiktoken, to_tiktoken
from engine.machine.threads import ragged_in_threads
from engine.merge_history import MergeHistory, join_histories
from engine.merges.bpe import Bpe


class RankFile(Editable):
    """Ids may be missing in the file, as those of special tokens are; see Editable."""

    target = "tiktoken"
    merges_by_text = True
    tokenizer: TiktokenBpe

    def __init__(self, tokenizer: TiktokenBpe, data: bytes | None = None) -> None:
        self.tokenizer = tokenizer
        self.data = to_tiktoken(tokenizer) if data is None else data

    def words(self, lines: list[str], threads: int) -> EncodedWords:
        """The distinct pre-tokens of the lines."""
        cut = self._cut(lines, threads)
        ids, ptr = ragged_in_threads(self.tokenizer.merger(cut.codes), cut.begin, cut.end, threads)
        return EncodedWords(ids, ptr, np.bincount(cut.numbers, minlength=cut.begin.size))

    def texts(self) -> list[bytes]:
        """Bytes by id."""
        return [self.tokenizer.token_bytes(i) for i in range(self.tokenizer.vocab_size)]

    def parts(self) -> MergeParts:
        """The last merge of every token's bytes; none for one that only a shortcut makes, as a whole pre-token."""
        n = self.tokenizer.vocab_size
        left, right = (np.full(n, -1, dtype=np.int32) for _ in range(2))
        is_fixed = np.ones(n, dtype=bool)
        for token_id, parts in self.tokenizer.last_merges():
            is_fixed[token_id] = False
            if parts is not None:
                left[token_id], right[token_id] = parts
        return MergeParts(left, right, is_fixed)

    def extended(self, merges: list[NewMerge]) -> tuple[TiktokenBpe, bytes]:
        """With new ranks, above those of the special tokens."""
        ranks = {**self.tokenizer.ranks, **{merge.text: merge.made for merge in merges}}
        return self._written(self.tokenizer.with_ranks(ranks, self.tokenizer.special_tokens))

    def trimmed(self, new_id: np.ndarray) -> tuple[TiktokenBpe, bytes]:
        """With the ranks that are left."""
        new = new_id.tolist()
        ranks = {token: new[rank] for token, rank in self.tokenizer.ranks.items() if new[rank] >= 0}
        special = {text: new[token_id] for text, token_id in self.tokenizer.special_tokens.items()}
        tokenizer, data = self._written(self.tokenizer.with_ranks(ranks, special))
        try:
            from_tiktoken(data)
        except ModelFileError:
            raise InputError("fit.holes") from None
        return tokenizer, data

    @staticmethod
    def _written(tokenizer: TiktokenBpe) -> tuple[TiktokenBpe, bytes]:
        return tokenizer, to_tiktoken(tokenizer)


class TrainedBpe(Editable):
    """Every merge makes a token, so two tokens may have the same text; see Editable."""

    tokenizer: Bpe

    def __init__(self, tokenizer: Bpe) -> None:
        self.tokenizer = tokenizer
        self.data = b"".join(tokenizer.file_parts())

    def words(self, lines: list[str], threads: int) -> EncodedWords:
        """The distinct pre-tokens of the lines."""
        cut = self._cut(lines, threads)
        size = cut.end - cut.begin
        ends = np.cumsum(size)
        codes = cut.codes[np.repeat(cut.begin - ends + size, size) + np.arange(size.sum())]  # the words, concatenated
        ids, ptr, kept = self.tokenizer.merged_words(codes, ends - size, ends)
        return EncodedWords(ids, ptr, np.bincount(cut.numbers, minlength=cut.begin.size)[kept])

    def parts(self) -> MergeParts:
        """As the history has them."""
        model = self.tokenizer
        none = np.full(model.n_first, -1, dtype=np.int32)
        left, right = (np.concatenate([none, side]) for side in model.history[:2])
        return MergeParts(left, right, np.arange(model.vocab_size) < model.n_first)

    def extended(self, merges: list[NewMerge]) -> tuple[Bpe, bytes]:
        """With more merges; what the history counts stays that of the training text, and is 0 for the new ones."""
        old = self.tokenizer.history
        new = MergeHistory(*(np.zeros(len(merges), dtype=column.dtype) for column in old))
        new.left[:], new.right[:] = ([merge[side] for merge in merges] for side in (0, 1))
        new.runner_left[:] = new.runner_right[:] = -1
        new.n_ties[:] = 1
        new.n_tokens[:] = old.n_tokens[-1] if old.n_merges else self.tokenizer.n_symbols
        return self._with(join_histories([old, new]))

    def trimmed(self, new_id: np.ndarray) -> tuple[Bpe, bytes]:
        """Without some of the merges; a runner-up that is gone was none."""
        model = self.tokenizer
        kept = new_id[model.n_first :] >= 0
        if not kept.all() and int(new_id.max()) >= int((new_id >= 0).sum()):
            raise InputError("fit.holes")
        columns = model.history._asdict()
        for side in ("left", "right", "runner_left", "runner_right"):
            ids = columns[side]
            columns[side] = np.where(ids >= 0, new_id[ids], -1).astype(np.int32)
        return self._with(MergeHistory(**{name: column[kept] for name, column in columns.items()}))

    def _with(self, history: MergeHistory) -> tuple[Bpe, bytes]:
        old = self.tokenizer
        size = old.settings.vocab_size
        settings = dataclasses.replace(old.settings, vocab_size=size and old.n_first + history.n_merges)
        model = Bpe(settings, old.alphabet, history, old.n_symbols, old.n_words, old.pretokenizer)
        return model, b"".join(model.file_parts())
