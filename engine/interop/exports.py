"""One way to export any tokenizer: the file, checked to encode identically."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.interop.huggingface.exporter import PROFILES, to_tokenizer_json
from engine.interop.huggingface.vocab_txt import to_vocab_txt
from engine.interop.parity import TARGETS, ParityReport, check_parity, require_parity
from engine.interop.sentencepiece.exporter import pieces_of, to_sentencepiece
from engine.interop.sentencepiece.proto import NORMAL, ModelPiece
from engine.interop.spreadsheet import tsv_bytes
from engine.interop.subword_nmt.codes import to_bpe_codes
from engine.interop.tiktoken.ranks import to_tiktoken
from engine.interop.vocab_file import one_line, read_vocab, write_vocab
from engine.interop.vocabulary_table import vocabulary_table
from engine.tokenizer import Tokenizer

TABLE = "tsv"


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
    target : `hf` (tokenizer.json), `sentencepiece` (.model), `vocab` (vocab.txt for WordPiece, else .vocab),
        `tiktoken` (ranks), `subword-nmt` (codes) or `tsv` (a table of the tokens, not a tokenizer).
    sample : lines to check the file on, ideally training text; n_fuzz fuzz lines are added.
    profile : for `hf`: bytes as characters, or characters with byte fallback.

    Raises
    ------
    InputError : the format cannot represent this tokenizer, or a line encodes differently.
    """
    if target not in (*TARGETS, TABLE):
        raise InputError("choice.unknown", what="export_target", value=target, choices=", ".join((*TARGETS, TABLE)))
    if profile not in PROFILES:
        raise InputError("choice.unknown", what="profile", value=profile, choices=", ".join(PROFILES))
    if target == TABLE:
        return _table(tokenizer)
    if target == "vocab" and tokenizer.pruning is not None:
        return _vocab(pieces_of(tokenizer.pruning))
    if target == "vocab" and (scores := _file_scores(tokenizer)) is not None:
        labels = (tokenizer.token_label(token_id) for token_id in range(tokenizer.vocab_size))
        return _vocab([ModelPiece(label, score, NORMAL) for label, score in zip(labels, scores, strict=True)])
    data, suffix = _file(tokenizer, target, profile)
    report = check_parity(tokenizer, data, target, sample, n_fuzz)
    require_parity(tokenizer, report)
    return Export(data, suffix, report)


def _file(tokenizer: Tokenizer, target: str, profile: str) -> tuple[bytes, str]:
    if target == "sentencepiece":
        if tokenizer.pruning is None:
            raise InputError("export.sp_kind", name=tokenizer.name)
        return to_sentencepiece(tokenizer.pruning), ".model"
    if target == "tiktoken":
        return to_tiktoken(tokenizer), ".tiktoken"
    if target == "subword-nmt":
        return to_bpe_codes(tokenizer), ".codes"
    if target == "vocab":
        return to_vocab_txt(tokenizer), ".txt"
    return to_tokenizer_json(tokenizer, profile), ".json"


def _table(tokenizer: Tokenizer) -> Export:
    """A table for people, not a tokenizer; the check is that it has one row per token."""
    data = tsv_bytes(vocabulary_table(tokenizer))
    n_rows = data.count(b"\n") - 1
    return Export(data, ".tsv", ParityReport("row count", n_rows, abs(n_rows - tokenizer.vocab_size), None))


def _file_scores(tokenizer: Tokenizer) -> list[float] | None:
    """Scores by id as in an imported file, 0 where a token has none; None if the tokenizer has no scores."""
    statistics = {} if tokenizer.merges is not None else tokenizer.statistics()
    scores = statistics.get("log_prob", statistics.get("score"))
    return None if scores is None else np.nan_to_num(scores).tolist()


def _vocab(pieces: list[ModelPiece]) -> Export:
    """Nothing encodes from a .vocab file; the check is that every line reads back as written."""
    data = write_vocab(pieces)
    read = read_vocab(data)
    mismatches = sum((one_line(text), score) != line for (text, score, _), line in zip(pieces, read, strict=True))
    return Export(data, ".vocab", ParityReport("read back", len(read), mismatches, None))
