"""A text to train on, measure or search: a built-in corpus, or a user's own text.

Built-in texts are the files `assets/corpora/<collection>/<register>.txt`, and the parallel sentences. A user's text
belongs to the session alone (`app.server.stored_texts`): it never enters a cache shared between sessions.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from app import ASSETS
from engine.corpus.files import CorpusFiles
from engine.corpus.normalize import normalize
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.corpus.reading.read import read_lines
from engine.errors import InputError
from engine.machine.atomic_file import read_file

FOLDER, PARALLEL = ASSETS / "corpora", ASSETS / "parallel"
LANGUAGES = ("ko", "en", "ja", "zh", "de", "fr", "es", "ru", "tr", "vi", "ar", "hi", "th")

# The collection of users' own texts.
OWN_TEXTS = "text"


@dataclass(frozen=True)
class Text:
    """A text with an id.

    Parameters
    ----------
    id : `ko` (a whole collection), `ko.news.essay` (some of its registers) or `text.<hash>` (a user's own text).
    digest : hash of the content: equal digests mean equal corpora.
    paths : the files of a built-in corpus, sorted by name.
    name : the file name of an uploaded text, or the title a page gives it; else empty.
    text : the content of a text that is not in `paths`; None for a built-in corpus, or if only the name is needed.
    parts : the files that an uploaded text was joined from, with their metadata; None for one file.
    """

    id: str
    digest: str
    paths: tuple[Path, ...] = ()
    name: str = ""
    text: str | None = field(default=None, repr=False)
    parts: CorpusFiles | None = field(default=None, repr=False, compare=False)

    @property
    def is_builtin(self) -> bool:
        """Whether a link to it works for everyone."""
        return self.collection != OWN_TEXTS

    @property
    def collection(self) -> str:
        return self.id.partition(".")[0]

    def read(self) -> str:
        if self.text is not None:
            return self.text
        return "".join(_ended(read_file(path).decode("utf-8")) for path in self.paths)

    def lines(self) -> list[str]:
        return split_lines(self.read())

    def sentences(self) -> tuple[str, ...]:
        return tuple(line for line in self.lines() if line)

    def files(self) -> CorpusFiles:
        """Its files; the names of built-in ones are `<collection>.<register>`, that of a pasted text is empty."""
        if self.parts is not None:
            return self.parts
        if not self.paths:
            return CorpusFiles.of({self.name: len(self.lines())})
        return _builtin_files(self.paths)

    def sentence_files(self) -> CorpusFiles:
        """Its files, with the numbers of their non-empty lines: those of `sentences`."""
        files, is_text = self.files(), np.array([bool(line) for line in self.lines()], dtype=np.int64)
        return CorpusFiles.of(dict(zip(files.names, files.sums(is_text).tolist(), strict=True)), dict(files.metadata))

    def part(self, chosen: Sequence[int]) -> "Text":
        """The files with these indices as a text of their own."""
        files = self.files()
        if len(chosen) == len(files):
            return self
        if self.paths:
            paths = {self.paths[i] for i in chosen}
            names = [name for name, path in registers(self.collection).items() if path in paths]
            return builtin_corpus(self.collection, tuple(names))
        own = files.part(chosen)
        return own_text(
            "".join(f"{line}\n" for line in files.lines_of(chosen, self.lines())), joined_name(own.names), own
        )

    def with_lines(self, lines: Sequence[str]) -> "Text":
        text = "\n".join(lines)
        return replace(self, digest=_digest(text), paths=(), text=text, parts=None)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of its lines joined by line feeds; model files identify their corpus by it."""
        text = with_line_feeds(self.read()).removesuffix("\n")
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def n_bytes(self) -> int:
        return len(self.read().encode("utf-8", "surrogatepass"))

    @cached_property
    def n_chars(self) -> int:
        """Characters (code points), line ends included."""
        return len(self.read())

    @cached_property
    def n_lines(self) -> int:
        return len(self.sentences())

    @cached_property
    def n_words(self) -> int:
        """Number of white-space-separated words."""
        return len(self.read().split())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


# All the training texts as one corpus: all languages, numbers, code and chat.
ALL = "all"
_IN_ALL = ("ko", "multi", "web")


@cache
def registers(collection: str) -> Mapping[str, Path]:
    """Files of a built-in collection by register, sorted by name."""
    if collection == ALL:
        return {f"{part}-{name}": path for part in _IN_ALL for name, path in registers(part).items()}
    # The name may come from a link: compare it with the folders, never make a path of it.
    found = [folder for folder in FOLDER.iterdir() if folder.name == collection]
    return {path.stem: path for folder in found for path in sorted(folder.glob("*.txt"))}


@cache
def _builtin(collection: str, names: tuple[str, ...]) -> Text:
    available = registers(collection)
    whole = len(names) == len(available)
    return file_text(collection if whole else ".".join((collection, *names)), tuple(available[name] for name in names))


def file_text(id_: str, paths: tuple[Path, ...]) -> Text:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() + b"\0")
    return Text(id_, digest.hexdigest()[:24], paths)


def builtin_corpus(collection: str = "ko", names: tuple[str, ...] = ()) -> Text:
    """A built-in corpus; without names, the whole collection.

    Raises
    ------
    InputError : there is no such collection or register, e.g. in a link typed by hand.
    """
    available = registers(collection)
    chosen = tuple(sorted(set(names))) or tuple(available)
    unknown = [name for name in chosen if name not in available]
    if not available or unknown:
        raise InputError("corpus.unknown", name=".".join((collection, *unknown)))
    return _builtin(collection, chosen)


def own_text(text: str, name: str = "", files: CorpusFiles | None = None) -> Text:
    digest = _digest(text)
    return Text(f"{OWN_TEXTS}.{digest}", digest, name=name, text=text, parts=files)


def joined_name(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} + {len(names) - 1}"


@cache
def _builtin_files(paths: tuple[Path, ...]) -> CorpusFiles:
    n_lines = {f"{path.parent.name}.{path.stem}": len(split_lines(read_file(path).decode("utf-8"))) for path in paths}
    collections = tuple(path.parent.name for path in paths)
    metadata = {"register": tuple(path.stem for path in paths)}
    return CorpusFiles.of(n_lines, metadata | ({"collection": collections} if len(set(collections)) > 1 else {}))


def held_digest(source_id: str) -> str:
    """The digest in the id of a user's own text; empty for other ids."""
    collection, _, rest = source_id.partition(".")
    return rest if collection == OWN_TEXTS else ""


def corpus_fingerprint(source: Text, normalization: str) -> str:
    """SHA-256 (hex) of the normalised text, as the model stores it (`engine.unigram.train.trainer`)."""
    text = normalize("\n".join(source.lines()), normalization)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def builtin_texts() -> tuple[str, ...]:
    """Ids of the built-in texts: `parallel.ko`, ..., `ko.news`, ..., `multi.en`, ..., `web.code`, ..."""
    parts = [f"parallel.{language}" for language in LANGUAGES]
    for collection in ("ko", "multi", "web"):
        parts += [f"{collection}.{name}" for name in registers(collection)]
    return tuple(parts)


@cache
def builtin_text(id_: str) -> Text:
    collection, _, part = id_.partition(".")
    if collection != "parallel":
        return builtin_corpus(collection, (part,))
    return file_text(id_, (PARALLEL / f"{part}.txt",))


def language_text(language: str) -> Text:
    """Text to train on, as much Korean as of the other languages; none of it is in the parallel sentences."""
    return builtin_corpus("ko", ("news",)) if language == "ko" else builtin_corpus("multi", (language,))


@cache
def parallel_texts() -> dict[str, tuple[str, ...]]:
    return {language: tuple(read_lines(PARALLEL / f"{language}.txt", "utf-8")) for language in LANGUAGES}
