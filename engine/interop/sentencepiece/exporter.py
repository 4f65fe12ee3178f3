"""A trained vocabulary as a SentencePiece `.model` that gives the same ids.

SentencePiece runs Viterbi over the whole line in 32-bit floats, without a pre-tokenizer, and all characters without a
piece cost the same. It agrees with us if

- no pre-token boundary can cut a token (`boundary_safe_mask`),
- every character in a token is itself a token, so that byte fallback never competes with another path,
- scores are multiples of 1/256: their sums are exact down to a path of -65,536 nats, a line of some 7,000 tokens.

Ids are kept. Our ASCII bytes are characters, exported as NORMAL pieces; SentencePiece requires all 256 BYTE pieces and
an UNKNOWN one, so the BYTE twins of ASCII, which no text reaches, and `<unk>` follow the vocabulary. NUL is an
exception: pieces are C strings in SentencePiece, so it stays a BYTE piece, reached as an unknown character.
"""

from engine.corpus.pretokens.presets import boundary_safe_mask
from engine.errors import InputError
from engine.interop.format import Encode, our_encoder
from engine.interop.sentencepiece.importer import from_sentencepiece
from engine.interop.sentencepiece.proto import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    ModelPiece,
    SentencePieceProto,
    write_proto,
)
from engine.tokenizer import PrunedTokenizer, Tokenizer
from engine.unigram.model.model import token_label


def to_sentencepiece(model: PrunedTokenizer) -> bytes:
    """The `.model` file of a Thunder-Tok or Unigram vocabulary.

    Raises
    ------
    InputError : SentencePiece cannot represent this vocabulary exactly; the message says why and what to do.
    """
    proto = SentencePieceProto(
        pieces=exact_pieces(model),
        byte_fallback=True,
        normalizer="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )
    return write_proto(proto)


def exact_pieces(model: PrunedTokenizer) -> list[ModelPiece]:
    """Pieces of a vocabulary that SentencePiece segments exactly as we do; InputError if it would not."""
    settings = model.settings
    if settings.partial_characters:
        raise InputError("export.sp_partial")
    if settings.normalization != "none":
        raise InputError("export.sp_normalization", form=settings.normalization.upper())
    texts = [token.decode() for token in model.vocabulary().tokens[256:]]
    _check_boundaries(model, texts)
    _check_characters(texts)
    pieces = pieces_of(model)
    seen: set[str] = set()
    for piece in pieces:
        if piece.text in seen:
            raise InputError("export.sp_repeated", text=piece.text)
        if "\0" in piece.text:
            raise InputError("export.sp_nul")
        seen.add(piece.text)
    return pieces


def _check_boundaries(model: PrunedTokenizer, texts: list[str]) -> None:
    settings = model.settings
    try:
        safe = boundary_safe_mask(texts, settings.pretokenizer)
    except InputError:
        raise InputError("export.sp_pretokenizer") from None
    if not safe.all():
        first = texts[int((~safe).argmax())]
        raise InputError("export.sp_boundaries", unsafe=int((~safe).sum()), total=len(texts), first=first)


def _check_characters(texts: list[str]) -> None:
    characters = {text for text in texts if len(text) == 1}
    for text in texts:
        missing = [c for c in text if c >= "\x80" and c not in characters]
        if missing:
            raise InputError("export.sp_costs", missing=missing[0], text=text)


def pieces_of(model: PrunedTokenizer) -> list[ModelPiece]:
    """Pieces in order of ids, then those that only SentencePiece requires."""
    log_prob = model.vocabulary().log_prob
    score_of_row = dict(zip(model.alive_rows().tolist(), log_prob.tolist(), strict=True))
    special = model.settings.special_tokens
    pieces = [ModelPiece(text, 0.0, UNKNOWN if text == "<unk>" else CONTROL) for text in special]
    rows = sorted(score_of_row, key=lambda row: int(model.ids[row]))
    for row in rows:
        score = score_of_row[row]
        if row == 0 or 0x80 <= row < 0x100:
            pieces.append(ModelPiece(f"<0x{row:02X}>", score, BYTE))
        else:
            pieces.append(ModelPiece(token_label(model.tokens[row]), score, NORMAL))
    if "<unk>" not in special:
        pieces.append(ModelPiece("<unk>", 0.0, UNKNOWN))
    pieces += [ModelPiece(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(1, 0x80)]
    return pieces


def suits(tokenizer: Tokenizer) -> bool:
    """Thunder-Tok and Unigram, trained here."""
    return tokenizer.pruning is not None


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """Exact where the vocabulary was trained for it."""
    if tokenizer.pruning is None:
        raise InputError("export.sp_kind", name=tokenizer.name)
    return to_sentencepiece(tokenizer.pruning)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """Unigram or BPE, with its normalization."""
    return from_sentencepiece(data)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """Whole lines."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    return [(our_encoder(tokenizer), lambda texts: processor.encode(list(texts)))]
