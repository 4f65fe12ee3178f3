"""Which kind of tokenizer file is this? The content decides; the name is only a hint where it leaves a doubt."""

from typing import Any

from engine.errors import ModelFileError
from engine.interop.sentencepiece_import import from_sentencepiece
from engine.merges import model_file as merge_model_file
from engine.unigram import model_file as unigram_model_file

_KNOWN = "a model file of this program, tokenizer.json, a SentencePiece .model, vocab.txt, or tiktoken ranks"


def import_tokenizer(data: bytes, name: str = "") -> Any:
    """The tokenizer in the content of any supported file.

    Parameters
    ----------
    data : the content.
    name : of the file, a hint where the content fits several kinds.

    Raises
    ------
    ModelFileError : it is of no known kind, damaged, or needs a part that is not supported.
    """
    if data.startswith(unigram_model_file.MAGIC):
        return unigram_model_file.model_from_bytes(data)
    if data.startswith(merge_model_file.MAGIC):
        return merge_model_file.merge_model_from_bytes(data)
    if not data.strip():
        raise ModelFileError(f"the file is empty; choose {_KNOWN}")
    if looks_like_sentencepiece(data, name):
        return from_sentencepiece(data)
    raise ModelFileError(f"this is no tokenizer file that is known here; choose {_KNOWN}")


def looks_like_sentencepiece(data: bytes, name: str) -> bool:
    """The first field is a piece: its number and kind, its size, and the number and kind of its text inside it."""
    return name.endswith(".model") or (data[:1] == b"\x0a" and data[2:3] == b"\x0a" and data[1] >= 2)
