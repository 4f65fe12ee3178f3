"""Morphemes by MeCab-ko, through the optional package python-mecab-ko: an analysis of a text, and pre-tokens."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from engine.corpus.morphemes.morpheme import Morpheme
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.hangul.syllables import letters_alone

# The package needs time in proportion to the square of a text's length, so a long line is analysed in pieces.
_PIECE = 1000


@lru_cache(maxsize=1)
def _tagger() -> Any:
    """The analyser with its dictionary; it may be used by several threads."""
    try:
        import mecab
    except ImportError:
        raise InputError("mecab.missing") from None
    return mecab.MeCab()


def _pieces(text: str) -> list[tuple[int, int]]:
    """Stretches of the text to analyse: without NUL, which ends a text for MeCab, and cut at spaces where long."""
    pieces = []
    begin = 0
    while begin < len(text):
        end = text.find("\0", begin)
        end = len(text) if end < 0 else end
        if end - begin > _PIECE:
            space = text.rfind(" ", begin + 1, begin + _PIECE)
            end = space if space > begin else begin + _PIECE
        if end > begin:
            pieces.append((begin, end))
        begin = end + 1 if end < len(text) and text[end] == "\0" else end
    return pieces


def _analysed(text: str) -> Iterator[tuple[int, int, list[Morpheme]]]:
    """The morphemes of each stretch of the text, with its begin and end."""
    tagger = _tagger()
    to_codes(text)
    for begin, end in _pieces(text):
        found, at = [], begin
        for node in tagger.parse(text[begin:end]):
            # Not the analyser's span: that is wrong where the text begins with white space.
            at = text.find(node.surface, at, end)
            found.append(Morpheme(at, at + len(node.surface), node.pos, _form(node)))
            at += len(node.surface)
        yield begin, end, found


def _form(node: Any) -> str:
    """가+았 of 갔, whose expression is `가/VV/*+았/EP/*`; of what is not inflected, its surface."""
    if node.feature.type != "Inflect":
        return str(node.surface)
    return letters_alone("+".join(part.partition("/")[0] for part in node.feature.expression.split("+")))


def analysed_morphemes(text: str) -> list[Morpheme]:
    """Morphemes of one line, in order; raises as `morpheme_ends` does."""
    return [morpheme for _, _, found in _analysed(text) for morpheme in found]


def morpheme_ends(text: str) -> list[int]:
    """Ends of the morphemes of one line; what they cut it into, joined, is the line.

    A space (U+0020) directly before a morpheme belongs to it, as in the other pre-tokenizers. Other white space, and
    whatever the analyser passes over, is cut off as a pre-token of its own.

    Raises
    ------
    InputError : the package is not installed, or the text holds a lone surrogate.
    """
    cuts = {len(text)}
    for begin, _, found in _analysed(text):
        cuts.add(begin)
        for at, end, *_ in found:
            cuts.discard(at)  # the space before a morpheme may be the last character of the piece before
            cuts.add(at - 1 if at > 0 and text[at - 1] == " " else at)
            cuts.add(end)
    return sorted(cuts - {0})
