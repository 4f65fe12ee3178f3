"""Model and tokenizer files of every kind, whole in form and with values at their extremes."""

import json
from hashlib import sha256
from typing import Any

import numpy as np

from engine.unigram.model_writer import MAGIC


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a native model file."""
    at = len(MAGIC) + 8
    end = at + int.from_bytes(data[len(MAGIC) : at], "little")
    header = json.loads(data[at:end])
    arrays = {}
    for name, dtype, size in header["arrays"]:
        arrays[name] = np.frombuffer(data, dtype=dtype, count=size, offset=end).copy()
        end += arrays[name].nbytes
    return header, arrays


def native(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A native model file with this header and these arrays, and the checksum that fits."""
    header = header | {"arrays": [[name, array.dtype.name, array.size] for name, array in arrays.items()]}
    head = json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogatepass")
    content = MAGIC + len(head).to_bytes(8, "little") + head + b"".join(a.tobytes() for a in arrays.values())
    return content + sha256(content).digest()
