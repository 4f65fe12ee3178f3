"""Which kind of tokenizer file is this? The content decides; the name only chooses the words of a refusal.

So a file means the same wherever it is opened again, under whatever name. What reads a kind is imported when a file of
that kind comes: one line is encoded in half the time.
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
    """The tokenizer in the content of any supported file.

    Parameters
    ----------
    data : the content.
    name : of the file.
    pattern : what tiktoken ranks cut text by, see `from_tiktoken`; all other files say it themselves.

    Raises
    ------
    ModelFileError : it is of no known kind, damaged, or needs a part that is not supported.
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
    """The first field of a SentencePiece model is a piece, and the first field of that its text."""
    return len(data) > 3 and data[0] == 0x0A and data[2] == 0x0A and 2 <= data[1] < 0x80


def _is_uncased(data: bytes) -> bool:
    """Whether a vocab.txt is for lower-cased text without accents.

    Such a vocabulary has a to z but no capital but those of its special tokens, and no Hangul syllable: taking accents
    away takes syllables apart.
    """
    lines = [line for line in data.decode(errors="ignore").split("\n") if not line.startswith(("[", "<"))]
    text = "\n".join(lines)
    return bool(regex.search("[a-z]", text)) and not regex.search(r"\p{Lu}|[가-힣]", text)
