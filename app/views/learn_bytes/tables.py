"""Tables of the page Characters and bytes."""

from collections.abc import Collection, Iterator
from itertools import groupby

import pandas as pd

from app.parts.tables.learn.utf8 import gpt2_letters
from app.parts.tables.tokens import visible

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
