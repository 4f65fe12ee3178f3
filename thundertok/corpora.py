"""What functions take: values of the types that they name, and for a corpus or texts files or lines."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

from engine.corpus.reading.read import read_corpus
from engine.errors import WrongTypeError, require_type

Corpus: TypeAlias = str | Path | Sequence[str | Path]
Texts: TypeAlias = Corpus | Mapping[str, Corpus]
_Checked = TypeVar("_Checked", bound=Callable[..., object])


def checked(target: _Checked) -> _Checked:
    """A function, or a class with its public methods, that refuses arguments of other types than its annotations name.

    A corpus and texts are looked at where they are read: what is missing in a column of a table is left out there.
    """
    if isinstance(target, type):
        for name, method in list(vars(target).items()):
            if inspect.isfunction(method) and not name.startswith("_"):
                setattr(target, name, checked(method))
        return target
    signature = inspect.signature(target)
    read_later = (inspect.Parameter.empty, Corpus, Texts, Corpus | None)

    @functools.wraps(target)
    def call(*args: object, **options: object) -> object:
        for name, value in signature.bind(*args, **options).arguments.items():
            if (kind := signature.parameters[name].annotation) not in read_later:
                require_type(target.__name__, name, value, kind)
        return target(*args, **options)

    return cast("_Checked", call)


def as_texts(given: Texts, column: str | None = None, encoding: str | None = None) -> dict[str, list[str]]:
    """Lines by name: each file under its path, lines under `text`; raises as `as_lines`."""
    if isinstance(given, Mapping):
        return {name: as_lines(one, column, encoding) for name, one in given.items()}
    return dict(_texts(given, column, encoding))


def as_lines(given: Corpus, column: str | None = None, encoding: str | None = None) -> list[str]:
    """The lines themselves, or those of the files; InputError if it is neither, or a file cannot be read as text."""
    return [line for _, lines in _texts(given, column, encoding) for line in lines]


def _texts(given: Corpus, column: str | None, encoding: str | None) -> Iterator[tuple[str, list[str]]]:
    """The lines of each file by its path, or those given by `text`.

    One string is a file, since a corpus is more than a line. In a sequence, a `Path` is a file, and strings are files
    if every one of them is. What is missing in a column of a table is no line.
    """
    if isinstance(given, Mapping) or not isinstance(given, Iterable | Path) or getattr(given, "ndim", 1) != 1:
        raise WrongTypeError("corpus.lines", kind=type(given).__name__)
    several = [given] if isinstance(given, str | Path) else [one for one in given if not _is_missing(one)]
    for one in several:
        if not isinstance(one, str | Path):
            raise WrongTypeError("corpus.lines", kind=type(one).__name__)
    if isinstance(given, str | Path) or any(isinstance(one, Path) for one in several) or _are_files(several):
        yield from ((str(path), read_corpus(path, encoding, column)) for path in several)
    else:
        yield "text", [*map(str, several)]


def _is_missing(value: object) -> bool:
    return value is None or (str(value) in ("nan", "<NA>") and not isinstance(value, str))


def _are_files(names: Sequence[str | Path]) -> bool:
    try:
        return bool(names) and all(Path(name).is_file() for name in names)
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False
