"""Answers to questions about merges or segmentations: small tables computed on a few words."""

import pandas as pd

from app.texts.exercises import Trace
from app.toys.corpus import read_toy_corpus
from app.toys.merges import merge_steps, replay
from app.toys.unigram import all_segmentations, count_substrings, probabilities, strict_substrings
from engine.merge_settings import MergeSettings

_JOIN = " | "


def _settings(trace: Trace) -> MergeSettings:
    return MergeSettings(
        algorithm=trace.algorithm,
        vocab_size=None,
        score="likelihood" if trace.algorithm == "wordpiece" else "frequency",
        end_of_word=trace.end_of_word,
        mark_place="symbol",
    )


def merges_table(trace: Trace) -> pd.DataFrame:
    """The merges of a trace; columns: number (from 1), pair, count, score, ties (pairs that were equally good)."""
    steps = merge_steps(read_toy_corpus(trace.words), _settings(trace), trace.n_merges)
    rows = []
    for step in steps:
        if step.chosen is None:
            continue
        row = next(pair for pair in step.pairs if pair.pair == step.chosen)
        rows.append((step.number + 1, " + ".join(step.chosen), row.frequency, row.score, len(step.ties) - 1))
    return pd.DataFrame(rows, columns=["number", "pair", "count", "score", "ties"])


def cut_by(trace: Trace) -> str:
    steps = merge_steps(read_toy_corpus(trace.words), _settings(trace), trace.n_merges)
    first, made = replay(trace.word, [step.chosen for step in steps if step.chosen], _settings(trace))
    return _JOIN.join(made[-1].symbols if made else first)


def segmentations_table(words: str, word: str) -> pd.DataFrame:
    """Segmentations of a word, the most probable first, under a Unigram model of all substrings of some words.

    Columns: segmentation, probability, share (of all of them).
    """
    counts = read_toy_corpus(words)
    tokens = {*strict_substrings(counts), *counts}
    found = all_segmentations(word, probabilities(count_substrings(counts, tokens)))
    total = sum(one.prob for one in found)
    rows = [(_JOIN.join(one.tokens), one.prob, one.prob / total) for one in found]
    return pd.DataFrame(rows, columns=["segmentation", "probability", "share"])
