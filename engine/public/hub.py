"""Tokenizers of the Hugging Face hub by model id, cached on disk: the second use needs no network.

THUNDER_TOK_HUB=off disables the hub. Cached files are unchecked and read like any untrusted file.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import InputError
from engine.machine.atomic_file import read_file, write_whole
from engine.machine.folders import safe_cache_folder
from engine.public.download import Downloads, Report, endpoint

if TYPE_CHECKING:
    from engine.tokenizer import Tokenizer  # loads kernels, which a download does not need

MAX_BYTES = 50_000_000
_SWITCH = "THUNDER_TOK_HUB"
_ID = re.compile(r"(?!.*\.\.)(?:[A-Za-z0-9_][\w.-]{0,95}/)?[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_KEPT_BYTES = 1_000_000_000

# In order of preference: the earlier file is more complete; vocab.txt also needs its configuration.
_VOCAB, _CONFIG = "vocab.txt", "tokenizer_config.json"
_FILES = ("tokenizer.json", "tokenizer.model", "spiece.model", _VOCAB)
_BERT = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer")


class HubFile(NamedTuple):
    """A tokenizer file; `commit` is that of the repository, "main" if the hub did not report it."""

    name: str
    commit: str
    content: bytes


def is_hub_open() -> bool:
    """Whether the operator of the program allows requests to the hub."""
    return os.environ.get(_SWITCH, "").strip().lower() not in ("off", "no", "false", "0")


def hub_folder() -> Path:
    """Cache folder for files of the hub."""
    return safe_cache_folder("hub")


def checked_id(model: str) -> str:
    """The id without surrounding spaces; InputError if the id is invalid, or the hub is disabled."""
    model = model.strip()
    if not is_hub_open():
        raise InputError("hub.closed", switch=_SWITCH)
    if not _ID.fullmatch(model):
        raise InputError("hub.id", model=model[:100])
    return model


def hub_key(model: str) -> str:
    """Cache key of a model, specific to this machine's hub."""
    return hashlib.sha256(f"{endpoint()}/{model}".encode()).hexdigest()[:24]


def kept_file(model: str, folder: Path) -> HubFile | None:
    """The cached file of a model, or None."""
    for path in _cached_files(model, folder):
        _, commit, name = path.name.split(".", 2)
        with suppress(InputError, OSError):  # another process may have removed it
            found = HubFile(name, commit, read_file(path))
            path.touch()
            return found
    return None


def forget_file(model: str, folder: Path) -> None:
    """Delete the cached files of a model."""
    for path in _cached_files(model, folder):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _cached_files(model: str, folder: Path) -> list[Path]:
    return [path for name in _FILES for path in folder.glob(f"{hub_key(model)}.*.{name}")]


def fetch_file(model: str, folder: Path, max_bytes: int = MAX_BYTES, report: Report = lambda *_: None) -> HubFile:
    """The tokenizer file of a model, from the cache or the hub.

    Parameters
    ----------
    folder : the cache; the least recently used files are deleted above 1 GB.
    max_bytes : maximum size of the file.
    report : called during the download with the bytes received and in total (0: unknown).

    Raises
    ------
    InputError : there is no such model, it is not public, or has no supported tokenizer file; the hub is disabled or
        unreachable; the file is too large or cannot be cached.
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
    """The tokenizer of a model; InputError as in `fetch_file` and `engine.model_files.load_tokenizer`."""
    from engine.interop.formats import import_tokenizer

    found = fetch_file(model, hub_folder())
    try:
        return import_tokenizer(found.content, found.name, pattern)
    except InputError:
        forget_file(model.strip(), hub_folder())  # the next version may be valid
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
        # The hub answers 401 for both private and missing repositories.
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
    InputError : the vocabulary is not used as BERT's, and the two files do not say how.
    """
    from engine.interop.huggingface.exporter import to_tokenizer_json
    from engine.interop.huggingface.vocab_txt import from_vocab_txt

    try:
        settings = json.loads(config or b"{}")
    except ValueError:
        settings = {}
    settings = settings if isinstance(settings, dict) else {}
    kind = str(settings.get("tokenizer_class") or _BERT[0])
    if kind.removesuffix("Fast") not in _BERT or b"\n##" not in vocabulary:
        raise InputError("hub.not_bert", model=model)
    lowercase = settings.get("do_lower_case")
    made = from_vocab_txt(vocabulary, lowercase=lowercase if isinstance(lowercase, bool) else None)
    normalizer = made.tokenizer_json["normalizer"] if made.tokenizer_json else {}
    for ours, theirs in (("strip_accents", "strip_accents"), ("handle_chinese_chars", "tokenize_chinese_chars")):
        if isinstance(settings.get(theirs), bool):
            normalizer[ours] = settings[theirs]
    return to_tokenizer_json(made)


def _make_room(folder: Path) -> None:
    left = _KEPT_BYTES
    with suppress(OSError):  # another process may be deleting files too
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            left -= path.stat().st_size
            if left < 0:
                path.unlink(missing_ok=True)
