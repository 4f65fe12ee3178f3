"""Tokenizers of the Hugging Face hub by the id of their model, kept on the disk: the second use needs no network.

THUNDER_TOK_HUB=off closes it. What is kept was checked by nobody yet: it is read as any file from outside.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.atomic_file import read_file, write_whole
from engine.errors import InputError
from engine.folders import safe_cache_folder
from engine.public.download import Downloads, Report, endpoint

if TYPE_CHECKING:
    from engine.tokenizer import Tokenizer  # which loads kernels, and to fetch a file needs none

MAX_BYTES = 50_000_000
_SWITCH = "THUNDER_TOK_HUB"
_ID = re.compile(r"(?!.*\.\.)(?:[A-Za-z0-9_][\w.-]{0,95}/)?[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_KEPT_BYTES = 1_000_000_000

# The first one that a repository has says most; a vocab.txt leaves some to its configuration.
_VOCAB, _CONFIG = "vocab.txt", "tokenizer_config.json"
_FILES = ("tokenizer.json", "tokenizer.model", "spiece.model", _VOCAB)
_BERT = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer")


class HubFile(NamedTuple):
    """A tokenizer file; `commit` is that of the repository, "main" where the hub did not say it."""

    name: str
    commit: str
    content: bytes


def is_hub_open() -> bool:
    """Whether whoever runs the program lets it ask the hub."""
    return os.environ.get(_SWITCH, "").strip().lower() != "off"


def hub_folder() -> Path:
    """Where files of the hub are kept."""
    return safe_cache_folder("hub")


def checked_id(model: str) -> str:
    """The id without the spaces around it.

    Raises
    ------
    InputError : it is none, or the hub is closed.
    """
    model = model.strip()
    if not is_hub_open():
        raise InputError("hub.closed", switch=_SWITCH)
    if not _ID.fullmatch(model):
        raise InputError("hub.id", model=model[:100])
    return model


def hub_key(model: str) -> str:
    """What stands for a model of the hub of this machine."""
    return hashlib.sha256(f"{endpoint()}/{model}".encode()).hexdigest()[:24]


def kept_file(model: str, folder: Path) -> HubFile | None:
    """The file of a model that was fetched before."""
    for path in _kept(model, folder):
        _, commit, name = path.name.split(".", 2)
        with suppress(InputError, OSError):  # another process may have removed it
            found = HubFile(name, commit, read_file(path))
            path.touch()
            return found
    return None


def forget_file(model: str, folder: Path) -> None:
    """Remove what is kept of a model."""
    for path in _kept(model, folder):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _kept(model: str, folder: Path) -> list[Path]:
    return [path for name in _FILES for path in folder.glob(f"{hub_key(model)}.*.{name}")]


def fetch_file(model: str, folder: Path, max_bytes: int = MAX_BYTES, report: Report = lambda *_: None) -> HubFile:
    """The tokenizer file of a model, out of the folder or from the hub.

    Parameters
    ----------
    folder : where it is kept; what was used longest ago goes when there is more than 1 GB.
    max_bytes : size of the file.
    report : is called as it comes with the bytes that are here, and those that there are (0: not known).

    Raises
    ------
    InputError : there is no such model, it is not open to everybody, or has no tokenizer file that is known here; the
        hub is closed or out of reach; the file is too large or cannot be kept.
    """
    model = checked_id(model)
    kept = kept_file(model, folder)
    if kept is not None:
        return kept
    found = _fetch(model, Downloads(max_bytes, report))
    write_whole(folder / f"{hub_key(model)}.{found.commit}.{found.name}", found.content)
    _make_room(folder)
    return found


def load_hub(model: str, pattern: str | None = None) -> "Tokenizer":
    """The tokenizer of a model; InputError as of `fetch_file` and `engine.model_files.load_tokenizer`."""
    from engine.interop.formats import import_tokenizer

    found = fetch_file(model, hub_folder())
    try:
        return import_tokenizer(found.content, found.name, pattern)
    except InputError:
        forget_file(model.strip(), hub_folder())  # the next version may be another
        raise


def _fetch(model: str, downloads: Downloads) -> HubFile:
    is_there = False
    for name in _FILES:
        answer = downloads.get(f"{model}/resolve/main/{name}")
        if answer.status == 200:
            commit = answer.commit if _COMMIT.fullmatch(answer.commit) else "main"
            if name != _VOCAB:
                return HubFile(name, commit, answer.content)
            config = downloads.get(f"{model}/resolve/{commit}/{_CONFIG}")
            return HubFile("tokenizer.json", commit, _bert(model, answer.content, config.content))
        if answer.error == "GatedRepo" or answer.status == 403:
            raise InputError("hub.gated", model=model)
        # The hub says 401 of what is private, and of what is not there.
        if answer.error == "RepoNotFound" or answer.status == 401:
            raise _missing(model)
        if answer.status != 404:
            raise InputError("hub.status", status=answer.status)
        is_there = is_there or answer.error == "EntryNotFound"
    if not is_there:
        raise _missing(model)
    raise InputError("hub.no_file", model=model, files=", ".join(_FILES))


def _missing(model: str) -> InputError:
    return InputError("hub.missing", model=model)


def _bert(model: str, vocabulary: bytes, config: bytes) -> bytes:
    """vocab.txt and tokenizer_config.json as one tokenizer.json.

    Raises
    ------
    InputError : the vocabulary is used otherwise than BERT's, in a way that the two files do not say.
    """
    from engine.interop.huggingface.exporter import to_tokenizer_json
    from engine.interop.huggingface.vocab_txt import from_vocab_txt

    try:
        said = json.loads(config or b"{}")
    except ValueError:
        said = {}
    said = said if isinstance(said, dict) else {}
    kind = str(said.get("tokenizer_class") or _BERT[0])
    if kind.removesuffix("Fast") not in _BERT or b"\n##" not in vocabulary:
        raise InputError("hub.not_bert", model=model)
    lowercase = said.get("do_lower_case")
    made = from_vocab_txt(vocabulary, lowercase=lowercase if isinstance(lowercase, bool) else None)
    normalizer = made.tokenizer_json["normalizer"] if made.tokenizer_json else {}
    for ours, theirs in (("strip_accents", "strip_accents"), ("handle_chinese_chars", "tokenize_chinese_chars")):
        if isinstance(said.get(theirs), bool):
            normalizer[ours] = said[theirs]
    return to_tokenizer_json(made)


def _make_room(folder: Path) -> None:
    left = _KEPT_BYTES
    with suppress(OSError):  # another process may make room, too
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            left -= path.stat().st_size
            if left < 0:
                path.unlink(missing_ok=True)
