"""A tokenizer imported from another program's file."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import regex

from engine._jit import kernel
from engine.corpus.arrays import CutLines
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.interop.imported.aligned_text import AlignedText, aligned, cut_out
from engine.interop.imported.decoders import Decoder, run_steps
from engine.interop.imported.imported_lattice import ImportedLattice, NormalizedText, ScoredPieces
from engine.interop.imported.normalizers import WHITE_SPACE, Normalizer
from engine.interop.imported.pretokenizers import WORD, Step, TextPieces
from engine.interop.imported.step_budget import StepBudget
from engine.interop.imported.subword_models import EncodedTokens, SubwordModel, UnigramModel
from engine.merges.vocabulary import Token, TokenTable, bytes_label, tiled
from engine.merges.wordpiece import _longest
from engine.tokenizer import Encoding, LatticeTokenizer
from engine.vocabulary.trie import build_trie

LONGEST_TOKEN = 1024  # characters; encoding time grows with the longest token


class AddedToken(NamedTuple):
    """A text that always becomes one token, before any other step.

    Attributes
    ----------
    special : match only if special tokens are allowed.
    normalized : match its normalized form in the normalized text.
    single_word : no match next to a letter, digit or underscore.
    lstrip, rstrip : include the white space before and after it.
    """

    text: str
    token_id: int
    special: bool
    normalized: bool
    single_word: bool
    lstrip: bool
    rstrip: bool


class Imported(TokenTable):
    """An imported tokenizer: normalizer, pre-tokenizer, model, decoder. Implements the Tokenizer protocol.

    Encodes with our engine, as `tokenizers` does without `add_special_tokens`; spans refer to the original text, before
    normalization, and tile it.

    Parameters
    ----------
    name : name of the algorithm.
    tokens : the vocabulary by id.
    added : tokens matched before any other step.
    normalizers, pretokenizers, model, decoders : the steps.
    written : every token by id as in the file, input of the decoders.
    unknown_id : id of the unknown token; None if there is none.
    unsupported : unsupported parts of the file, each with its place.
    """

    def __init__(
        self,
        name: str,
        tokens: Sequence[Token],
        added: Sequence[AddedToken],
        normalizers: Sequence[Normalizer],
        pretokenizers: Sequence[Step],
        model: SubwordModel,
        decoders: Sequence[Decoder],
        written: Sequence[bytes],
        unknown_id: int | None,
        unsupported: tuple[str, ...] = (),
    ) -> None:
        super().__init__(tokens)
        self.unsupported = unsupported
        self.unknown_id = unknown_id
        self.special_tokens = {token.text: token.token_id for token in added if token.special}
        self._name = name
        self._normalizers = list(normalizers)
        self._pretokenizers = list(pretokenizers)
        self.model = model
        self._decoders = list(decoders)
        self._written = list(written)
        self.added_ids = {token.text: token.token_id for token in added}
        self._verbatim = _Finder([token for token in added if not token.normalized])
        normalized = self._normalize_tokens([token for token in added if token.normalized])
        self._normalized = _Finder([token for token in normalized if token.text])
        # `tokenizers` finds such a token between any two characters.
        emptied = (token.token_id for token in normalized if not token.text)
        self.unsupported += tuple(f"added_tokens: id {i}, of which the normalizer leaves nothing" for i in emptied)

    @property
    def name(self) -> str:
        """Name of the algorithm for display."""
        return self._name

    def statistics(self) -> Mapping[str, np.ndarray]:
        """What the file says about every token."""
        return self.model.statistics(self.vocab_size)

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans; the spans tile the text."""
        source = aligned(text)
        ids: list[np.ndarray] = []
        ends: list[np.ndarray] = []
        for part, token in self._parts(source, allow_special):
            found = self._encode(part) if token is None else _single(part, token)
            if found.ids.size:
                ids.append(found.ids)
                ends.append(found.ends)
            if ends and part.ends.size:
                # Characters at the end of a part that yield no token belong to the token before them.
                ends[-1] = np.append(ends[-1][:-1], part.ends[-1])
        if not ids:
            return Encoding([], [])
        return tiled(np.concatenate(ids), np.maximum.accumulate(np.concatenate(ends)), len(text.encode()))

    def _parts(self, source: AlignedText, allow_special: bool) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """The normalized text between added tokens, and these tokens."""
        for part, token in self._verbatim.split(source, allow_special):
            if token is None:
                yield from self._normalized.split(self._normalize(part), allow_special)
            else:
                yield part, token

    def _normalize(self, source: AlignedText) -> AlignedText:
        for normalizer in self._normalizers:
            source.budget.step(len(source.text))
            source = normalizer(source)
        return source

    def _normalize_tokens(self, tokens: Sequence[AddedToken]) -> list[AddedToken]:
        budget = StepBudget(sum(len(token.text) for token in tokens))
        texts = [self._normalize(aligned(token.text)._replace(budget=budget)).text for token in tokens]
        return [token._replace(text=text) for token, text in zip(tokens, texts, strict=True)]

    def _encode(self, source: AlignedText) -> EncodedTokens:
        pieces = self._cut(source)
        if not pieces.ranges:
            return EncodedTokens(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64))
        return self.model.encode(pieces)

    def _cut(self, source: AlignedText) -> TextPieces:
        """The pre-tokens of a normalized text."""
        pieces = TextPieces(source, [(0, len(source.text))] if source.text else [])
        for step in self._pretokenizers:
            source.budget.step(len(pieces.source.text))
            source.budget.change(len(pieces.ranges))
            pieces = step(pieces)
        source.budget.walk(len(pieces.source.text), self.model.longest)
        return pieces

    def pretokens(self, line: str) -> list[str]:
        """What the model cuts into tokens: normalized, between added tokens."""
        parts = [part for part, token in self._parts(aligned(line), allow_special=False) if token is None]
        pieces = [self._cut(part) for part in parts]
        return [piece.source.text[begin:end] for piece in pieces for begin, end in piece.ranges]

    def encode_pretokens(self, pretokens: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Tokens of each (int32), and their ptr (int64[n + 1])."""
        source = aligned("".join(pretokens))
        bounds = np.concatenate([[0], np.cumsum([len(word) for word in pretokens])]).astype(np.int64)
        found = self.model.encode(TextPieces(source, list(pairwise(bounds.tolist()))))
        end_of_word = np.concatenate([[0], source.ends])[bounds]
        return found.ids, np.searchsorted(found.ends, end_of_word, side="right").astype(np.int64)

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray | None:
        """The fewest tokens that can spell each line (int64[n_lines]); added tokens are always matched."""
        fewest = np.zeros(len(lines), dtype=np.int64)
        for number, line in enumerate(lines):
            for part, token in self._parts(aligned(line), allow_special=False):
                found = self.model.fewest(self._cut(part)) if token is None else 1
                if found is None:
                    return None
                fewest[number] += found
        return fewest

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids, special tokens as their names; bytes that do not form a character as `<0xEC>`."""
        if not self._decoders:
            return " ".join(self.token_label(token_id) for token_id in ids)
        for token_id in ids:
            self.token(token_id)
        tokens = [self._written[token_id] for token_id in ids]
        joins = [decoder.join for decoder in self._decoders if tokens]
        return bytes_label(b"".join(run_steps(joins, tokens)))


class ImportedUnigram(Imported, LatticeTokenizer):
    """A Unigram tokenizer from a file: what `Imported` is, its model a UnigramModel, and its lattice."""

    @cached_property
    def _pieces(self) -> ScoredPieces:
        assert isinstance(self.model, UnigramModel)
        return self.model.scored_pieces(self.token_label)

    def lattice(
        self,
        text: str,
        *,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> ImportedLattice:
        """All segmentations of one line, normalized and cut as the file says; special tokens are text."""
        return ImportedLattice(self._pieces, self._seen(text), forbid, add, force)

    def _seen(self, text: str) -> NormalizedText:
        """The pieces of a text, concatenated."""
        texts: list[str] = []
        ends: list[np.ndarray] = [np.zeros(1, dtype=np.int64)]
        bounds = [0]
        certain = []
        for part, token in self._parts(aligned(text), allow_special=False):
            if token is not None:
                certain.append((bounds[-1], bounds[-1] + len(part.text), token.token_id))
                pieces = TextPieces(part, [(0, len(part.text))])
            else:
                pieces = self._cut(part)
            for begin, end in pieces.ranges:
                texts.append(pieces.source.text[begin:end])
                ends.append(pieces.source.ends[begin:end])
                bounds.append(bounds[-1] + end - begin)
            if texts and part.ends.size:
                # Characters at the end of a part that yield no token belong to the token before them.
                ends[-1] = np.append(ends[-1][:-1], part.ends[-1])
        offsets = np.maximum.accumulate(np.concatenate(ends))
        offsets[-1] = len(text.encode()) if texts else 0
        return NormalizedText("".join(texts), np.array(bounds, dtype=np.int64), offsets, certain)


@kernel
def _find_texts(codes, trie, no_mark):
    """Begins, ends and tokens of disjoint leftmost-longest matches of the trie's texts."""
    begins = np.empty(codes.size, dtype=np.int64)
    ends = np.empty(codes.size, dtype=np.int64)
    tokens = np.empty(codes.size, dtype=np.int32)
    n = 0
    at = 0
    while at < codes.size:
        length, token = _longest(codes, at, codes.size, no_mark, trie)
        if length > 0:
            begins[n], ends[n], tokens[n] = at, at + length, token
            n += 1
        at += max(1, length)
    return begins[:n].copy(), ends[:n].copy(), tokens[:n].copy()


class _Finder:
    """Finds added tokens in a text as `tokenizers` does: leftmost, then longest.

    White space included in a token may be matched again, but by a token that includes it on its left; the second token
    then ends where the first does.

    Raises
    ------
    InputError : a token is too long; encoding time grows with the longest.
    """

    def __init__(self, tokens: Sequence[AddedToken]) -> None:
        by_text = {token.text: token for token in reversed(tokens) if token.text}  # of equal ones the first
        if max(map(len, by_text), default=0) > LONGEST_TOKEN:
            raise InputError("import.added_token", most=LONGEST_TOKEN)
        self._tokens = list(by_text.values())
        self._trie = build_trie(list(by_text), np.arange(len(by_text), dtype=np.int32))

    def split(self, source: AlignedText, allow_special: bool) -> list[tuple[AlignedText, AddedToken | None]]:
        """The text as non-empty parts: added tokens, each with its token, and the text between them."""
        if not source.text:
            return []
        if not self._tokens:
            return [(source, None)]
        text = source.text
        parts: list[tuple[AlignedText, AddedToken | None]] = []
        at = 0
        found = _find_texts(to_codes(text), self._trie, to_codes(""))
        for begin, end, number in zip(*(column.tolist() for column in found), strict=True):
            token = self._tokens[number]
            if (token.special and not allow_special) or (
                token.single_word and (_is_word(text[begin - 1 : begin]) or _is_word(text[end : end + 1]))
            ):
                continue
            while token.lstrip and begin > at and text[begin - 1] in WHITE_SPACE:
                begin -= 1
            begin = max(begin, at) if token.lstrip else begin
            while token.rstrip and end < len(text) and text[end] in WHITE_SPACE:
                end += 1
            if begin > at:
                parts.append((cut_out(source, at, begin), None))
            if begin < end:
                parts.append((cut_out(source, begin, end), token))
            at = end
        if at < len(text):
            parts.append((cut_out(source, at, len(text)), None))
        return parts


def _is_word(character: str) -> bool:
    return regex.match(WORD, character) is not None


def _single(part: AlignedText, token: AddedToken) -> EncodedTokens:
    return EncodedTokens(np.array([token.token_id], dtype=np.int32), part.ends[-1:])
