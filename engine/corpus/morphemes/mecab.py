"""Morphemes and pre-tokens by MeCab-ko, through the optional package python-mecab-ko."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from engine.corpus.morphemes.morpheme import Morpheme
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.hangul.syllables import letters_alone

# The package takes time quadratic in the length of the text, so a long line is analysed in pieces.
_PIECE = 1000


@lru_cache(maxsize=1)
def _tagger() -> Any:
    """The analyser with its dictionary; it is thread-safe."""
    try:
        import mecab
    except ImportError:
        raise InputError("mecab.missing") from None
    return mecab.MeCab()


def _pieces(text: str) -> list[tuple[int, int]]:
    """Ranges of the text to analyse: without NUL, which ends a text in MeCab, and cut at spaces if too long."""
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
    """Begin, end and morphemes of each piece of the text."""
    tagger = _tagger()
    to_codes(text)
    for begin, end in _pieces(text):
        found, at = [], begin
        for node in tagger.parse(text[begin:end]):
            # The analyser's own spans are wrong if the text begins with white space.
            at = text.find(node.surface, at, end)
            found.append(Morpheme(at, at + len(node.surface), node.pos, _form(node)))
            at += len(node.surface)
        yield begin, end, found


def _form(node: Any) -> str:
    """Dictionary form: 가+았 for 갔, whose expression is `가/VV/*+았/EP/*`; the surface if not inflected."""
    if node.feature.type != "Inflect":
        return str(node.surface)
    return letters_alone("+".join(part.partition("/")[0] for part in node.feature.expression.split("+")))


def analysed_morphemes(text: str) -> list[Morpheme]:
    """Morphemes of one line, in order; raises as `morpheme_ends` does."""
    return [morpheme for _, _, found in _analysed(text) for morpheme in found]


def morpheme_ends(text: str) -> list[int]:
    """End offsets of pre-tokens that tile one line, one per morpheme.

    A space (U+0020) directly before a morpheme belongs to it, as in the other pre-tokenizers. Other white space, and
    characters that the analyser skips, become separate pre-tokens.

    Raises
    ------
    InputError : the package is not installed, or the text contains a lone surrogate.
    """
    cuts = {len(text)}
    for begin, _, found in _analysed(text):
        cuts.add(begin)
        for at, end, *_ in found:
            cuts.discard(at)  # the space before a morpheme may be the last character of the previous piece
            cuts.add(at - 1 if at > 0 and text[at - 1] == " " else at)
            cuts.add(end)
    return sorted(cuts - {0})
