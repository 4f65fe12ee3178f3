"""Codes of subword-nmt as a file format."""

import codecs
import io
from collections.abc import Sequence

from engine.interop.format import Encode, our_encoder
from engine.interop.subword_nmt.codes import MARK, from_bpe_codes, to_bpe_codes
from engine.tokenizer import Tokenizer


def suits(tokenizer: Tokenizer) -> bool:
    """BPE on characters, which marks the end of a word."""
    return tokenizer.merges is not None and bool(tokenizer.merges.settings.end_of_word)


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """A merge a line."""
    return to_bpe_codes(tokenizer)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """Text is cut at white space."""
    return from_bpe_codes(data)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """Word by word, as the file does not say how text is cut.

    The library's segments are taken for our ids: one that is no token is a character that we do not know, or not in
    that form.
    """
    from subword_nmt import apply_bpe

    assert tokenizer.pretokenizer is not None and tokenizer.unknown_id is not None  # a BPE on characters has both
    pretokenizer, unknown = tokenizer.pretokenizer, tokenizer.unknown_id
    bpe = apply_bpe.BPE(codecs.getreader("utf-8")(io.BytesIO(data)))
    ids = {tokenizer.token_label(token_id): token_id for token_id in range(tokenizer.vocab_size)}

    def encode(texts: Sequence[str]) -> list[list[int]]:
        lines = (" ".join(word.strip() for word in pretokenizer.split(text)).split(" ") for text in texts)
        return [[token for word in line if word for token in word_ids(word)] for line in lines]

    def word_ids(word: str) -> list[int]:
        *begin, end = bpe.segment_tokens([word])
        labels = [*(segment.removesuffix(bpe.separator) for segment in begin), f"{end}{MARK}"]
        return [ids.get(label, ids.get(label.removesuffix(MARK), unknown)) for label in labels]

    return [(our_encoder(tokenizer), encode)]
