"""The models of `tokenizer.json`: pieces of text to ids. BPE and WordPiece use the kernels of `engine.merges`."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.interop.imported.aligned_text import cut_out, to_bytes
from engine.interop.imported.imported_lattice import ScoredPieces
from engine.interop.imported.pretokenizers import TextPieces
from engine.lattice.encoding import _segment_pieces
from engine.merges.replay import MergeTable, merge_words
from engine.merges.wordpiece import _max_match
from engine.vocabulary.fewest import fewest_in_pieces
from engine.vocabulary.trie import Trie, build_trie

# How far the score of an unknown character is below the lowest token score.
UNKNOWN_PENALTY = 10


class EncodedTokens(NamedTuple):
    """Tokens: ids (int32), and the end of each in the original text (int64, UTF-8 bytes)."""

    ids: np.ndarray
    ends: np.ndarray


class SubwordModel(Protocol):
    """Cuts pieces into tokens.

    Attributes
    ----------
    longest : characters of the longest token searched for at every position of a text; 0 if none is.
    """

    longest: int

    def encode(self, pieces: TextPieces) -> EncodedTokens:
        """Tokens of all pieces, in order."""

    def fewest(self, pieces: TextPieces) -> int | None:
        """The fewest tokens that can spell all pieces; None if a piece may become the unknown token."""

    def statistics(self, vocab_size: int) -> Mapping[str, np.ndarray]:
        """What the file says about every token; see `Tokenizer.statistics`."""


def _bounds(pieces: TextPieces) -> tuple[np.ndarray, np.ndarray]:
    ranges = np.array(pieces.ranges, dtype=np.int64).reshape(-1, 2)
    return ranges[:, 0].copy(), ranges[:, 1].copy()


def _fewest(pieces: TextPieces, trie: Trie, byte_ids: np.ndarray | None) -> int | None:
    has_bytes = byte_ids is not None and bool((byte_ids >= 0).all())
    fewest = fewest_in_pieces(to_codes(pieces.source.text), *_bounds(pieces), trie, has_bytes)
    return None if (fewest < 0).any() else int(fewest.sum())


class UnigramModel:
    """Viterbi as in `tokenizers`: a tie goes to the earliest start; a character without a token scores 10 below the
    least probable token; adjacent unknown characters are one token, or bytes if all their bytes are tokens.

    Parameters
    ----------
    ids : id by text, including the unknown token, which also matches text.
    trie : of these texts.
    score : float64 by id, natural logarithms.
    unknown : id of the unknown token; None if there is none.
    byte_ids : id of each byte's token, -1 if it has none; None without byte fallback.

    Attributes
    ----------
    unknown_score : of a character without a token.
    """

    def __init__(
        self, ids: dict[str, int], trie: Trie, score: np.ndarray, unknown: int | None, byte_ids: np.ndarray | None
    ) -> None:
        self.longest = max(map(len, ids))
        self._ids = ids
        self._trie = trie
        self._score = score
        self._unknown = unknown
        self._byte_ids = byte_ids
        self.unknown_score = float(score.min() - UNKNOWN_PENALTY)

    def scored_pieces(self, label: Callable[[int], str]) -> ScoredPieces:
        """The vocabulary with its probabilities; `label` gives the text of a token."""
        return ScoredPieces(
            self._ids, self._trie, self._score, self.unknown_score, self._unknown, self._byte_ids, label
        )

    def statistics(self, vocab_size: int) -> Mapping[str, np.ndarray]:
        """The scores."""
        log_prob = np.full(vocab_size, np.nan)
        log_prob[: self._score.size] = self._score
        return {"log_prob": log_prob}

    def fewest(self, pieces: TextPieces) -> int | None:
        """The fewest tokens that can spell all pieces."""
        return _fewest(pieces, self._trie, self._byte_ids)

    def encode(self, pieces: TextPieces) -> EncodedTokens:
        """Tokens of all pieces, in order."""
        source = pieces.source
        begin, end = _bounds(pieces)
        codes = to_codes(source.text)
        ids, begins, ends = _segment_pieces(codes, begin, end, *self._trie, self._score, self.unknown_score)
        unknown = -1 if self._unknown is None else self._unknown
        at = np.flatnonzero((ids < 0) | (ids == unknown))
        if not at.size:
            return EncodedTokens(ids, source.ends[ends - 1])
        if self._unknown is None:
            raise InputError("import.no_token", character=source.text[begins[at[0]]])
        return self._without_unknown(pieces, ids, begins, ends, set(begin.tolist()))

    def _without_unknown(
        self, pieces: TextPieces, ids: np.ndarray, begins: np.ndarray, ends: np.ndarray, starts: set[int]
    ) -> EncodedTokens:
        """Replace runs of unknown characters inside a piece by one token, or by bytes."""
        source = pieces.source
        out: list[int] = []
        out_ends: list[int] = []
        run: int | None = None  # start of the current run of unknown characters
        rows = [*zip(ids.tolist(), begins.tolist(), ends.tolist(), strict=True), (-2, len(source.text), 0)]
        last = 0
        for token, begin, end in rows:
            is_unknown = token in (-1, self._unknown)
            if run is not None and (not is_unknown or begin in starts):
                self._end_run(pieces, run, last, out, out_ends)
                run = None
            if is_unknown:
                run = begin if run is None else run
                last = end
            elif token >= 0:
                out.append(token)
                out_ends.append(int(source.ends[end - 1]))
        return EncodedTokens(np.array(out, dtype=np.int32), np.array(out_ends, dtype=np.int64))

    def _end_run(self, pieces: TextPieces, begin: int, end: int, out: list[int], out_ends: list[int]) -> None:
        run = cut_out(pieces.source, begin, end)
        known = self._ids.get(run.text)
        if known is None and self._byte_ids is not None:
            as_bytes, _ = to_bytes(run)
            ids = self._byte_ids[to_codes(as_bytes.text)]
            if (ids >= 0).all():
                out += ids.tolist()
                out_ends += as_bytes.ends.tolist()
                return
        assert self._unknown is not None
        out.append(self._unknown if known is None else known)
        out_ends.append(int(run.ends[-1]))


class BpeModel:
    """Merges in order of rank, starting from the characters of a piece.

    A character without a token (including the prefix of a continuing character and the mark of the last) becomes bytes
    if all of them are tokens, else the unknown token, else nothing, as in `tokenizers`.

    Parameters
    ----------
    ids : id by text.
    table : the merges.
    prefix, suffix : of characters that do not begin a piece, and of the last.
    unknown : id of the unknown token; None if there is none.
    fuse_unknown : adjacent unknown characters become one token.
    byte_ids : see UnigramModel.
    ignore_merges : a piece that is a token stays whole.
    """

    longest = 0

    def __init__(
        self,
        ids: dict[str, int],
        table: MergeTable,
        prefix: str,
        suffix: str,
        unknown: int | None,
        fuse_unknown: bool,
        byte_ids: np.ndarray | None,
        ignore_merges: bool,
    ) -> None:
        self._ids = ids
        self._table = table
        self._prefix = prefix
        self._suffix = suffix
        self._unknown = unknown
        self._fuse_unknown = fuse_unknown
        self._byte_ids = byte_ids
        self._ignore_merges = ignore_merges

    def statistics(self, vocab_size: int) -> Mapping[str, np.ndarray]:
        """The number of the first merge that produces each token."""
        made = self._table.token
        merge = np.full(vocab_size, -1, dtype=np.int64)
        merge[made[::-1]] = np.arange(made.size, 0, -1)
        return {"merge": merge}

    @cached_property
    def _trie(self) -> Trie:
        """Trie of the tokens that text may become: characters and results of merges."""
        made = set(self._table.token.tolist())
        texts = {
            text: token for text, token in self._ids.items() if self._ignore_merges or len(text) == 1 or token in made
        }
        return build_trie(list(texts), np.fromiter(texts.values(), dtype=np.int32, count=len(texts)))

    @property
    def has_marks(self) -> bool:
        """Whether characters carry marks of their place in a word."""
        return bool(self._prefix or self._suffix)

    def merge_characters(self, text: str, n_merges: int) -> list[int]:
        """Tokens of a text without marks after the first `n_merges` merges."""
        ids = [i for character in text for i in self._symbols(character, False, False)[0]]
        merged, _, _ = merge_words(np.array(ids, dtype=np.int32), np.array([0, len(ids)]), self._table, n_merges)
        return [int(i) for i in merged]

    def fewest(self, pieces: TextPieces) -> int | None:
        """The fewest tokens that can spell all pieces; None if characters carry marks."""
        return None if self.has_marks else _fewest(pieces, self._trie, self._byte_ids)

    def encode(self, pieces: TextPieces) -> EncodedTokens:
        """Tokens of all pieces, in order."""
        found = self._all_known(pieces)
        if found is None:
            found = self._by_character(pieces)
        symbols, ends, ptr = found
        made, sizes, _ = merge_words(symbols, ptr, self._table)
        return EncodedTokens(made, ends[np.cumsum(sizes) - 1] if made.size else ends)

    def _all_known(self, pieces: TextPieces) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Symbols, their ends and ptr by piece if every character is a token; else None."""
        if self._prefix or self._suffix or self._ignore_merges:
            return None
        begin, end = _bounds(pieces)
        ptr = np.concatenate([[0], np.cumsum(end - begin)]).astype(np.int64)
        at = np.repeat(begin - ptr[:-1], end - begin) + np.arange(ptr[-1])
        characters, place = np.unique(to_codes(pieces.source.text)[at], return_inverse=True)
        tokens = [self._ids.get(chr(code), -1) for code in characters.tolist()]
        if -1 in tokens:
            return None
        return np.array(tokens, dtype=np.int32)[place], pieces.source.ends[at], ptr

    def _by_character(self, pieces: TextPieces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `_all_known`, character by character."""
        known: dict[tuple[str, bool, bool], tuple[list[int], bool]] = {}
        symbols: list[int] = []
        ends: list[int] = []
        ptr = [0]
        text, source_ends = pieces.source.text, pieces.source.ends.tolist()
        for begin, end in pieces.ranges:
            whole = self._ids.get(text[begin:end]) if self._ignore_merges else None
            if whole is not None:
                symbols.append(whole)
                ends.append(source_ends[end - 1])
                ptr.append(len(symbols))
                continue
            was_unknown = False
            for i in range(begin, end):
                form = (text[i], i > begin, i == end - 1)
                if form not in known:
                    known[form] = self._symbols(*form)
                ids, is_unknown = known[form]
                if is_unknown and was_unknown and self._fuse_unknown:
                    ends[-1] = source_ends[i]
                    continue
                was_unknown = is_unknown
                if len(ids) == 1:
                    symbols.append(ids[0])
                    ends.append(source_ends[i])
                elif ids:
                    pieces.source.budget.grow(len(ids))
                    symbols += ids
                    ends += _byte_ends(pieces, i, len(ids))
            ptr.append(len(symbols))
        return np.array(symbols, dtype=np.int32), np.array(ends, dtype=np.int64), np.array(ptr, dtype=np.int64)

    def _symbols(self, character: str, continues: bool, is_last: bool) -> tuple[list[int], bool]:
        """Initial symbols of a character, and whether it is unknown."""
        text = f"{self._prefix if continues else ''}{character}{self._suffix if is_last else ''}"
        token = self._ids.get(text)
        if token is not None:
            return [token], False
        if self._byte_ids is not None:
            ids = self._byte_ids[list(text.encode())]
            if (ids >= 0).all():
                return ids.tolist(), False
        return ([], False) if self._unknown is None else ([self._unknown], True)


def _byte_ends(pieces: TextPieces, at: int, n: int) -> list[int]:
    """Ends of the n bytes of a character; bytes of its marks end where it does."""
    ends: list[int] = to_bytes(cut_out(pieces.source, at, at + 1))[0].ends.tolist()
    return (ends + [ends[-1]] * n)[:n]


class WordPieceModel:
    """Longest match from the left; see `engine.merges.wordpiece`.

    Parameters
    ----------
    initial, following : tries of the entries that begin a word, and of those that continue one, without their prefix.
    unknown : id of the unknown token.
    max_word_chars : longer words are unknown.
    longest : characters of the longest entry.
    """

    def __init__(self, initial: Trie, following: Trie, unknown: int, max_word_chars: int, longest: int) -> None:
        self.longest = longest
        self._tries = (initial, following)
        self._unknown = unknown
        self._max_word_chars = max_word_chars

    def statistics(self, vocab_size: int) -> Mapping[str, np.ndarray]:
        """Empty: the file has no statistics."""
        return {}

    def fewest(self, pieces: TextPieces) -> int | None:
        """None: any word may become the unknown token."""
        return None

    def encode(self, pieces: TextPieces) -> EncodedTokens:
        """Tokens of all pieces, in order."""
        begin, end = _bounds(pieces)
        codes = to_codes(pieces.source.text)
        no_mark = to_codes("")
        ids, ends = _max_match(codes, begin, end, no_mark, *self._tries, self._unknown, self._max_word_chars)
        return EncodedTokens(ids, pieces.source.ends[ends - 1])
