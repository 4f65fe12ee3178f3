"""JSON model files of BPE, WordPiece, words, characters and bytes.

A file begins with its format and version and ends with the SHA-256 of everything else in it. It contains no time, path
or machine name: the same corpus and settings give the same bytes. `model_file` reads it.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from engine.corpus.pretokens.pretokenize import Pretokenizer

FORMAT = "thunder-tok merges"
VERSION = 1
MAGIC = f'{{"format": "{FORMAT}"'.encode()


def model_parts(content: dict[str, Any], pretokenizer: Pretokenizer | None = None) -> Iterator[bytes]:
    """The file with this content; the table of a learned pre-tokenizer is added."""
    whole = {"format": FORMAT, "version": VERSION, **content}
    if pretokenizer is not None and pretokenizer.scan is not None:
        whole["table"] = pretokenizer.table
    whole["sha256"] = content_digest(whole)
    yield json.dumps(whole, ensure_ascii=False).encode() + b"\n"


def content_digest(content: dict[str, Any]) -> str:
    """SHA-256 (hex) of everything in a file except the digest."""
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
