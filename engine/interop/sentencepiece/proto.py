"""The content of a SentencePiece `.model`: the fields of its protocol buffer that decide how text is cut.

They are read and written with SentencePiece's own module, `sentencepiece_model_pb2` (0.2.2), loaded on demand.
"""

from typing import Any, NamedTuple

from engine.errors import InputError, ModelFileError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD, CHAR = range(1, 5)

MAX_FILE_BYTES = 64 << 20
MAX_PIECES = 1_000_000

# Default of a missing field.
UNKNOWN_SURFACE = " ⁇ "

# Tags of all list elements: pieces, samples, and the lists of texts in the trainer's settings.
_LIST_TAGS = (b"\x0a", b"\x2a", b"\xf2\x01", b"\xfa\x01")
# The same bytes also occur as lengths and inside pieces: three of them in a piece of a single syllable.
_TAGS_OF_A_PIECE = 4
# protobuf creates an object for each unknown field on access.
_MOST_UNKNOWN_BYTES = 1 << 20
_NO_ID = -1
_VARINT = 0  # the wire type of numbers
_STRANGE = "foreign_fields"


class ModelPiece(NamedTuple):
    """One entry of the vocabulary; its index is its id."""

    text: str
    score: float
    kind: int


class SentencePieceProto(NamedTuple):
    """A `.model` file.

    Attributes
    ----------
    pieces : the vocabulary, in order of ids.
    algorithm : UNIGRAM, BPE, WORD or CHAR.
    byte_fallback : whether unknown characters become their bytes.
    unknown_surface : what an unknown piece decodes to.
    space_after : the space follows its word instead of preceding it.
    normalizer : name of the normalization rule; only a label.
    charsmap : the compiled rule; empty for none.
    add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces : SentencePiece's options of these names.
    denormalizer_charsmap : applied to decoded text; empty for none.
    """

    pieces: list[ModelPiece]
    algorithm: int = UNIGRAM
    byte_fallback: bool = False
    unknown_surface: str = UNKNOWN_SURFACE
    space_after: bool = False
    normalizer: str = ""
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    denormalizer_charsmap: bytes = b""


def read_proto(data: bytes) -> SentencePieceProto:
    """The fields of a `.model` file. Time and memory are linear in its size, which is limited.

    Raises
    ------
    ModelFileError : the data is not such a message, or is truncated.
    """
    message = _parse(data)
    pieces = _pieces(message)
    # They follow the pieces, and every trainer writes them.
    trainer, normalizer = message.trainer_spec, message.normalizer_spec
    if not trainer.ByteSize() or not normalizer.ByteSize():
        raise _damaged("no_settings")
    proto = SentencePieceProto(
        pieces=pieces,
        algorithm=trainer.model_type,
        byte_fallback=trainer.byte_fallback,
        unknown_surface=_text(trainer.unk_surface),
        space_after=trainer.treat_whitespace_as_suffix,
        normalizer=_text(normalizer.name),
        charsmap=normalizer.precompiled_charsmap,
        add_dummy_prefix=normalizer.add_dummy_prefix,
        remove_extra_whitespaces=normalizer.remove_extra_whitespaces,
        escape_whitespaces=normalizer.escape_whitespaces,
        denormalizer_charsmap=message.denormalizer_spec.precompiled_charsmap,
    )
    return _with_unknown_types(proto, message)


def write_proto(proto: SentencePieceProto) -> bytes:
    """The bytes of a `.model` file."""
    unknown = next(i for i, piece in enumerate(proto.pieces) if piece.kind == UNKNOWN)
    message = _empty_message()
    _set_pieces(message, proto.pieces)
    trainer = message.trainer_spec
    trainer.model_type = proto.algorithm
    trainer.treat_whitespace_as_suffix = proto.space_after
    trainer.byte_fallback = proto.byte_fallback
    trainer.unk_id = unknown
    trainer.bos_id = trainer.eos_id = trainer.pad_id = _NO_ID
    trainer.unk_surface = proto.unknown_surface
    trainer.unk_piece = proto.pieces[unknown].text
    normalizer = message.normalizer_spec
    normalizer.name = proto.normalizer
    normalizer.precompiled_charsmap = proto.charsmap
    normalizer.add_dummy_prefix = proto.add_dummy_prefix
    normalizer.remove_extra_whitespaces = proto.remove_extra_whitespaces
    normalizer.escape_whitespaces = proto.escape_whitespaces
    if proto.denormalizer_charsmap:
        message.denormalizer_spec.precompiled_charsmap = proto.denormalizer_charsmap
    content: bytes = message.SerializeToString()
    return content


def with_pieces(data: bytes, pieces: list[ModelPiece]) -> bytes:
    """A `.model` file with other pieces; everything else stays as it is."""
    message = _parse(data)
    _set_pieces(message, pieces)
    trainer = message.trainer_spec
    id_of = {piece.text: i for i, piece in enumerate(pieces)}
    for name in ("unk", "bos", "eos", "pad"):
        if getattr(trainer, f"{name}_id") != _NO_ID:
            setattr(trainer, f"{name}_id", id_of.get(getattr(trainer, f"{name}_piece"), _NO_ID))
    content: bytes = message.SerializeToString()
    return content


def _set_pieces(message: Any, pieces: list[ModelPiece]) -> None:
    del message.pieces[:]
    for text, score, kind in pieces:
        message.pieces.add(piece=text, score=score, type=kind)
    message.trainer_spec.vocab_size = len(pieces)


def _empty_message() -> Any:
    try:
        from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]  # made at run time
    except ImportError:
        raise InputError("sentencepiece.no_library") from None
    return ModelProto()


def _parse(data: bytes) -> Any:
    """The message; memory bombs are rejected first, as an empty element takes two bytes in the file, forty parsed."""
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError("sentencepiece.size", size=len(data), most=MAX_FILE_BYTES)
    if sum(map(data.count, _LIST_TAGS)) > _TAGS_OF_A_PIECE * MAX_PIECES:
        raise _too_many_pieces()
    message = _empty_message()
    from google.protobuf.message import DecodeError

    try:
        message.ParseFromString(data)
    except DecodeError:
        raise _damaged("unreadable_fields") from None
    if len(message.pieces) > MAX_PIECES:
        raise _too_many_pieces()
    return message


def _pieces(message: Any) -> list[ModelPiece]:
    if not message.pieces:
        raise ModelFileError("sentencepiece.none")
    pieces = []
    for entry in message.pieces:
        piece = ModelPiece(_text(entry.piece), entry.score, entry.type)
        if not piece.text and not entry.ByteSize():
            raise ModelFileError("sentencepiece.empty_piece")
        pieces.append(piece)
    return pieces


def _text(value: str | bytes) -> str:
    """A text of the message; protobuf returns invalid UTF-8 as bytes."""
    if isinstance(value, bytes):
        raise _damaged("piece_not_utf8")
    return value


def _with_unknown_types(proto: SentencePieceProto, message: Any) -> SentencePieceProto:
    """Fill in types that protobuf does not know: it stores them as unknown fields and returns the default.

    Raises
    ------
    ModelFileError : another field is unknown because its type is wrong.
    """
    known = _empty_message()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    n_unknown_bytes = message.ByteSize() - known.ByteSize()
    if not n_unknown_bytes:
        return proto
    if n_unknown_bytes > _MOST_UNKNOWN_BYTES:
        raise _damaged(_STRANGE)
    samples = message.self_test_data
    for part in (message, message.normalizer_spec, message.denormalizer_spec, samples, *samples.samples):
        _unknown_type(part)
    kinds = map(_unknown_type, message.pieces)
    return proto._replace(
        pieces=[piece._replace(kind=kind or piece.kind) for piece, kind in zip(proto.pieces, kinds, strict=True)],
        algorithm=_unknown_type(message.trainer_spec) or proto.algorithm,
    )


def _unknown_type(message: Any) -> int | None:
    """The number of an unknown type; None if there is no such field."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    number: int | None = None
    for field in UnknownFieldSet(message):
        known = message.DESCRIPTOR.fields_by_number.get(field.field_number)
        if known is None:
            continue  # from a later version
        if known.enum_type is None or field.wire_type != _VARINT:
            raise _damaged(_STRANGE)
        number = field.data
    return number


def _too_many_pieces() -> ModelFileError:
    return ModelFileError("sentencepiece.pieces", most=MAX_PIECES)


def _damaged(what: str) -> ModelFileError:
    return ModelFileError("sentencepiece.damaged", what=what)
