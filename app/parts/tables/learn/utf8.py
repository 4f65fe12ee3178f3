"""Characters as bytes: the three encodings of Unicode, the bits of UTF-8, and GPT-2's letters for bytes."""

import unicodedata

import pandas as pd
import regex

from app.components.data import ByteBits, CodePoint, Grapheme
from app.parts.tables.tokens import visible


def character_table(text: str) -> pd.DataFrame:
    """One row per code point.

    Columns: character (as shown), code_point, name, utf8 (hexadecimal), n_bytes, bits (the bits that carry the code
    point in brackets), utf16, utf32 (hexadecimal), gpt2 (a printable letter for each byte).
    """
    letters = gpt2_letters()
    rows = []
    for char in text:
        data = char.encode()
        rows.append(
            {
                "character": visible(char),
                "code_point": f"U+{ord(char):04X}",
                "name": unicodedata.name(char, "").capitalize(),
                "utf8": data.hex(" ").upper(),
                "n_bytes": len(data),
                "bits": " ".join(_bits(byte, k == 0, len(data)) for k, byte in enumerate(data)),
                "utf16": char.encode("utf-16-be").hex(" ", 2).upper(),
                "utf32": char.encode("utf-32-be").hex().upper(),
                "gpt2": "".join(letters[byte] for byte in data),
            }
        )
    names = ["character", "code_point", "name", "utf8", "n_bytes", "bits", "utf16", "utf32", "gpt2"]
    return pd.DataFrame(rows, columns=names)


def split_bits(byte: int, is_first: bool, size: int) -> tuple[str, str]:
    """The bits of a byte of a `size`-byte character: its marker, and its bits of the code point."""
    bits = f"{byte:08b}"
    marker = 2 if not is_first else 1 if size == 1 else size + 1
    return bits[:marker], bits[marker:]


def _bits(byte: int, is_first: bool, size: int) -> str:
    """The marker of a UTF-8 byte, and in brackets the bits of the code point: `1110[1100]`."""
    marker, payload = split_bits(byte, is_first, size)
    return f"{marker}[{payload}]"


def board(text: str) -> list[Grapheme]:
    """The graphemes of a text with their code points and bytes, for the component."""
    return [
        {"text": visible(grapheme), "points": [_point(char) for char in grapheme]}
        for grapheme in regex.findall(r"\X", text)
    ]


# The standard's abbreviations for invisible characters.
_SHORT = {"\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\ufe0e": "VS15", "\ufe0f": "VS16", "\ufeff": "BOM"}


def _point(char: str) -> CodePoint:
    data = char.encode()
    parts: list[ByteBits] = []
    for k, byte in enumerate(data):
        marker, payload = split_bits(byte, k == 0, len(data))
        parts.append({"hex": f"{byte:02X}", "marker": marker, "payload": payload})
    name = unicodedata.name(char, "").capitalize()
    return {"text": _SHORT.get(char) or visible(char), "code": f"U+{ord(char):04X}", "name": name, "bytes": parts}


def gpt2_letters() -> dict[int, str]:
    """A printable character for every byte, as in GPT-2's vocabulary files (Radford et al. 2019, code).

    Printable Latin-1 represents itself, the others take the code points from 256 on, in order: a space is `Ġ`.
    """
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in own)
    return {byte: chr(byte) for byte in own} | {byte: chr(256 + k) for k, byte in enumerate(others)}


def gpt2_table() -> pd.DataFrame:
    """The 256 letters of GPT-2: rows by first hexadecimal digit, columns by second."""
    letters = gpt2_letters()
    rows = [[letters[16 * high + low] for low in range(16)] for high in range(16)]
    return pd.DataFrame(rows, columns=[f"_{low:X}" for low in range(16)], index=[f"{high:X}_" for high in range(16)])


def from_gpt2(text: str) -> bytes | None:
    """Bytes of GPT-2's letters; None if a character is not one of them."""
    bytes_ = {letter: byte for byte, letter in gpt2_letters().items()}
    return bytes(bytes_[char] for char in text) if all(char in bytes_ for char in text) else None


def size_table(text: str) -> pd.DataFrame:
    """Sizes of a text unchanged, in NFC and in NFD.

    Columns: form, graphemes, code_points, utf8, utf16, utf32 (bytes).
    """
    rows = []
    for form, own in (
        ("", text),
        ("NFC", unicodedata.normalize("NFC", text)),
        ("NFD", unicodedata.normalize("NFD", text)),
    ):
        rows.append(
            {
                "form": form,
                "graphemes": len(regex.findall(r"\X", own)),
                "code_points": len(own),
                "utf8": len(own.encode()),
                "utf16": len(own.encode("utf-16-le")),
                "utf32": len(own.encode("utf-32-le")),
            }
        )
    return pd.DataFrame(rows)


def parse_hex(text: str) -> bytes | None:
    """Bytes of hexadecimal digits, ignoring white space; None if the text is anything else."""
    digits = regex.sub(r"(0x|[\s,<>])", "", text)
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return None
