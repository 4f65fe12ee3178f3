"""The decoders of `tokenizers`: the text of a token, and how tokens are joined."""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engine.interop.imported.byte_text import from_byte_text
from engine.interop.imported.normalizers import Pattern, compile_pattern
from engine.interop.imported.pretokenizers import metaspace_scheme
from engine.interop.imported.step_budget import StepBudget
from engine.interop.json_fields import Fields, build_steps, flag, number_of, text_of

_MOST_STRIPPED = 1000


_Step = Callable[[list[bytes], StepBudget], list[bytes]]


class Decoder(NamedTuple):
    """One step. Works on bytes, so that partial characters stay as they are instead of becoming U+FFFD.

    Attributes
    ----------
    surfaces : bytes of tokens without their marks, each on its own.
    join : bytes of tokens in the context of a text, after this step.
    """

    surfaces: _Step
    join: _Step


def run_steps(steps: Iterable[_Step], tokens: list[bytes]) -> list[bytes]:
    """Apply the steps to tokens.

    Raises
    ------
    InputError : the output exceeds the budget of these tokens; or a pattern takes too much time or memory.
    """
    size = sum(map(len, tokens))
    budget = StepBudget(size + len(tokens))
    for step in steps:
        budget.step(size)
        budget.change(len(tokens))
        tokens = step(tokens, budget)
        before, size = size, sum(map(len, tokens))
        budget.grow(size - before)
    return tokens


def build_decoders(part: Any, place: str, unsupported: list[str]) -> list[Decoder]:
    """The steps of a decoder in a file; unsupported ones are appended to `unsupported`.

    Raises
    ------
    ModelFileError : the decoder is inconsistent.
    """
    return build_steps(part, place, unsupported, "decoder", "decoders", _KINDS)


def byte_piece(token: bytes) -> bytes:
    """The byte named by `<0xEC>`; any other token unchanged."""
    return bytes([int(token[3:5], 16)]) if re.fullmatch(rb"<0x[0-9A-Fa-f]{2}>", token) else token


def _same(tokens: list[bytes], _: StepBudget) -> list[bytes]:
    return tokens


def _each(surface: Callable[[bytes], bytes]) -> Decoder:
    """A step that treats every token separately, also in a text."""

    def change(tokens: list[bytes], _: StepBudget) -> list[bytes]:
        return [surface(token) for token in tokens]

    return Decoder(change, change)


def _byte_level(token: bytes) -> bytes:
    found = from_byte_text(token.decode(errors="surrogateescape"))
    return token if found is None else found


def _replace(pattern: Pattern, new: str) -> Decoder:
    def replace(tokens: list[bytes], budget: StepBudget) -> list[bytes]:
        texts = [token.decode(errors="surrogateescape") for token in tokens]
        matches = pattern.matches(texts)
        n_matches = sum(map(len, matches))
        budget.change(n_matches)
        budget.allow(n_matches * len(new.encode()) - sum(map(len, tokens)))
        return [
            _put_in(text, found, new).encode(errors="surrogateescape")
            for text, found in zip(texts, matches, strict=True)
        ]

    return Decoder(replace, replace)


def _put_in(text: str, ranges: list[tuple[int, int]], new: str) -> str:
    """The text with every range replaced by `new`."""
    ends = [0, *(end for _, end in ranges)]
    begins = [*(begin for begin, _ in ranges), len(text)]
    return new.join(text[end:begin] for end, begin in zip(ends, begins, strict=True))


def _metaspace(mark: bytes, scheme: str) -> Decoder:
    def join(tokens: list[bytes], _: StepBudget) -> list[bytes]:
        first = b"" if scheme != "never" else b" "
        return [token.replace(mark, b" " if i else first) for i, token in enumerate(tokens)]

    return _each(lambda token: token.replace(mark, b" "))._replace(join=join)


def _wordpiece(prefix: bytes, cleanup: bool) -> Decoder:
    def join(tokens: list[bytes], _: StepBudget) -> list[bytes]:
        joined = tokens[:1]
        for token in tokens[1:]:
            continues = token.startswith(prefix)
            joined.append(token.removeprefix(prefix) if continues else b" " + token)
        return [_clean(token) for token in joined] if cleanup else joined

    return _each(lambda token: token.removeprefix(prefix) if token != prefix else token)._replace(join=join)


def _clean(token: bytes) -> bytes:
    """Remove spaces before punctuation and English contractions."""
    for mark in (b".", b"?", b"!", b","):
        token = token.replace(b" " + mark, mark)
    token = token.replace(b" ' ", b"'").replace(b" n't", b"n't").replace(b" 'm", b"'m").replace(b" do not", b" don't")
    return token.replace(b" 's", b"'s").replace(b" 've", b"'ve").replace(b" 're", b"'re")


def _marked(suffix: bytes) -> Decoder:
    def join(tokens: list[bytes], _: StepBudget) -> list[bytes]:
        last = len(tokens) - 1
        return [token.replace(suffix, b" " if i < last else b"") for i, token in enumerate(tokens)]

    return _each(lambda token: token.removesuffix(suffix))._replace(join=join)


def _strip(content: bytes, start: int, stop: int) -> Decoder:
    size = len(content)

    def strip(token: bytes) -> bytes:
        begin, end = 0, len(token)
        while size and begin < start * size and token.startswith(content, begin):
            begin += size
        while size and len(token) - end < stop * size and token.endswith(content, begin, end):
            end -= size
        return token[begin:end]

    return _each(strip)._replace(surfaces=_same)


def _strip_of(fields: Fields, place: str) -> list[Decoder]:
    start, stop = (number_of(fields, key, place, _MOST_STRIPPED, 0) for key in ("start", "stop"))
    return [_strip(text_of(fields, "content", place, " ").encode(), start, stop)]


_KINDS: dict[str, Callable[[Fields, str], list[Decoder]]] = {
    "ByteLevel": lambda fields, place: [_each(_byte_level)],
    "ByteFallback": lambda fields, place: [_each(byte_piece)],
    "Fuse": lambda fields, place: [Decoder(_same, lambda tokens, _: [b"".join(tokens)])],
    "Replace": lambda fields, place: [_replace(compile_pattern(fields, place), text_of(fields, "content", place))],
    "Metaspace": lambda fields, place: [
        _metaspace(text_of(fields, "replacement", place, "▁").encode(), metaspace_scheme(fields, place))
    ],
    "WordPiece": lambda fields, place: [
        _wordpiece(text_of(fields, "prefix", place, "##").encode(), flag(fields, "cleanup", place, True))
    ],
    "BPEDecoder": lambda fields, place: [_marked(text_of(fields, "suffix", place, "</w>").encode())],
    "Strip": _strip_of,
}
