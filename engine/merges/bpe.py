"""BPE (Sennrich et al. 2016) on characters or on bytes: a trained tokenizer with its merge history."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import CutLines
from engine.corpus.normalize import denormalize, normalize, normalized
from engine.corpus.pretokens.known_patterns import SUPERWORDS
from engine.corpus.pretokens.pretokenize import to_codes, utf8_offsets
from engine.errors import InputError
from engine.merges.alphabet import UNSEEN_FORM, ByteAlphabet, strip_space
from engine.merges.merged import Merged
from engine.merges.replay import MergeTable, build_merge_table, merge_words
from engine.merges.vocabulary import encode_around, tiled
from engine.pretokenization import MECAB
from engine.tokenizer import Encoding, encoding_as_given
from engine.vocabulary.fewest import fewest_of_bytes


class Bpe(Merged):
    """A trained BPE tokenizer.

    Notes
    -----
    On bytes, `decode(encode(text).ids) == text` for any text. On characters with an end-of-word mark, white space
    between words is not tokenized, and decoding writes one space after each mark except the last: if all characters are
    in the vocabulary in the needed forms, the result is the stripped pre-tokens joined by single spaces.
    """

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        if self.settings.pretokenizer == MECAB:
            return "BPE-Mecab"
        if self.settings.pretokenizer == SUPERWORDS:
            return "SuperBPE"
        return "Byte-level BPE" if isinstance(self.alphabet, ByteAlphabet) else "BPE"

    @cached_property
    def merge_table(self) -> MergeTable:
        """Lookup table of the merges."""
        made = self.n_first + np.arange(self.n_merges, dtype=np.int32)
        return build_merge_table(self.history.left, self.history.right, made)

    def encode(self, text: str, allow_special: bool = False, n_merges: int | None = None) -> Encoding:
        """Ids and byte spans; the spans tile the (normalised) text.

        Parameters
        ----------
        text : any text; line ends are ordinary characters.
        allow_special : whether the text of a special token becomes that token. By default it stays text.
        n_merges : number of merges to apply; None: all.

        Notes
        -----
        White space that is not tokenized belongs to the span of the following token, or of the last one at the end of
        the text. If the end-of-word mark is a separate symbol, its span is the white space after the word, if any.
        """
        form = self.normalization
        special = self.special_tokens if allow_special else {}
        seen = normalize(text, form)
        return encoding_as_given(encode_around(seen, special, lambda piece: self._encode(piece, n_merges)), text, form)

    def encode_after(self, n_merges: int, text: str) -> Encoding:
        """Encode with the first `n_merges` merges only."""
        return self.encode(text, n_merges=self._checked(n_merges))

    def byte_ranks(self) -> Mapping[bytes, int] | None:
        """Ids by bytes of a byte-level vocabulary, in merge order. None on characters."""
        if self.forms is not None:
            return None
        ranks: dict[bytes, int] = {}
        for token_id, token in enumerate(self.tokens):
            if token.surface and ranks.setdefault(token.surface, token_id) != token_id:
                raise InputError(
                    "export.tiktoken_repeated", first=ranks[token.surface], token_id=token_id, label=token.label
                )
        return ranks

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray | None:
        """Minimum number of tokens per line (int64[n_lines]) for a byte-level vocabulary; None on characters."""
        if self.forms is not None:
            return None
        text = normalized(lines, self.normalization)
        return fewest_of_bytes((token.surface for token in self.tokens), self.pretokenizer, text, cut)

    def merged_words(
        self, codes: np.ndarray, begin: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Tokens of the words `codes[begin[i]:end[i]]` (int32; -1: merges with nothing), ptr, and the words' indexes.

        The words tile the codes. Words that are only white space are left out where it is not tokenized.
        """
        kept = np.arange(begin.size)
        if self.settings.drops_space:
            begin, end, kept = strip_space(codes, begin, end)
        ids, _, ptr = merge_words(*self.alphabet.symbols(codes, begin, end), self.merge_table)
        ids[(ids >= UNSEEN_FORM) | (ids == (-1 if self.unknown_id is None else self.unknown_id))] = -1
        return ids, ptr, kept

    def _encode(self, text: str, n_merges: int | None) -> Encoding:
        codes = to_codes(text)
        bounds = self.pretokenizer.boundaries(codes)
        begin, end = bounds[:-1], bounds[1:]
        if self.settings.drops_space:
            begin, end, _ = strip_space(codes, begin, end)
        symbols, symbol_ptr = self.alphabet.symbols(codes, begin, end)
        ids, sizes, ptr = merge_words(symbols, symbol_ptr, self.merge_table, n_merges)
        ids[ids >= UNSEEN_FORM] -= UNSEEN_FORM
        offsets = utf8_offsets(codes)
        if isinstance(self.alphabet, ByteAlphabet):
            ends = np.cumsum(sizes, dtype=np.int64)
        else:
            ends = offsets[_character_ends(sizes, ptr, begin, end, codes.size)]
        return tiled(ids, ends, int(offsets[-1]))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids, special tokens included; invalid UTF-8 bytes as `<0xEC>`."""
        if self.settings.drops_space:
            text = self.words(ids, bool(self.settings.continuing), bool(self.settings.end_of_word))
        else:
            text = self.surface(ids)
        return denormalize(text, self.normalization)


@kernel
def _character_ends(sizes, ptr, begin, end, n_codes):
    """End of each token in the text (code points); a separate mark ends where the next word begins."""
    ends = np.empty(sizes.size, dtype=np.int64)
    for i in range(begin.size):
        at = begin[i]
        for k in range(ptr[i], ptr[i + 1]):
            if at >= end[i]:
                ends[k] = begin[i + 1] if i + 1 < begin.size else n_codes
            at += sizes[k]
            if at - sizes[k] < end[i]:
                ends[k] = min(at, end[i])
    return ends
