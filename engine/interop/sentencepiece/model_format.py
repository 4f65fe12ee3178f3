"""A SentencePiece `.model` as a file format."""

from engine.errors import InputError
from engine.interop.format import Encode, our_encoder
from engine.interop.sentencepiece.exporter import to_sentencepiece
from engine.interop.sentencepiece.importer import from_sentencepiece
from engine.tokenizer import Tokenizer


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
