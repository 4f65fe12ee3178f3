"""Detect the kind of a tokenizer file. The content decides; the name only affects the error message.

A file therefore means the same under any name. Each format's reader is imported on demand, which halves the time to
encode one line.
"""

import regex

from engine.errors import ModelFileError
from engine.merges.model_writer import MAGIC as MERGES_MAGIC
from engine.tokenizer import Tokenizer
from engine.unigram.model.writer import MAGIC as UNIGRAM_MAGIC

_RANK = regex.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\r?")
# `{` alone may be the first token of a vocab.txt.
_JSON = regex.compile(rb'(?:\xef\xbb\xbf)?\s*+\{\s*+["}]')
_UNKNOWN_LINE = regex.compile(rb"^(?:\[UNK\]|<unk>)\s*$", regex.MULTILINE)
_VERSION = regex.compile(rb"(?:\xef\xbb\xbf)?#version:")
_SCORED = regex.compile(rb"[^\t]+\t-?\d[\d.e+-]*\r?")


def import_tokenizer(data: bytes, name: str = "", pattern: str | None = None) -> Tokenizer:
    """The tokenizer in a file of any supported kind.

    Parameters
    ----------
    data : content of the file.
    name : name of the file.
    pattern : the pre-tokenization pattern of tiktoken ranks, see `from_tiktoken`; all other files state theirs.

    Raises
    ------
    ModelFileError : the kind is unknown, the file is damaged, or it needs an unsupported part.
    """
    first = data[: data.find(b"\n")] if b"\n" in data[:10_000] else data[:10_000]
    if data.startswith(UNIGRAM_MAGIC):
        from engine.unigram.model.reader import model_from_bytes

        return model_from_bytes(data)
    if data.startswith(MERGES_MAGIC):
        from engine.merges.model_file import merge_model_from_bytes

        return merge_model_from_bytes(data)
    if not data.strip():
        raise ModelFileError("import.empty")
    if _JSON.match(data):
        from engine.interop.huggingface.importer import from_tokenizer_json

        return from_tokenizer_json(data)
    if _VERSION.match(data):
        from engine.interop.subword_nmt.codes import from_bpe_codes

        return from_bpe_codes(data)
    if _RANK.fullmatch(first):
        from engine.interop.tiktoken.ranks import from_tiktoken

        return from_tiktoken(data, pattern)
    if _begins_with_piece(data) or (name.endswith(".model") and b"\0" in data):
        from engine.interop.sentencepiece.importer import from_sentencepiece

        return from_sentencepiece(data)
    if _SCORED.fullmatch(first):
        raise ModelFileError("import.vocab")
    if b"\0" not in data[:10_000] and (_UNKNOWN_LINE.search(data) or name == "vocab.txt"):
        from engine.interop.huggingface.vocab_txt import from_vocab_txt

        return from_vocab_txt(data, lowercase=_is_uncased(data))
    raise ModelFileError("import.unknown")


def _begins_with_piece(data: bytes) -> bool:
    """A SentencePiece model starts with a piece, and a piece with its text."""
    return len(data) > 3 and data[0] == 0x0A and data[2] == 0x0A and 2 <= data[1] < 0x80


def _is_uncased(data: bytes) -> bool:
    """Whether a vocab.txt is for lower-cased text without accents.

    Such a vocabulary has a to z, no capitals outside its special tokens, and no Hangul syllables (stripping accents
    decomposes syllables).
    """
    lines = [line for line in data.decode(errors="ignore").split("\n") if not line.startswith(("[", "<"))]
    text = "\n".join(lines)
    return bool(regex.search("[a-z]", text)) and not regex.search(r"\p{Lu}|[가-힣]", text)
