"""One way to export any tokenizer: the file, checked to encode identically."""

import importlib
import importlib.metadata
import random
from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import InputError
from engine.interop.formats import format_of
from engine.tokenizer import Tokenizer

# What has broken tokenizers before: names of byte tokens, marks, invisible characters, line ends, composed and
# decomposed forms, emoji sequences, rare syllables, scripts without spaces.
ODDITIES = (
    "<0x41>",
    "<0xEC>",
    "<unk>",
    "<s>",
    "</s>",
    "<pad>",
    "[UNK]",
    "##안",
    "</w>",
    "▁",
    "Ġ",
    "Ċ",
    "\0",
    "\t",
    "\r",
    "\v",
    "\x7f",
    "\x85",
    "\u2028",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\ufffd",
    "\u3000",
    "\u00a0",
    "é",
    "e\u0301",
    "안녕",
    "\u110b\u1161\u11ab\u1102\u1167\u11bc",
    "ㅇㅏㄴ",
    "\u1100",
    "각\u11a8",
    "갂",
    "쀍",
    "ㅋㅋㅋ",
    "ㅠㅠ",
    "☕",
    "😀",
    "\u2764\ufe0f",
    "👨\u200d👩\u200d👧",
    "🇰🇷",
    "👍🏽",
    "½",
    "①",
    "Ⅳ",
    "٣",
    "१२",
    "漢字",
    "ひらがな",
    "ภาษาไทย",
    "हिन्दी",
    "العربية",
    "don't",
    "we'll",
    "'s",
    "'",
    "’s",
    "...",
    "?!",
    "!!",
    "。",
    "3.14",
    "1,000",
    "2026",
    "e-mail",
    "https://a.b/c?d=e",
    "A",
    "a",
    "ß",
    "İ",
    "ﬁ",
    "x\u0301\u0302\u0303",
    "가나다라마바사아자차카타파하" * 6,
    "antidisestablishmentarianism",
)
SPACES = ("", "", "", " ", " ", " ", "  ", "   ", "\t", " \t ", "\u3000")

_SEED = 20_240_613


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


def fuzz_lines(n: int, tokens: Sequence[str] = (), special: Sequence[str] = ()) -> list[str]:
    """n lines without line feeds: single oddities, mixtures of them, and random sequences of tokens.

    Parameters
    ----------
    tokens : texts of the vocabulary; half of the pieces are drawn from them, so that tokens meet in orders that no
        corpus contains.
    special : texts of special tokens.
    """
    rng = random.Random(_SEED)
    odd = [*ODDITIES, *special]
    known = [token for token in tokens if token and "\n" not in token] or odd
    lines = [f"{before}{piece}{after}" for piece in odd for before, after in (("", ""), (" ", "  "), ("가", "a"))]
    while len(lines) < n:
        kind = rng.random()
        pieces = []
        for _ in range(rng.randrange(1, 16)):
            pieces.append(rng.choice(odd) if kind < 0.2 or (kind < 0.6 and rng.random() < 0.5) else rng.choice(known))
            pieces.append(rng.choice(SPACES) if kind < 0.9 else "")
        line = "".join(pieces)
        # Cut anywhere, also inside a piece.
        lines.append(line[rng.randrange(3) : len(line) - rng.randrange(3)] if rng.random() < 0.5 else line)
    return lines[:n]


class Export(NamedTuple):
    """An exported and checked file: `data`, the `suffix` of its name, and the report of the check."""

    data: bytes
    suffix: str
    report: ParityReport


def export_tokenizer(
    tokenizer: Tokenizer, target: str, sample: Sequence[str] = (), profile: str = "byte-level", n_fuzz: int = 5000
) -> Export:
    """The tokenizer as another program's file.

    Parameters
    ----------
    target : one of `engine.interop.formats.TARGETS`; `vocab` is vocab.txt for WordPiece, else .vocab, and `tsv` a table
        of the tokens.
    sample : lines to check the file on, ideally training text; n_fuzz fuzz lines are added.
    profile : for `hf`: bytes as characters, or characters with byte fallback.

    Raises
    ------
    InputError : the format cannot represent this tokenizer, or a line encodes differently.
    """
    form = format_of(target, tokenizer)
    data = form.functions.write(tokenizer, profile)
    if form.library:
        report = check_parity(tokenizer, data, target, sample, n_fuzz)
        require_parity(tokenizer, report)
    else:
        report = ParityReport(*form.functions.reread(tokenizer, data), None)
    return Export(data, form.ending, report)
