"""What the app's pictures are drawn with: `python -m research.shipped.pictures` stores it.

The greeting that the first page shows in tokens, and the outlines of the app's fonts, with which the browser replaces
text in saved pictures.
"""

import gzip
import json
from pathlib import Path

from engine.public.catalogue import PUBLIC
from engine.public.load import load_public
from engine.report.figure import outlines
from engine.report.fonts import BOLD, FOLDER, HAN, REGULAR
from engine.shipped.catalogue import SHIPPED, load_shipped
from engine.unigram.model.model import token_label

GREETING = Path(__file__).resolve().parents[2] / "assets" / "pictures" / "greeting.json"
_ENGLISH, _KOREAN = "Hello, how are you?", "안녕하세요, 잘 지내세요?"
_GPT4, _THUNDER_TOK = f"{PUBLIC}cl100k_base", f"{SHIPPED}thunder-tok-32k"


def greeting() -> list[dict[str, str | list[str]]]:
    """A row for each bar: the text, the reference of the tokenizer, and the labels of the tokens."""
    rows = ((_ENGLISH, _GPT4), (_KOREAN, _GPT4), (_KOREAN, _THUNDER_TOK))
    return [{"text": text, "tokenizer": model, "tokens": _tokens(text, model)} for text, model in rows]


def _tokens(text: str, model: str) -> list[str]:
    is_public = model.startswith(PUBLIC)
    tokenizer = load_public(model.removeprefix(PUBLIC)) if is_public else load_shipped(model.removeprefix(SHIPPED))
    data = text.encode()
    return [token_label(data[begin:end]) for begin, end in tokenizer.encode(text).spans]


def store() -> None:
    """Write the rows of the greeting, and a file for each font, beside it."""
    for name in (REGULAR, BOLD, HAN):
        written = json.dumps(outlines(name), ensure_ascii=False, separators=(",", ":"))
        (FOLDER / f"{name}.outlines").write_bytes(gzip.compress(written.encode(), 9, mtime=0))
    GREETING.write_text(json.dumps(greeting(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    store()
