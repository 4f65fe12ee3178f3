"""Tokens by id, and text decoded from them: the common base of the tokenizers of this folder."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import regex

from engine.errors import InputError
from engine.merge_history import MergeHistory
from engine.tokenizer import Encoding, Tokenizer

# A trained vocabulary of half a million tokens is smaller; a trie of this size is built in a second.
MOST_BYTES = 16_000_000


class Token(NamedTuple):
    """One entry of a vocabulary.

    Attributes
    ----------
    label : as written in a vocabulary file, with marks.
    surface : UTF-8 bytes of the text, without marks; empty for special tokens and for a mark alone.
    continues : whether it continues a word (only with a prefix such as ##).
    ends : whether it ends a word (only with an end-of-word mark).
    """

    label: str
    surface: bytes
    continues: bool = False
    ends: bool = False


def first_tokens(specials: Sequence[str], alphabet: Sequence[Token]) -> list[Token]:
    """Tokens before the first merge: special tokens, then the alphabet."""
    return [*(Token(text, b"") for text in specials), *alphabet]


def add_merged(
    first: Sequence[Token], left: np.ndarray, right: np.ndarray, continuing: str, is_bytes: bool
) -> list[Token]:
    """The first tokens, and one for each merge of two ids. Only the left part keeps its prefix."""
    tokens = list(first)
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        begin, end = tokens[a], tokens[b]
        surface = begin.surface + end.surface
        label = begin.label + (end.label.removeprefix(continuing) if end.continues else end.label)
        tokens.append(Token(bytes_label(surface) if is_bytes else label, surface, begin.continues, end.ends))
    return tokens


def bytes_label(surface: bytes) -> str:
    """Text of the bytes; invalid UTF-8 bytes as `<0xEC>`."""
    return surface.decode(errors="hex_tokens")


class TokenTable(Tokenizer):
    """Base class of tokenizers with a list of tokens; subclasses add the name, `encode` and `decode`.

    Attributes
    ----------
    tokens : the tokens, indexed by id.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens

    @property
    def vocab_size(self) -> int:
        """Number of ids, including special tokens."""
        return len(self.tokens)

    def token(self, token_id: int) -> Token:
        """The token with this id; InputError if there is none."""
        if not 0 <= token_id < len(self.tokens):
            raise InputError("token.no_id", token_id=token_id, last=len(self.tokens) - 1)
        return self.tokens[token_id]

    def token_label(self, token_id: int) -> str:
        """A token as its file format writes it: `##ble`, `est</w>`, `<0xEC>`."""
        return self.token(token_id).label

    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a token, without marks; empty for special tokens and a mark alone."""
        return self.token(token_id).surface

    def surface(self, ids: Sequence[int]) -> str:
        """Text of the tokens without spaces between them, special tokens as their labels; never U+FFFD."""
        tokens = [self.token(token_id) for token_id in ids]
        return bytes_label(b"".join(token.surface or token.label.encode() for token in tokens))

    def words(self, ids: Sequence[int], has_prefix: bool, has_mark: bool) -> str:
        """Text of the tokens with one space between words, which are recognized by prefixes or marks."""
        tokens = [self.token(token_id) for token_id in ids]
        out = b""
        for i, token in enumerate(tokens):
            if i > 0 and ((has_prefix and not token.continues) or (has_mark and tokens[i - 1].ends)):
                out += b" "
            out += token.surface or (b"" if token.ends else token.label.encode())
        return bytes_label(out)


def tiled(ids: np.ndarray, ends: np.ndarray, n_bytes: int) -> Encoding:
    """Encoding with consecutive spans: token i ends at `ends[i]` (bytes), and the last one at the end of the text.

    White space that is not tokenized thus belongs to the span of the following token, or of the last one. A text that
    is only white space may have no tokens.
    """
    stops = ends.tolist()
    if stops:
        stops[-1] = n_bytes
    return Encoding(ids.tolist(), list(zip([0, *stops[:-1]], stops, strict=True)) if stops else [])


def encode_around(text: str, special: Mapping[str, int], encode: Callable[[str], Encoding]) -> Encoding:
    """Encode a text in which the texts of special tokens become those tokens.

    Parameters
    ----------
    special : ids by text; the longest match wins.
    encode : encodes the text between them.
    """
    if not special:
        return encode(text)
    ids: list[int] = []
    spans: list[tuple[int, int]] = []
    at = 0
    for i, piece in enumerate(_any_of(tuple(special)).split(text)):
        size = len(piece.encode())
        part = Encoding([special[piece]], [(0, size)]) if i % 2 else encode(piece)
        if size and not part.ids and spans:  # only white space, after a special token
            spans[-1] = (spans[-1][0], at + size)
        ids += part.ids
        spans += [(at + begin, at + end) for begin, end in part.spans]
        at += size
    if spans and spans[0][0] > 0:  # only white space, before a special token
        spans[0] = (0, spans[0][1])
    return Encoding(ids, spans)


@lru_cache(maxsize=16)
def _any_of(texts: tuple[str, ...]) -> "regex.Pattern[str]":
    """A pattern that matches any of the texts, the longest first."""
    longest_first = sorted(texts, key=len, reverse=True)
    return regex.compile("(" + "|".join(map(regex.escape, longest_first)) + ")")


def has_room(first: Sequence[Token], history: MergeHistory) -> bool:
    """Whether all tokens have at most MOST_BYTES together, told before any is built: forty merges can double a byte to
    a terabyte.
    """
    n_bytes = [len(token.surface) + len(token.label.encode()) for token in first]
    total = sum(n_bytes)
    for left, right in zip(history.left.tolist(), history.right.tolist(), strict=True):
        n_bytes.append(n_bytes[left] + n_bytes[right])
        total += n_bytes[-1]
        if total > MOST_BYTES:
            return False
    return True
