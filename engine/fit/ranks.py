"""Ranks of tiktoken, and the public tokenizers that come as ranks."""

import numpy as np

from engine.errors import InputError, ModelFileError
from engine.fit.editable import Editable, EncodedWords, MergeParts, NewMerge
from engine.interop.tiktoken.ranks import TiktokenBpe, from_tiktoken, to_tiktoken
from engine.machine.threads import ragged_in_threads


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
