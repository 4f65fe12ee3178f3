"""What is wrong in a vocabulary: tokens that no text gives, broken UTF-8, missing syllables, duplicates, junk.

With --text, also what the text never uses, and what it only passes through while it is merged.
"""

import argparse
import json
import sys

from engine.audit.audit import FINDINGS, audit
from engine.audit.fields import N_EXAMPLES, audit_fields, finding_rows
from engine.commands.model_argument import add_model_argument, read_model
from engine.corpus.reading.read import read_corpus
from engine.measure.encoded import encode_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument("--text", metavar="FILE", help="a text whose tokens are counted")
    parser.add_argument("--list", choices=FINDINGS, metavar="FINDING", help=f"all tokens of one: {', '.join(FINDINGS)}")


def run(options: argparse.Namespace) -> None:
    """Print the findings with examples, or all tokens of one."""
    tokenizer = read_model(options)
    counts = encode_lines(tokenizer, read_corpus(options.text)).counts() if options.text else None
    found = audit(tokenizer, counts)
    if options.list:
        rows = finding_rows(tokenizer, found, options.list)
        sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n" if options.json else _listed(rows))
        return
    result = {"model": options.model, **audit_fields(tokenizer, found)}
    sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n" if options.json else _table(result))


def _listed(rows: list[dict[str, object]]) -> str:
    lines = ["\t".join(rows[0])] if rows else []
    lines += ["\t".join(json.dumps(value, ensure_ascii=False) for value in row.values()) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _table(result: dict) -> str:
    lines = ["finding\ttokens\tshare\texamples"]
    for name, finding in result["findings"].items():
        examples = " ".join(json.dumps(row["token"], ensure_ascii=False) for row in finding["examples"])
        lines.append(f"{name}\t{finding['count']}\t{finding['share']:.2%}\t{examples}")
    for what in ("hangul_syllables", "hangul_letters"):
        parts = ", ".join(f"{count:,} as {_number(number)}" for number, count in result[what].items())
        lines.append(f"# {what.replace('_', ' ')}: {parts}")
    scripts = ", ".join(f"{name} {count:,}" for name, count in result["scripts"].items())
    lines.append(f"# tokens by script: {scripts}")
    longest = " ".join(json.dumps(row["token"], ensure_ascii=False) for row in result["longest"][:N_EXAMPLES])
    return "\n".join([*lines, f"# longest: {longest}"]) + "\n"


def _number(number: str) -> str:
    return {"0": "unknown", "1": "one token"}.get(number, f"{number} tokens")
