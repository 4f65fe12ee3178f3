"""The codes file of subword-nmt (Sennrich et al. 2016): one merge per line, in order, its parts separated by a space.

The file contains merges only: no ids, no pre-tokenization. subword-nmt cuts at spaces.
"""

import codecs
import io
from collections.abc import Sequence

from engine.errors import InputError, ModelFileError
from engine.interop.format import Encode, our_encoder, require_different
from engine.interop.huggingface.importer import tokenizer_of
from engine.interop.imported.tokenizer import Imported
from engine.interop.json_fields import utf8_text
from engine.tokenizer import Tokenizer

MARK = "</w>"
MAX_FILE_BYTES = 16 << 20
_HEADER = "#version: 0.2"

# What subword-nmt does to a line: strip these characters, then split at spaces.
_WORDS = [
    {"type": "Split", "pattern": {"Regex": r"\A[\r\n ]+|[\r\n ]+\Z"}, "behavior": "Removed", "invert": False},
    {"type": "CharDelimiterSplit", "delimiter": " "},
]
_DECODER = {"type": "BPEDecoder", "suffix": MARK}


def to_bpe_codes(tokenizer: Tokenizer) -> bytes:
    """The merges of a character BPE with the mark `</w>`, in the format of subword-nmt 0.2 and later.

    subword-nmt expects text cut as by the tokenizer's pre-tokenizer, with one space between words; if that cuts at
    white space, nothing needs to be done.

    Raises
    ------
    InputError : the tokenizer is not such a BPE, two tokens have the same label, or a token contains white space.
    """
    model = tokenizer.merges
    if model is None or model.forms is None or model.settings.algorithm != "bpe":
        raise InputError("export.codes_kind", name=tokenizer.name)
    settings = model.settings
    if settings.end_of_word != MARK or settings.mark_place != "attached" or settings.continuing:
        raise InputError("export.codes_mark")
    if settings.normalization != "none":
        raise InputError("export.codes_normalization", form=settings.normalization.upper())
    labels = [model.token_label(token_id) for token_id in range(model.vocab_size)]
    require_different(labels)
    for label in labels[len(settings.specials) :]:
        if any(character.isspace() for character in label):
            raise InputError("export.codes_space", label=label)
    if not model.n_merges:
        raise InputError("export.codes_empty")
    pairs = zip(model.history.left.tolist(), model.history.right.tolist(), strict=True)
    return "".join([f"{_HEADER}\n", *(f"{labels[a]} {labels[b]}\n" for a, b in pairs)]).encode()


def from_bpe_codes(data: bytes) -> Imported:
    """The tokenizer described by the file; it segments as subword-nmt does.

    The file has no ids. They are assigned in this order: the unknown token, the characters in the merges, the same with
    the mark, the results of the merges.

    Raises
    ------
    ModelFileError : the file is not a codes file, has version 0.1, or is damaged.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError("codes.size", size=len(data), most=MAX_FILE_BYTES)
    header, *lines = utf8_text(data).rstrip("\n").split("\n")
    if header.strip() != _HEADER:
        raise ModelFileError("codes.version", version=header.strip().removeprefix("#version:").strip()[:40])
    if not any(line.rstrip().endswith(MARK) for line in lines):
        raise ModelFileError("codes.no_mark")
    return _tokenizer(_merges(lines))


def _merges(lines: list[str]) -> dict[tuple[str, str], None]:
    """The pairs in order, each once: subword-nmt uses the first occurrence."""
    pairs: dict[tuple[str, str], None] = {}
    made: set[str] = set()
    for number, line in enumerate(lines, start=2):
        left, _, right = line.strip("\r ").partition(" ")
        if not left or not right or " " in right or "\0" in line:
            raise ModelFileError("codes.line", number=number)
        for part in (left, right):
            if part not in made and len(_unmarked(part)) != 1:
                raise ModelFileError("codes.unmade", number=number, part=part[:40])
        pairs[left, right] = None
        made.add(left + right)
    return pairs


def _unmarked(part: str) -> str:
    return part.removesuffix(MARK) if len(part) > len(MARK) else part


def _tokenizer(pairs: dict[tuple[str, str], None]) -> Imported:
    characters = sorted({_unmarked(part) for pair in pairs for part in pair if len(_unmarked(part)) == 1})
    marked = [f"{character}{MARK}" for character in characters]
    labels = dict.fromkeys([*characters, *marked, *(left + right for left, right in pairs)])
    unknown = "[UNK]"
    while unknown in labels:
        unknown = f"[{unknown}]"
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": MARK,
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": {label: token_id for token_id, label in enumerate([unknown, *labels])},
        "merges": [list(pair) for pair in pairs],
    }
    parts = {"model": model, "pretokenizers": _WORDS, "decoder": _DECODER, "normalizer": None}
    return tokenizer_of(parts, {}, ["pre-tokenization: not in the file; at spaces, as subword-nmt cuts"])


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
