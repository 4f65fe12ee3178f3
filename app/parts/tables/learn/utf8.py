"""Characters as bytes: the encodings of Unicode, the bits of UTF-8, GPT-2's letters for bytes, and bytes decoded."""

import unicodedata
from collections.abc import Collection, Iterator
from itertools import groupby

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


# Roles of a byte. The first three make characters; the others are the reasons why a byte does not.
ROLES = ("ascii", "first", "following", "stray", "cut_off", "never", "overlong", "surrogate", "too_high")


def decode_rows(data: bytes) -> Iterator[tuple[int, str, str]]:
    """Each byte with its role (one of ROLES) and how it is shown: its character, or `<0xEC>`."""
    begin = 0
    while begin < len(data):
        size = _size(data[begin])
        part = data[begin : begin + size]
        try:
            char = part.decode()
        except UnicodeDecodeError:
            yield data[begin], _problem(data, begin), f"<0x{data[begin]:02X}>"
            begin += 1
            continue
        for k, byte in enumerate(part):
            yield byte, "following" if k else "ascii" if size == 1 else "first", visible(char)
        begin += size


def _size(byte: int) -> int:
    """Length in bytes of a character that begins with this byte, by its leading bits."""
    return 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1


def _problem(data: bytes, begin: int) -> str:
    """Why the byte at `begin` does not begin a character (the Unicode Standard, table 3-7)."""
    byte = data[begin]
    if byte < 0xC0:
        return "stray"
    if byte in (0xC0, 0xC1):
        return "overlong"
    if byte >= 0xF5:
        return "never"
    following = data[begin + 1 : begin + _size(byte)]
    if len(following) < _size(byte) - 1 or any(not 0x80 <= other < 0xC0 for other in following):
        return "cut_off"
    return "surrogate" if byte == 0xED else "too_high" if byte == 0xF4 else "overlong"


def decode_table(data: bytes) -> pd.DataFrame:
    """One row per byte: place, byte (hexadecimal), bits, role (one of ROLES), seen (its character, or `<0xEC>`)."""
    rows = [(k, f"{byte:02X}", f"{byte:08b}", role, seen) for k, (byte, role, seen) in enumerate(decode_rows(data))]
    return pd.DataFrame(rows, columns=["place", "byte", "bits", "role", "seen"])


def fallback_table(text: str, known: Collection[str]) -> pd.DataFrame:
    """The tokens of a text under three treatments of characters outside a vocabulary of characters.

    One row each: way (`unk`, `fallback` or `bytes`), tokens (separated by spaces), n_tokens, decoded (the
    decoded text). `unk` writes [UNK], `fallback` the bytes of the character, `bytes` only bytes (GPT-2's letters).
    """
    letters = gpt2_letters()
    unk = [visible(char) if char in known else "[UNK]" for char in text]
    fallback: list[str] = []
    for char in text:
        fallback += [visible(char)] if char in known else [f"<0x{byte:02X}>" for byte in char.encode()]
    as_bytes = [letters[byte] for byte in text.encode()]
    lost = "".join("".join(run) if is_known else "[UNK]" * len(run) for is_known, run in _runs(text, known))
    rows = [
        ("unk", " ".join(unk), len(unk), visible(lost)),
        ("fallback", " ".join(fallback), len(fallback), visible(text)),
        ("bytes", " ".join(as_bytes), len(as_bytes), visible(text)),
    ]
    return pd.DataFrame(rows, columns=["way", "tokens", "n_tokens", "decoded"])


def _runs(text: str, known: Collection[str]) -> Iterator[tuple[bool, list[str]]]:
    for is_known, run in groupby(text, lambda char: char in known):
        yield is_known, list(run)
