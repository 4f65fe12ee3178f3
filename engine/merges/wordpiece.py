"""WordPiece (Schuster and Nakajima 2012; BERT): trained by merges, encoded by greedy longest match."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine._jit import kernel, subkernel
from engine.corpus.normalize import denormalize, normalize
from engine.corpus.pretokens.pretokenize import to_codes, utf8_offsets
from engine.merges.alphabet import strip_space
from engine.merges.merged import Merged
from engine.merges.vocabulary import encode_around, tiled
from engine.tokenizer import Encoding, MatchingTokenizer, encoding_as_given
from engine.vocabulary.trie import Trie, _child, build_trie


class WordPiece(Merged, MatchingTokenizer):
    """A trained WordPiece tokenizer: greedy longest match with the vocabulary that the merges made.

    A word is a stripped pre-token, followed by the end-of-word mark if there is one. Its first token is the longest
    entry that matches its beginning; each following token is the longest match with the prefix ##. A word that cannot
    be covered, or is too long, becomes one unknown token. Entries are matched literally, as in `tokenizers`: the text
    `##a` or `[CLS]` may match the entry of that name.

    Notes
    -----
    With a prefix or a mark, and without unknown tokens, `decode(encode(text).ids)` is the stripped pre-tokens joined by
    single spaces, unless a later word begins with the text `##` and matches as one that goes on. The spans tile the
    text as those of `Bpe` do; a text that is only white space has no tokens.
    """

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "WordPiece"

    @property
    def longest_match(self) -> MatchingTokenizer:
        """This tokenizer."""
        return self

    @cached_property
    def _tries(self) -> tuple[Trie, Trie]:
        """The entries that begin a word, and those that continue one, without their prefix; the first of equal ones."""
        prefix = self.settings.continuing
        initial: dict[str, int] = {}
        following: dict[str, int] = {}
        for token_id, token in enumerate(self.tokens):
            if token.label:
                initial.setdefault(token.label, token_id)
            if token.label.startswith(prefix) and len(token.label) > len(prefix):
                following.setdefault(token.label.removeprefix(prefix), token_id)
        begin, inside = (
            build_trie(list(texts), np.fromiter(texts.values(), dtype=np.int32)) for texts in (initial, following)
        )
        return begin, inside

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans; the spans tile the (normalised) text.

        Parameters
        ----------
        text : any text.
        allow_special : whether the text of a special token becomes that token, wherever it occurs.
        """
        form = self.normalization
        special = self.special_tokens if allow_special else {}
        return encoding_as_given(encode_around(normalize(text, form), special, self._encode), text, form)

    def _encode(self, text: str) -> Encoding:
        codes = to_codes(text)
        bounds = self.pretokenizer.boundaries(codes)
        begin, end, _ = strip_space(codes, bounds[:-1], bounds[1:])
        mark = to_codes(self.settings.end_of_word)
        ids, ends = _max_match(codes, begin, end, mark, *self._tries, self.unknown_id, self.settings.max_word_chars)
        offsets = utf8_offsets(codes)
        return tiled(ids, offsets[ends], int(offsets[-1]))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids, including special tokens; the first keeps its prefix, as in `tokenizers`."""
        prefix = self.settings.continuing
        text = self.words(ids, bool(prefix), bool(self.settings.end_of_word))
        text = prefix + text if ids and prefix and self.token(ids[0]).continues else text
        return denormalize(text, self.normalization)


@subkernel
def _longest(codes, at, end, mark, trie):
    """Length (0: none) and id of the longest entry that matches at `at` in the word followed by its mark."""
    keys, children, tokens = trie
    node = 0
    length = 0
    token = np.int32(-1)
    n = 0
    while at + n < end + mark.size:
        node = _child(keys, children, node, codes[at + n] if at + n < end else mark[at + n - end])
        if node < 0:
            break
        n += 1
        if tokens[node] >= 0:
            length = n
            token = tokens[node]
    return length, token


@kernel
def _max_match(codes, begin, end, mark, initial, following, unknown, max_word_chars):
    """Tokens of each word `codes[begin[i]:end[i]]` and their ends; a separate mark ends at the next word."""
    n_units = begin.size * mark.size
    for i in range(begin.size):
        n_units += end[i] - begin[i]
    ids = np.empty(n_units, dtype=np.int32)
    ends = np.empty(n_units, dtype=np.int64)
    out = 0
    for i in range(begin.size):
        first = out
        at = begin[i]
        while at < end[i] + mark.size and end[i] - begin[i] <= max_word_chars:
            length, token = _longest(codes, at, end[i], mark, initial if at == begin[i] else following)
            if length == 0:
                break
            ids[out] = token
            if at < end[i]:
                ends[out] = min(at + length, end[i])
            else:
                ends[out] = begin[i + 1] if i + 1 < begin.size else codes.size
            out += 1
            at += length
        if at < end[i] + mark.size:
            ids[first] = unknown
            ends[first] = end[i]
            out = first + 1
    return ids[:out].copy(), ends[:out].copy()
