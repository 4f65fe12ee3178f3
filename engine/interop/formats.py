"""The file formats of other programs, in one table, and the detection of a file's format.

The content decides; the name only affects the error message. A file therefore means the same under any name.
"""

from codecs import BOM_UTF8  # what programs of Windows write in front of text

import regex

from engine.corpus.reading.encodings import guesses, is_text_in
from engine.errors import ModelFileError, require_choice
from engine.interop.format import Format
from engine.interop.other_files import refuse_other_file
from engine.merges.model_writer import MAGIC as MERGES_MAGIC
from engine.tokenizer import Tokenizer
from engine.unigram.model.writer import MAGIC as UNIGRAM_MAGIC

_RANK = regex.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\r?")
# `{` alone may be the first token of a vocab.txt.
_JSON = regex.compile(rb'\s*+\{\s*+["}]')
_UNKNOWN_LINE = regex.compile(rb"^(?:\[UNK\]|<unk>)\s*$", regex.MULTILINE)
_VERSION = regex.compile(rb"#version:")
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
    if data.startswith(UNIGRAM_MAGIC):
        from engine.unigram.model.reader import model_from_bytes

        return model_from_bytes(data)
    if data.startswith(MERGES_MAGIC):
        from engine.merges.model_file import merge_model_from_bytes

        return merge_model_from_bytes(data)
    data = as_utf8(data)
    if not data.strip():
        raise ModelFileError("import.empty")
    refuse_other_file(data)
    for one in FORMATS:
        if one.recognise is not None and one.recognise(data, name):
            return one.functions.read(data, pattern)
    if (likely := guesses(data)[0]) != "utf-8" and is_text_in(likely, data):
        raise ModelFileError("import.not_utf8", offset=0, likely=likely)
    raise ModelFileError("import.unknown")


def as_utf8(data: bytes) -> bytes:
    """Text with a mark of its encoding as UTF-8 without it, any other content as it is."""
    marked = guesses(data)[0]
    if marked in ("utf-16", "utf-32") and is_text_in(marked, data):
        return data.decode(marked).encode()
    return data.removeprefix(BOM_UTF8)


def is_ranks(data: bytes) -> bool:
    """Whether content is tiktoken ranks, which do not say what cuts the text."""
    return _RANK.fullmatch(_first_line(as_utf8(data))) is not None


def format_of(target: str, tokenizer: Tokenizer) -> Format:
    """The format of that name that suits the tokenizer; where none does, one whose writer says why."""
    require_choice("export_target", target, TARGETS)
    named = [one for one in FORMATS if one.name == target]
    return next((one for one in named if one.functions.suits(tokenizer)), named[-1])


def _first_line(data: bytes) -> bytes:
    return data[: data.find(b"\n")] if b"\n" in data[:10_000] else data[:10_000]


def _begins_with_piece(data: bytes) -> bool:
    """A SentencePiece model starts with a piece, and a piece with its text."""
    return len(data) > 3 and data[0] == 0x0A and data[2] == 0x0A and 2 <= data[1] < 0x80


def _may_be_vocab_txt(data: bytes, name: str) -> bool:
    return b"\0" not in data[:10_000] and (_UNKNOWN_LINE.search(data) is not None or name == "vocab.txt")


# A file is of the first kind that recognises it.
FORMATS = (
    Format(
        "hf",
        ".json",
        "tokenizer.json",
        "huggingface.exporter",
        "tokenizers",
        lambda data, name: _JSON.match(data) is not None,
    ),
    Format(
        "subword-nmt",
        ".codes",
        "codes of BPE on characters",
        "subword_nmt.codes",
        "subword-nmt",
        lambda data, name: _VERSION.match(data) is not None,
    ),
    Format("tiktoken", ".tiktoken", "ranks", "tiktoken.ranks", "tiktoken", lambda data, name: is_ranks(data)),
    Format(
        "sentencepiece",
        ".model",
        ".model",
        "sentencepiece.exporter",
        "sentencepiece",
        lambda data, name: _begins_with_piece(data) or (name.endswith(".model") and b"\0" in data),
    ),
    Format(
        "vocab",
        ".vocab",
        ".vocab",
        "vocab_file",
        recognise=lambda data, name: _SCORED.fullmatch(_first_line(data)) is not None,
    ),
    Format("vocab", ".txt", "vocab.txt of WordPiece", "huggingface.vocab_txt", "tokenizers", _may_be_vocab_txt),
    Format("tsv", ".tsv", "a table of the tokens", "vocabulary_table"),
)
TARGETS = tuple(dict.fromkeys(one.name for one in FORMATS))
