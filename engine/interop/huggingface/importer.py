"""Reading a `tokenizer.json` of Hugging Face's `tokenizers`: Unigram, BPE, WordPiece."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from engine.corpus.pretokens.own_pattern import USED_UP
from engine.errors import InputError, ModelFileError
from engine.interop.imported.byte_text import from_byte_text, to_byte_text
from engine.interop.imported.decoders import Decoder, build_decoders, run_steps
from engine.interop.imported.imported_lattice import MOST_SCORE
from engine.interop.imported.normalizers import build_normalizers
from engine.interop.imported.pretokenizers import build_pretokenizers
from engine.interop.imported.subword_models import BpeModel, SubwordModel, UnigramModel, WordPieceModel
from engine.interop.imported.tokenizer import LONGEST_TOKEN, AddedToken, Imported, ImportedUnigram
from engine.interop.json_fields import Fields, flag, list_of, number_of, object_of, optional_text, parse_json, text_of
from engine.interop.other_files import refuse_other_json
from engine.merges.replay import build_merge_table
from engine.merges.vocabulary import Token, bytes_label
from engine.vocabulary.trie import Trie, build_trie

MAX_ID = 2_000_000
_MAX_CHARACTERS = 8_000_000
_MAX_WORD = 10_000_000
_MAX_ADDED = 20_000
_MAX_ADDED_CHARACTERS = 500_000

Ids = dict[str, int]


def from_tokenizer_json(data: bytes) -> Imported:
    """The tokenizer described by the file.

    Unsupported parts are left out and listed in `unsupported`, each with its place in the file.

    Raises
    ------
    ModelFileError : the file is too large, damaged or inconsistent, or its model is of an unsupported kind.
    InputError : a pattern takes too much time or memory.
    """
    content = parse_json(data)
    refuse_other_json(content)
    if "model" not in content:
        raise ModelFileError("tokenizer_json.no_model")
    unsupported: list[str] = []
    try:
        return _tokenizer(content, unsupported)
    except ModelFileError:
        raise
    except InputError as error:
        if error.code in USED_UP:
            raise
        raise ModelFileError("tokenizer_json.unusable", cause=error) from None
    except RecursionError:
        raise ModelFileError("tokenizer_json.nested") from None


def tokenizer_of(parts: Fields, special: Ids, unsupported: list[str]) -> Imported:
    """The tokenizer of a file that lacks these parts of a tokenizer.json: `model`, `pretokenizers`, `decoder` and
    `normalizer`, which an export writes; `special` are the special tokens."""
    steps = {"type": "Sequence", "pretokenizers": parts["pretokenizers"]}
    added = [{"id": token_id, "content": text, "special": True} for text, token_id in special.items()]
    made = _tokenizer({**parts, "pre_tokenizer": steps, "added_tokens": added}, unsupported)
    made.tokenizer_json = parts
    return made


def _tokenizer(content: Fields, unsupported: list[str]) -> Imported:
    fields = object_of(content["model"], "model")
    kind = fields.get("type") or _guess(fields)
    model: SubwordModel
    make: Callable[..., Imported] = Imported
    if kind == "Unigram":
        ids, model, unknown = _unigram(fields)
        make = ImportedUnigram
    elif kind == "BPE":
        ids, model, unknown = _bpe(fields, unsupported)
    elif kind == "WordPiece":
        ids, model, unknown = _wordpiece(fields)
    else:
        raise ModelFileError("tokenizer_json.kind", kind=str(kind)[:40])
    added = _added_tokens(content, ids)
    for key in ("truncation", "padding"):
        if content.get(key) is not None:
            unsupported.append(f"{key}: texts stay as long as they are")
    _name_post_processor(content.get("post_processor"), unsupported)
    decoders = build_decoders(content.get("decoder"), "decoder", unsupported)
    sought = {token.text: None for token in added} | dict.fromkeys(_sought(content))
    is_bytes = _holds(content.get("pre_tokenizer"), "ByteLevel") or _holds(content.get("normalizer"), "ByteLevel")
    tokens = _tokens(ids, added, decoders, unknown, is_bytes)
    made = make(
        "Byte-level BPE" if kind == "BPE" and is_bytes else kind,
        tokens,
        added,
        build_normalizers(content.get("normalizer"), "normalizer", unsupported),
        build_pretokenizers(content.get("pre_tokenizer"), "pre_tokenizer", unsupported),
        model,
        decoders,
        _written(ids, added, tokens, _holds(content.get("decoder"), "ByteLevel")),
        unknown,
        tuple(unsupported),
    )
    made.sought = tuple(sought)
    return made


def _sought(part: Any) -> Iterator[str]:
    """The search patterns of a part, as written in the file."""
    for key, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        if key in ("String", "Regex") and isinstance(inner, str):
            yield inner
        elif key != "model":
            yield from _sought(inner)


def _guess(fields: Fields) -> str:
    """Kind of a model in an older file that does not name it."""
    if isinstance(fields.get("vocab"), list):
        return "Unigram"
    return "BPE" if "merges" in fields else "WordPiece"


def _holds(part: Any, kind: str) -> bool:
    """Whether a part or one of its steps is of that kind."""
    if not isinstance(part, dict):
        return False
    steps = [part.get(key) for key in ("pretokenizers", "normalizers", "decoders")]
    inner = [step for inside in steps if isinstance(inside, list) for step in inside]
    return part.get("type") == kind or any(_holds(step, kind) for step in inner)


def _name_post_processor(part: Any, unsupported: list[str]) -> None:
    """ByteLevel only changes offsets, which we compute ourselves; the others add special tokens around a text."""
    if part is None or (isinstance(part, dict) and part.get("type") == "ByteLevel"):
        return
    kind = text_of(object_of(part, "post_processor"), "type", "post_processor")
    unsupported.append(f"post_processor: {kind[:40]!r} is left out, no special tokens are put around a text")


def _added_tokens(content: Fields, ids: Ids) -> list[AddedToken]:
    """The tokens as `tokenizers` loads them: an empty one is left out, of repeated ones the last decides."""
    entries = list_of(content, "added_tokens", "file")
    if len(entries) > _MAX_ADDED:
        raise ModelFileError("inconsistent.few_tokens", place="added_tokens", most=_MAX_ADDED)
    given: Ids = {}
    special: dict[str, None] = {}
    options: dict[str, list[bool]] = {}
    highest = -1
    for i, entry in enumerate(entries):
        place = f"added_tokens[{i}]"
        fields = object_of(entry, place)
        text = text_of(fields, "content", place)
        number_of(fields, "id", place, MAX_ID)
        is_special = flag(fields, "special", place, False)
        normalized = flag(fields, "normalized", place, not is_special)
        flags = [flag(fields, key, place, False) for key in ("single_word", "lstrip", "rstrip")]
        if not text:
            continue
        # A token that the model lacks gets the next free id, whatever the file says, as in `tokenizers`.
        highest = max(highest, given.setdefault(text, ids.get(text, max(highest + 1, len(ids)))))
        if is_special:
            special[text] = None
        options[text] = [normalized, *flags]
    if sum(map(len, given)) > _MAX_ADDED_CHARACTERS:
        raise ModelFileError("inconsistent.few_characters", place="added_tokens", most=_MAX_ADDED_CHARACTERS)
    listed = dict.fromkeys([*special, *options])
    return [AddedToken(text, given[text], text in special, *options[text]) for text in listed]


def _tokens(
    ids: Ids, added: list[AddedToken], decoders: list[Decoder], unknown: int | None, is_bytes: bool
) -> list[Token]:
    """Tokens by id; missing ids are labelled as unused."""
    texts = {token_id: text for text, token_id in ids.items()} | {token.token_id: token.text for token in added}
    if max(texts) >= 4 * len(texts) + 10_000:
        raise ModelFileError("inconsistent.complete", place="model.vocab", count=len(texts), highest=max(texts))
    tokens = [Token(f"<unused {i}>", b"") for i in range(1 + max(texts))]
    special = {token.token_id for token in added if token.special} | {unknown}
    verbatim = {token.token_id for token in added}
    as_they_are = special | verbatim
    surfaces = _surfaces({i: text for i, text in texts.items() if i not in as_they_are}, decoders)
    for token_id, text in texts.items():
        if token_id in special:
            tokens[token_id] = Token(text, b"")
            continue
        surface = surfaces.get(token_id, text.encode())
        as_bytes = is_bytes and token_id not in verbatim and from_byte_text(text) is not None
        tokens[token_id] = Token(bytes_label(surface) if as_bytes else text, surface)
    return tokens


def _surfaces(texts: dict[int, str], decoders: list[Decoder]) -> dict[int, bytes]:
    """Each token decoded on its own, by id."""
    surfaces = run_steps([decoder.surfaces for decoder in decoders], [text.encode() for text in texts.values()])
    return dict(zip(texts, surfaces, strict=True))


def _written(ids: Ids, added: list[AddedToken], tokens: list[Token], is_bytes: bool) -> list[bytes]:
    """Every token by id as in the file, input of the decoders."""
    written = [token.label.encode() for token in tokens]
    for text, token_id in ids.items():
        written[token_id] = text.encode()
    for token in added:
        # A byte-level decoder would read their texts as bytes.
        written[token.token_id] = (to_byte_text(token.text.encode()) if is_bytes else token.text).encode()
    return written


def _unigram(fields: Fields) -> tuple[Ids, UnigramModel, int | None]:
    entries = list_of(fields, "vocab", "model")
    if not 0 < len(entries) <= MAX_ID:
        raise ModelFileError("inconsistent.tokens", place="model.vocab", most=MAX_ID)
    ids: Ids = {}
    score = np.empty(len(entries))
    for i, entry in enumerate(entries):
        place = f"model.vocab[{i}]"
        if not isinstance(entry, list) or len(entry) != 2:
            raise ModelFileError("inconsistent.value", place=place)
        text = text_of({"token": entry[0]}, "token", place)
        number = entry[1]
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= MOST_SCORE:
            raise ModelFileError("inconsistent.score", place=f"{place}.score", most=MOST_SCORE)
        if ids.setdefault(text, i) != i:
            raise ModelFileError("inconsistent.own_token", place=place, text=text[:40], first=ids[text])
        score[i] = number
    unknown = None if fields.get("unk_id") is None else number_of(fields, "unk_id", "model", len(entries) - 1)
    byte_ids = _byte_ids(ids) if flag(fields, "byte_fallback", "model", False) else None
    return ids, UnigramModel(ids, _trie(ids), score, unknown, byte_ids), unknown


def _byte_ids(ids: Ids) -> np.ndarray:
    return np.array([ids.get(f"<0x{byte:02X}>", -1) for byte in range(256)], dtype=np.int32)


def _trie(ids: Mapping[str, int]) -> Trie:
    entries = {text: token_id for text, token_id in ids.items() if text}
    longest = max(entries, key=len, default="")
    if len(longest) > LONGEST_TOKEN:
        raise ModelFileError(
            "inconsistent.token_length", place="model.vocab", most=LONGEST_TOKEN, text=longest[:40], length=len(longest)
        )
    if sum(map(len, entries)) > _MAX_CHARACTERS:
        raise ModelFileError("inconsistent.vocabulary_length", place="model.vocab", most=_MAX_CHARACTERS)
    return build_trie(list(entries), np.fromiter(entries.values(), dtype=np.int32, count=len(entries)))


def _vocab(fields: Fields) -> Ids:
    """The vocabulary of BPE and WordPiece: ids by text, all distinct."""
    entries = object_of(fields.get("vocab"), "model.vocab")
    if not 0 < len(entries) <= MAX_ID:
        raise ModelFileError("inconsistent.tokens", place="model.vocab", most=MAX_ID)
    text_of_id: dict[int, str] = {}
    for text, value in entries.items():
        text_of({"token": text}, "token", "model.vocab")
        token_id = number_of({"id": value}, "id", f"model.vocab[{text[:40]!r}]", MAX_ID)
        if text_of_id.setdefault(token_id, text) != text:
            raise ModelFileError(
                "inconsistent.one_id",
                place="model.vocab",
                first=text_of_id[token_id][:40],
                text=text[:40],
                token_id=token_id,
            )
    return entries


def _unknown(ids: Ids, text: str | None) -> int | None:
    if text is None:
        return None
    if text not in ids:
        raise ModelFileError("inconsistent.in_vocabulary", place="model.unk_token", text=text[:40])
    return ids[text]


def _mark(fields: Fields, key: str) -> str:
    mark = optional_text(fields, key, "model") or ""
    if len(mark) > LONGEST_TOKEN:
        raise ModelFileError("inconsistent.short_text", place=f"model.{key}", most=LONGEST_TOKEN)
    return mark


def _bpe(fields: Fields, unsupported: list[str]) -> tuple[Ids, SubwordModel, int | None]:
    ids = _vocab(fields)
    prefix, suffix = (_mark(fields, key) for key in ("continuing_subword_prefix", "end_of_word_suffix"))
    left: list[int] = []
    right: list[int] = []
    made: list[int] = []
    for i, entry in enumerate(list_of(fields, "merges", "model")):
        pair = entry.split(" ") if isinstance(entry, str) else entry
        place = f"model.merges[{i}]"
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise ModelFileError("inconsistent.value", place=place)
        a, b = pair
        for text in (a, b, a + b[len(prefix) :]):
            if text not in ids:
                raise ModelFileError("inconsistent.known_merge", place=place, text=text[:40])
        left.append(ids[a])
        right.append(ids[b])
        made.append(ids[a + b[len(prefix) :]])
    if fields.get("dropout"):
        unsupported.append("model.dropout: every merge is done")
    columns = (np.array(column, dtype=np.int32) for column in (left, right, made))
    unknown = _unknown(ids, optional_text(fields, "unk_token", "model"))
    byte_ids = _byte_ids(ids) if flag(fields, "byte_fallback", "model", False) else None
    fuse = flag(fields, "fuse_unk", "model", False)
    ignore = flag(fields, "ignore_merges", "model", False)
    return ids, BpeModel(ids, build_merge_table(*columns), prefix, suffix, unknown, fuse, byte_ids, ignore), unknown


def _wordpiece(fields: Fields) -> tuple[Ids, SubwordModel, int | None]:
    ids = _vocab(fields)
    prefix = text_of(fields, "continuing_subword_prefix", "model", "##")
    longest = number_of(fields, "max_input_chars_per_word", "model", _MAX_WORD, 100)
    unknown = _unknown(ids, text_of(fields, "unk_token", "model", "[UNK]"))
    assert unknown is not None
    following = {
        text.removeprefix(prefix): token_id
        for text, token_id in ids.items()
        if text.startswith(prefix) and len(text) > len(prefix)
    }
    return ids, WordPieceModel(_trie(ids), _trie(following), unknown, longest, max(map(len, ids))), unknown
