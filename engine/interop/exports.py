"""One way to export any tokenizer: the file, and the proof that it encodes the same."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import InputError
from engine.interop.formats import format_of
from engine.interop.huggingface.exporter import PROFILES
from engine.interop.parity import ParityReport, check_parity, require_parity
from engine.tokenizer import Tokenizer


class Export(NamedTuple):
    """A file that was checked: `data`, the `suffix` of its name, and the report of the check."""

    data: bytes
    suffix: str
    report: ParityReport


def export_tokenizer(
    tokenizer: Tokenizer, target: str, sample: Sequence[str] = (), profile: str = "byte-level", n_fuzz: int = 5000
) -> Export:
    """The tokenizer as a file of another program.

    Parameters
    ----------
    target : one of `engine.interop.formats.TARGETS`; `vocab` is the vocab.txt of WordPiece, else .vocab, and `tsv` a
        table of the tokens.
    sample : lines to check the file on, best of the training text, besides n_fuzz lines of oddities.
    profile : of `hf`: bytes as characters, or characters with byte fallback.

    Raises
    ------
    InputError : the format cannot hold this tokenizer, or a line is encoded differently there.
    """
    form = format_of(target, tokenizer)
    if profile not in PROFILES:
        raise InputError("choice.unknown", what="profile", value=profile, choices=", ".join(PROFILES))
    data = form.functions.write(tokenizer, profile)
    if form.library:
        report = check_parity(tokenizer, data, target, sample, n_fuzz)
        require_parity(tokenizer, report)
    else:
        report = ParityReport(*form.functions.reread(tokenizer, data), None)
    return Export(data, form.ending, report)
