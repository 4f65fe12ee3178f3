"""The message catalogue: reading its files and filling in placeholders.

A file `assets/i18n/<topic>.toml` contains the texts of one topic; the key of

    [size.help]
    ko = "..."
    en = "..."

in `train.toml` is `train.size.help`. A placeholder can append the Korean particle that fits the value:
`{token:을/를}` becomes "사과를" or "귤을"; `{token:‘’을/를}` adds quotation marks: "‘사과’를". It can also choose
singular or plural: "{n:,} {n:way|ways}" becomes "1 way" or "2 ways".
"""

import os
import re
import string
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "i18n"

# Pairs of allomorphs: after a final consonant, after a vowel.
_PARTICLES = ("을/를", "이/가", "은/는", "과/와", "으로/로", "이라/라", "이나/나")

# How symbols and names are pronounced, in Hangul. Other Latin words end as in _ENDINGS, else in a vowel; words in
# capitals are spelled out.
_READ: Mapping[str, str] = {
    **dict(zip("0123456789", "영일이삼사오육칠팔구", strict=True)),
    "␣": "공백",
    "▁": "공백",
    "\n": "줄바꿈",
    "\t": "탭",
    "_": "밑줄",
    "-": "하이픈",
    "#": "샵",
    "ε": "엡실론",
    "bit": "비트",
    "nat": "내트",
    "r": "알",
}
_ENDINGS: Mapping[str, str] = {
    "ng": "응",
    "ck": "윽",
    "ok": "옥",
    "ic": "익",
    "ab": "압",
    "eb": "엡",
    "ob": "옵",
    "ap": "압",
    "ep": "엡",
    "ip": "입",
    "op": "옵",
    "up": "업",
    "eat": "이트",
    "oat": "오트",
    "eet": "이트",
    "oot": "우트",
    "at": "앳",
    "et": "엣",
    "it": "잇",
    "ot": "옷",
    "ut": "엇",
    "le": "을",
    "me": "음",
    "ne": "은",
    "l": "을",
    "m": "음",
    "n": "은",
}
_CAPITALS: Mapping[str, str] = {"L": "엘", "M": "엠", "N": "엔", "R": "알"}  # the others end in a vowel
# Marks that are not read, those of tones (U+302E, U+302F) included.
_SILENT = " .,!?…'\"`*<>([{}“”‘’「」『』《》〈〉【】\u302e\u302f"
_OPENING = {")": "(", "]": "["}


def _spoken(word: str) -> str:
    """`word` without what is not read at its end: marks, and text in brackets unless the brackets are all of it."""
    said = word.rstrip(_SILENT)
    while said[-1:] in _OPENING:
        before = said[: said.rfind(_OPENING[said[-1]])].strip(_SILENT)
        if not before:
            return said.rstrip(_SILENT + ")]")
        said = before
    return said


def _read(word: str) -> str:
    """Pronunciation of the end of a word, in Hangul; empty if it ends in a vowel or is unknown."""
    said = _spoken(unicodedata.normalize("NFKC", word.replace("²", "제곱")))  # which makes ² a 2
    latin = re.search("[A-Za-z]*$", said)[0]  # type: ignore[index]  # it may be empty, but it matches
    if not latin:
        return _READ.get(said[-1:], said)
    if latin.isupper():
        return _CAPITALS.get(latin[-1], "")
    low = latin.lower()
    return _READ.get(low) or next((read for end, read in _ENDINGS.items() if low.endswith(end)), "")


def final_consonant(word: str) -> bool | str:
    """Whether `word`, pronounced in Korean, ends in a consonant; "ㄹ" if it is that one (으로/로 depends on it)."""
    # The last letter of a syllable, or a consonant that stands alone: its name ends in one, ㄹ in itself.
    last = unicodedata.normalize("NFKD", _read(word))[-1:]
    return "ㄹ" if last in ("ᄅ", "ᆯ") else "ᄀ" <= last <= "ᅞ" or "ᆨ" <= last <= "ᇿ"


def with_particle(word: str, pair: str) -> str:
    """`word` followed by the fitting allomorph of `pair` ("을/를")."""
    after_consonant, after_vowel = pair.split("/")
    final = final_consonant(word)
    if pair == "으로/로" and final == "ㄹ":
        return word + after_vowel
    return word + (after_consonant if final else after_vowel)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_text(value: float, form: str = ".3g") -> str:
    """`value` in this format, with its power of ten as it is typeset.

    >>> number_text(0.0000124)
    '1.24×10⁻⁵'
    """
    digits, _, exponent = format(value, form).partition("e")
    return f"{digits}×10{str(int(exponent)).translate(_RAISED)}" if exponent else digits


class _Formatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("‘’"):
            value, format_spec = f"‘{value}’", format_spec[2:]
        if format_spec in _PARTICLES:
            return with_particle(str(value), format_spec)
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return one if str(value) == "1" else many
        return number_text(value, format_spec) if format_spec[-1:] in ("e", "g") else format(value, format_spec)


_FORMATTER = _Formatter()


def leaves(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Keys and texts of all entries of a TOML table."""
    for name, value in table.items():
        if all(isinstance(text, str) for text in value.values()):
            yield f"{prefix}.{name}", value
        else:
            yield from leaves(value, f"{prefix}.{name}")


def read_texts(path: Path) -> dict[str, Mapping[str, str]]:
    """Texts of a catalogue file by key and language."""
    return dict(leaves(tomllib.loads(path.read_text(encoding="utf-8")), path.stem))


def fill(text: str, values: Mapping[str, Any]) -> str:
    """A catalogue text with its placeholders filled."""
    return _FORMATTER.vformat(text, (), values) if "{" in text else text


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return read_texts(FOLDER / "error.toml")


def message(code: str, values: Mapping[str, object], language: str) -> str:
    """Message for `code` in `language` (else English), with its placeholders filled; `what` is the key of a phrase."""
    text = _text(code, language)
    if not text:  # a bug, which tests/app/texts/test_error_texts.py finds
        return " ".join((code, *(f"{name}={value}" for name, value in values.items())))
    if "what" in values:
        values = {**values, "what": _text(f"what.{values['what']}", language) or values["what"]}
    return fill(text, values)


def _text(code: str, language: str) -> str:
    texts = _texts().get(f"error.{code}", {})
    return texts.get(language) or texts.get("en", "")


def locale_language() -> str:
    """Language of the user's locale, for example `ko`, or `c` for the C locale; empty if no locale is set."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), "")
    return name.partition(".")[0].partition("@")[0].partition("_")[0].lower()
