"""Bytes as printable characters (GPT-2, Radford et al. 2019), as in the JSON of byte-level vocabularies."""

from engine.merges.alphabet import BYTE_ORDER

_N_KEPT = 188  # bytes written as the character of the same number; the others become U+0100, U+0101, ...
CHARACTER_OF_BYTE = {byte: chr(byte if i < _N_KEPT else 0x100 + i - _N_KEPT) for i, byte in enumerate(BYTE_ORDER)}
BYTE_OF_CHARACTER = {character: byte for byte, character in CHARACTER_OF_BYTE.items()}


def to_byte_text(data: bytes) -> str:
    """The bytes, one printable character each: a space is `Ġ`."""
    # Latin-1 maps every byte to the code point of the same number.
    return data.decode("latin-1").translate(CHARACTER_OF_BYTE)


def from_byte_text(text: str) -> bytes | None:
    """The bytes written by `text`; None if one of its characters does not represent a byte."""
    try:
        return bytes([BYTE_OF_CHARACTER[character] for character in text])
    except KeyError:
        return None
