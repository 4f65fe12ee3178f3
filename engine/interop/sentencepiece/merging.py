"""How SentencePiece cuts normalized texts with a BPE model: the adjacent pair with the best score merges first.

A text is first cut where no piece has the characters on both sides next to each other, so that no merge crosses the
cut. Of the words between, which mostly are those between spaces, each distinct one is merged once.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from engine._jit import kernel, subkernel
from engine.corpus.arrays import cut_lines, offsets
from engine.corpus.pretokens.pretokenize import MOST_BYTES, Pretokenizer, _utf8_byte, _utf8_size, to_codes, utf8_offsets
from engine.errors import ModelFileError
from engine.interop.sentencepiece.proto import NORMAL, USER_DEFINED, ModelPiece
from engine.lattice.encoding import _spread
from engine.machine.threads import ragged_in_threads
from engine.merges.replay import build_merge_table, merge_words
from engine.merges.token_parts import index_bytes, two_parts
from engine.merges.wordpiece import _longest
from engine.tokenizer import EncodedBatch
from engine.vocabulary.trie import build_trie

MARK = "▁"
"""A space in a piece."""

_BITS = 19  # of a hash of two characters; the pieces of Gemma 3 have 34,000 pairs
_MOST_PARTS = 4_000_000  # ways to cut pieces in two; Gemma 2 has 600,000
_NO_MARK = to_codes("")


@subkernel
def _pair_hash(a, b):
    return (((np.uint64(a) << np.uint64(21)) | np.uint64(b)) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _BITS)


@kernel
def _note_pairs(codes, ptr, is_inside):
    for i in range(ptr.size - 1):
        for k in range(ptr[i] + 1, ptr[i + 1]):
            is_inside[_pair_hash(codes[k - 1], codes[k])] = True


@kernel
def _cut_between_pieces(codes, line_begin, line_end, is_inside):
    """Ends of the words, and line_ptr into them."""
    total = 0
    for line in range(line_begin.size):
        total += line_end[line] - line_begin[line]
    ends = np.empty(total, dtype=np.int64)
    line_ptr = np.empty(line_begin.size + 1, dtype=np.int64)
    line_ptr[0] = 0
    n = 0
    for line in range(line_begin.size):
        for k in range(line_begin[line] + 1, line_end[line]):
            if not is_inside[_pair_hash(codes[k - 1], codes[k])]:
                ends[n] = k
                n += 1
        if line_end[line] > line_begin[line]:
            ends[n] = line_end[line]
            n += 1
        line_ptr[line + 1] = n
    return ends[:n].copy(), line_ptr


@kernel
def _first_symbols(codes, begin, end, frozen, symbol_of, byte_pieces, unknown):
    """Symbols of the words `codes[begin[i]:end[i]]` before any merge (int32), and their ptr.

    A character without a symbol is one of each of its bytes, or `unknown` plus their number without `byte_pieces`.
    """
    symbols = np.empty(MOST_BYTES * (end - begin).sum(), dtype=np.int32)
    ptr = np.empty(begin.size + 1, dtype=np.int64)
    ptr[0] = 0
    n = 0
    for i in range(begin.size):
        at = begin[i]
        while at < end[i]:
            if frozen.token.size > 1:
                length, token = _longest(codes, at, end[i], _NO_MARK, frozen)
                if length > 0:
                    symbols[n] = token
                    n += 1
                    at += length
                    continue
            c = codes[at]
            at += 1
            symbol = symbol_of[min(c, symbol_of.size - 1)]
            size = _utf8_size(c)
            if symbol >= 0:
                symbols[n] = symbol
                n += 1
            elif byte_pieces.size == 0:
                symbols[n] = unknown + size
                n += 1
            else:
                for b in range(size):
                    symbols[n + b] = byte_pieces[_utf8_byte(c, size, b)]
                n += size
        ptr[i + 1] = n
    return symbols[:n].copy(), ptr


class PieceMerger:
    """Encodes normalized texts by merges.

    Parameters
    ----------
    pieces : of the file. User-defined ones are symbols that never merge, the longest at the leftmost place.
    score : float32 by id; of the pairs that form a piece, that of the highest score merges first, the leftmost on ties.
    unknown : id of the unknown piece.
    byte_pieces : int32[256], or of size 0 without byte fallback: adjacent unknown characters are then one token.

    Raises
    ------
    ModelFileError : there are more ways to cut pieces in two than in any real model.
    """

    def __init__(self, pieces: Sequence[ModelPiece], score: np.ndarray, unknown: int, byte_pieces: np.ndarray) -> None:
        self._unknown, self._byte_pieces = unknown, byte_pieces
        ids = [i for i, piece in enumerate(pieces) if piece.kind == NORMAL]
        frozen = [i for i, piece in enumerate(pieces) if piece.kind == USER_DEFINED]
        texts = [pieces[i].text for i in ids]
        # Characters that are parts of pieces only: symbols beyond the ids, of which unknown ones with 0 to 4 bytes.
        self._beyond = len(pieces)
        parts = sorted(set("".join(texts)) - set(texts))
        self._spelled = np.full((MOST_BYTES + 1 + len(parts), MOST_BYTES), -1, dtype=np.int32)
        if byte_pieces.size:
            for row, part in enumerate(parts, start=MOST_BYTES + 1):
                self._spelled[row, : len(part.encode())] = byte_pieces[list(part.encode())]
        symbols = np.array([*ids, *range(self._beyond + MOST_BYTES + 1, self._beyond + len(self._spelled))], np.int32)
        index = index_bytes([text.encode() for text in (*texts, *parts)])
        left, right, made = two_parts(index)
        if made.size > _MOST_PARTS:
            raise ModelFileError("refused.parts", count=made.size, most=_MOST_PARTS)
        rank = np.unique(-score[ids], return_inverse=True)[1].astype(np.int32)
        self._table = build_merge_table(symbols[left], symbols[right], symbols[made], rank[made])
        self._rank = dict(zip(ids, rank.tolist(), strict=True))
        self._frozen = build_trie([pieces[i].text for i in frozen], np.array(frozen, dtype=np.int32))
        of_character = {
            ord(text): symbol for text, symbol in zip((*texts, *parts), symbols, strict=True) if len(text) == 1
        }
        self._symbol_of = np.full(2 + max(of_character, default=0), -1, dtype=np.int32)
        self._symbol_of[list(of_character)] = list(of_character.values())

        written = [*(piece.text for piece in pieces), *(MOST_BYTES + 1) * [""], *parts]
        codes, ptr = to_codes("".join(written)), offsets(list(map(len, written)))
        self._is_inside = np.zeros(1 << _BITS, dtype=np.bool_)
        _note_pairs(codes, ptr, self._is_inside)
        self._words = Pretokenizer("pieces", scan=self._cut)
        n_bytes = np.diff(utf8_offsets(codes)[ptr])
        n_bytes[byte_pieces] = 1
        n_bytes[self._beyond :][: MOST_BYTES + 1] = range(MOST_BYTES + 1)
        with_spaces = n_bytes - (len(MARK.encode()) - 1) * np.diff(offsets(codes == ord(MARK))[ptr])
        self._n_bytes = (n_bytes, with_spaces)

    def _cut(self, codes: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        words: tuple[np.ndarray, np.ndarray] = _cut_between_pieces(codes, begin, end, self._is_inside)
        return words

    def last_merges(self, pieces: Sequence[ModelPiece]) -> tuple[np.ndarray, np.ndarray]:
        """The ids (int32[n_pieces] each) that the last merge of each piece of two or more characters joins.

        -1: its characters do not merge into it, or a part is a character without an id, which is never the right one.
        """
        left, right = (np.full(len(pieces), -1, dtype=np.int32) for _ in range(2))
        size = offsets([len(pieces[i].text) for i in self._rank])
        codes = to_codes("".join(pieces[i].text for i in self._rank))
        tables = (self._frozen, self._symbol_of, self._byte_pieces, self._beyond)
        symbols, ptr = _first_symbols(codes, size[:-1], size[1:], *tables)
        for (i, rank), (begin, end) in zip(self._rank.items(), pairwise(ptr.tolist()), strict=True):
            ids, _, _ = merge_words(symbols[begin:end], np.array([0, end - begin]), self._table, rank)
            if ids.size == 2:
                parts = [id_ if id_ < len(pieces) else -1 for id_ in ids.tolist()]
                left[i], right[i] = parts if parts[1] >= 0 else reversed(parts)
        return left, right

    def encode_lines(self, lines: Sequence[str], threads: int, marks_are_spaces: bool) -> EncodedBatch:
        """Tokens of normalized lines, their sizes in the normalized text, with `marks_are_spaces` as it was before."""
        cut = cut_lines(lines, self._words, threads)

        def merged(begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            tables = (self._frozen, self._symbol_of, self._byte_pieces, self._beyond)
            symbols, ptr = _first_symbols(cut.codes, begin, end, *tables)
            ids, _, ptr = merge_words(symbols, ptr, self._table)
            return self._written(ids, ptr) if self._byte_pieces.size else (ids, ptr)

        words = ragged_in_threads(merged, cut.begin, cut.end, threads)
        ids, line_ptr = _spread(*words, cut.numbers, cut.line_ptr)
        return self._fused(EncodedBatch(ids, self._n_bytes[marks_are_spaces][ids], line_ptr))

    def _written(self, ids: np.ndarray, ptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Characters that have not become a part of a piece as their bytes."""
        is_beyond = ids >= self._beyond
        if not is_beyond.any():
            return ids, ptr
        spelled = np.full((ids.size, MOST_BYTES), -1, dtype=np.int32)
        spelled[:, 0] = ids
        spelled[is_beyond] = self._spelled[ids[is_beyond] - self._beyond]
        return spelled[spelled >= 0], offsets((spelled >= 0).sum(axis=1))[ptr]

    def _fused(self, batch: EncodedBatch) -> EncodedBatch:
        """Adjacent unknown characters of a line as one unknown token."""
        is_unknown = batch.ids >= self._beyond
        if not is_unknown.any():
            return batch
        is_first = np.ones(batch.ids.size + 1, dtype=np.bool_)
        is_first[1:-1] = ~(is_unknown[1:] & is_unknown[:-1])
        is_first[batch.line_ptr] = True
        first = np.flatnonzero(is_first[:-1])
        ids = np.where(is_unknown, np.int32(self._unknown), batch.ids)[first]
        return EncodedBatch(ids, np.add.reduceat(batch.size, first), offsets(is_first[:-1])[batch.line_ptr])
