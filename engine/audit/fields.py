"""An audit as plain values: what the command line prints and a DataFrame holds."""

from typing import Any

from engine.audit.audit import Audit
from engine.errors import InputError
from engine.tokenizer import Tokenizer

N_EXAMPLES = 8


def audit_fields(tokenizer: Tokenizer, found: Audit) -> dict[str, Any]:
    """Every finding with its number of tokens, its share of the vocabulary and its first tokens; scripts; syllables."""
    return {
        "vocab_size": found.vocab_size,
        "findings": {
            name: {
                "count": int(ids.size),
                "share": ids.size / found.vocab_size,
                "examples": [_row(tokenizer, found, token) for token in ids[:N_EXAMPLES].tolist()],
            }
            for name, ids in found.findings.items()
        },
        "scripts": dict(found.scripts),
        "longest": [_row(tokenizer, found, token) for token in found.longest],
        "hangul_syllables": {str(number): count for number, count in found.syllables.items()},
        "hangul_letters": {str(number): count for number, count in found.letters.items()},
    }


def finding_rows(tokenizer: Tokenizer, found: Audit, finding: str) -> list[dict[str, object]]:
    """All tokens of one finding: `id`, `token`, and with a text their `count`.

    Raises
    ------
    InputError : the audit has no such finding.
    """
    if finding not in found.findings:
        raise InputError("audit.finding", finding=finding, tokenizer=tokenizer.name)
    return [_row(tokenizer, found, token) for token in found.findings[finding].tolist()]


def _row(tokenizer: Tokenizer, found: Audit, token: int) -> dict[str, object]:
    row: dict[str, object] = {"id": token, "token": tokenizer.token_label(token)}
    return row if found.counts is None else row | {"count": int(found.counts[token])}
