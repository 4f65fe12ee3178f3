"""Reading the JSON model files; see `model_writer` for what is in them."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from engine.corpus.normalize import normalize
from engine.errors import InputError, ModelFileError
from engine.merges.alphabet import N_FORMS, Alphabet, ByteAlphabet, CharacterAlphabet
from engine.merges.bpe import Bpe
from engine.merges.characters import Characters
from engine.merges.history import MergeHistory, empty_history
from engine.merges.model_writer import MAGIC, VERSION, content_digest
from engine.merges.settings import MergeSettings
from engine.merges.utf8 import Utf8Bytes
from engine.merges.wordpiece import WordPiece
from engine.merges.words import Words
from engine.pretokenization import stored_pretokenizer
from engine.whole_file import read_file

MergeModel = Bpe | WordPiece | Words | Characters | Utf8Bytes


def load_merge_model(path: str | Path) -> MergeModel:
    """Read a model file.

    Raises
    ------
    ModelFileError : it cannot be read, is no model file, is damaged, or is from a newer version.
    """
    return merge_model_from_bytes(read_file(path, ModelFileError))


def merge_model_from_bytes(data: bytes) -> MergeModel:
    """The model in the content of a file; see load_merge_model."""
    if not data.startswith(MAGIC):
        raise ModelFileError(
            "this is no model file of this program; choose a file that 'train' or the app has saved",
            code="model_file.other",
        )
    try:
        content = json.loads(data)
        version = content["version"]
        digest = content.pop("sha256")
        found = content_digest(content)  # no UTF-8 where a text holds a lone surrogate
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError(
            "the model file is damaged: it cannot be read; save or copy it again", code="model_file.damaged"
        ) from None
    if isinstance(version, int) and version > VERSION:
        raise ModelFileError(
            "the model file is of version {version}, this program reads versions up to {known}; update the program",
            code="model_file.newer",
            version=version,
            known=VERSION,
        )
    if digest != found:
        raise ModelFileError(
            "the model file is damaged: its checksum does not fit; save or copy it again", code="model_file.checksum"
        )
    try:
        return _model(content)
    except InputError as error:
        raise ModelFileError(
            "the model file cannot be used: {cause}", code="model_file.unusable", cause=error
        ) from None
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise ModelFileError(
            "the model file is inconsistent ({detail}); train the model again",
            code="model_file.inconsistent",
            detail=str(error),
        ) from None


def _model(content: dict[str, Any]) -> MergeModel:
    kind = content["kind"]
    if kind == "bytes":
        return Utf8Bytes()
    if kind in ("words", "characters"):
        _require(isinstance(content["unknown"], str) and content["unknown"] != "", "unknown token")
        normalize("", content["normalization"])
    if kind == "words":
        _require_entries(content["words"], content["counts"], "words")
        pretokenizer = stored_pretokenizer(content["pretokenizer"], content.get("table"))
        return Words(content["words"], content["counts"], pretokenizer, content["normalization"], content["unknown"])
    if kind == "characters":
        _require(isinstance(content["characters"], str), "characters")
        _require_entries(list(content["characters"]), content["counts"], "characters")
        return Characters(content["characters"], content["counts"], content["normalization"], content["unknown"])
    _require(kind in ("bpe", "wordpiece"), "kind")
    settings = _settings(content["settings"])
    _require((kind == "wordpiece") == (settings.algorithm == "wordpiece"), "kind and algorithm")
    alphabet = _alphabet(content["alphabet"], settings)
    history = _history(content["merges"], len(settings.specials) + len(alphabet.tokens))
    corpus = content["corpus"]
    _require(isinstance(corpus["symbols"], int) and isinstance(corpus["words"], int), "corpus")
    model = WordPiece if kind == "wordpiece" else Bpe
    pretokenizer = stored_pretokenizer(settings.pretokenizer, content.get("table"))
    return model(settings, alphabet, history, corpus["symbols"], corpus["words"], pretokenizer)


def _settings(fields: dict[str, Any]) -> MergeSettings:
    fields = fields | {"special_tokens": tuple(fields["special_tokens"])}
    for field in dataclasses.fields(MergeSettings):
        value = fields[field.name]
        kinds = (int, type(None)) if field.name in ("vocab_size", "max_merges") else type(field.default)
        _require(isinstance(value, kinds), "settings")
    _require(all(isinstance(text, str) for text in fields["special_tokens"]), "special tokens")
    return MergeSettings(**fields)


def _alphabet(forms: Any, settings: MergeSettings) -> Alphabet:
    n_special = len(settings.specials)
    if settings.algorithm == "byte-bpe":
        _require(forms is None, "alphabet")
        return ByteAlphabet(n_special)
    _require(len(forms) == N_FORMS, "alphabet")
    for form in forms:
        _require(isinstance(form, str) and list(form) == sorted(set(form)) and set(form) <= set(forms[0]), "alphabet")
    return CharacterAlphabet(n_special, forms, settings, settings.specials.index(settings.unknown))


def _history(columns: dict[str, list[Any]], n_first: int) -> MergeHistory:
    kinds = empty_history(0)._asdict()
    _require(set(columns) == set(kinds), "merges")
    history = MergeHistory(**{name: np.array(columns[name], dtype=kind.dtype) for name, kind in kinds.items()})
    n = history.n_merges
    _require(all(column.shape == (n,) for column in history), "merges")
    made = n_first + np.arange(n)
    for ids, least in (
        (history.left, 0),
        (history.right, 0),
        (history.runner_left, -1),
        (history.runner_right, -1),
    ):
        _require(bool(((ids >= least) & (ids < made)).all()), "merges")
    _require(bool(np.isfinite(history.score).all() and np.isfinite(history.runner_score).all()), "scores")
    return history


def _require_entries(entries: list[Any], counts: list[Any], what: str) -> None:
    texts = all(isinstance(entry, str) and entry for entry in entries)
    _require(texts and len(set(entries)) == len(entries), what)
    _require(len(counts) == len(entries) and all(isinstance(count, int) for count in counts), "counts")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"its {what} do not fit together")
