"""Files beside a tokenizer, and tokenizers of other programs that are not read, named: the right one is found."""

from collections.abc import Mapping
from typing import Any

import regex

from engine.errors import ModelFileError

_BEGINNINGS = {
    "lfs": rb"version https://git-lfs\.github\.com/spec/",
    "gguf": rb"GGUF",
    "weights": rb"[\s\S]{8}\{\"(?:__metadata__|[\w.]+)\"\s*:\s*\{",
    "rwkv": rb"\d+ b?(?:'[^\n]*'|\"[^\n]*\") \d+\r?\n",
}


def refuse_other_file(data: bytes) -> None:
    """Refuse a file that can be told by how it begins.

    Raises
    ------
    ModelFileError : it is one; the message says what it is and which file is needed.
    """
    for what, pattern in _BEGINNINGS.items():
        if regex.match(pattern, data[:10_000]):
            raise ModelFileError("file.kind", what=what)


def refuse_other_json(content: Mapping[str, Any]) -> None:
    """Refuse the content of a JSON file that is no tokenizer.json; the same error."""
    model = content.get("model")
    if content and all(isinstance(value, int) for value in content.values()):
        what = "vocab_json"
    elif isinstance(model, dict) and {"split_eomi", "glue_token"} <= set(model):
        what = "kiwi_json"
    elif "config" in content and isinstance(content.get("vocab"), list):
        what = "tekken"
    elif "model" not in content and {"tokenizer_class", "model_type", "architectures", "unk_token"} & set(content):
        what = "config_json"
    else:
        return
    raise ModelFileError("file.kind", what=what)
