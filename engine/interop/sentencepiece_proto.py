"""The content of a SentencePiece `.model`: the few fields of its protocol buffer that decide how text is cut.

The wire format is read and written here, because the generated classes want the `protobuf` package at run
time and report hostile files in words that help nobody. Field numbers: sentencepiece_model.proto of 0.2.2.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from engine.errors import ModelFileError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD, CHAR = range(1, 5)

MAX_FILE_BYTES = 64 << 20
MAX_PIECES = 1_000_000

# What a field means where it is not in the file.
UNKNOWN_SURFACE = " ⁇ "

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


class Piece(NamedTuple):
    """One entry of the vocabulary; its place in the list is its id."""

    text: str
    score: float
    kind: int


class SentencePieceProto(NamedTuple):
    """A `.model` file.

    Attributes
    ----------
    pieces : the vocabulary, in order of the ids.
    algorithm : UNIGRAM, BPE, WORD or CHAR.
    byte_fallback : whether unknown characters become their bytes.
    unknown_surface : what an unknown piece decodes to.
    space_behind : the space stands behind its word and not before it.
    normalizer : name of the normalization rule; only a label.
    charsmap : the rule itself, compiled; empty for none.
    add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces : see SentencePiece's options of these names.
    denormalizer_charsmap : applied to decoded text; empty for none.
    self_test : (text, its pieces joined by spaces); SentencePiece checks them when it loads the file.
    """

    pieces: list[Piece]
    algorithm: int = UNIGRAM
    byte_fallback: bool = False
    unknown_surface: str = UNKNOWN_SURFACE
    space_behind: bool = False
    normalizer: str = ""
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    denormalizer_charsmap: bytes = b""
    self_test: tuple[tuple[str, str], ...] = ()


def read_proto(data: bytes) -> SentencePieceProto:
    """The fields of a `.model` file. Time and memory are linear in its size, which is bounded.

    Raises
    ------
    ModelFileError : the bytes are no such message, or are cut off.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError(
            "the file has {size:,} bytes; SentencePiece models of up to {most:,} bytes can be read",
            code="sentencepiece.size",
            size=len(data),
            most=MAX_FILE_BYTES,
        )
    pieces: list[Piece] = []
    trainer: dict[int, int | bytes] = {}
    normalizer: dict[int, int | bytes] = {}
    denormalizer: dict[int, int | bytes] = {}
    tests: list[tuple[str, str]] = []
    for number, value in _fields(data):
        if not 1 <= number <= 5:
            continue
        part = _bytes(value)
        if number == 1:
            pieces.append(_piece(part))
            if len(pieces) > MAX_PIECES:
                raise ModelFileError(
                    "the SentencePiece model has over {most:,} pieces; choose a smaller one",
                    code="sentencepiece.pieces",
                    most=MAX_PIECES,
                )
        elif number == 4:
            for test_number, test in _fields(part):
                if test_number == 1:
                    sample = dict(_fields(_bytes(test)))
                    tests.append((_text(sample.get(1, b"")), _text(sample.get(2, b""))))
        else:
            {2: trainer, 3: normalizer, 5: denormalizer}[number].update(_fields(part))
    if not pieces:
        raise ModelFileError(
            "the file holds no SentencePiece vocabulary; choose a .model file", code="sentencepiece.none"
        )
    if not trainer or not normalizer:  # they stand behind the pieces, and every trainer writes them
        raise _damaged("its settings are missing")
    return SentencePieceProto(
        pieces=pieces,
        algorithm=_number(trainer.get(3, UNIGRAM)),
        byte_fallback=bool(_number(trainer.get(35, 0))),
        unknown_surface=_text(trainer.get(44, UNKNOWN_SURFACE.encode())),
        space_behind=bool(_number(trainer.get(24, 0))),
        normalizer=_text(normalizer.get(1, b"")),
        charsmap=_bytes(normalizer.get(2, b"")),
        add_dummy_prefix=bool(_number(normalizer.get(3, 1))),
        remove_extra_whitespaces=bool(_number(normalizer.get(4, 1))),
        escape_whitespaces=bool(_number(normalizer.get(5, 1))),
        denormalizer_charsmap=_bytes(denormalizer.get(2, b"")),
        self_test=tuple(tests),
    )


def write_proto(proto: SentencePieceProto) -> bytes:
    """The bytes of a `.model` file."""
    unknown = next(i for i, piece in enumerate(proto.pieces) if piece.kind == UNKNOWN)
    trainer = [
        _field(3, proto.algorithm),
        _field(4, len(proto.pieces)),
        _field(24, proto.space_behind),
        _field(35, proto.byte_fallback),
        _field(40, unknown),
        *(_field(number, -1) for number in (41, 42, 43)),  # no ids for begin, end and padding
        _field(44, proto.unknown_surface.encode()),
        _field(45, proto.pieces[unknown].text.encode()),
    ]
    normalizer = [
        _field(1, proto.normalizer.encode()),
        _field(2, proto.charsmap),
        _field(3, proto.add_dummy_prefix),
        _field(4, proto.remove_extra_whitespaces),
        _field(5, proto.escape_whitespaces),
    ]
    tests = [_field(1, _field(1, text.encode()) + _field(2, cut.encode())) for text, cut in proto.self_test]
    return b"".join(
        [
            *(
                _field(
                    1, _field(1, piece.text.encode()) + b"\x15" + struct.pack("<f", piece.score) + _field(3, piece.kind)
                )
                for piece in proto.pieces
            ),
            _field(2, b"".join(trainer)),
            _field(3, b"".join(normalizer)),
            *([_field(4, b"".join(tests))] if tests else []),
            *([_field(5, _field(2, proto.denormalizer_charsmap))] if proto.denormalizer_charsmap else []),
        ]
    )


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return _varint(number << 3 | _LENGTH) + _varint(len(value)) + value
    return _varint(number << 3 | _VARINT) + _varint(int(value) & (1 << 64) - 1)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
        shift += 7
    raise _damaged("a number does not end")


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of every field of a message, in order; four bytes for a 32-bit one."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            yield key >> 3, value
            continue
        if kind == _LENGTH:
            size, at = _read_varint(data, at)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ModelFileError(
                "the SentencePiece model is damaged or cut off (a field of the unknown kind {kind}); "
                "copy or download it again",
                code="sentencepiece.field_kind",
                kind=kind,
            )
        if size > len(data) - at:
            raise _damaged("a field is longer than what is left")
        yield key >> 3, data[at : at + size]
        at += size


def _piece(data: bytes) -> Piece:
    if not data:
        raise ModelFileError(
            "the SentencePiece model has an empty piece; choose another file", code="sentencepiece.empty_piece"
        )
    fields = dict(_fields(data))
    score = _bytes(fields.get(2, bytes(4)))
    if len(score) != 4:
        raise _damaged("a score is no 32-bit number")
    kind = _number(fields.get(3, NORMAL))
    return Piece(_text(fields.get(1, b"")), struct.unpack("<f", score)[0], kind)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    raise _damaged("a number where text belongs")


def _number(value: int | bytes) -> int:
    if isinstance(value, int):
        return value
    raise _damaged("text where a number belongs")


def _text(value: int | bytes) -> str:
    try:
        return _bytes(value).decode()
    except UnicodeDecodeError:
        raise _damaged("a piece is no UTF-8 text") from None


def _damaged(what: str) -> ModelFileError:
    return ModelFileError(
        "the SentencePiece model is damaged or cut off ({what}); copy or download it again",
        code="sentencepiece.damaged",
        what=what,
    )
