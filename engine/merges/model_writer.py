"""One JSON file a model: BPE, WordPiece, words, characters, bytes.

The file begins with its format and version, and ends with the SHA-256 of everything else in it. It holds no time,
path or machine: the same corpus and settings give the same bytes. `model_file` reads it.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from engine.corpus.pretokens.pretokenize import Pretokenizer

FORMAT = "thunder-tok merges"
VERSION = 1
# What every such file begins with.
MAGIC = f'{{"format": "{FORMAT}"'.encode()


def model_parts(content: dict[str, Any], pretokenizer: Pretokenizer | None = None) -> Iterator[bytes]:
    """The file around what a model says of itself; a pre-tokenizer that was learned goes into it."""
    whole = {"format": FORMAT, "version": VERSION, **content}
    if pretokenizer is not None and pretokenizer.scan is not None:
        whole["table"] = pretokenizer.table
    whole["sha256"] = content_digest(whole)
    yield json.dumps(whole, ensure_ascii=False).encode() + b"\n"


def content_digest(content: dict[str, Any]) -> str:
    """SHA-256 (hex) of everything in a file but itself."""
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
