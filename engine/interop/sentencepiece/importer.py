"""A SentencePiece `.model` file as a tokenizer: Unigram and BPE, with the file's own normalization."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from engine._jit import kernel
from engine.config import N_BYTES
from engine.corpus.arrays import CutLines
from engine.corpus.pretokens.pretokenize import _utf8_byte, _utf8_size, to_codes, utf8_offsets
from engine.errors import InputError, ModelFileError
from engine.interop.imported.imported_lattice import MOST_SCORE, ImportedLattice, NormalizedText, ScoredPieces
from engine.interop.imported.step_budget import StepBudget
from engine.interop.sentencepiece.merging import MARK, PieceMerger
from engine.interop.sentencepiece.normalizer import Normalizer
from engine.interop.sentencepiece.proto import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    ModelPiece,
    SentencePieceProto,
    read_proto,
)
from engine.lattice.encoding import _segment_pieces
from engine.merges.vocabulary import bytes_label, encode_around, tiled
from engine.tokenizer import EncodedBatch, Encoding, LatticeTokenizer, Tokenizer
from engine.vocabulary.fewest import fewest_in_texts
from engine.vocabulary.trie import Trie, build_trie

# How far the score of an unknown character is below the lowest piece score (unigram_model.cc).
_UNKNOWN_PENALTY = 10.0
# Score of a user-defined piece: 0.1 x (its bytes - 1). The piece wins at any score; the score only affects rounding of
# later sums. Found by fitting: the only formula that reproduces all ties of 0.2.2 on 40,000 lines.
_BONUS = 0.1
_MOST_CHARACTERS = 1024
# Merges only compare scores; Llama 2 and Mistral score their runs of spaces -1e9.
_MOST_BPE_SCORE = 10**12
_ALGORITHMS = {UNIGRAM: "SentencePiece Unigram", BPE: "SentencePiece BPE"}


def from_sentencepiece(data: bytes) -> "SentencePieceTokenizer":
    """The tokenizer in the content of a `.model` file.

    Raises
    ------
    ModelFileError : the file is damaged or truncated, breaks SentencePiece's rules, or needs an unsupported part.
    """
    proto = read_proto(data)
    return (SentencePieceUnigram if proto.algorithm == UNIGRAM else SentencePieceTokenizer)(proto)


class SentencePieceTokenizer(Tokenizer):
    """Implements the Tokenizer protocol with SentencePiece's ids.

    Attributes
    ----------
    proto : content of the file.
    merger : cuts words, of type BPE; else None.
    unknown_score : of a character that is no piece, of type Unigram.

    Notes
    -----
    Spans are offsets in the original text; white space removed by normalization belongs to the next token, at the end
    of the text to the last one. Control pieces never match text.
    """

    def __init__(self, proto: SentencePieceProto) -> None:
        _check(proto)
        self.proto = proto
        self._pieces = proto.pieces
        kinds = [piece.kind for piece in proto.pieces]
        self.unknown_id = kinds.index(UNKNOWN)
        self.special_tokens = {piece.text: i for i, piece in enumerate(proto.pieces) if piece.kind == CONTROL}
        self._matched = np.flatnonzero(np.isin(kinds, (NORMAL, USER_DEFINED))).astype(np.int32)
        frozen = [piece.text for piece in proto.pieces if piece.kind == USER_DEFINED]
        self._normalize = Normalizer(proto, frozen)
        self._longest = max((len(proto.pieces[i].text) for i in self._matched), default=0)
        self._score, self.unknown_score = _scores(proto)
        self._byte_pieces = np.empty(0, dtype=np.int32)
        if proto.byte_fallback:
            of_text = {piece.text: i for i, piece in enumerate(proto.pieces) if piece.kind == BYTE}
            self._byte_pieces = np.array([of_text[_byte_name(byte)] for byte in range(N_BYTES)], dtype=np.int32)
        self._byte_of = {int(piece): byte for byte, piece in enumerate(self._byte_pieces)}
        # Of which a space is a mark, and nothing else changes.
        self._is_plain = proto.escape_whitespaces and not (
            proto.charsmap or proto.remove_extra_whitespaces or (proto.add_dummy_prefix and proto.space_after)
        )
        self.merger: PieceMerger | None = None
        if proto.algorithm == BPE:
            self.merger = PieceMerger(proto.pieces, self._score, self.unknown_id, self._byte_pieces)

    @cached_property
    def _trie(self) -> Trie:
        """The pieces that text may become."""
        return build_trie([self._pieces[i].text for i in self._matched], self._matched)

    @property
    def name(self) -> str:
        """Name of the algorithm for display."""
        return _ALGORITHMS[self.proto.algorithm]

    @property
    def vocab_size(self) -> int:
        """Number of pieces."""
        return len(self._pieces)

    def statistics(self) -> Mapping[str, np.ndarray]:
        """The score of every piece (Unigram: its log probability); NaN if text never becomes the piece."""
        score = np.full(self.vocab_size, np.nan)
        score[self._matched] = self._score[self._matched]
        return {"log_prob" if self.proto.algorithm == UNIGRAM else "score": score}

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans; the spans tile the text.

        Parameters
        ----------
        text : any text; line ends are ordinary characters.
        allow_special : whether a control piece's literal text becomes that piece. By default it stays text.
        """
        return encode_around(text, self.special_tokens if allow_special else {}, self._encode)

    def _encode(self, text: str) -> Encoding:
        to_codes(text)  # refuses lone surrogates
        if self.merger is not None:
            batch = self._merged(self.merger, [text], 1)
            return tiled(batch.ids, np.cumsum(batch.size), len(text.encode()))
        normalized, origin = self._normalized(text)
        ids, offsets = self._best(normalized)
        return tiled(ids, origin[offsets], len(text.encode()))

    def _best(self, normalized: str) -> tuple[np.ndarray, np.ndarray]:
        """Ids of the best segmentation, and their ends in UTF-8 bytes."""
        codes = to_codes(normalized)
        # Sums in 32 bits, so that ties and rounding are SentencePiece's.
        whole = (np.zeros(1, dtype=np.int64), np.array([codes.size]))
        pieces, _, ends = _segment_pieces(codes, *whole, *self._trie, self._score, self.unknown_score)
        pieces[pieces < 0] = self.unknown_id
        return _resolve_unknown(codes, pieces, ends, self.unknown_id, self._byte_pieces)

    def spell(self, normalized: str) -> list[int]:
        """Ids of a text that is normalized already."""
        if self.merger is None:
            ids: list[int] = self._best(normalized)[0].tolist()
            return ids
        return self.merger.encode_lines([normalized], 1, marks_are_spaces=False).ids.tolist()

    def encode_lines(self, lines: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode every line as `encode` does; by merges, each distinct word once."""
        return super().encode_lines(lines) if self.merger is None else self._merged(self.merger, lines, threads)

    def _merged(self, merger: PieceMerger, lines: Sequence[str], threads: int) -> EncodedBatch:
        if not self._is_plain or any(MARK in line for line in lines):
            normalized, origins = zip(*map(self._normalized, lines), strict=True) if lines else ((), ())
            return _in_source(lines, origins, merger.encode_lines(normalized, threads, marks_are_spaces=False))
        StepBudget(0)  # what happens between texts
        before = MARK if self.proto.add_dummy_prefix else ""
        marked = [before + line.replace(" ", MARK) if line else "" for line in lines]
        ids, size, line_ptr, _ = merger.encode_lines(marked, threads, marks_are_spaces=True)
        if before:
            size[line_ptr[:-1][np.diff(line_ptr) > 0]] -= 1
        return EncodedBatch(ids, size, line_ptr)

    def _normalized(self, text: str) -> tuple[str, np.ndarray]:
        """The normalized text and its origins; InputError if it exceeds the text's budget."""
        to_codes(text)  # refuses lone surrogates
        budget = StepBudget(len(text))
        normalized, origin = self._normalize(text)
        budget.grow(len(normalized) - len(text))
        budget.walk(len(normalized), self._longest)
        return normalized, origin

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray | None:
        """The fewest pieces that can spell each line (int64[n_lines]), treating user-defined ones as ordinary."""
        return fewest_in_texts([self._normalized(line)[0] for line in lines], self._trie, self._byte_pieces.size > 0)

    def _checked(self, token_id: int) -> ModelPiece:
        if not 0 <= token_id < len(self._pieces):
            raise InputError("token.no_id", token_id=token_id, last=len(self._pieces) - 1)
        return self._pieces[token_id]

    def token_label(self, token_id: int) -> str:
        """A piece as in the file, with U+2581 for a space and `<0xEC>` for a byte."""
        return self._checked(token_id).text

    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a piece; empty for control pieces and the unknown one."""
        piece = self._checked(token_id)
        if piece.kind == BYTE:
            return bytes([self._byte_of[token_id]])
        if piece.kind not in (NORMAL, USER_DEFINED):
            return b""
        return (piece.text.replace(MARK, " ") if self.proto.escape_whitespaces else piece.text).encode()

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids as SentencePiece writes it; bytes that do not form a character as `<0xEC>`.

        Control pieces become nothing, the unknown piece its surface (` ⁇ ` unless the file sets another), and the space
        added before the text is removed.
        """
        strips = self.proto.add_dummy_prefix or self.proto.remove_extra_whitespaces
        out = bytearray()
        may_strip = strips
        for token_id in ids:
            piece = self._checked(token_id)
            if piece.kind == BYTE:
                out.append(self._byte_of[token_id])
            elif piece.kind == UNKNOWN:
                out += self.proto.unknown_surface.encode()
            elif piece.kind != CONTROL:
                text = piece.text
                if may_strip and not out and text.startswith(MARK):
                    text = text[1:]
                    may_strip = self.proto.remove_extra_whitespaces
                out += text.replace(MARK, " ").encode()
        return bytes_label(bytes(out))


class SentencePieceUnigram(SentencePieceTokenizer, LatticeTokenizer):
    """A SentencePiece tokenizer of type Unigram, with its lattice."""

    def __init__(self, proto: SentencePieceProto) -> None:
        super().__init__(proto)
        matched = {self._pieces[i].text: i for i in self._matched.tolist()}
        byte_ids = self._byte_pieces if self._byte_pieces.size else None
        score = self._score.astype(np.float64)
        self._scored = ScoredPieces(
            matched, self._trie, score, self.unknown_score, self.unknown_id, byte_ids, self.token_label
        )

    def lattice(
        self,
        text: str,
        *,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> ImportedLattice:
        """All segmentations of one line, normalized as the file says; control pieces are text.

        A user-defined piece has the bonus that makes SentencePiece choose it, which is not a log probability.
        """
        normalized, origin = self._normalized(text)
        offsets = origin[utf8_offsets(to_codes(normalized))]
        offsets[0] = 0
        if normalized:
            offsets[-1] = len(text.encode())
        source = NormalizedText(normalized, np.array([0, len(normalized)], dtype=np.int64), offsets)
        return ImportedLattice(self._scored, source, forbid, add, force)


def _in_source(lines: Sequence[str], origins: Sequence[np.ndarray], batch: EncodedBatch) -> EncodedBatch:
    """Tokens of normalized lines with their sizes in the lines; `origins` has the offset of each byte and of the end.

    The last token of a line ends where the line does.
    """
    if not batch.ids.size:
        return batch
    ends = np.concatenate([origin[1:] for origin in origins])[np.cumsum(batch.size) - 1]
    has_tokens = np.diff(batch.line_ptr) > 0
    ends[batch.line_ptr[1:][has_tokens] - 1] = np.array([len(line.encode()) for line in lines])[has_tokens]
    size = np.diff(ends, prepend=0)
    first = batch.line_ptr[:-1][has_tokens]
    size[first] = ends[first]
    return batch._replace(size=size)


def _byte_name(byte: int) -> str:
    return f"<0x{byte:02X}>"


def _scores(proto: SentencePieceProto) -> tuple[np.ndarray, float]:
    """Scores of all pieces (float32, user-defined ones with their bonus) and the score of an unknown character."""
    normal = [np.float32(piece.score) for piece in proto.pieces if piece.kind == NORMAL]
    worst = min(normal, default=np.finfo(np.float32).max)
    score = np.array([piece.score for piece in proto.pieces], dtype=np.float32)
    if proto.algorithm == UNIGRAM:
        for i, piece in enumerate(proto.pieces):
            if piece.kind == USER_DEFINED:
                score[i] = _BONUS * (len(piece.text.encode()) - 1)
    return score, float(np.float32(worst) - np.float32(_UNKNOWN_PENALTY))


def _check(proto: SentencePieceProto) -> None:
    """Check SentencePiece's own rules, and what we support."""
    kinds = [piece.kind for piece in proto.pieces]
    names = {3: "whole_words", 4: "characters"}
    if proto.algorithm in names:
        raise ModelFileError("refused.type", what=names[proto.algorithm])
    if proto.algorithm not in _ALGORITHMS:
        raise ModelFileError("refused.unknown_type", number=proto.algorithm)
    if proto.denormalizer_charsmap:
        raise ModelFileError("refused.denormalization")
    if proto.algorithm == BPE and UNUSED in kinds:
        raise ModelFileError("refused.unused")
    if not set(kinds) <= set(range(NORMAL, BYTE + 1)):
        raise ModelFileError("refused.piece_type")
    if kinds.count(UNKNOWN) != 1:
        raise ModelFileError("refused.unknowns", count=kinds.count(UNKNOWN))
    if len({piece.text for piece in proto.pieces}) != len(kinds) or not all(piece.text for piece in proto.pieces):
        raise ModelFileError("refused.repeated")
    most_score = MOST_SCORE if proto.algorithm == UNIGRAM else _MOST_BPE_SCORE
    for text, score, _ in proto.pieces:
        if len(text) > _MOST_CHARACTERS or "\0" in text:
            raise ModelFileError("refused.long_piece", most=_MOST_CHARACTERS)
        if not abs(score) <= most_score:
            raise ModelFileError("refused.score", most=most_score)
    in_file = {piece.text for piece in proto.pieces if piece.kind == BYTE}
    if in_file != ({_byte_name(byte) for byte in range(N_BYTES)} if proto.byte_fallback else set()):
        raise ModelFileError("refused.byte_pieces")


@kernel
def _resolve_unknown(codes, pieces, ends, unknown, byte_pieces):
    """Write unknown characters as their bytes, or runs of them as one; ends become offsets in the UTF-8 bytes.

    `byte_pieces` : int32[256], or of size 0 without byte fallback.
    """
    ids = np.empty(4 * codes.size, dtype=np.int32)
    offsets = np.empty(4 * codes.size, dtype=np.int64)
    n = 0
    at = 0
    begin = 0
    was_unknown = False
    for k in range(pieces.size):
        is_unknown = pieces[k] == unknown
        for i in range(begin, ends[k]):
            c = codes[i]
            size = _utf8_size(c)
            if is_unknown and byte_pieces.size > 0:
                for b in range(size):
                    ids[n] = byte_pieces[_utf8_byte(c, size, b)]
                    offsets[n] = at + b + 1
                    n += 1
            at += size
        if not is_unknown or byte_pieces.size == 0:
            if is_unknown and was_unknown:
                n -= 1
            ids[n] = pieces[k]
            offsets[n] = at
            n += 1
        was_unknown = is_unknown
        begin = ends[k]
    return ids[:n].copy(), offsets[:n].copy()
