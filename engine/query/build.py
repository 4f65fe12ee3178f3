"""The layers that a query needs, made of a text."""

from collections.abc import Iterable, Sequence

from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.errors import InputError
from engine.measure.encoded import encode_lines
from engine.measure.layers import Layer, Progress, encoded_layer, morpheme_layer, word_layer
from engine.measure.words import AUTO, definition_of
from engine.query.syntax import MORPHEMES
from engine.query.text import SearchedText
from engine.tokenizer import Tokenizer


def default_analyser() -> str:
    """The first installed analyser; InputError if none is installed."""
    names = installed_analysers()
    if not names:
        raise InputError("query.analyser", packages=", ".join(one.package for one in ANALYSERS.values()))
    return names[0]


def searched_text(
    tokenizer: Tokenizer, lines: Sequence[str], layers: Iterable[str], analyser: str | None = None, words: str = AUTO
) -> SearchedText:
    """The text, as the tokenizer sees it, with the layers named.

    Parameters
    ----------
    analyser : of the morphemes; by default the first installed.
    words : a definition of `engine.measure.words`.

    Raises
    ------
    InputError : there is no analyser, or the text cannot be tokenized.
    """
    encoded = encode_lines(tokenizer, lines)
    text = SearchedText(encoded.seen, [encoded_layer(encoded)])
    for name in layers:
        if name not in text.layers:
            text.add(plain_layer(text.lines, name, analyser, words))
    return text


def plain_layer(
    lines: Sequence[str],
    name: str,
    analyser: str | None = None,
    words: str = AUTO,
    progress: Progress = lambda n_lines: None,
) -> Layer:
    """The layer of morphemes or words."""
    if name == MORPHEMES:
        return morpheme_layer(lines, analyser or default_analyser(), progress)
    return word_layer(lines, definition_of(lines, words))
