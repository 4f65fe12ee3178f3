"""The input of the trainer: a corpus normalised, cut and counted according to the settings."""

from collections.abc import Sequence

from engine.config import TrainingSettings
from engine.corpus.arrays import Corpus, assemble_corpus, find_lines
from engine.corpus.normalize import normalize
from engine.errors import InputError
from engine.pretokenization import pretokenizer_for


def build_corpus(lines: Sequence[str] | str, settings: TrainingSettings, threads: int = 1) -> Corpus:
    """Arrays of the lines; empty lines are skipped.

    Parameters
    ----------
    lines : the sentences, or one text with \\n between them.
    settings : only `pretokenizer`, `normalization` and `context` are used.
    threads : the result does not depend on it.

    Raises
    ------
    InputError : there is no text, it contains a lone surrogate, or the pattern of the pre-tokenizer is invalid
        or too slow.

    Examples
    --------
    >>> corpus = build_corpus(["가나 다라", "가나 마바", "가나 다라"], TrainingSettings())
    >>> [corpus.pretokens.text(i) for i in range(corpus.pretokens.count.size)], corpus.sentence_count.tolist()
    (['가나 다라', '가나 마바'], [2, 1])
    >>> corpus.n_words
    6
    """
    text = normalize(lines if isinstance(lines, str) else "\n".join(lines), settings.normalization)
    found = find_lines(text)
    if found.begin.size == 0:
        raise InputError("corpus.empty")
    return assemble_corpus(found, pretokenizer_for(settings.pretokenizer, text), settings.context, threads)
