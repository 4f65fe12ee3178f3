"""What is wrong in a vocabulary: tokens that no text gives, broken UTF-8, missing syllables, duplicates, junk.

With --text, also what the text never uses, and what it only passes through while it is merged.
"""

import argparse
import json
from typing import Any

from engine.audit.audit import FINDINGS, audit
from engine.audit.fields import N_EXAMPLES, audit_fields, finding_rows
from engine.commands.options.corpus import add_reading_arguments, read_text
from engine.commands.options.model import add_model_argument, read_model
from engine.commands.output import add_figure_arguments, check_figure, latex_rows, print_result, write_out_figure
from engine.measure.encoded import encode_lines
from engine.report.figures import audit_figure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument("--text", metavar="FILE", help="a text whose tokens are counted")
    add_reading_arguments(parser)
    parser.add_argument("--list", choices=FINDINGS, metavar="FINDING", help=f"all tokens of one: {', '.join(FINDINGS)}")
    add_figure_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Print the findings with examples, or all tokens of one; and write the figure of all."""
    check_figure(options)
    tokenizer = read_model(options)
    counts = encode_lines(tokenizer, read_text(options, options.text)).counts() if options.text else None
    found = audit(tokenizer, counts)
    fields = audit_fields(tokenizer, found)
    write_out_figure(options, lambda: audit_figure(fields))
    if options.list:
        rows = finding_rows(tokenizer, found, options.list)
        print_result(options, rows, lambda: _listed(rows), lambda: latex_rows(list(rows[0]) if rows else ["id"], rows))
        return
    result = {"model": options.model, **fields}
    print_result(options, result, lambda: _table(result), lambda: _latex(result))


def _latex(result: dict[str, Any]) -> str:
    findings = result["findings"].items()
    rows = [{"finding": name, "tokens": one["count"], "share": one["share"]} for name, one in findings]
    return latex_rows(("finding", "tokens", "share"), rows, notes=_notes(result))


def _listed(rows: list[dict[str, object]]) -> str:
    lines = ["\t".join(rows[0])] if rows else []
    lines += ["\t".join(json.dumps(value, ensure_ascii=False) for value in row.values()) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _table(result: dict[str, Any]) -> str:
    lines = ["finding\ttokens\tshare\texamples"]
    for name, finding in result["findings"].items():
        examples = " ".join(json.dumps(row["token"], ensure_ascii=False) for row in finding["examples"])
        lines.append(f"{name}\t{finding['count']}\t{finding['share']:.2%}\t{examples}")
    return "\n".join([*lines, *_notes(result)]) + "\n"


def _notes(result: dict[str, Any]) -> list[str]:
    lines = []
    for what in ("hangul_syllables", "hangul_letters"):
        parts = ", ".join(f"{count:,} as {_number(number)}" for number, count in result[what].items())
        lines.append(f"# {what.replace('_', ' ')}: {parts}")
    scripts = ", ".join(f"{name} {count:,}" for name, count in result["scripts"].items())
    lines.append(f"# tokens by script: {scripts}")
    longest = " ".join(json.dumps(row["token"], ensure_ascii=False) for row in result["longest"][:N_EXAMPLES])
    return [*lines, f"# longest: {longest}"]


def _number(number: str) -> str:
    return {"0": "unknown", "1": "one token"}.get(number, f"{number} tokens")
