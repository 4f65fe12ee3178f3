"""The pre-tokenizers of `tokenizers`, each a function from pieces of an aligned text to pieces."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from engine.corpus.pretokens.known_patterns import TIKTOKEN_PATTERNS
from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes
from engine.corpus.pretokens.scan import RULES_OF_PATTERNS
from engine.errors import InputError, ModelFileError
from engine.interop.imported.aligned_text import AlignedText, replace_ranges, to_bytes
from engine.interop.imported.byte_text import CHARACTER_OF_BYTE
from engine.interop.imported.normalizers import Pattern, Verbatim, compile_pattern
from engine.interop.json_fields import Fields, build_steps, flag, number_of, one_of, text_of
from engine.pretokenization import MECAB, get_pretokenizer


def pattern_of(pretokenizer: Pretokenizer, for_tiktoken: bool = False) -> str:
    r"""The pre-tokenizer as a pattern: the pre-tokens are its matches and the text between them.

    Parameters
    ----------
    for_tiktoken : add an alternative for the text between matches, which tiktoken would drop.

    Notes
    -----
    `\s` is the same set in `regex`, Oniguruma (`tokenizers`) and Rust's regex (`tiktoken`). `\p{L}` and `\p{N}`
    depend on each library's version of Unicode: a letter from Unicode 16 or later may be cut differently.

    Raises
    ------
    InputError : the pre-tokenizer is not a pattern: it needs an analyser or was learned.
    """
    if pretokenizer.name in PRESETS:
        return PRESETS[pretokenizer.name].pattern
    if pretokenizer.name in TIKTOKEN_PATTERNS:
        named = TIKTOKEN_PATTERNS[pretokenizer.name]
        return named.exact if for_tiktoken else named.plain
    if pretokenizer.name == MECAB:
        raise InputError("export.morphemes")
    if pretokenizer.scan is not None:
        raise InputError("export.learned", name=pretokenizer.name)
    pattern = pretokenizer.name
    return rf"(?:{pattern})|(?:(?!{pattern})[\s\S])+" if for_tiktoken else pattern


class TextPieces(NamedTuple):
    """Pre-tokens: ranges (begin, end) of a text, in order; text between them is dropped."""

    source: AlignedText
    ranges: list[tuple[int, int]]


Step = Callable[[TextPieces], TextPieces]
Part = tuple[int, int, bool]  # begin, end, whether it matches

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]"
_WORD_OR_REST = rf"{WORD}+|(?:(?!{WORD})\S)+"
_PUNCTUATION = r"[!-/:-@\[-`{-~\p{P}]"
# Cost of calling one of our pre-tokenizers, in changes.
_CALL = 4
_MOST_LENGTH = 1_000_000
# Line mode changes none of these patterns: where they have `$`, no line end can follow.
_WITH_RULE = {f"(?m){pattern}": pattern for pattern in RULES_OF_PATTERNS}


def build_pretokenizers(part: Any, place: str, unsupported: list[str]) -> list[Step]:
    """The steps of a pre-tokenizer in a file; unsupported ones are appended to `unsupported`.

    Raises
    ------
    ModelFileError : the pre-tokenizer is inconsistent.
    """
    return build_steps(part, place, unsupported, "pre-tokenizer", "pretokenizers", _KINDS)


def _split(pattern: Pattern, behavior: str, invert: bool = False) -> Step:
    with_rule = _WITH_RULE.get(pattern.pattern)
    if with_rule is not None and behavior == "Isolated":
        return partial(_cut_by_rule, pretokenizer=get_pretokenizer(with_rule))
    return partial(_cut, pattern=pattern, behavior=behavior, invert=invert)


def _cut_by_rule(pieces: TextPieces, pretokenizer: Pretokenizer) -> TextPieces:
    ranges: list[tuple[int, int]] = []
    pieces.source.budget.change(_CALL * len(pieces.ranges))
    for begin, end in pieces.ranges:
        bounds = pretokenizer.boundaries(to_codes(pieces.source.text[begin:end])) + begin
        ranges += pairwise(bounds.tolist())
    return pieces._replace(ranges=ranges)


def _split_by(pattern: str, behavior: str, invert: bool = False) -> Step:
    """As `_split`, with a pattern of this program."""
    return _split(OwnPattern(pattern, is_known=True), behavior, invert)


def _cut(pieces: TextPieces, pattern: Pattern, behavior: str, invert: bool) -> TextPieces:
    text = pieces.source.text
    matches = pattern.matches([text[begin:end] for begin, end in pieces.ranges])
    ranges: list[tuple[int, int]] = []
    pieces.source.budget.change(sum(map(len, matches)))
    for (begin, end), found in zip(pieces.ranges, matches, strict=True):
        ranges += _join(list(_parts(found, begin, end, invert)), behavior)
    return pieces._replace(ranges=ranges)


def _parts(found: list[tuple[int, int]], begin: int, end: int, invert: bool) -> Iterable[Part]:
    """The piece as matches and the text between them; none is empty."""
    at = begin
    for a, b in found:
        if begin + a > at:
            yield at, begin + a, invert
        if b > a:
            yield begin + a, begin + b, not invert
        at = begin + b
    if end > at:
        yield at, end, invert


def _join(parts: list[Part], behavior: str) -> list[tuple[int, int]]:
    if behavior == "Isolated":
        return [(begin, end) for begin, end, _ in parts]
    if behavior == "Removed":
        return [(begin, end) for begin, end, matches in parts if not matches]
    joined: list[tuple[int, int]] = []
    before = False
    if behavior == "MergedWithNext":
        for begin, end, matches in reversed(parts):
            if matches and not before and joined:
                joined[-1] = (begin, joined[-1][1])
            else:
                joined.append((begin, end))
            before = matches
        return joined[::-1]
    for begin, end, matches in parts:
        merges = matches == before if behavior == "Contiguous" else matches and not before
        if merges and joined:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
        before = matches
    return joined


def _byte_level(fields: Fields, place: str) -> list[Step]:
    steps: list[Step] = []
    if flag(fields, "add_prefix_space", place, True):
        steps.append(partial(_prefix, prefix=" ", only_first=False))
    if flag(fields, "use_regex", place, True):
        steps.append(partial(_cut_by_rule, pretokenizer=get_pretokenizer("gpt2")))
    return [*steps, _as_bytes]


def _as_bytes(pieces: TextPieces) -> TextPieces:
    as_bytes, offsets = to_bytes(pieces.source)
    at = offsets.tolist()
    source = as_bytes._replace(text=as_bytes.text.translate(CHARACTER_OF_BYTE))
    return TextPieces(source, [(at[begin], at[end]) for begin, end in pieces.ranges])


def _prefix(pieces: TextPieces, prefix: str, only_first: bool) -> TextPieces:
    """Put the prefix before each piece that lacks it, or only at the start of the text."""
    source = pieces.source
    edits: list[tuple[int, int, str]] = []
    ranges: list[tuple[int, int]] = []
    for begin, end in pieces.ranges:
        shift = len(edits) * len(prefix)
        # A piece may also begin within what the first character became.
        before = (int(source.ends[begin - 1]) if begin else source.begin) == 0
        at_start = before or (source.begin == 0 and source.ends[begin] == source.ends[0])
        if not source.text.startswith(prefix, begin) and (at_start or not only_first):
            edits.append((begin, begin, prefix))
            ranges.append((begin + shift, end + shift + len(prefix)))
        else:
            ranges.append((begin + shift, end + shift))
    return TextPieces(replace_ranges(source, edits), ranges)


def _metaspace(fields: Fields, place: str) -> list[Step]:
    replacement = text_of(fields, "replacement", place, "▁")
    if len(replacement) != 1:
        raise ModelFileError("inconsistent.value", place=f"{place}.replacement")
    scheme = metaspace_scheme(fields, place)
    cut = _split(Verbatim(replacement), "MergedWithNext") if flag(fields, "split", place, True) else None

    def step(pieces: TextPieces) -> TextPieces:
        marked = pieces.source._replace(text=pieces.source.text.replace(" ", replacement))
        pieces = pieces._replace(source=marked)
        if scheme != "never":
            pieces = _prefix(pieces, replacement, only_first=scheme == "first")
        return cut(pieces) if cut else pieces

    return [step]


def metaspace_scheme(fields: Fields, place: str) -> str:
    """When to put the mark before a text; older files have `add_prefix_space` instead."""
    default = "always" if flag(fields, "add_prefix_space", place, True) else "never"
    return one_of(fields, "prepend_scheme", place, ("always", "first", "never"), default)


def _split_of(fields: Fields, place: str) -> list[Step]:
    behavior = one_of(fields, "behavior", place, BEHAVIORS)
    return [_split(compile_pattern(fields, place), behavior, flag(fields, "invert", place, False))]


def _digits(fields: Fields, place: str) -> list[Step]:
    behavior = "Isolated" if flag(fields, "individual_digits", place, False) else "Contiguous"
    return [_split_by(r"\p{N}", behavior)]


def _fixed_length(fields: Fields, place: str) -> list[Step]:
    length = number_of(fields, "length", place, _MOST_LENGTH, 5)
    if not length:
        raise ModelFileError("inconsistent.value", place=f"{place}.length")

    def step(pieces: TextPieces) -> TextPieces:
        ranges = [(at, min(at + length, end)) for begin, end in pieces.ranges for at in range(begin, end, length)]
        pieces.source.budget.change(len(ranges))
        return pieces._replace(ranges=ranges)

    return [step]


def _without_space() -> Step:
    return _split_by(r"\s", "Removed")


_KINDS: dict[str, Callable[[Fields, str], list[Step]]] = {
    "ByteLevel": _byte_level,
    "Metaspace": _metaspace,
    "Split": _split_of,
    "Whitespace": lambda fields, place: [_split_by(_WORD_OR_REST, "Removed", invert=True)],
    "WhitespaceSplit": lambda fields, place: [_without_space()],
    "BertPreTokenizer": lambda fields, place: [_without_space(), _split_by(_PUNCTUATION, "Isolated")],
    "Punctuation": lambda fields, place: [
        _split_by(_PUNCTUATION, one_of(fields, "behavior", place, BEHAVIORS, "Isolated"))
    ],
    "Digits": _digits,
    "CharDelimiterSplit": lambda fields, place: [_split(Verbatim(text_of(fields, "delimiter", place)), "Removed")],
    "FixedLength": _fixed_length,
}
