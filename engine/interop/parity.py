"""Does an exported file encode as our engine does? Checked line by line with the library that reads it."""

import base64
import codecs
import importlib
import importlib.metadata
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.errors import InputError
from engine.interop.fuzz_lines import fuzz_lines
from engine.interop.huggingface.exporter import id_of_twin, to_tokenizer_json
from engine.interop.huggingface.vocab_txt import from_vocab_txt
from engine.interop.subword_nmt.codes import MARK
from engine.tokenizer import MatchingTokenizer, Tokenizer

TARGETS = ("hf", "sentencepiece", "vocab", "tiktoken", "subword-nmt")

# The versions in the tests.
_LIBRARIES = {
    "hf": "tokenizers",
    "vocab": "tokenizers",
    "sentencepiece": "sentencepiece",
    "tiktoken": "tiktoken",
    "subword-nmt": "subword-nmt",
}

# In characters. A character costs at most some 22 nats.
_LONG_LINE = 2900

_Encode = Callable[[Sequence[str]], list[list[int]]]


class Counterexample(NamedTuple):
    """A line that two programs encode differently, with both encodings (ids)."""

    text: str
    ours: list[int]
    theirs: list[int]


class ParityReport(NamedTuple):
    """Result of a check.

    Attributes
    ----------
    library : name and version of the program that read the file.
    checked_lines : lines encoded by both.
    mismatches : lines encoded differently.
    counterexample : the first mismatch.
    """

    library: str
    checked_lines: int
    mismatches: int
    counterexample: Counterexample | None


def check_parity(
    tokenizer: Tokenizer, exported: bytes, target: str, lines: Sequence[str], n_fuzz: int = 5000
) -> ParityReport:
    """Encode the lines and n_fuzz fuzz lines with our engine and with the library that reads the file.

    Parameters
    ----------
    tokenizer : the exported tokenizer.
    exported : the file.
    target : one of TARGETS; `vocab` is a WordPiece vocab.txt. `vocab` and `subword-nmt` are checked pre-token by
        pre-token, because their files do not say how text is cut first; the vocab.txt of an imported tokenizer is
        checked with BERT's pre-tokenizer.
    lines : a sample of the training text.

    Raises
    ------
    InputError : the library is not installed, or rejects the file.
    """
    library = _library(target)
    special = [tokenizer.token_label(i) for i in range(tokenizer.vocab_size) if not tokenizer.token_bytes(i)]
    texts = [*lines, *fuzz_lines(n_fuzz, _token_texts(tokenizer), special)] if n_fuzz else list(lines)
    try:
        passes = _passes(library, tokenizer, exported, target, bool(special))
        checked = mismatches = 0
        counterexample = None
        for ours, theirs in passes:
            for text, mine, other in zip(texts, ours(texts), theirs(texts), strict=True):
                checked += 1
                if mine != other:
                    mismatches += 1
                    counterexample = counterexample or Counterexample(text, mine, other)
    except (InputError, KeyboardInterrupt, SystemExit):
        raise
    except (
        BaseException
    ) as error:  # whatever the library raises on a file that it cannot use; a Rust panic is not an Exception
        raise InputError("export.unusable", library=_LIBRARIES[target], detail=str(error)) from error
    name = f"{_LIBRARIES[target]} {importlib.metadata.version(_LIBRARIES[target])}"
    return ParityReport(name, checked, mismatches, counterexample)


def require_parity(tokenizer: Tokenizer, report: ParityReport) -> None:
    """Raise InputError with the counterexample if any line differs."""
    if report.counterexample is None:
        return
    text, ours, theirs = report.counterexample
    mine, other = ("|".join(_label(tokenizer, i) for i in ids) for ids in (ours, theirs))
    # SentencePiece's sums of scores are exact in 32 bits up to 65,536 nats; a longer line may exceed that.
    too_long = report.library.startswith("sentencepiece") and len(text) > _LONG_LINE
    values = {
        "library": report.library,
        "mismatches": report.mismatches,
        "checked": report.checked_lines,
        "text": text[:200],
        "mine": mine[:300],
        "other": other[:300],
    }
    if too_long:
        raise InputError("export.differs_long", length=len(text), **values)
    raise InputError("export.differs", **values)


def _label(tokenizer: Tokenizer, token_id: int) -> str:
    return tokenizer.token_label(token_id) if 0 <= token_id < tokenizer.vocab_size else f"#{token_id}"


def _token_texts(tokenizer: Tokenizer) -> list[str]:
    surfaces = (tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size))
    return [surface.decode(errors="ignore") for surface in surfaces]


def _library(target: str) -> Any:
    if target not in TARGETS:
        raise InputError("choice.unknown", what="export_target", value=target, choices=", ".join(TARGETS))
    name = _LIBRARIES[target]
    try:
        return importlib.import_module("subword_nmt.apply_bpe" if name == "subword-nmt" else name)
    except ImportError:
        raise InputError("export.no_library", name=name) from None


def _passes(
    library: Any, tokenizer: Tokenizer, exported: bytes, target: str, has_special: bool
) -> list[tuple[_Encode, _Encode]]:
    """Pairs of (ours, theirs) that must agree."""

    def ours(texts: Sequence[str]) -> list[list[int]]:
        return [tokenizer.encode(text).ids for text in texts]

    def ours_special(texts: Sequence[str]) -> list[list[int]]:
        return [tokenizer.encode(text, allow_special=True).ids for text in texts]

    if target == "sentencepiece":
        processor = library.SentencePieceProcessor(model_proto=exported)
        return [(ours, lambda texts: processor.encode(list(texts)))]
    if target == "tiktoken":
        return [(ours, _tiktoken(library, tokenizer, exported))]
    if target == "subword-nmt":
        return [(ours, _subword_nmt(library, tokenizer, exported))]
    if target == "vocab" and tokenizer.longest_match is not None:
        return [(ours, _wordpiece(library, tokenizer.longest_match, exported))]
    if target == "vocab":  # an imported WordPiece: as BERT's programs read the file
        exported = to_tokenizer_json(from_vocab_txt(exported))
    reader = library.Tokenizer.from_str(exported.decode())
    plain_id = id_of_twin(tokenizer)

    def theirs(texts: Sequence[str]) -> list[list[int]]:
        reader.encode_special_tokens = True  # as text
        return encoded(texts)

    def theirs_special(texts: Sequence[str]) -> list[list[int]]:
        reader.encode_special_tokens = False
        return encoded(texts)

    def encoded(texts: Sequence[str]) -> list[list[int]]:
        batch = reader.encode_batch(list(texts), add_special_tokens=False)
        return [[plain_id.get(token_id, token_id) for token_id in encoding.ids] for encoding in batch]

    return [(ours, theirs), (ours_special, theirs_special)] if has_special else [(ours, theirs)]


def _tiktoken(library: Any, tokenizer: Tokenizer, exported: bytes) -> _Encode:
    from engine.interop.tiktoken.ranks import tiktoken_parameters

    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in exported.splitlines())}
    pattern, special = tiktoken_parameters(tokenizer)
    encoding = library.Encoding("exported", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    return lambda texts: [encoding.encode_ordinary(text) for text in texts]


def _wordpiece(library: Any, tokenizer: MatchingTokenizer, exported: bytes) -> _Encode:
    vocabulary = {label: i for i, label in enumerate(exported.decode().removesuffix("\n").split("\n"))}
    model = library.models.WordPiece(vocabulary, unk_token=tokenizer.settings.unknown, max_input_chars_per_word=1 << 30)

    def encode(texts: Sequence[str]) -> list[list[int]]:
        words = ((word.strip() for word in tokenizer.pretokenizer.split(text)) for text in texts)
        return [[token.id for word in line if word for token in model.tokenize(word)] for line in words]

    return encode


def _subword_nmt(library: Any, tokenizer: Tokenizer, exported: bytes) -> _Encode:
    """subword-nmt's segments as our ids; a segment that is not a token is an unknown character, or an unknown form."""
    assert tokenizer.pretokenizer is not None and tokenizer.unknown_id is not None  # a BPE on characters has both
    pretokenizer, unknown = tokenizer.pretokenizer, tokenizer.unknown_id
    bpe = library.BPE(codecs.getreader("utf-8")(io.BytesIO(exported)))
    ids = {tokenizer.token_label(token_id): token_id for token_id in range(tokenizer.vocab_size)}

    def encode(texts: Sequence[str]) -> list[list[int]]:
        lines = (" ".join(word.strip() for word in pretokenizer.split(text)).split(" ") for text in texts)
        return [[token for word in line if word for token in word_ids(word)] for line in lines]

    def word_ids(word: str) -> list[int]:
        *begin, end = bpe.segment_tokens([word])
        labels = [*(segment.removesuffix(bpe.separator) for segment in begin), f"{end}{MARK}"]
        return [ids.get(label, ids.get(label.removesuffix(MARK), unknown)) for label in labels]

    return encode
