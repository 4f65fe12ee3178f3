"""Tokens per word of several models on several texts, each compared with the best of its text."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.pretokens.pretokenize import to_codes
from engine.machine.threads import usable_threads
from engine.measure.best import ties_with_best
from engine.measure.encoded import n_bytes, seen_text
from engine.measure.result import ratio, ratio_of_lines
from engine.measure.words import AUTO, DEFINITIONS, definition_of, find_words, letter_counts
from engine.tokenizer import Tokenizer

COLUMNS = (
    "model",
    "file",
    "algorithm",
    "vocab_size",
    "lines",
    "words",
    "tokens",
    "fertility",
    "fertility_low",
    "fertility_high",
    "continued_words",
    "multi_word_tokens",
    "characters_per_token",
    "bytes_per_token",
    "floor",
    "above_floor",
)


class LineCounts(NamedTuple):
    """One model on some lines, with all that a row needs of them.

    Attributes
    ----------
    tokens, words : int32[n_lines], of every line: the bootstrap resamples lines.
    sums : int64[7], over the lines: continued words, multi-word tokens, characters, bytes, the fewest tokens that the
        vocabulary allows (-1 where it has an unknown token), `letter_counts`.
    """

    tokens: np.ndarray
    words: np.ndarray
    sums: np.ndarray


def count_lines(tokenizer: Tokenizer, lines: Sequence[str], definition: str, threads: int = 1) -> LineCounts:
    """Encode the lines; words by a definition of `engine.measure.words`."""
    seen = seen_text(tokenizer, lines)
    batch = tokenizer.encode_lines(seen, threads)
    codes = batch.cut.codes if batch.cut and tokenizer.normalization == "none" else None
    words = find_words(seen, definition, codes)
    fewest = tokenizer.fewest_tokens(seen, batch.cut)
    sums = (
        *_count_crossings(batch.size.astype(np.int64, copy=False), batch.line_ptr, *words[1:]),
        sum(map(len, lines)) if codes is None else codes.size,
        words.line_begin[-1] if seen is lines else n_bytes("".join(lines)),
        -1 if fewest is None else fewest.sum(),
        *letter_counts(to_codes("".join(lines)) if codes is None else codes),
    )
    tokens, n_words = np.diff(batch.line_ptr).astype(np.int32), words.per_line.astype(np.int32)
    return LineCounts(tokens, n_words, np.array(sums, dtype=np.int64))


@kernel
def _count_crossings(size, token_ptr, word_begin, word_end, word_ptr, line_begin):
    """Number of words with a token boundary strictly inside, and of tokens with text of two or more words."""
    n_continued, n_multi_word = 0, 0
    for line in range(word_ptr.size - 1):
        at = line_begin[line]  # where the text begins, even if the tokenizer dropped what was before a token
        word, last = word_ptr[line], word_ptr[line + 1]
        counted = np.int64(-1)
        for token in range(token_ptr[line], token_ptr[line + 1]):
            while word < last and word_end[word] <= at:
                word += 1
            if word < last and word_begin[word] < at and counted < word:
                n_continued += 1
                counted = word
            at += size[token]
            n_multi_word += word + 1 < last and word_begin[word + 1] < at
    return n_continued, n_multi_word


def joined_counts(counts: Sequence[LineCounts]) -> LineCounts:
    """The counts of consecutive lines."""
    tokens, words = (np.concatenate([own[k] for own in counts]) for k in (0, 1))
    sums = np.sum([own.sums for own in counts], axis=0)
    sums[4] = -1 if any(own.sums[4] < 0 for own in counts) else sums[4]
    return LineCounts(tokens, words, sums)


def fertility_rows(
    models: Collection[tuple[str, Tokenizer]], texts: Mapping[str, Sequence[str]], words: str = AUTO, seed: int = 0
) -> list[dict[str, Any]]:
    """A row for every model on every text, models first: `counted_rows` of `count_lines`.

    Parameters
    ----------
    models : each with the name that its rows show as `model`; two may have the same.
    texts : by the name that the rows show as `file`.
    words : a definition of `engine.measure.words`, or AUTO: by the script of each text.
    seed : of the bootstrap.
    """
    definitions = {file: definition_of(lines, words) for file, lines in texts.items()}
    counts = {
        file: [count_lines(tokenizer, lines, definitions[file], usable_threads()) for _, tokenizer in models]
        for file, lines in texts.items()
    }
    return counted_rows(models, definitions, counts, seed)


def counted_rows(
    models: Collection[tuple[str, Tokenizer]],
    definitions: Mapping[str, str],
    counts: Mapping[str, Sequence[LineCounts]],
    seed: int = 0,
) -> list[dict[str, Any]]:
    """The rows of texts that are counted, by each of the models.

    Intervals are 95 % bootstrap intervals over lines. The best models on a text are those that tie with the fewest
    tokens: paired differences, with Holm's correction over the table (`FromBest.fields`). None stands for what cannot
    be measured, such as an interval on one line.
    """
    found = [
        [_row(*model, file, definitions[file], own, seed) for model, own in zip(models, of_file, strict=True)]
        for file, of_file in counts.items()
    ]
    per_line = [[np.column_stack([own.tokens, own.words]) for own in of_file] for of_file in counts.values()]
    for of_file, against in zip(found, ties_with_best(per_line, True, seed), strict=True):
        for row, own in zip(of_file, against, strict=True):
            row.update(own.fields())
    return [of_file[k] for k in range(len(models)) for of_file in found]


def _row(model: str, tokenizer: Tokenizer, file: str, definition: str, counts: LineCounts, seed: int) -> dict[str, Any]:
    measure = ratio_of_lines("fertility", counts.tokens, counts.words, "words", seed)
    low, high = measure.interval or (math.nan, math.nan)
    n_tokens = int(counts.tokens.sum())
    continued, multi_word, characters, n_bytes, fewest, *_ = counts.sums.tolist()
    is_known = fewest >= 0
    values: tuple[object, ...] = (
        model,
        file,
        tokenizer.name,
        tokenizer.vocab_size,
        counts.tokens.size,
        measure.n,
        n_tokens,
        measure.value,
        low,
        high,
        ratio(continued, measure.n),
        ratio(multi_word, n_tokens),
        ratio(characters, n_tokens),
        ratio(n_bytes, n_tokens),
        ratio(fewest, measure.n) if is_known else math.nan,
        ratio(n_tokens - fewest, fewest) if is_known else math.nan,
    )
    row = {name: None if value != value else value for name, value in zip(COLUMNS, values, strict=True)}
    return {**row, "word_definition": DEFINITIONS[definition]}
