"""Boundaries as pre-tokenizers for any trainer: learned from its corpus, stored in its model as a text table.

Greedy matching by utility is longest match in a word list: an n-gram with less utility than one of its prefixes never
wins, and among the others the longest has the most. So the table of `pmi-entropy` and `entropy-only` is that list, one
word per line. The table of `lm-entropy` has one context per line after its entropy, the empty context first.
"""

from collections.abc import Sequence

import numpy as np

from engine._jit import kernel
from engine.boundaries.language_model import DEFAULT_ORDER, CharacterModel
from engine.boundaries.ngrams import MAX_N, Ngrams
from engine.boundaries.utility import DEFAULT_LAMBDA, UtilityMatcher
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError
from engine.vocabulary.trie import _child, build_trie

# Names of the methods; a number may follow: `pmi-entropy:1`, `lm-entropy:3`.
LEARNED = ("pmi-entropy", "entropy-only", "lm-entropy")


@kernel
def _longest_matches(codes, begin, end, keys, children, token):
    """Ends of the pieces of all lines, and their line_ptr; a piece is the longest matching word, or one character."""
    ends = np.empty(codes.size, dtype=np.int64)
    line_ptr = np.zeros(begin.size + 1, dtype=np.int64)
    k = 0
    for line in range(begin.size):
        at = begin[line]
        while at < end[line]:
            longest = at + 1
            node = 0
            for j in range(at, end[line]):
                node = _child(keys, children, node, codes[j])
                if node < 0:
                    break
                if token[node] >= 0:
                    longest = j + 1
            at = longest
            ends[k] = at
            k += 1
        line_ptr[line + 1] = k
    return ends[:k].copy(), line_ptr


@kernel
def _rises(codes, begin, end, keys, children, token, entropy, longest):
    """Ends of the pieces of all lines, and their line_ptr; a piece begins where the predictive entropy rises.

    The trie contains reversed contexts; `entropy[0]` is that of the empty context.
    """
    ends = np.empty(codes.size, dtype=np.int64)
    line_ptr = np.zeros(begin.size + 1, dtype=np.int64)
    k = 0
    for line in range(begin.size):
        before = entropy[0]
        for at in range(begin[line] + 1, end[line]):
            now = entropy[0]
            node = 0
            for j in range(at - 1, max(begin[line], at - longest) - 1, -1):
                node = _child(keys, children, node, codes[j])
                if node < 0:
                    break
                now = entropy[token[node]]
            if now > before:
                ends[k] = at
                k += 1
            before = now
        if end[line] > begin[line]:
            ends[k] = end[line]
            k += 1
        line_ptr[line + 1] = k
    return ends[:k].copy(), line_ptr


def is_learned(name: str) -> bool:
    """Whether the pre-tokenizer of that name is learned from a corpus."""
    return name.partition(":")[0] in LEARNED


def learn_pretokenizer(name: str, lines: Sequence[str]) -> Pretokenizer:
    """Learn a pre-tokenizer from the lines; it includes its table.

    Parameters
    ----------
    name : `pmi-entropy`, with another lambda `pmi-entropy:1`; `entropy-only`; `lm-entropy`, with another order
        `lm-entropy:3`. The PMI's T, the edges and the cutting rule are the defaults of this package.

    Raises
    ------
    InputError : the name is unknown, its number is out of range, or there is no text.
    """
    method, value = _parsed(name)
    # No n-gram crosses a line end, and a table has one n-gram per line.
    lines = [part for line in lines for part in line.split("\n")]
    if method == "lm-entropy":
        order = int(value)
        model = CharacterModel(Ngrams(lines, order), order)
        return restore_pretokenizer(name, _contexts_table(model))
    words = UtilityMatcher(Ngrams(lines), value).lexicon()
    return restore_pretokenizer(name, "\n".join(words))


def restore_pretokenizer(name: str, table: str) -> Pretokenizer:
    """The pre-tokenizer with this table; see learn_pretokenizer.

    Raises
    ------
    InputError : the name is not a learned pre-tokenizer's, or the table is invalid for it.
    """
    method, _ = _parsed(name)
    if method != "lm-entropy":
        words = table.split("\n") if table else []
        if not all(words):
            raise InputError("learned.damaged", name=name)
        trie = build_trie(words, np.zeros(len(words), dtype=np.int32))
        return Pretokenizer(
            name, scan=lambda codes, begin, end: _longest_matches(codes, begin, end, *trie), table=table
        )
    entropy, contexts = _read_contexts(name, table)
    backward = build_trie([context[::-1] for context in contexts[1:]], np.arange(1, len(contexts), dtype=np.int32))
    if backward.token[1:].size and backward.token[1:].min() < 0:
        raise InputError("learned.damaged", name=name)
    longest = max(map(len, contexts))
    return Pretokenizer(
        name, scan=lambda codes, begin, end: _rises(codes, begin, end, *backward, entropy, longest), table=table
    )


def _contexts_table(model: CharacterModel) -> str:
    rows = []
    for length, entropies in enumerate(model.context_entropies):
        contexts = model.ngrams.texts(length) if length else [""]
        rows += [f"{value!r}\t{context}" for value, context in zip(entropies.tolist(), contexts, strict=True)]
    return "\n".join(rows)


def _read_contexts(name: str, table: str) -> tuple[np.ndarray, list[str]]:
    rows = [row.partition("\t") for row in table.split("\n")]
    try:
        entropy = np.array([float(value) for value, _, _ in rows])
    except ValueError:
        raise InputError("learned.damaged", name=name) from None
    contexts = [context for _, _, context in rows]
    if contexts[0] or not all(contexts[1:]) or not np.isfinite(entropy).all():
        raise InputError("learned.damaged", name=name)
    return entropy, contexts


def _parsed(name: str) -> tuple[str, float]:
    """The method, and its lambda or order."""
    method, colon, text = name.partition(":")
    if not is_learned(name):
        raise InputError("learned.unknown", name=name, choices=", ".join(LEARNED))
    if method == "entropy-only":
        if colon:
            raise InputError("learned.number", name=name)
        return method, float("inf")
    if not colon:
        return method, DEFAULT_LAMBDA if method == "pmi-entropy" else DEFAULT_ORDER
    try:
        value = float(text) if method == "pmi-entropy" else int(text)
    except ValueError:
        value = -1
    if method == "pmi-entropy" and not 0 <= value < float("inf"):
        raise InputError("learned.lambda", name=name)
    if method == "lm-entropy" and not 1 <= value <= MAX_N:
        raise InputError("learned.order", highest=MAX_N, name=name)
    return method, value
