"""What is wrong in a vocabulary: tokens that no text gives, broken UTF-8, missing syllables, duplicates, junk.

With --text, also what the text never uses, and what it only passes through while it is merged. With --against, instead
the tokens and the order of merges that the vocabulary shares with others.
"""

import argparse
from typing import Any

import numpy as np

from engine.audit.audit import FINDINGS, N_EXAMPLES, audit, audit_fields, finding_rows
from engine.audit.lineage import lineage, lineage_row
from engine.commands.corpus_options import add_reading_arguments, add_worker_arguments, require_split, workers_of
from engine.commands.options import add_model_argument, add_several, read_model
from engine.commands.output import Result, json_text
from engine.model_files import model_source
from engine.report.figures import audit_figure, lineage_figure
from engine.scale.analyses import count_tokens
from engine.tokenizer import Tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    add_several(parser, "--text", "FILE", "text files or tables whose tokens are counted")
    add_reading_arguments(parser)
    add_worker_arguments(parser)
    add_several(parser, "--against", "MODEL", "compare with these vocabularies: where may this one come from?")
    parser.add_argument("--list", choices=FINDINGS, metavar="FINDING", help=f"all tokens of one: {', '.join(FINDINGS)}")


def run(options: argparse.Namespace) -> Result:
    """The findings with examples, or all tokens of one; and the figure of all."""
    tokenizer = read_model(options)
    if options.against:
        return _against(options, tokenizer)
    found = audit(tokenizer, _counts(options, tokenizer) if options.text else None)
    fields = audit_fields(tokenizer, found)
    if options.list:
        rows = finding_rows(tokenizer, found, options.list)
        columns = list(rows[0]) if rows else []
        texts = dict.fromkeys(columns, json_text)
        return Result(columns, rows, latex_columns=columns or ["id"], texts=texts, figure=lambda: audit_figure(fields))
    rows = [
        {"finding": name, "tokens": finding["count"], "share": finding["share"], "examples": finding["examples"]}
        for name, finding in fields["findings"].items()
    ]
    return Result(
        ("finding", "tokens", "share", "examples"),
        rows,
        _notes(fields),
        json={"model": options.model, **fields},
        latex_columns=("finding", "tokens", "share"),
        texts={"share": "{:.2%}".format, "examples": _tokens},
        figure=lambda: audit_figure(fields),
    )


def _counts(options: argparse.Namespace, tokenizer: Tokenizer) -> np.ndarray:
    """int64[vocab_size]: how often each token occurs in the texts."""
    with workers_of(options) as workers:
        blocks = workers.read(options.text, options.column, options.encoding, options.split)
        require_split(options.split, [part for block in blocks for part in block.parts])
        source = model_source(options.model, options.pattern)
        return count_tokens(workers, blocks, source, tokenizer.vocab_size)


def _against(options: argparse.Namespace, tokenizer: Tokenizer) -> Result:
    rows = [lineage_row(path, lineage(tokenizer, read_model(options, path))) for path in options.against]
    note = (
        "shared: tokens of the same bytes; shared_merges: merges whose result both have, same_rank: those of the same "
        "number, rank_correlation: Spearman's, common_prefix: equal merges from the first on; - where one of the "
        "two has no merges"
    )
    texts = {"share": "{:.2%}".format, "share_of_other": "{:.2%}".format}
    return Result(tuple(rows[0]), rows, [note], texts=texts, figure=lambda: lineage_figure(rows))


def _tokens(rows: list[dict[str, Any]]) -> str:
    return " ".join(json_text(row["token"]) for row in rows)


def _notes(result: dict[str, Any]) -> list[str]:
    lines = []
    for what in ("hangul_syllables", "hangul_letters"):
        parts = ", ".join(f"{count:,} as {_number(number)}" for number, count in result[what].items())
        lines.append(f"{what.replace('_', ' ')}: {parts}")
    scripts = ", ".join(f"{name} {count:,}" for name, count in result["scripts"].items())
    lines.append(f"tokens by script: {scripts}")
    return [*lines, f"longest: {_tokens(result['longest'][:N_EXAMPLES])}"]


def _number(number: str) -> str:
    return {"0": "unknown", "1": "one token"}.get(number, f"{number} tokens")
