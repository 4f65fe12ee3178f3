"""Opening any tokenizer: by a file, ours or another program's, or by the name of a shipped or a public one.

The format of a file is detected from its content.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from engine.errors import InputError, ModelFileError
from engine.interop.formats import import_tokenizer, is_ranks
from engine.machine.atomic_file import read_file
from engine.public.catalogue import HUB, PUBLIC
from engine.shipped.catalogue import SHIPPED
from engine.tokenizer import Tokenizer


def load_tokenizer(reference: str | Path, pattern: str | None = None) -> Tokenizer:
    """Load a tokenizer: what `--model` of the command line takes.

    Parameters
    ----------
    reference : a file of any format (see `engine.interop.formats`), `shipped:NAME`, `public:NAME` or `hub:OWNER/NAME`.
        A `Path` is always a file, as is `./public:name`.
    pattern : what tiktoken ranks cut text by, see `engine.interop.tiktoken.ranks.from_tiktoken`.

    Raises
    ------
    InputError : there is no tokenizer of that name, or its package is not installed; ModelFileError if the file cannot
        be read, is damaged, from a newer version, or of an unknown format.

    Examples
    --------
    >>> load_tokenizer("public:gpt2").vocab_size
    50257
    """
    name = reference if isinstance(reference, str) else ""
    if name.startswith(PUBLIC):
        from engine.public.load import load_public

        return load_public(name.removeprefix(PUBLIC))
    if name.startswith(SHIPPED):
        from engine.shipped.catalogue import load_shipped

        return load_shipped(name.removeprefix(SHIPPED))
    if name.startswith(HUB):
        from engine.public.hub import load_hub

        return load_hub(name.removeprefix(HUB), pattern)
    return import_tokenizer(read_file(reference, ModelFileError), Path(reference).name, pattern)


class ModelSource(NamedTuple):
    """What another process loads a tokenizer from.

    Attributes
    ----------
    name : of the file; or a reference that every installation knows.
    content : of the file; None with a reference.
    pattern : see `load_tokenizer`.
    """

    name: str
    content: bytes | None
    pattern: str | None

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of all that the tokenizer depends on, apart from this program."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


@lru_cache(maxsize=8)
def load_source(source: ModelSource) -> Tokenizer:
    """The tokenizer; a process loads it once."""
    if source.content is None:
        return load_tokenizer(source.name, source.pattern)
    return import_tokenizer(source.content, source.name, source.pattern)


def model_source(reference: str, pattern: str | None = None) -> ModelSource:
    """Where `load_tokenizer` takes a tokenizer from; raises as it does."""
    if reference.startswith((PUBLIC, SHIPPED)):
        return ModelSource(reference, None, pattern)
    if reference.startswith(HUB):
        from engine.public.hub import fetch_file, hub_folder

        found = fetch_file(reference.removeprefix(HUB), hub_folder())
        return ModelSource(found.name, found.content, pattern)
    return ModelSource(Path(reference).name, read_file(reference, ModelFileError), pattern)


def require_ranks(references: Sequence[str | Path], pattern: str | None) -> None:
    """InputError for a pattern where none of the models is ranks: all others say themselves what cuts the text."""
    if pattern is not None and not any(is_ranks(model_source(str(name)).content or b"") for name in references):
        raise InputError("pattern.unused")


def tokenizer_from_bytes(data: bytes, name: str = "") -> Tokenizer:
    """Load a tokenizer from the content of a file; see load_tokenizer. The file `name` is only a hint.

    >>> tokenizer = tokenizer_from_bytes(b"[UNK]\\nhug\\n##s\\n")
    >>> tokenizer.name, [tokenizer.token_label(token_id) for token_id in tokenizer.encode("hugs").ids]
    ('WordPiece', ['hug', '##s'])
    """
    return import_tokenizer(data, name)
