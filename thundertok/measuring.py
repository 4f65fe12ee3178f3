"""Measures as functions; each is that of a command, with its definitions and intervals."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.audit.audit import audit as audit_tokenizer
from engine.boundaries.utility import DEFAULT_LAMBDA
from engine.config import chosen_settings
from engine.measure import stability as resampling
from engine.measure.encoded import encode_lines
from engine.measure.morphemes.morphology_table import morphology_rows, read_analysis
from engine.measure.words import AUTO
from engine.segmentation.scoring import read_gold, score_segmentation
from engine.segmentation.segmenter import cut_texts, learn_boundaries, read_training
from engine.training import train as train_tokenizer
from thundertok.comparison import compare
from thundertok.corpora import Corpus, Texts, as_lines
from thundertok.inputs import ModelLike, Models, as_model, as_models
from thundertok.reports import AuditReport, SegmentedText, StabilityReport

if TYPE_CHECKING:
    import pandas as pd


def fertility(
    models: Models,
    texts: Texts,
    words: str = AUTO,
    *,
    column: str | None = None,
    encoding: str | None = None,
    seed: int = 0,
) -> "pd.DataFrame":
    """Tokens per word and its relatives, a row for every model on every text; arguments as of `compare`.

    Examples
    --------
    >>> fertility("public:gpt2", ["One small step."])["fertility"].tolist()
    [1.3333333333333333]
    """
    return compare(models, texts, words, column=column, encoding=encoding, seed=seed).to_frame()


def morphology(
    models: Models,
    gold: str | Path,
    text: Corpus | None = None,
    *,
    by: str | None = None,
    column: str | None = None,
    encoding: str | None = None,
    seed: int = 0,
) -> "pd.DataFrame":
    """Token boundaries against morpheme boundaries, a row per model.

    Parameters
    ----------
    gold : a file of eojeols with their morphemes or CoNLL-U; or a program (`mecab`, `kiwi`) that analyses `text`: a
        silver standard, with mistakes of its own.
    by : `tag` or `frequency`: a row per model and part of speech, or band of frequency.

    Raises
    ------
    InputError : as `load`; the program is not installed (`[morphology]`); the file is malformed.
    """
    import pandas as pd

    analysis = read_analysis(gold, None if text is None else as_lines(text, column, encoding))
    named = str(gold) if text is None or not isinstance(text, str | Path) else str(text)
    rows = morphology_rows(as_models(models).items(), analysis, named, text is not None, seed)
    if by is not None:
        return pd.DataFrame([{"model": row["model"], **part} for row in rows for part in row[f"by_{by}"]])
    return pd.DataFrame([{name: value for name, value in row.items() if not isinstance(value, list)} for row in rows])


def audit(
    model: ModelLike, text: Corpus | None = None, *, column: str | None = None, encoding: str | None = None
) -> AuditReport:
    """What is wrong in a vocabulary: tokens that no text gives, broken UTF-8, missing syllables, duplicates, junk.

    With a text, also what it never uses and what it only merges away.

    Examples
    --------
    >>> found = audit("public:gpt2")
    >>> found.tokens("broken")["token"].tolist()[:2]
    ['<0xA1>', '<0xA2>']
    """
    tokenizer = as_model(model).tokenizer
    counts = None if text is None else encode_lines(tokenizer, as_lines(text, column, encoding)).counts()
    return AuditReport(tokenizer, audit_tokenizer(tokenizer, counts))


def stability(
    corpus: Corpus,
    vocab_size: int = 8000,
    algorithm: str = "thunder-tok",
    *,
    resamples: int = resampling.N_RESAMPLES,
    seed: int = 0,
    text: Corpus | None = None,
    column: str | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    **settings: Any,
) -> StabilityReport:
    """Train on bootstrap resamples of the lines: which tokens do they keep, how far does fertility depend on the lines?

    Parameters
    ----------
    corpus, vocab_size, algorithm, preset, settings : as of `train`.
    resamples : how many; resample k of a seed is the same for any number.
    text : what fertility is measured on (default: the lines that a resample leaves out).

    Raises
    ------
    InputError : as `train`; there are fewer than two lines.

    Examples
    --------
    >>> stability(["가나 다라", "가나 마바", "다라 마바", "가나"], vocab_size=259, resamples=3)
    3 resamples, 259 tokens: 258 kept by all, fertility 2.0833 (1.2625 to 3.4000)
    """
    lines = as_lines(corpus, column, encoding)
    chosen = chosen_settings(algorithm, preset, vocab_size=vocab_size, **settings)
    threads = min(8, os.cpu_count() or 1)
    measured = None if text is None else as_lines(text, column, encoding)
    found = list(resampling.resamples(lines, chosen, resamples, seed, measured, threads))
    model = train_tokenizer(lines, chosen, threads)
    return StabilityReport(resampling.stability_fields(resampling.stability(found), model))


def segment(
    text: Corpus,
    method: str = "pmi-entropy",
    *,
    lam: float = DEFAULT_LAMBDA,
    train: Corpus | None = None,
    bpe_vocab_size: int | None = None,
    gold: Corpus | None = None,
) -> SegmentedText:
    """Cut text without spaces into words, by boundaries learned on `train` (default: the text itself).

    White space in the text is taken out first.

    Parameters
    ----------
    method : `pmi-entropy`, `entropy-only`, `lm-entropy` or `none`.
    lam : weight of the entropy against the PMI.
    bpe_vocab_size : train BPE of at most this size inside the boundaries; its tokens are the words.
    gold : the same lines with white space between their words, or a file of morphemes: `scores` compares with it.

    Raises
    ------
    InputError : the method is unknown, there is no text, or the gold lines are others.

    Examples
    --------
    >>> segment(["가나가나다라", "다라가나"], gold=["가나 가나 다라", "다라 가나"])
    가나  가나  다라
    다라  가나
    words: precision 1.0000, recall 1.0000, F1 1.0000 (5 gold words)
    """
    lines = read_training(as_lines(text)).lines
    learned, known = (lines, frozenset[str]()) if train is None else read_training(as_lines(train))
    cut = learn_boundaries(method, learned, lam)
    words, _ = cut_texts(lines, cut, learned, bpe_vocab_size)
    if gold is None:
        return SegmentedText(words)
    wanted = [own for own in read_gold(as_lines(gold)).words if own]
    return SegmentedText(words, score_segmentation(wanted, [own for own in words if own], known))
