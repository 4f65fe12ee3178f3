"""What is key in one corpus against another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import installed_analysers
from engine.errors import InputError
from engine.measure.corpus_units import UNITS, LineUnits, corpus_units, morpheme_units, token_units, word_units
from engine.measure.dispersion import N_PARTS
from engine.measure.key_rows import key_rows, labels_of, not_the_same
from engine.measure.keyness import MIN_COUNT
from engine.measure.keyness import keyness as keyness_of_counts
from engine.measure.words import AUTO
from engine.tokenizer import Tokenizer
from thundertok.corpora import Texts, as_texts
from thundertok.inputs import ModelLike, as_model
from thundertok.showing import showable

if TYPE_CHECKING:
    import pandas as pd


def keyness(
    texts: Texts,
    against: Texts,
    unit: str = "words",
    model: "ModelLike | None" = None,
    *,
    words: str = AUTO,
    analyser: str | None = None,
    min_count: int = MIN_COUNT,
    n_parts: int = N_PARTS,
    column: str | None = None,
    encoding: str | None = None,
) -> "pd.DataFrame":
    """Words, tokens or morphemes that are more frequent in one corpus than in another, the most key first.

    Parameters
    ----------
    texts, against : lines, files, or a mapping of names to them; dispersion is over files, or stretches of lines.
    unit : `words`, `morphemes` or `tokens` (of `model`).
    words : what a word is, as in `compare`.
    analyser : of morphemes (default: the first that is installed).
    min_count : least occurrences in both together.
    column : of the text, if a file is a table of several.
    encoding : of the files; None: find it out, of Unicode and Korean ones.

    Returns
    -------
    table : a row per type that is frequent enough, with the columns of the command `keyness`: its counts, `g2`,
        `direction` (+ where more frequent in the first), `p_holm`, `log_ratio` with its 95 % interval, dispersion.

    Raises
    ------
    InputError : the texts are the same or empty, tokens without a model, or no analyser is installed (`[morphology]`).

    Examples
    --------
    >>> found = keyness(["soup and rice", "rice and tea"] * 5, ["car and road", "road and sea"] * 5)
    >>> found[["word", "count", "against", "direction"]].head(2).values.tolist()
    [['rice', 10, 0, '+'], ['road', 0, 10, '-']]
    """
    import pandas as pd

    own, other = as_texts(texts, column, encoding), as_texts(against, column, encoding)
    files = _joined([*own.items(), *other.items()])
    tokenizer = _tokenizer(unit, model)
    first, second = tuple(range(len(own))), tuple(range(len(own), len(files)))
    parts = [_units(one, unit, tokenizer, words, analyser) for one in (*own.values(), *other.values())]
    units = corpus_units(files, parts, tokenizer.vocab_size if tokenizer else 0)
    not_the_same(units, first, second)
    found = keyness_of_counts(units.counts(first), units.counts(second), min_count)
    rows = key_rows(units, found, (first, second), found.ranked(), max(2, n_parts))
    labels = labels_of(units, [row.pop("type") for row in rows], tokenizer)
    named: list[dict[str, Any]] = [
        {unit.removesuffix("s"): showable(label), **row} for label, row in zip(labels, rows, strict=True)
    ]
    return pd.DataFrame(named)


def _joined(texts: Sequence[tuple[str, Sequence[str]]]) -> CorpusFiles:
    """Texts as files of one corpus; two may have one name."""
    ptr = np.cumsum([0, *(len(lines) for _, lines in texts)]).tolist()
    return CorpusFiles(tuple(name for name, _ in texts), tuple(ptr))


def _tokenizer(unit: str, model: "ModelLike | None") -> Tokenizer | None:
    if unit not in UNITS:
        raise InputError("choice.unknown", what="unit", value=unit, choices=", ".join(UNITS))
    if unit != "tokens":
        return None
    if model is None:
        raise InputError("keyness.model")
    return as_model(model).tokenizer


def _units(lines: Sequence[str], unit: str, tokenizer: Tokenizer | None, words: str, analyser: str | None) -> LineUnits:
    if tokenizer is not None:
        return token_units(tokenizer, lines)
    if unit == "words":
        return word_units(lines, words)
    name = analyser or next(iter(installed_analysers()), None)
    if name is None:
        raise InputError("keyness.analyser")
    return morpheme_units(lines, name)
