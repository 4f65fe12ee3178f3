"""The seed vocabulary: the substrings of the corpus that may become tokens (Thunder-Tok paper, section 3.2, Table 1).

Substrings are grown one character at a time, all occurrences together: `_refine` splits the group of occurrences of
each n-gram by the next character into groups of (n+1)-grams. A group below `min_count` is dropped with all its
extensions. So the work is proportional to the occurrences of frequent substrings, needs no hash table, and finds the
groups of each length sorted by bytes. If the tokens are given (by BPE), only their prefixes are grown.

Of a right-branching seed vocabulary are only substrings after which the distinct pre-tokens differ: the internal nodes
of their suffix tree. A phrase may also be followed by a space alone if the next word is not always the same.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.config import LINGUISTIC_SEEDS, N_BYTES, TrainingSettings
from engine.corpus.arrays import Corpus, Pretokens, _hash_range
from engine.corpus.pretokens.character_classes import SPACE, classes_for
from engine.corpus.pretokens.presets import boundary_safe_mask
from engine.corpus.pretokens.pretokenize import text_of, to_codes
from engine.machine.threads import in_threads
from engine.unigram.train.pruning import Holders

# Instead of the symbol that follows a substring: several do.
BRANCHES = -1


class Level(NamedTuple):
    """The frequent substrings of one length, with all occurrences.

    Substring g occurs at `position[ptr[g]:ptr[g + 1]]` (indices into the corpus's characters).
    """

    position: np.ndarray  # int32[n_occurrences]
    ptr: np.ndarray  # int64[n_groups + 1]
    parent: np.ndarray  # int32[n_groups], group of the substring without its last character, in the previous level
    formed: np.ndarray  # int64[n_groups], well-formed occurrences, pre-tokens counted with multiplicity


class Tree(NamedTuple):
    """The frequent substrings of all lengths, sorted by length, then by bytes."""

    level_ptr: np.ndarray  # int64[n_levels + 1], offsets of the lengths
    parent: np.ndarray  # int64[n_groups], the substring without its last character, or -1
    last: np.ndarray  # int32[n_groups], the last character
    formed: np.ndarray  # int64[n_groups], as in Level

    @property
    def length(self) -> np.ndarray:
        """Length of each substring in characters (int64[n_groups])."""
        return np.repeat(np.arange(1, self.level_ptr.size), np.diff(self.level_ptr))

    def spell(self, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Code points (int32) of the substrings, concatenated, and the begin of each."""
        return _spell(self.parent, self.last, groups, self.length[groups])


class SeedVocabulary(NamedTuple):
    """Tokens as rows: 0..255 are the bytes, then the candidates sorted by bytes.

    Row r is the bytes `blob[ptr[r]:ptr[r + 1]]`.
    """

    blob: np.ndarray  # uint8
    ptr: np.ndarray  # int64[n_rows + 1]
    weight: np.ndarray  # float64[n_rows], count x length in characters: the unnormalised initial probabilities
    first: np.ndarray  # int64[n_rows], first occurrence of the token in the corpus's characters (-1: bytes)
    length: np.ndarray  # int64[n_rows], characters (0: parts of a character)
    alphabet: np.ndarray  # int32[n_alphabet], the multi-byte characters of the corpus, ascending
    alphabet_count: np.ndarray  # int64[n_alphabet], their counts
    character_row: np.ndarray  # int32[n_alphabet], the row of the character, or -1

    def holders(self, chars: np.ndarray) -> Holders:
        """The multi-byte characters that each row contains; `chars` are the corpus's characters."""
        rows = np.flatnonzero(self.length > 1)
        length = self.length[rows]
        ends = np.cumsum(length)
        at = np.repeat(self.first[rows] - ends + length, length) + np.arange(length.sum())
        codes = chars[at]
        wide = codes >= 0x80
        character = self.character_row[np.searchsorted(self.alphabet, codes[wide])]
        return Holders(np.repeat(rows, length)[wide], character.astype(np.int64))

    @property
    def n_rows(self) -> int:
        """Number of tokens."""
        return self.ptr.size - 1


@subkernel
def _utf8_length(c):
    if c < 0x80:
        return 1
    if c < 0x800:
        return 2
    if c < 0x10000:
        return 3
    return 4


@kernel
def _places(chars, ptr, count, p0, p1, index, classes, linguistic, max_bytes, place, letter):
    """Set `place` and `letter` (see `find_places`) in the pre-tokens p0..p1-1."""
    for p in range(p0, p1):
        lo, hi = ptr[p], ptr[p + 1]
        for i in range(lo, hi):
            space = classes[chars[i]] == SPACE
            word_end = not space and (i + 1 == hi or classes[chars[i + 1]] == SPACE)
            letter[i] = 4 * index[chars[i]] + 2 * (i + 1 == hi) + word_end
            size = 0
            j = i
            word_limit = 0
            while j < hi and j - i < 255:
                size += _utf8_length(chars[j])
                if size > max_bytes and j > i:
                    break
                if linguistic and j > i and classes[chars[j]] == SPACE:
                    if word_limit == 0:
                        word_limit = j - i
                    # A phrase begins with a space and has single spaces between its words.
                    if chars[i] != 32 or chars[j] != 32 or classes[chars[j - 1]] == SPACE:
                        break
                elif linguistic and j > i and j - i == 1 and space and chars[i] != 32:
                    break
                j += 1
            place[i] = (count[p] << 16) | ((word_limit if word_limit > 0 else j - i) << 8) | (j - i)


@kernel
def _first_level(letter, place, n_letters, min_count):
    """Group all positions by character; characters below min_count are dropped."""
    total = np.zeros(n_letters, dtype=np.int64)
    size = np.zeros(n_letters, dtype=np.int64)
    for i in range(letter.size):
        total[letter[i] >> 2] += place[i] >> 16
        size[letter[i] >> 2] += 1
    group = np.full(n_letters, -1, dtype=np.int32)
    ptr = np.zeros(n_letters + 1, dtype=np.int64)
    k = 0
    for c in range(n_letters):
        if total[c] >= min_count:
            group[c] = k
            ptr[k + 1] = ptr[k] + size[c]
            k += 1
    position = np.empty(ptr[k], dtype=np.int32)
    fill = ptr[:k].copy()
    for i in range(letter.size):
        g = group[letter[i] >> 2]
        if g >= 0:
            position[fill[g]] = i
            fill[g] += 1
    return position, ptr[: k + 1].copy(), group, total


@kernel
def _refine(letter, place, n_letters, position, ptr, first_group, last_group, length, min_count):
    """Split the groups first_group..last_group-1 of substrings of `length - 1` characters by the next character."""
    room = ptr[last_group] - ptr[first_group]
    new_position = np.empty(room, dtype=np.int32)
    new_ptr = np.empty(room + 1, dtype=np.int64)
    parent = np.empty(room, dtype=np.int32)
    well_formed = np.empty(room, dtype=np.int64)
    largest = 0
    for g in range(first_group, last_group):
        largest = max(largest, ptr[g + 1] - ptr[g])
    following = np.empty(largest, dtype=np.int32)  # the next character of each occurrence, -1: none
    # Of each letter its occurrences, these with multiplicity, the well-formed ones, and where the next one goes.
    tally = np.zeros((n_letters, 4), dtype=np.int64)
    touched = np.empty(n_letters, dtype=np.int32)
    new_ptr[0] = 0
    k = 0
    for g in range(first_group, last_group):
        n_touched = 0
        base = ptr[g]
        for a in range(base, ptr[g + 1]):
            i = position[a]
            here = place[i]
            if (here & 0xFF) < length:
                following[a - base] = -1
                continue
            last = letter[i + length - 1]
            c = last >> 2
            following[a - base] = c
            if tally[c, 0] == 0:
                touched[n_touched] = c
                n_touched += 1
            tally[c, 0] += 1
            tally[c, 1] += here >> 16
            if length <= ((here >> 8) & 0xFF) or last & 1:
                tally[c, 2] += here >> 16
        if n_touched == 0:
            continue
        if n_touched * n_touched <= 4 * n_letters:  # insertion sort
            for a in range(1, n_touched):
                c = touched[a]
                b = a
                while b > 0 and touched[b - 1] > c:
                    touched[b] = touched[b - 1]
                    b -= 1
                touched[b] = c
        else:
            n_touched = 0
            for c in range(n_letters):
                if tally[c, 0] > 0:
                    touched[n_touched] = c
                    n_touched += 1
        for c in touched[:n_touched]:
            if tally[c, 1] >= min_count:
                tally[c, 3] = new_ptr[k]
                parent[k] = g
                well_formed[k] = tally[c, 2]
                new_ptr[k + 1] = new_ptr[k] + tally[c, 0]
                k += 1
            else:
                tally[c, 3] = -1
            tally[c, 0] = 0
            tally[c, 1] = 0
            tally[c, 2] = 0
        for a in range(base, ptr[g + 1]):
            c = following[a - base]
            if c >= 0 and tally[c, 3] >= 0:
                new_position[tally[c, 3]] = position[a]
                tally[c, 3] += 1
    return new_position[: new_ptr[k]].copy(), new_ptr[: k + 1].copy(), parent[:k].copy(), well_formed[:k].copy()


@kernel
def _following(letter, chars, ptr, position, group_ptr, first_group, last_group, length):
    """See `following_symbols`, for the groups first_group..last_group-1."""
    following = np.empty(last_group - first_group, dtype=np.int32)
    for g in range(first_group, last_group):
        for a in range(group_ptr[g], group_ptr[g + 1]):
            i = position[a]
            if letter[i + length - 1] & 2:
                p = np.searchsorted(ptr, i, side="right") - 1
                symbol = np.int32(-2 - np.int64(_hash_range(chars, ptr[p], ptr[p + 1]) >> np.uint64(34)))
            else:
                symbol = np.int32(letter[i + length] >> 2)
            if a == group_ptr[g]:
                following[g - first_group] = symbol
            elif symbol != following[g - first_group]:
                following[g - first_group] = BRANCHES
                break
    return following


def following_symbols(
    pretokens: Pretokens, letter: np.ndarray, level: Level, length: int, settings: TrainingSettings, threads: int = 1
) -> np.ndarray:
    """What follows each substring of a level in the distinct pre-tokens; zeros if the settings do not need it.

    int32[n_groups]: the index of the next character in the alphabet, or a negative hash of the pre-token whose end
    follows (every end is a symbol of its own, as in a suffix tree of the pre-tokens); BRANCHES if not all are equal.
    """
    if settings.seed_vocabulary != "right-branching":
        return np.zeros(level.parent.size, dtype=np.int32)
    cuts = np.searchsorted(level.ptr[:-1], np.linspace(0, level.position.size, threads + 1))
    given = (letter, pretokens.chars, pretokens.ptr, level.position, level.ptr)
    parts = in_threads(threads, threads, lambda k: _following(*given, cuts[k], cuts[k + 1], length))
    return np.concatenate(parts)


@kernel
def _branching(level_ptr, parent, last, following):
    """See `only_branching`."""
    kept = following == BRANCHES
    within = kept.copy()  # whether it branches before its next space
    for g in range(parent.size - 1, level_ptr[1] - 1, -1):
        if within[g]:
            if last[g] == 32:
                kept[parent[g]] = True
            else:
                within[parent[g]] = True
    return kept


def only_branching(tree: Tree, following: list[np.ndarray], settings: TrainingSettings) -> Tree:
    """The tree with no well-formed occurrences of substrings that do not branch, if the settings say so.

    `following` are the symbols of `following_symbols` for each level.
    """
    if settings.seed_vocabulary != "right-branching":
        return tree
    kept = _branching(tree.level_ptr, tree.parent, tree.last, np.concatenate(following))
    if settings.sentencepiece_safe:  # keep all characters, because tokens need them
        kept[: tree.level_ptr[1]] = True
    return tree._replace(formed=tree.formed * kept)


@kernel
def _ranks(selected, parent, level_ptr):
    """Rank of each selected group among all selected ones, sorted by bytes (a preorder of the tree)."""
    below = selected.astype(np.int64)
    for g in range(parent.size - 1, level_ptr[1] - 1, -1):
        below[parent[g]] += below[g]
    start = np.empty(parent.size, dtype=np.int64)
    free = np.empty(parent.size, dtype=np.int64)  # rank of the next child of each group
    at = 0
    for g in range(parent.size):
        if g < level_ptr[1]:
            start[g] = at
            at += below[g]
        else:
            start[g] = free[parent[g]]
            free[parent[g]] += below[g]
        free[g] = start[g] + selected[g]
    return start


@kernel
def _spell(parent, last, groups, length):
    first = np.empty(groups.size, dtype=np.int64)
    total = 0
    for r in range(groups.size):
        first[r] = total
        total += length[r]
    chars = np.empty(total, dtype=np.int32)
    for r in range(groups.size):
        g = groups[r]
        for i in range(first[r] + length[r] - 1, first[r] - 1, -1):
            chars[i] = last[g]
            g = parent[g]
    return chars, first


@kernel
def byte_sizes(parent, last, size_of_parent):
    """Lengths of substrings in UTF-8 bytes; `size_of_parent` is empty if the parents are in the same arrays."""
    size = np.empty(parent.size, dtype=np.int64)
    for g in range(parent.size):
        size[g] = _utf8_length(last[g])
        if parent[g] >= 0:
            size[g] += size_of_parent[parent[g]] if size_of_parent.size > 0 else size[parent[g]]
    return size


def find_places(
    pretokens: Pretokens, index: np.ndarray, settings: TrainingSettings, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """How far a token that begins at each position may extend, in characters.

    Access is random, so data used together is packed together.

    Parameters
    ----------
    index : int32[0x110000], index of each character in the alphabet.

    Returns
    -------
    place : int64[n_chars], count of the pre-token x 65,536 + word limit x 256 + limit, where `limit` is the longest
        substring to grow and `word limit` the longest inside one word; longer ones are phrases.
    letter : int32[n_chars], index of the character in the alphabet x 4, + 2 if it is the last one of its pre-token, + 1
        if it is the last one of a word.
    """
    chars, ptr, count = pretokens
    place, letter = np.empty(chars.size, dtype=np.int64), np.empty(chars.size, dtype=np.int32)
    how = (index, classes_for(chars), settings.seed_vocabulary in LINGUISTIC_SEEDS, settings.max_token_bytes)
    cuts = pretokens.cuts(threads)
    in_threads(threads, threads, lambda k: _places(chars, ptr, count, cuts[k], cuts[k + 1], *how, place, letter))
    return place, letter


def grow_levels(
    corpus: Corpus, settings: TrainingSettings, threads: int = 1, tokens: list[str] | None = None
) -> tuple[list[Level], list[np.ndarray], np.ndarray, np.ndarray]:
    """Frequent substrings of 1, 2, ... characters, what follows them, the alphabet (int32, ascending), its counts.

    `tokens` as in `build_seed`.
    """
    alphabet = alphabet_of(corpus.pretokens.chars)
    index = index_of(alphabet)
    place, letter = find_places(corpus.pretokens, index, settings, threads)
    position, group_ptr, group, total = _first_level(letter, place, alphabet.size, settings.min_count)
    kept = np.flatnonzero(group >= 0)
    levels = [Level(position, group_ptr, np.full(kept.size, -1, dtype=np.int32), total[kept])]
    chosen = None if tokens is None else ChosenTokens(tokens, index, group)
    with ThreadPoolExecutor(threads) as pool:
        while True:
            last = levels[-1]
            cuts = np.searchsorted(last.ptr, np.linspace(0, last.position.size, threads + 1)).tolist()
            columns = (letter, place, alphabet.size, last.position, last.ptr)
            settled = (len(levels) + 1, settings.min_count)
            parts = pool.map(_refine, *map(repeat, columns), cuts[:-1], cuts[1:], *map(repeat, settled))
            longer = _join([Level(*part) for part in parts])
            if chosen is not None:
                ends = letter[longer.position[longer.ptr[:-1]] + len(levels)] >> 2
                longer = _only(longer, *chosen.restrict(longer.parent, ends))
            if longer.position.size == 0:
                break
            levels.append(longer)
    following = [
        following_symbols(corpus.pretokens, letter, level, length, settings, threads)
        for length, level in enumerate(levels, 1)
    ]
    return levels, following, alphabet, total


def _join(parts: list[Level]) -> Level:
    """Concatenate the parts of a level."""
    ends = np.cumsum([0] + [part.position.size for part in parts])
    ptr = np.concatenate([[0], *(part.ptr[1:] + end for part, end in zip(parts, ends[:-1], strict=True))])
    position, _, parent, formed = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return Level(position, ptr, parent, formed)


def _only(level: Level, kept: np.ndarray, is_token: np.ndarray) -> Level:
    """The kept groups; those that are not tokens have no well-formed occurrences."""
    size = np.diff(level.ptr)[kept]
    ptr = np.concatenate([[0], np.cumsum(size)])
    at = np.arange(ptr[-1]) + np.repeat(level.ptr[kept] - ptr[:-1], size)
    return Level(level.position[at], ptr, level.parent[kept], level.formed[kept] * is_token)


class ChosenTokens:
    """Restricts the growing levels to the prefixes of given tokens.

    Parameters
    ----------
    tokens : of several characters of the corpus each, the first at least `min_count` times in it.
    index : int32[0x110000], index of each character in the alphabet.
    group : int32[n_alphabet], the group of each character at the first level.
    """

    def __init__(self, tokens: list[str], index: np.ndarray, group: np.ndarray) -> None:
        self._n_letters = group.size
        self._letters = index[to_codes("".join(tokens))]
        self._length = np.array([len(token) for token in tokens], dtype=np.int64)
        self._begin = np.cumsum(self._length) - self._length
        self._group = group[self._letters[self._begin]]  # group of each token's prefix at the last level
        self._n = 1  # length of the prefixes

    def restrict(self, parent: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The groups of the next level, given by parents and last characters, that are prefixes of tokens.

        Returns their indices, and whether each is a token. A token without a group is not in the corpus.
        """
        self._n = n = self._n + 1
        is_longer = self._length >= n
        self._length, self._begin, group = self._length[is_longer], self._begin[is_longer], self._group[is_longer]
        groups = parent.astype(np.int64) * self._n_letters + last
        prefixes = group.astype(np.int64) * self._n_letters + self._letters[self._begin + n - 1]
        prefixes, self._group = np.unique(prefixes, return_inverse=True)
        place = np.searchsorted(groups, prefixes)
        occurs = np.append(groups, -1)[place] == prefixes
        known = occurs[self._group]
        self._length, self._begin = self._length[known], self._begin[known]
        self._group = (np.cumsum(occurs) - 1)[self._group[known]]
        is_token = np.zeros(int(occurs.sum()), dtype=bool)
        is_token[self._group[self._length == n]] = True
        return place[occurs], is_token


def alphabet_of(chars: np.ndarray) -> np.ndarray:
    """Distinct characters, ascending (int32)."""
    seen = np.zeros(0x110000, dtype=bool)
    seen[chars] = True
    return np.flatnonzero(seen).astype(np.int32)


def index_of(alphabet: np.ndarray) -> np.ndarray:
    """Index of each code point in the alphabet (int32[0x110000])."""
    index = np.zeros(0x110000, dtype=np.int32)
    index[alphabet] = np.arange(alphabet.size)
    return index


def _texts(tree: Tree, groups: np.ndarray) -> list[str]:
    chars, first = tree.spell(groups)
    text = text_of(chars)
    return [text[a:b] for a, b in pairwise([*first.tolist(), chars.size])]


def _candidates(tree: Tree, size: np.ndarray, settings: TrainingSettings) -> np.ndarray:
    """bool per group: whether it becomes a token of the seed vocabulary; `size` is its length in bytes.

    At most `max_seed` are kept, by count x length in characters; ties are broken by bytes, ascending.
    """
    count, length = tree.formed, tree.length
    selected = (count >= settings.min_count) & (size <= settings.max_token_bytes)
    selected &= ~((length == 1) & (tree.last < 0x80))  # ASCII characters are bytes already
    if settings.sentencepiece_safe:
        indices = np.flatnonzero(selected)
        texts = _texts(tree, indices)
        selected[indices] = boundary_safe_mask(texts, settings.pretokenizer)
    if selected.sum() > settings.max_seed:
        indices = np.flatnonzero(selected)
        weight = (count * length)[indices]
        if settings.sentencepiece_safe:  # keep all characters, because tokens need them
            weight[length[indices] == 1] += weight.max()
        order = np.argsort(-weight, kind="stable")
        cut = weight[order[settings.max_seed - 1]]
        certain = indices[weight > cut]
        tied = indices[weight == cut]
        texts = _texts(tree, tied)
        by_bytes = tied[sorted(range(tied.size), key=texts.__getitem__)]
        selected[:] = False
        selected[certain] = True
        selected[by_bytes[: settings.max_seed - certain.size]] = True
    return selected


def build_seed(
    corpus: Corpus, settings: TrainingSettings, threads: int = 1, tokens: list[str] | None = None
) -> tuple[SeedVocabulary, list[Level], list[np.ndarray]]:
    """Seed vocabulary of the corpus; it does not depend on the number of threads.

    `tokens` are the multi-character tokens of a BPE seed; only they are grown.

    Returns
    -------
    seed : the tokens as rows.
    levels : the occurrences of all frequent substrings, for the arcs.
    rows : for each level int32[n_groups], the row of the group's token, or -1.
    """
    levels, following, alphabet, total = grow_levels(corpus, settings, threads, tokens)
    first = [level.position[level.ptr[:-1]] for level in levels]
    last = [corpus.pretokens.chars[begin + k] for k, begin in enumerate(first)]
    tree = build_tree([level.parent for level in levels], last, [level.formed for level in levels])
    seed, _, rows = choose_seed(only_branching(tree, following, settings), alphabet, total, settings)
    found = np.concatenate(rows)
    seed.first[found[found >= 0]] = np.concatenate(first)[found >= 0]
    return seed, levels, rows


def build_tree(parents: list[np.ndarray], last: list[np.ndarray], formed: list[np.ndarray]) -> Tree:
    """The substrings of all levels; parents are indices into the previous level."""
    level_ptr = np.cumsum([0] + [level.size for level in parents]).astype(np.int64)
    parent = [level.astype(np.int64) + (level_ptr[k - 1] if k else 0) for k, level in enumerate(parents)]
    return Tree(level_ptr, np.concatenate(parent), np.concatenate(last), np.concatenate(formed))


def choose_seed(
    tree: Tree, alphabet: np.ndarray, total: np.ndarray, settings: TrainingSettings
) -> tuple[SeedVocabulary, np.ndarray, list[np.ndarray]]:
    """The seed vocabulary from all frequent substrings.

    Parameters
    ----------
    tree : the substrings.
    alphabet, total : the corpus's characters, ascending, and their counts.

    Returns
    -------
    seed : the tokens as rows; `first` are indices into `chars`.
    chars : int32, the tokens' texts, concatenated.
    rows : for each level int32[n_groups], the row of the group's token, or -1.
    """
    size = byte_sizes(tree.parent, tree.last, np.empty(0, dtype=np.int64))
    selected = _candidates(tree, size, settings)
    rank = _ranks(selected, tree.parent, tree.level_ptr)
    found = np.flatnonzero(selected)
    groups = np.empty_like(found)
    groups[rank[found]] = found
    row = np.full(selected.size, -1, dtype=np.int32)
    row[groups] = N_BYTES + np.arange(groups.size, dtype=np.int32)

    length = tree.length[groups]
    chars, first = tree.spell(groups)
    blob = np.frombuffer(text_of(chars).encode(), dtype=np.uint8)
    count = tree.formed[groups]
    ascii_count = np.zeros(N_BYTES)
    ascii_letters = alphabet < 0x80
    ascii_count[alphabet[ascii_letters]] = total[ascii_letters]
    wide = alphabet[~ascii_letters]
    is_character = (length == 1).nonzero()[0]
    character_row = np.full(wide.size, -1, dtype=np.int32)
    character_row[np.searchsorted(wide, chars[first[is_character]])] = N_BYTES + is_character
    seed = SeedVocabulary(
        blob=np.concatenate([np.arange(N_BYTES, dtype=np.uint8), blob]),
        ptr=np.concatenate([np.arange(N_BYTES + 1), N_BYTES + np.cumsum(size[groups])]),
        weight=np.concatenate([ascii_count, (count * length).astype(np.float64)]),
        first=np.concatenate([np.full(N_BYTES, -1), first]),
        length=np.concatenate([np.arange(N_BYTES) < 0x80, length]).astype(np.int64),
        alphabet=wide,
        alphabet_count=total[~ascii_letters],
        character_row=character_row,
    )
    return seed, chars, [row[a:b] for a, b in pairwise(tree.level_ptr)]
