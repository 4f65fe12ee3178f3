"""A corpus as flat arrays: distinct sentences made of distinct pre-tokens, in independent shards.

Branching entropy and EM are sums over sentences, so a corpus is a list of shards and every statistic is a merge of
the shards' statistics. Equal sentences are one y of eq. 1 with a larger P(y), so the shard is a hash of the sentence.
The number of shards depends only on the corpus, never on the number of threads: sums are merged in a fixed order
(`engine.unigram.train.shard_tree`) and are reproducible to the last bit.
"""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine._jit import inlined, kernel, subkernel
from engine.corpus.pretokens.pretokenize import Pretokenizer, text_of, to_codes
from engine.corpus.reading.decoded import DecodedLines, frozen
from engine.machine.threads import in_threads

# Maximum characters of distinct units per shard, up to 64 shards; beyond that, shards grow to eight times this size
# first. Larger shards duplicate fewer pre-tokens and leave fewer sums to merge; smaller ones balance threads better.
_SHARD_CHARS = 1_000_000
_LARGE_SHARD = 8
# Characters that a key of `_intern` has, and the second number of a longer range's, which characters never give.
_EXACT, _LONG = 8, np.uint64(0xFFFFFFFFFFFFFFFF)
_JOINED = 1 << 14  # characters
_SOME = 64  # keys of `_intern`


class Pretokens(NamedTuple):
    """Distinct pre-tokens, flat. Number i is `chars[ptr[i]:ptr[i + 1]]` (code points) and occurs `count[i]` times."""

    chars: np.ndarray  # int32[n_chars]
    ptr: np.ndarray  # int64[n_pretokens + 1]
    count: np.ndarray  # type: ignore[assignment]  # int64[n_pretokens]; hides tuple.count, which is unused

    def text(self, i: int) -> str:
        """Pre-token i as a string."""
        return text_of(self.chars[self.ptr[i] : self.ptr[i + 1]])

    def cuts(self, n: int) -> np.ndarray:
        """Where to cut the pre-tokens into n ranges of about as many characters each (int64[n + 1])."""
        cuts: np.ndarray = np.searchsorted(self.ptr, np.linspace(0, self.chars.size, n + 1))
        return cuts


class TextLines(NamedTuple):
    """A text and its non-empty lines. Line i is `codes[begin[i]:end[i]]`."""

    text: str
    codes: np.ndarray  # int32[n_chars]
    begin: np.ndarray  # int64[n_lines]
    end: np.ndarray  # int64[n_lines]


class CorpusFacts(NamedTuple):
    """The facts about its corpus that a model stores; see Corpus."""

    n_units: int
    n_words: int
    fingerprint: str
    pretokenizer: Pretokenizer


class Corpus(NamedTuple):
    """Distinct sentences over distinct pre-tokens, ordered by shard.

    Sentence y is the pre-tokens `sentence_pretoken[sentence_ptr[y]:sentence_ptr[y + 1]]`, in order, and occurs
    `sentence_count[y]` times. Shard k owns the sentences `shard_sentence[k]:shard_sentence[k + 1]` and the pre-tokens
    `shard_pretoken[k]:shard_pretoken[k + 1]`, and its sentences use no others: pre-tokens are distinct within a shard.
    """

    pretokens: Pretokens
    sentence_ptr: np.ndarray  # int64[n_sentences + 1]
    sentence_pretoken: np.ndarray  # int32[n_occurrences]
    sentence_count: np.ndarray  # int64[n_sentences]
    shard_sentence: np.ndarray  # int64[n_shards + 1]
    shard_pretoken: np.ndarray  # int64[n_shards + 1]
    n_units: int  # sentences counted with multiplicity: P(y) = sentence_count[y] / n_units
    n_words: int  # white-space-separated words in the whole corpus, for fertility
    fingerprint: str  # SHA-256 of the normalised text (UTF-8), hex
    pretokenizer: Pretokenizer  # with which the sentences were cut

    @property
    def facts(self) -> CorpusFacts:
        """What a model stores of it."""
        return CorpusFacts(self.n_units, self.n_words, self.fingerprint, self.pretokenizer)

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return self.shard_sentence.size - 1


@subkernel
def _hash_range(codes, begin, end):
    h = np.uint64(0xCBF29CE484222325)
    for i in range(begin, end):
        h = (h ^ np.uint64(codes[i])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    return h


@inlined
def _key(codes, begin, end):
    """Two numbers (uint64), equal for equal ranges, and for no others unless the second is _LONG.

    Up to eight characters below U+FFFE are the numbers themselves, so that comparing them reads no text.
    """
    low = np.uint64(0)
    high = np.uint64(0)
    if end - begin > _EXACT:
        return _hash_range(codes, begin, end), _LONG
    for i in range(begin, end):
        code = np.uint64(codes[i])
        if code >= np.uint64(0xFFFE):
            return _hash_range(codes, begin, end), _LONG
        high = high << np.uint64(16) | low >> np.uint64(48)
        low = low << np.uint64(16) | (code + np.uint64(1))
    return low, high


@inlined
def _slot_of(low, high, mask):
    h = (low ^ (high * np.uint64(0xC2B2AE3D27D4EB4F))) * np.uint64(0x9E3779B97F4A7C15)
    return (h ^ (h >> np.uint64(32))) & mask


@kernel
def _intern(codes, begin, end):
    """Number the distinct ranges `codes[begin[i]:end[i]]` in order of first appearance.

    Returns ids (int32[n]) and the index of the first range with each id (int64[n_ids]). The table in use doubles as
    ids are added: it stays in the cache where few are distinct. Keys are made some at once, so that the processor does
    not wait for each one's place in the table.
    """
    n = begin.size
    table = np.empty(4 * n + 1024, dtype=np.int32)
    keys = np.empty((n, 2), dtype=np.uint64)
    ids = np.empty(n, dtype=np.int32)
    first = np.empty(n, dtype=np.int64)
    some = np.empty((_SOME, 2), dtype=np.uint64)
    size = 512
    n_ids = 0
    for i in range(n):
        if i % _SOME == 0:
            if i == 0 or 2 * (n_ids + _SOME) >= size:
                size *= 2
                mask = np.uint64(size - 1)
                table[:size] = -1
                for k in range(n_ids):
                    slot = _slot_of(keys[k, 0], keys[k, 1], mask)
                    while table[slot] >= 0:
                        slot = (slot + np.uint64(1)) & mask
                    table[slot] = k
            for k in range(min(_SOME, n - i)):
                some[k] = _key(codes, begin[i + k], end[i + k])
        low, high = some[i % _SOME]
        slot = _slot_of(low, high, mask)
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = n_ids
                keys[n_ids, 0] = low
                keys[n_ids, 1] = high
                first[n_ids] = i
                ids[i] = n_ids
                n_ids += 1
                break
            if keys[other, 0] == low and keys[other, 1] == high:
                same = True
                if high == _LONG:
                    j = first[other]
                    same = end[j] - begin[j] == end[i] - begin[i]
                    k = 0
                    while same and k < end[i] - begin[i]:
                        same = codes[begin[j] + k] == codes[begin[i] + k]
                        k += 1
                if same:
                    ids[i] = other
                    break
            slot = (slot + np.uint64(1)) & mask
    return ids, first[:n_ids].copy()


@kernel
def _shard_of(codes, begin, end, n_shards):
    """Shard of every unit, from a hash of its text."""
    shard = np.empty(begin.size, dtype=np.int64)
    for i in range(begin.size):
        h = _hash_range(codes, begin[i], end[i])
        shard[i] = np.int64((h >> np.uint64(17)) % np.uint64(n_shards))
    return shard


@kernel
def _gather(codes, begin, end):
    """Copy the ranges into one flat array with its ptr."""
    ptr = np.empty(begin.size + 1, dtype=np.int64)
    ptr[0] = 0
    for i in range(begin.size):
        ptr[i + 1] = ptr[i] + end[i] - begin[i]
    chars = np.empty(ptr[-1], dtype=np.int32)
    for i in range(begin.size):
        for k in range(end[i] - begin[i]):
            chars[ptr[i] + k] = codes[begin[i] + k]
    return chars, ptr


@kernel
def _count_words(codes):
    """Number of white-space-separated words, by str.split's white space as far as it occurs in Korean text."""
    n = 0
    inside = False
    for c in codes:
        space = c == 32 or (9 <= c <= 13) or c == 0x3000 or c == 0xA0 or c == 0x85 or c == 0x2028 or c == 0x2029
        if not space and not inside:
            n += 1
        inside = not space
    return n


@kernel
def _segment_ranges(ends, line_begin, line_ptr, lines):
    """Begin and end of every pre-token of `lines`, and the ptr of the lines into them."""
    ptr = np.empty(lines.size + 1, dtype=np.int64)
    ptr[0] = 0
    for y in range(lines.size):
        ptr[y + 1] = ptr[y] + line_ptr[lines[y] + 1] - line_ptr[lines[y]]
    begin = np.empty(ptr[-1], dtype=np.int64)
    end = np.empty(ptr[-1], dtype=np.int64)
    for y in range(lines.size):
        at = line_begin[lines[y]]
        for k in range(ptr[y + 1] - ptr[y]):
            begin[ptr[y] + k] = at
            at = ends[line_ptr[lines[y]] + k]
            end[ptr[y] + k] = at
    return begin, end, ptr


@kernel
def _count_pretokens(ids, ptr, sentence_count, n_pretokens):
    """Occurrences of every pre-token, sentences counted with multiplicity."""
    count = np.zeros(n_pretokens, dtype=np.int64)
    for y in range(sentence_count.size):
        for k in range(ptr[y], ptr[y + 1]):
            count[ids[k]] += sentence_count[y]
    return count


def find_lines(text: str) -> TextLines:
    """The lines of a text (separated by \\n); InputError for a lone surrogate, which is not valid Unicode."""
    codes = to_codes(text)
    bounds = np.concatenate([[-1], np.flatnonzero(codes == ord("\n")), [codes.size]])
    has_text = np.diff(bounds) > 1
    return TextLines(text, codes, bounds[:-1][has_text] + 1, bounds[1:][has_text])


def number_of_shards(n_chars: int) -> int:
    """An even number, to balance two threads, or one for a small corpus."""
    if n_chars <= _SHARD_CHARS // 4:
        return 1
    pair = 2 * _SHARD_CHARS
    return 2 * max(min(32, -(-n_chars // pair)), -(-n_chars // (_LARGE_SHARD * pair)))


def assemble_corpus(lines: TextLines, pretokenizer: Pretokenizer, context: str, threads: int = 1) -> Corpus:
    """Arrays of the lines.

    Parameters
    ----------
    context : `sentence`, or `pretoken`: each distinct pre-token is a unit, and the corpus is sharded by pre-token.

    Raises
    ------
    InputError : the pre-tokenizer's pattern is too slow.
    """
    units, unit_count = distinct_units(lines, pretokenizer, context)
    n_shards = number_of_shards(int((units.end - units.begin).sum()))
    shard = _shard_of(units.codes, units.begin, units.end, n_shards)
    order = np.argsort(shard, kind="stable")
    units = units._replace(begin=units.begin[order], end=units.end[order])
    shard_unit = offsets(np.bincount(shard, minlength=n_shards))
    return arrange(
        units,
        unit_count[order],
        shard_unit,
        pretokenizer,
        context,
        n_words=int(_count_words(lines.codes)),
        fingerprint=hashlib.sha256(lines.text.encode()).hexdigest(),
        threads=threads,
    )


def distinct_units(lines: TextLines, pretokenizer: Pretokenizer, context: str) -> tuple[TextLines, np.ndarray]:
    """Distinct lines (pre-tokens with context `pretoken`) in order of first appearance, and their counts."""
    text, codes, begin, end = lines
    if context == "pretoken":
        ends, line_ptr = pretokenizer.scan_lines(codes, begin, end)
        begin, end, _ = _segment_ranges(ends, begin, line_ptr, np.arange(begin.size))
    ids, first = _intern(codes, begin, end)
    return TextLines(text, codes, begin[first], end[first]), np.bincount(ids, minlength=first.size)


def arrange(
    units: TextLines,
    unit_count: np.ndarray,
    shard_unit: np.ndarray,
    pretokenizer: Pretokenizer,
    context: str,
    n_words: int,
    fingerprint: str,
    threads: int = 1,
) -> Corpus:
    """Arrays of distinct units; those of shard k are `shard_unit[k]:shard_unit[k + 1]`."""
    _, codes, begin, end = units
    ends, line_ptr = end, np.arange(end.size + 1)
    if context != "pretoken":
        ends, line_ptr = pretokenizer.scan_lines(codes, begin, end, threads)

    def arranged(shard: int) -> tuple[Pretokens, np.ndarray, np.ndarray]:
        first_unit, last_unit = shard_unit[shard : shard + 2]
        own = np.arange(first_unit, last_unit)
        segment_begin, segment_end, ptr = _segment_ranges(ends, begin, line_ptr, own)
        ids, first = _intern(codes, segment_begin, segment_end)
        count = _count_pretokens(ids, ptr, unit_count[first_unit:last_unit], first.size)
        chars, pretoken_ptr = _gather(codes, segment_begin[first], segment_end[first])
        return Pretokens(chars, pretoken_ptr, count), ptr, ids

    shards = in_threads(threads, shard_unit.size - 1, arranged)
    pretokens, ptrs, ids = zip(*shards, strict=True)
    shard_pretoken = offsets([own.count.size for own in pretokens])
    return Corpus(
        pretokens=joined_pretokens(pretokens),
        sentence_ptr=joined_ptr(ptrs),
        sentence_pretoken=joined_numbers(ids, shard_pretoken),
        sentence_count=unit_count,
        shard_sentence=shard_unit,
        shard_pretoken=shard_pretoken,
        n_units=int(unit_count.sum()),
        n_words=n_words,
        fingerprint=fingerprint,
        pretokenizer=pretokenizer,
    )


def offsets(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where items of these sizes begin when concatenated, and the total (int64[n + 1])."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def joined_ptr(ptrs: Sequence[np.ndarray]) -> np.ndarray:
    """The ptr of concatenated ragged arrays."""
    starts = offsets([int(ptr[-1]) for ptr in ptrs])
    return np.concatenate([starts[:1], *(ptr[1:] + start for ptr, start in zip(ptrs, starts[:-1], strict=True))])


def joined_numbers(numbers: Sequence[np.ndarray], starts: np.ndarray) -> np.ndarray:
    """Numbers (int32) of concatenated shards, which count from `starts`; overwrites `numbers`."""
    for own, start in zip(numbers, starts[:-1], strict=True):
        own += np.int32(start)
    return np.concatenate(numbers)


def joined_pretokens(shards: Sequence[Pretokens]) -> Pretokens:
    """The pre-tokens of several shards, concatenated."""
    return Pretokens(
        np.concatenate([own.chars for own in shards]),
        joined_ptr([own.ptr for own in shards]),
        np.concatenate([own.count for own in shards]),
    )


def count_pretokens(texts: Iterable[str], pretokenizer: Pretokenizer) -> Pretokens:
    """Distinct pre-tokens of all the texts in order of first appearance, with their counts."""
    _, codes, begin, end = find_lines("\n".join(texts))
    ends, line_ptr = pretokenizer.scan_lines(codes, begin, end)
    begin, end, _ = _segment_ranges(ends, begin, line_ptr, np.arange(begin.size))
    ids, first = _intern(codes, begin, end)
    chars, ptr = _gather(codes, begin[first], end[first])
    chars.flags.writeable = False  # like all codes, so that kernels are not compiled twice
    return Pretokens(chars, ptr, np.bincount(ids, minlength=first.size))


def _intern_in_threads(
    codes: np.ndarray, begin: np.ndarray, end: np.ndarray, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """`_intern`: of a range per thread, then of what is distinct in each, which is in the same order."""
    cuts = np.linspace(0, begin.size, threads + 1).astype(np.int64)
    spans = [slice(*cut) for cut in pairwise(cuts.tolist())]
    parts = in_threads(threads, threads, lambda k: _intern(codes, begin[spans[k]], end[spans[k]]))
    if threads == 1:
        return parts[0]
    first = np.concatenate([own + cut for (_, own), cut in zip(parts, cuts[:-1], strict=True)])
    numbers, first_of = _intern(codes, begin[first], end[first])
    known = np.split(numbers, np.cumsum([own.size for _, own in parts])[:-1])
    return np.concatenate([own[ids] for own, (ids, _) in zip(known, parts, strict=True)]), first[first_of]


class CutLines(NamedTuple):
    """Lines cut into pre-tokens. Distinct pre-token i is `codes[begin[i]:end[i]]`.

    Line y is the pre-tokens `numbers[line_ptr[y]:line_ptr[y + 1]]`. In a batch, `n_tokens` are those of each pre-token.
    """

    codes: np.ndarray  # int32[n_chars], of all lines, concatenated
    begin: np.ndarray  # int64[n_distinct]
    end: np.ndarray  # int64[n_distinct]
    numbers: np.ndarray  # int32[n_pretokens]
    line_ptr: np.ndarray  # int64[n_lines + 1]
    n_tokens: np.ndarray | None = None  # int64[n_distinct]


def _concatenated(lines: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Code points of all lines, and where each begins and the last one ends."""
    if isinstance(lines, DecodedLines):
        return lines.codes, lines.bounds
    bounds = offsets(list(map(len, lines)))
    # Some lines at a time: one emoji makes all characters of a str four times as large.
    cuts = np.searchsorted(bounds, np.arange(0, bounds[-1] + 2 * _JOINED, _JOINED)).tolist()
    return frozen(np.concatenate([to_codes("".join(lines[begin:end])) for begin, end in pairwise(cuts)])), bounds


def cut_lines(lines: Sequence[str], pretokenizer: Pretokenizer, threads: int = 1) -> CutLines:
    """Cut lines into distinct pre-tokens, so that each is encoded only once; the same with any number of threads."""
    codes, bounds = _concatenated(lines)
    ends, line_ptr = pretokenizer.scan_lines(codes, bounds[:-1], bounds[1:], threads)
    begins = np.concatenate([np.zeros(1, dtype=np.int64), ends])[:-1]  # the pre-tokens tile the lines
    numbers, first = _intern_in_threads(codes, begins, ends, threads)
    return CutLines(codes, begins[first], ends[first], numbers, line_ptr)
