"""The normalizers of `tokenizers`, each a function from an aligned text to an aligned text."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import regex

from engine.corpus.normalize import Form, to_form
from engine.corpus.pretokens.dialects import ONIGURUMA, ForeignPattern
from engine.corpus.pretokens.known_patterns import KNOWN_PATTERNS
from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.errors import InputError, ModelFileError
from engine.interop.imported.aligned_text import AlignedText, map_characters, map_clusters, replace_ranges, to_bytes
from engine.interop.imported.byte_text import CHARACTER_OF_BYTE
from engine.interop.imported.precompiled import precompile
from engine.interop.json_fields import Fields, build_steps, flag, object_of, text_of

# The Unicode property White_Space; Python's str.isspace also includes U+001C to U+001F.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

Normalizer = Callable[[AlignedText], AlignedText]

_NMT_REMOVED = "".join(map(chr, (*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)))
_NMT_SPACES = "\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"

_FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


class Verbatim:
    """A literal text. The search takes time linear in the text for any input."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.pattern = regex.escape(text)

    def matches(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Begin and end of every match in each text."""
        return [list(self._find(text)) for text in texts]

    def _find(self, text: str) -> Iterator[tuple[int, int]]:
        size = len(self._text)
        at = text.find(self._text)
        while at >= 0:
            yield at, at + size
            at = text.find(self._text, at + max(1, size))


# The search pattern of a step.
Pattern = Verbatim | OwnPattern | ForeignPattern


def build_normalizers(part: Any, place: str, unsupported: list[str]) -> list[Normalizer]:
    """The steps of a normalizer in a file; unsupported ones are appended to `unsupported`.

    Raises
    ------
    ModelFileError : the normalizer is inconsistent.
    """
    return build_steps(part, place, unsupported, "normalizer", "normalizers", _KINDS)


def compile_pattern(fields: Fields, place: str) -> Pattern:
    """The `pattern` of a step: a literal text (`String`) or a regular expression (`Regex`).

    Regular expressions are matched as Oniguruma does.
    """
    pattern = object_of(fields.get("pattern"), f"{place}.pattern")
    if "String" in pattern:
        return Verbatim(text_of(pattern, "String", f"{place}.pattern"))
    if "Regex" not in pattern:
        raise ModelFileError("inconsistent.value", place=f"{place}.pattern")
    source = text_of(pattern, "Regex", f"{place}.pattern")
    if source in KNOWN_PATTERNS:
        return OwnPattern(f"(?m){source}", is_known=True)
    try:
        return ForeignPattern(source, ONIGURUMA)
    except InputError as error:
        raise ModelFileError("import.pattern", place=place, cause=error) from None


def _to_form(form: Form) -> Normalizer:
    return partial(map_clusters, change=partial(to_form, form=form))


def _without_mark(character: str) -> str:
    return "" if unicodedata.category(character).startswith("M") else character


def _prepend(source: AlignedText, text: str) -> AlignedText:
    return replace_ranges(source, [(0, 0, text)]) if source.text else source


def _strip(source: AlignedText, left: bool, right: bool) -> AlignedText:
    text = source.text
    begin = len(text) - len(text.lstrip(WHITE_SPACE)) if left else 0
    end = len(text.rstrip(WHITE_SPACE)) if right else len(text)
    if begin >= end:
        return replace_ranges(source, [(0, len(text), "")])
    return replace_ranges(source, [(0, begin, ""), (end, len(text), "")])


def _strip_of(fields: Fields, place: str) -> list[Normalizer]:
    left, right = (flag(fields, key, place, True) for key in ("strip_left", "strip_right"))
    return [partial(_strip, left=left, right=right)]


def _replace(source: AlignedText, pattern: Pattern, new: str) -> AlignedText:
    edits: list[tuple[int, int, str]] = []
    for begin, end in pattern.matches([source.text])[0]:
        if begin < end or not edits or begin > edits[-1][1]:  # no empty match right after another, as in `tokenizers`
            edits.append((begin, end, new))
    return replace_ranges(source, edits)


def _byte_level(source: AlignedText) -> AlignedText:
    as_bytes, _ = to_bytes(source)
    return as_bytes._replace(text=as_bytes.text.translate(CHARACTER_OF_BYTE))


def _nmt(character: str) -> str:
    """SentencePiece's cleaning for machine translation: without control characters, other white space is a space."""
    if character in _NMT_REMOVED:
        return ""
    return " " if character in _NMT_SPACES else character


def _bert(fields: Fields, place: str) -> list[Normalizer]:
    lowercase = flag(fields, "lowercase", place, True)
    steps: list[Normalizer] = []
    if flag(fields, "clean_text", place, True):
        steps.append(partial(map_characters, change=_clean))
    if flag(fields, "handle_chinese_chars", place, True):
        steps.append(partial(map_characters, change=_space_around_ideograph))
    if flag(fields, "strip_accents", place, lowercase):
        steps += [_to_form("NFD"), partial(map_characters, change=_without_nonspacing_mark)]
    if lowercase:
        steps.append(partial(map_characters, change=str.lower))
    return steps


def _clean(character: str) -> str:
    """BERT's cleaning: delete control and format characters, turn white space into a space."""
    if character in "\t\n\r":
        return " "
    if character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co"):
        return ""
    return " " if character in WHITE_SPACE else character


def _without_nonspacing_mark(character: str) -> str:
    return "" if unicodedata.category(character) == "Mn" else character


# CJK ideographs as BERT has them (google-research/bert, tokenization.py).
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def _space_around_ideograph(character: str) -> str:
    is_ideograph = any(low <= ord(character) <= high for low, high in _IDEOGRAPHS)
    return f" {character} " if is_ideograph else character


_KINDS: dict[str, Callable[[Fields, str], list[Normalizer]]] = {
    "Nmt": lambda fields, place: [partial(map_characters, change=_nmt)],
    "Precompiled": lambda fields, place: [precompile(text_of(fields, "precompiled_charsmap", place))],
    **dict.fromkeys(_FORMS, lambda fields, place: [_to_form(fields["type"])]),
    "Lowercase": lambda fields, place: [partial(map_characters, change=str.lower)],
    "StripAccents": lambda fields, place: [partial(map_characters, change=_without_mark)],
    "BertNormalizer": _bert,
    "Prepend": lambda fields, place: [partial(_prepend, text=text_of(fields, "prepend", place))],
    "Strip": _strip_of,
    "Replace": lambda fields, place: [
        partial(_replace, pattern=compile_pattern(fields, place), new=text_of(fields, "content", place))
    ],
    "ByteLevel": lambda fields, place: [_byte_level],
}
