"""Reading the JSON model files; see `model_writer` for the format."""

import json
from typing import Any

import numpy as np

from engine.corpus.normalize import normalize
from engine.merge_history import MergeHistory, empty_history
from engine.merge_settings import MergeSettings
from engine.merges.alphabet import N_FORMS, Alphabet, ByteAlphabet, CharacterAlphabet
from engine.merges.bpe import Bpe
from engine.merges.model_writer import MAGIC, VERSION, content_digest
from engine.merges.plain import Characters, Utf8Bytes, WordTokenizer
from engine.merges.vocabulary import first_tokens, has_room
from engine.merges.wordpiece import WordPiece
from engine.model_rules import demand, is_count, read_model, stored_settings
from engine.pretokenization import stored_pretokenizer

_MOST_OF_A_SETTING = 1_000_000_000
_MOST_SCORE = 1e15
_LONGEST_MARK = 100

MergeModel = Bpe | WordPiece | WordTokenizer | Characters | Utf8Bytes


def merge_model_from_bytes(data: bytes) -> MergeModel:
    """The model in the content of a file; see `engine.model_rules.read_model`."""

    def parse() -> tuple[dict[str, Any], bool]:
        content = json.loads(data)
        digest = content.pop("sha256")
        return content, digest == content_digest(content)  # no UTF-8 where a text holds a lone surrogate

    return read_model(data, MAGIC, VERSION, parse, _model)


def _model(content: dict[str, Any]) -> MergeModel:
    kind = content["kind"]
    if kind == "bytes":
        return Utf8Bytes()
    if kind in ("words", "characters"):
        _require_mark("unknown", content["unknown"])
        demand(content["unknown"] != "", "unknown")
        normalize("", content["normalization"])
    if kind == "words":
        _require_entries(content["words"], content["counts"])
        pretokenizer = stored_pretokenizer(content["pretokenizer"], content.get("table"))
        return WordTokenizer(
            content["words"], content["counts"], pretokenizer, content["normalization"], content["unknown"]
        )
    if kind == "characters":
        demand(isinstance(content["characters"], str), "characters")
        _require_entries(list(content["characters"]), content["counts"])
        return Characters(content["characters"], content["counts"], content["normalization"], content["unknown"])
    demand(kind in ("bpe", "wordpiece"), "kind")
    settings = _settings(content["settings"])
    demand((kind == "wordpiece") == (settings.algorithm == "wordpiece"), "settings.algorithm")
    alphabet = _alphabet(content["alphabet"], settings)
    first = first_tokens(settings.specials, alphabet.tokens)
    history = _history(content["merges"], len(first))
    demand(has_room(first, history), "merges")
    corpus = content["corpus"]
    demand(is_count(corpus["symbols"]) and is_count(corpus["words"]), "corpus")
    model = WordPiece if kind == "wordpiece" else Bpe
    pretokenizer = stored_pretokenizer(settings.pretokenizer, content.get("table"))
    return model(settings, alphabet, history, corpus["symbols"], corpus["words"], pretokenizer)


def _settings(fields: dict[str, Any]) -> MergeSettings:
    fields = stored_settings(fields, MergeSettings)
    for name, value in fields.items():
        demand(not isinstance(value, int) or value <= _MOST_OF_A_SETTING, f"settings.{name}")
    for mark in ("end_of_word", "continuing", "unknown"):
        _require_mark(f"settings.{mark}", fields[mark])
    return MergeSettings(**fields)


def _require_mark(place: str, text: Any) -> None:
    demand(isinstance(text, str) and len(text) <= _LONGEST_MARK, place)


def _alphabet(forms: Any, settings: MergeSettings) -> Alphabet:
    n_special = len(settings.specials)
    if settings.algorithm == "byte-bpe":
        demand(forms is None, "alphabet")
        return ByteAlphabet(n_special)
    are_texts = isinstance(forms, list) and len(forms) == N_FORMS and all(isinstance(form, str) for form in forms)
    demand(are_texts, "alphabet")
    every = set(forms[0])
    for form in forms:
        demand(list(form) == sorted(set(form)) and set(form) <= every, "alphabet")
    return CharacterAlphabet(n_special, forms, settings, settings.specials.index(settings.unknown))


def _history(columns: dict[str, list[Any]], n_first: int) -> MergeHistory:
    empty = empty_history(0)._asdict()
    demand(set(columns) == set(empty), "merges")
    n = len(columns["left"])
    for name, column in columns.items():
        kinds = {int, float} if empty[name].dtype.kind == "f" else {int}
        is_column = isinstance(column, list) and len(column) == n and set(map(type, column)) <= kinds
        demand(is_column, f"merges.{name}")
        # An id that does not fit the array is out of range, too.
        limit = np.iinfo(empty[name].dtype).max if kinds == {int} else _MOST_SCORE
        lowest = -1 if name.startswith("runner_") else 0
        low, high = (-_MOST_SCORE, _MOST_SCORE) if kinds != {int} else (lowest, limit)
        demand(all(low <= value <= high for value in column), f"merges.{name}")
    history = MergeHistory(**{name: np.array(columns[name], dtype=kind.dtype) for name, kind in empty.items()})
    made = n_first + np.arange(n)
    for name in ("left", "right", "runner_left", "runner_right"):
        demand((getattr(history, name) < made).all(), f"merges.{name}")
    n_pairs = np.unique(history.left.astype(np.int64) << 32 | history.right).size
    demand(n_pairs == n, "merges")
    return history


def _require_entries(entries: list[Any], counts: list[Any]) -> None:
    are_texts = isinstance(entries, list) and all(isinstance(entry, str) and entry for entry in entries)
    demand(are_texts and len(set(entries)) == len(entries), "words or characters")
    demand(isinstance(counts, list) and len(counts) == len(entries) and all(map(is_count, counts)), "counts")
