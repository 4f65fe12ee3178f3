"""tiktoken's rank files: one line per token, its bytes in base64, a space, and its rank, which is also its id.

The file contains neither the pattern that cuts the text nor the special tokens; `tiktoken_parameters` gives both.
"""

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, overload

import numpy as np

from engine.config import N_BYTES
from engine.corpus.arrays import CutLines, cut_lines
from engine.corpus.normalize import normalize, normalized
from engine.corpus.pretokens.dialects import FANCY_REGEX
from engine.corpus.pretokens.known_patterns import DEFAULT_PATTERN, PUBLIC_PATTERNS
from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes, utf8_offsets
from engine.errors import InputError, ModelFileError
from engine.interop.format import Encode, has_ranks, our_encoder
from engine.interop.imported.pretokenizers import pattern_of
from engine.lattice.encoding import _spread
from engine.machine.threads import ragged_in_threads
from engine.merges.merged import merge_steps
from engine.merges.replay import build_merge_table, merge_words
from engine.merges.token_parts import _to_symbols, first_units, index_bytes, two_parts
from engine.merges.vocabulary import Token, TokenTable, bytes_label, encode_around, tiled
from engine.pretokenization import get_pretokenizer
from engine.tokenizer import EncodedBatch, Encoding, MergeStep, Tokenizer
from engine.vocabulary.fewest import fewest_of_bytes

MAX_FILE_BYTES = 16 << 20
MAX_ID = 2_000_000
_LONGEST_TOKEN = 512  # bytes; finding a token's parts takes time quadratic in its length

# By number of ranks, as the files come without a pattern. Whisper has one more than GPT-2, an empty one.
_PATTERN_BY_SIZE = dict.fromkeys((50_256, 50_257, 50_280), "gpt2") | {
    100_256: "cl100k",
    128_000: "llama3",
    151_643: "qwen3",
    163_584: "kimi_k2",
    199_998: "o200k",
}


class TiktokenParameters(NamedTuple):
    """Arguments of `tiktoken.Encoding` that are not in the file: `pat_str` and `special_tokens`."""

    pat_str: str
    special_tokens: dict[str, int]


class _RankedTokens(Sequence[Token]):
    """The tokens by id, created on access: all 200,000 take 30 MB, and a text needs a few."""

    def __init__(self, ranks: Mapping[bytes, int], special: Mapping[str, int]) -> None:
        self.surfaces = [b""] * (1 + max(max(ranks.values()), max(special.values(), default=0)))
        for surface, rank in ranks.items():
            self.surfaces[rank] = surface
        self._names = {token_id: name for name, token_id in special.items()}

    def __len__(self) -> int:
        return len(self.surfaces)

    @overload
    def __getitem__(self, place: int) -> Token: ...
    @overload
    def __getitem__(self, place: slice) -> list[Token]: ...
    def __getitem__(self, place: int | slice) -> Token | list[Token]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        surface = self.surfaces[place]
        return Token(bytes_label(surface) if surface else self._names.get(place, f"<unused {place}>"), surface)


class TiktokenBpe(TokenTable):
    """Byte-level BPE by ranks. Implements the Tokenizer protocol.

    A pre-token that is a token stays whole. Otherwise the adjacent pair whose bytes form the token with the smallest
    rank is merged first, the leftmost on ties. tiktoken merges any two parts that form a token, not only the pair
    merged in training.

    Parameters
    ----------
    ranks : rank, which is the id, by bytes; includes all 256 bytes. An empty token has an id but is never used.
    pattern : cuts the text: a name (`cl100k`) or a regular expression of fancy-regex. Text between matches is a
        pre-token too; tiktoken would drop it.
    special : ids of the special tokens by text.
    unsupported : what the file leaves open or we do not support.
    normalization : see Tokenizer.
    """

    pretokenizer: Pretokenizer

    def __init__(
        self,
        ranks: Mapping[bytes, int],
        pattern: str,
        special: Mapping[str, int],
        unsupported: tuple[str, ...] = (),
        normalization: str = "none",
    ) -> None:
        tokens = _RankedTokens(ranks, special)
        super().__init__(tokens)
        self._surfaces = tokens.surfaces
        self.unsupported = unsupported
        self.normalization = normalization
        self.ranks = ranks = {token: rank for token, rank in ranks.items() if token}
        self.special_tokens = dict(special)
        self.pretokenizer = get_pretokenizer(pattern, FANCY_REGEX)
        self._sizes = np.zeros(self.vocab_size, dtype=np.int32)
        self._sizes[list(ranks.values())] = list(map(len, ranks))
        order = sorted(ranks, key=ranks.__getitem__)
        self._index = index_bytes(order)
        self._id_of_token = ids = np.array([ranks[token] for token in order], dtype=np.int32)
        # All pairs of tokens that form a token; those that form the same token share its rank.
        left, right, made = two_parts(self._index)
        self._table = build_merge_table(ids[left], ids[right], ids[made], made)
        self._id_of_byte = np.array([ranks[bytes([byte])] for byte in range(N_BYTES)], dtype=np.int32)

    @cached_property
    def _units(self) -> np.ndarray:
        return first_units(self.ranks)

    @property
    def name(self) -> str:
        """Name of the algorithm for display."""
        return "Byte-level BPE"

    def byte_ranks(self) -> Mapping[bytes, int]:
        """Rank, which is also the id, by bytes."""
        return self.ranks

    def token_bytes(self, token_id: int) -> bytes:
        """Bytes of a token, without building its label; empty for special tokens."""
        return self._surfaces[token_id] if 0 <= token_id < self.vocab_size else super().token_bytes(token_id)

    def statistics(self) -> Mapping[str, np.ndarray]:
        """The rank of every token; -1 for special tokens."""
        rank = np.full(self.vocab_size, -1, dtype=np.int64)
        ids = list(self.ranks.values())
        rank[ids] = ids
        return {"rank": rank}

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans; the spans tile the text."""
        text = normalize(text, self.normalization)
        return encode_around(text, self.special_tokens if allow_special else {}, self._encode)

    def _encode(self, text: str) -> Encoding:
        codes = to_codes(text)
        bounds = self.pretokenizer.boundaries(codes)
        ids, _ = self.merger(codes)(bounds[:-1], bounds[1:])
        ends = np.cumsum(self._sizes[ids])
        return tiled(ids, ends, int(ends[-1]) if ends.size else 0)

    def encode_lines(self, lines: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode every line as `encode` does, each distinct pre-token once."""
        cut = cut_lines(normalized(lines, self.normalization), self.pretokenizer, threads)
        words = ragged_in_threads(self.merger(cut.codes), cut.begin, cut.end, threads)
        ids, line_ptr = _spread(*words, cut.numbers, cut.line_ptr)
        return EncodedBatch(ids, self._sizes[ids], line_ptr, cut._replace(n_tokens=np.diff(words[1])))

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray:
        """The fewest tokens that can spell each line (int64[n_lines])."""
        return fewest_of_bytes(self.ranks, self.pretokenizer, normalized(lines, self.normalization), cut)

    def merger(self, codes: np.ndarray) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """A function of begins and ends: tokens of the words `codes[begin[i]:end[i]]` (int32), and their ptr."""

        def merged(begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            tables = (*self._index, self._id_of_token, self._id_of_byte, self._units)
            symbols, ptr = _to_symbols(codes, begin, end, *tables)
            ids, _, token_ptr = merge_words(symbols, ptr, self._table)
            return ids, token_ptr

        return merged

    def with_ranks(self, ranks: Mapping[bytes, int], special: Mapping[str, int]) -> "TiktokenBpe":
        """A tokenizer that cuts text as this one does, with other tokens."""
        made = TiktokenBpe(ranks, DEFAULT_PATTERN, special, self.unsupported, self.normalization)
        made.pretokenizer = self.pretokenizer
        return made

    def last_merges(self) -> Iterator[tuple[int, tuple[int, int] | None]]:
        """The id of every token of several bytes, and the ids that the last merge of its bytes joins.

        None if they do not merge into it: such a token is only used for a whole pre-token.
        """
        for rank, token_id in enumerate(self._id_of_token.tolist()):
            surface = self._surfaces[token_id]
            if len(surface) == 1:
                continue
            symbols = self._id_of_byte[np.frombuffer(surface, dtype=np.uint8)]
            ids, _, _ = merge_words(symbols, np.array([0, symbols.size]), self._table, rank)
            yield token_id, (int(ids[0]), int(ids[1])) if ids.size == 2 else None

    def merge_steps(self, text: str) -> list[list[MergeStep]]:
        """The merges of every pre-token from its bytes; of one that only a shortcut makes a token, that token alone."""
        text = normalize(text, self.normalization)
        bounds = utf8_offsets(to_codes(text))[self.pretokenizer.boundaries(to_codes(text))].tolist()
        numbers = np.cumsum(self._sizes > 1)  # of the merges by the id of their token
        data = text.encode()

        def merge_of(left: int, right: int) -> tuple[int, int] | None:
            made = self.ranks.get(self._surfaces[left] + self._surfaces[right])
            return None if made is None else (int(numbers[made]), made)

        steps = []
        for begin, end in pairwise(bounds):
            word = data[begin:end]
            found = merge_steps(self._id_of_byte[list(word)].tolist(), range(begin, end + 1), merge_of)
            whole = self.ranks.get(word)
            if whole is not None and found[-1].encoding.ids != [whole]:
                found = [MergeStep(0, Encoding([whole], [(begin, end)]))]
            steps.append(found)
        return steps

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids, special tokens as their names; bytes that do not form a character as `<0xEC>`."""
        return self.surface(ids)


def from_tiktoken(data: bytes, pattern: str | None = None, special: Mapping[str, int] | None = None) -> TiktokenBpe:
    """The tokenizer described by a rank file.

    Parameters
    ----------
    data : content of the file.
    pattern : the pre-tokenization pattern (`pat_str`), which is not in the file: a name (`gpt2`, `cl100k`, `o200k`) or
        a regular expression. None: that of a known file with as many ranks, else cl100k;
        `unsupported` names it.
    special : ids of the special tokens by text, which are not in the file either.

    Raises
    ------
    ModelFileError : the file is not a valid rank file.
    InputError : the pattern is invalid, or a special token has another token's id.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError("tiktoken.size", size=len(data), most=MAX_FILE_BYTES)
    ranks: dict[bytes, int] = {}
    taken: set[int] = set()
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        token, rank = _entry(line, number)
        if token in ranks or rank in taken:
            raise ModelFileError("tiktoken.repeated", number=number)
        ranks[token] = rank
        taken.add(rank)
    highest = max(taken, default=0)
    if highest >= 4 * len(ranks) + 10_000:
        raise ModelFileError("tiktoken.complete", highest=highest, count=len(ranks))
    missing = [byte for byte in range(N_BYTES) if bytes([byte]) not in ranks]
    if missing:
        raise ModelFileError("tiktoken.bytes", count=len(missing), first=missing[0])
    special = dict(special or {})
    for name, token_id in special.items():
        if not name or not 0 <= token_id <= MAX_ID or token_id in taken:
            raise InputError("tiktoken.special", name=name, token_id=token_id)
        taken.add(token_id)
    if pattern is not None:
        return TiktokenBpe(ranks, pattern, special)
    guess = _PATTERN_BY_SIZE.get(len(ranks), DEFAULT_PATTERN)
    notes = (f"pattern: not in the file; that of {guess} is used",)
    return TiktokenBpe(ranks, PUBLIC_PATTERNS.get(guess, guess), special, notes)


def _entry(line: bytes, number: int) -> tuple[bytes, int]:
    fields = line.split()
    try:
        if len(fields) != 2 or not fields[1].isdigit() or len(fields[1]) > 9:
            raise ValueError
        # Whisper's files have an empty token, written as `=`.
        token = b"" if fields[0] == b"=" else base64.b64decode(fields[0], validate=True)
        rank = int(fields[1])
    except (ValueError, binascii.Error):
        raise ModelFileError("tiktoken.line", number=number) from None
    if len(token) > _LONGEST_TOKEN or rank > MAX_ID:
        raise ModelFileError(
            "tiktoken.range", number=number, length=len(token), rank=rank, longest=_LONGEST_TOKEN, highest=MAX_ID
        )
    return token, rank


def to_tiktoken(tokenizer: Tokenizer) -> bytes:
    """The rank file of a byte-level BPE vocabulary; ranks are our ids, special tokens are left out.

    Raises
    ------
    InputError : the tokenizer is not a byte-level BPE, or two tokens have the same bytes.
    """
    by_rank = sorted(_ranks(tokenizer).items(), key=lambda entry: entry[1])
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in by_rank)


def tiktoken_parameters(tokenizer: Tokenizer) -> TiktokenParameters:
    """Pattern and special tokens for `to_tiktoken(tokenizer)`; raises the same errors."""
    _ranks(tokenizer)
    if tokenizer.normalization != "none":
        raise InputError("export.tiktoken_normalization", form=tokenizer.normalization.upper())
    assert tokenizer.pretokenizer is not None  # every tokenizer with ranks has one
    cut = tokenizer.pretokenizer.cut
    if isinstance(cut, OwnPattern) and cut.matches([""])[0]:
        raise InputError("export.tiktoken_nothing")
    return TiktokenParameters(pattern_of(tokenizer.pretokenizer, for_tiktoken=True), dict(tokenizer.special_tokens))


def _ranks(tokenizer: Tokenizer) -> Mapping[bytes, int]:
    if tokenizer.probabilities is not None:
        raise InputError("export.tiktoken_kind", name=tokenizer.name)
    ranks = tokenizer.byte_ranks()
    if ranks is None:
        raise InputError("export.tiktoken_bpe")
    return ranks


def suits(tokenizer: Tokenizer) -> bool:
    """Byte-level BPE."""
    return has_ranks(tokenizer)


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """A token and its rank a line."""
    return to_tiktoken(tokenizer)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """Cut by the pattern; without one, by that of a known file with as many ranks."""
    return from_tiktoken(data, pattern)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """With our pattern: the file has none."""
    import tiktoken

    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
    pattern, special = tiktoken_parameters(tokenizer)
    encoding = tiktoken.Encoding("exported", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    return [(our_encoder(tokenizer), lambda texts: [encoding.encode_ordinary(text) for text in texts])]
