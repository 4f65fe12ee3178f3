"""One way to export any tokenizer: the file, checked to encode identically."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.interop.formats import format_of
from engine.interop.parity import ParityReport, check_parity, require_parity
from engine.tokenizer import Tokenizer


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
