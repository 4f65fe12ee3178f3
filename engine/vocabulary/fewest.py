"""Minimum number of tokens under a vocabulary: the shortest path through a text, whatever a tokenizer would choose."""

from collections.abc import Iterable, Sequence

import numpy as np

from engine._jit import kernel
from engine.config import N_BYTES
from engine.corpus.arrays import CutLines, _gather, cut_lines, frozen, offsets
from engine.corpus.pretokens.pretokenize import MOST_BYTES, Pretokenizer, _utf8_size, text_of, to_codes, utf8_offsets
from engine.vocabulary.trie import Trie, _child, trie_of


@kernel
def _fewest(codes, begin, end, most, keys, children, node_token, has_bytes):
    """Tokens on the shortest path through each piece `codes[begin[i]:end[i]]`, -1 if none has fewer than `most[i]`."""
    longest = 0
    for i in range(begin.size):
        longest = max(longest, end[i] - begin[i])
    best = np.empty(longest + 1, dtype=np.int64)
    fewest = np.empty(begin.size, dtype=np.int64)
    for i in range(begin.size):
        n = end[i] - begin[i]
        best[0] = 0
        best[1 : n + 1] = -1
        for u in range(n):
            here = best[u]
            if here < 0 or here + 1 >= most[i] or here + 1 >= best[n] >= 0:
                continue
            code = codes[begin[i] + u]
            if has_bytes:
                by_bytes = here + _utf8_size(code)
                if best[u + 1] < 0 or by_bytes < best[u + 1]:
                    best[u + 1] = by_bytes
            node = 0
            for v in range(u + 1, n + 1):
                node = _child(keys, children, node, codes[begin[i] + v - 1])
                if node < 0:
                    break
                if node_token[node] >= 0 and (best[v] < 0 or here + 1 < best[v]):
                    best[v] = here + 1
        fewest[i] = best[n]
    return fewest


def fewest_in_pieces(
    codes: np.ndarray, begin: np.ndarray, end: np.ndarray, trie: Trie, has_bytes: bool, most: np.ndarray | None = None
) -> np.ndarray:
    """Minimum number of tokens of each piece (int64[n_pieces]), -1 if it cannot be written.

    Parameters
    ----------
    codes : int32[n_chars], code points.
    begin, end : int64[n_pieces]; no token crosses them.
    trie : the texts of the tokens.
    has_bytes : whether a character may be written as its UTF-8 bytes, one token each.
    most : int64[n_pieces], a number of tokens that each piece can be written with, if known; it saves most of the time.
    """
    limit = MOST_BYTES * (end - begin) + 1 if most is None else most
    found: np.ndarray = _fewest(codes, begin, end, limit, *trie, has_bytes)
    return found if most is None else np.where(found < 0, most, found)


def fewest_in_texts(texts: Sequence[str], trie: Trie, has_bytes: bool) -> np.ndarray | None:
    """Minimum number of tokens of each text (int64[n_texts]), without pre-tokens; None if one cannot be written."""
    size = np.array([len(text) for text in texts], dtype=np.int64)
    end = np.cumsum(size)
    fewest = fewest_in_pieces(to_codes("".join(texts)), end - size, end, trie, has_bytes)
    return None if (fewest < 0).any() else fewest


def fewest_of_bytes(
    tokens: Iterable[bytes], pretokenizer: Pretokenizer, lines: Sequence[str], cut: CutLines | None = None
) -> np.ndarray:
    """Minimum number of tokens of each line (int64[n_lines]) under a byte-level vocabulary.

    Parameters
    ----------
    tokens : bytes of the tokens that text may become, including all 256 single bytes; empty ones are ignored.
    pretokenizer : no token crosses its boundaries.
    lines : in the tokenizer's normal form.
    cut : these lines cut by the pretokenizer, if they are already.
    """
    cut = cut or cut_lines(lines, pretokenizer)
    codes, ptr = _gather(cut.codes, cut.begin, cut.end)
    data = np.frombuffer(text_of(codes).encode(), dtype=np.uint8)
    blob, sizes = _possible([token for token in tokens if len(token) > 1], data)
    is_first = (blob & 0xC0) != 0x80  # byte of a character
    ends = np.cumsum(sizes)
    has_bytes = bool(is_first[ends - sizes].all())
    try:
        token_codes = to_codes(blob.tobytes().decode()) if has_bytes else None
    except UnicodeDecodeError:
        token_codes = None
    if token_codes is not None:
        token_ptr = np.append(0, np.cumsum(is_first))[np.append(0, ends)]
    else:
        # Bytes are treated as code points, so that tokens may begin and end inside a character.
        has_bytes = False
        token_codes = np.append(blob, np.arange(N_BYTES)).astype(np.int32)
        token_ptr = offsets(np.append(sizes, np.ones(N_BYTES, dtype=np.int64)))
        codes, ptr = data.astype(np.int32), utf8_offsets(frozen(codes))[ptr]
    trie = trie_of(frozen(token_codes), token_ptr, np.zeros(token_ptr.size - 1, dtype=np.int32))
    fewest = fewest_in_pieces(frozen(codes), ptr[:-1], ptr[1:], trie, has_bytes, cut.n_tokens)
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(fewest[cut.numbers])])
    per_line: np.ndarray = before[cut.line_ptr[1:]] - before[cut.line_ptr[:-1]]
    return per_line


def _possible(tokens: list[bytes], data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tokens all of whose byte pairs occur in the data (uint8): their bytes, and the size of each.

    Building a trie of 200,000 tokens takes longer than scanning most texts, in which few of the tokens can occur.
    """
    seen = np.zeros(1 << 16, dtype=bool)
    seen[_pairs(data)] = True
    blob = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    sizes = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    ends = np.cumsum(sizes)
    is_seen = np.append(seen[_pairs(blob)], True)
    is_seen[ends - 1] = True  # the last byte of a token begins no pair
    possible = np.logical_and.reduceat(is_seen, ends - sizes) if tokens else np.zeros(0, dtype=bool)
    return blob[np.repeat(possible, sizes)], sizes[possible]


def _pairs(data: np.ndarray) -> np.ndarray:
    return (data[:-1].astype(np.uint16) << 8) | data[1:]
