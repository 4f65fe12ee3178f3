"""Does an exported file encode as our engine does? Checked line by line with the library that reads it."""

import importlib
import importlib.metadata
from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import InputError
from engine.interop.formats import format_of
from engine.interop.fuzz_lines import fuzz_lines
from engine.tokenizer import Tokenizer

# In characters. A character costs at most some 22 nats.
_LONG_LINE = 2900


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
    target : the name of a format that a library encodes with; `vocab` is a WordPiece vocab.txt.
    lines : a sample of the training text.

    Raises
    ------
    InputError : the library is not installed, or rejects the file.
    """
    form = format_of(target, tokenizer)
    _require_library(form.library)
    special = [tokenizer.token_label(i) for i in range(tokenizer.vocab_size) if not tokenizer.token_bytes(i)]
    texts = [*lines, *fuzz_lines(n_fuzz, _token_texts(tokenizer), special)] if n_fuzz else list(lines)
    try:
        checked = mismatches = 0
        counterexample = None
        for ours, theirs in form.functions.encoders(tokenizer, exported):
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
        raise InputError("export.unusable", library=form.library, detail=str(error)) from error
    name = f"{form.library} {importlib.metadata.version(form.library)}"
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


def _require_library(name: str) -> None:
    try:
        importlib.import_module(name.replace("-", "_"))
    except ImportError:
        raise InputError("export.no_library", name=name) from None
