"""Our vocabularies as a `tokenizer.json` of Hugging Face's `tokenizers`.

The file is documented at https://huggingface.co/docs/tokenizers; the numbers below are from its source.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from engine.config import N_BYTES
from engine.corpus.normalize import JAMO
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError, require_choice
from engine.interop.format import Encode, has_ranks, our_encoder, require_different
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.interop.imported.byte_text import to_byte_text
from engine.interop.imported.pretokenizers import pattern_of
from engine.merges.alphabet import CONTINUING, FINAL, N_FORMS, marked
from engine.tokenizer import MatchingTokenizer, MergedTokenizer, PrunedTokenizer, Tokenizer

BYTE_LEVEL = "byte-level"
BYTE_FALLBACK = "byte-fallback"
PROFILES = (BYTE_LEVEL, BYTE_FALLBACK)

# `tokenizers` matches special tokens in plain text too, and with the byte-fallback profile also `<0xEC>` and the
# unknown token. A score this low is never on the best path if the same text has another segmentation.
NEVER = -1e6
UNKNOWN = "<unk>"

_Part = dict[str, Any]


def to_tokenizer_json(tokenizer: Tokenizer, profile: str = BYTE_LEVEL) -> bytes:
    """The content of `tokenizer.json`, reproducible byte for byte.

    Parameters
    ----------
    tokenizer : a trained model (Thunder-Tok, Unigram, BPE, byte-level BPE or WordPiece), or an imported vocab.txt,
        tiktoken ranks or codes file.
    profile : how to write a Thunder-Tok or Unigram vocabulary; merge algorithms have only one form.
        `byte-level`: tokens as bytes, each written as one printable character (as in GPT-2). Exact.
        `byte-fallback`: tokens as text, and the bytes `<0xEC>` for characters without a token. The unknown token gets
        the id after our last. In `tokenizers` all such characters cost the same, here as much as their bytes; the
        encodings differ if that decides between two segmentations.

    Notes
    -----
    Our ids are kept, followed by those of `id_of_twin`. In `tokenizers`, a special token's literal text becomes that
    token unless `tokenizer.encode_special_tokens` is set; `encode(..., allow_special=True)` does the same here.

    Raises
    ------
    InputError : the model cannot be written (in this profile) so that it encodes identically; the message says why.
    """
    require_choice("profile", profile, PROFILES)
    if tokenizer.pruning is not None:
        write = _unigram_bytes if profile == BYTE_LEVEL else _unigram_characters
        content = write(tokenizer.pruning)
    elif tokenizer.longest_match is not None:
        content = _wordpiece(tokenizer.longest_match)
    elif tokenizer.merges is not None:
        content = _bpe(tokenizer.merges)
    elif tokenizer.tokenizer_json is not None:
        content = _file(**tokenizer.tokenizer_json, special=tokenizer.special_tokens)
    elif (ranks := tokenizer.byte_ranks()) is not None:
        content = _ranked(tokenizer, ranks)
    else:
        raise InputError("export.hf_kind")
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n"


def _file(
    model: _Part,
    pretokenizers: list[_Part],
    decoder: _Part | None,
    normalizer: _Part | None,
    special: Mapping[str, int],
) -> _Part:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": i,
                "content": text,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for text, i in special.items()
        ],
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": pretokenizers} if pretokenizers else None,
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }


def _normalizer(tokenizer: Tokenizer) -> _Part | None:
    if tokenizer.normalization == JAMO:
        raise InputError("export.hf_jamo")
    return None if tokenizer.normalization == "none" else {"type": tokenizer.normalization.upper()}


def _split(pattern: str, behavior: str = "Isolated") -> _Part:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def _cut(pretokenizer: Pretokenizer) -> list[_Part]:
    """Our pre-tokenization; text between matches is a piece of its own, as in our engine."""
    return [] if pretokenizer.name == "none" else [_split(pattern_of(pretokenizer))]


# White space around a word is not part of it. \A and \Z because ^ and $ also match at line breaks in Oniguruma.
_STRIP = _split(r"\A\s+|\s+\Z", "Removed")
# Both the step that writes bytes as characters and its decoder.
_BYTE_LEVEL: _Part = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def _labels(tokenizer: Tokenizer) -> list[str]:
    return [tokenizer.token_label(token_id) for token_id in range(tokenizer.vocab_size)]


def _surfaces(model: PrunedTokenizer) -> tuple[list[bytes], list[float]]:
    """Bytes and log probabilities by id, after the special tokens."""
    rows = model.alive_rows()
    order = np.argsort(model.ids[rows])
    log_prob = model.history[-1].log_prob[order]
    return [model.tokens[row] for row in rows[order].tolist()], log_prob.tolist()


def _unigram_bytes(model: PrunedTokenizer) -> _Part:
    tokens, log_prob = _surfaces(model)
    if not model.settings.partial_characters:
        _require_no_cheap_bytes(tokens, log_prob)
    special = model.settings.special_tokens
    vocab: list[list[Any]] = [[text, NEVER] for text in special]
    vocab += [[to_byte_text(token), score] for token, score in zip(tokens, log_prob, strict=True)]
    require_different([text for text, _ in vocab])
    return _file(
        {"type": "Unigram", "unk_id": None, "vocab": vocab, "byte_fallback": False},
        [*_cut(model.pretokenizer), _BYTE_LEVEL],
        _BYTE_LEVEL,
        _normalizer(model),
        model.special_tokens,
    )


def _require_no_cheap_bytes(tokens: list[bytes], log_prob: list[float]) -> None:
    """InputError if bytes are more probable than a character token: `tokenizers` would choose them, we never do."""
    byte_log_prob = log_prob[:N_BYTES]
    for token, own in zip(tokens[N_BYTES:], log_prob[N_BYTES:], strict=True):
        is_character = len(token) > 1 and len(token.decode(errors="ignore")) == 1
        if is_character and sum(byte_log_prob[byte] for byte in token) > own:
            raise InputError("export.rare_character", token=token.decode(errors="ignore"))


def _unigram_characters(model: PrunedTokenizer) -> _Part:
    tokens, log_prob = _surfaces(model)
    special = model.settings.special_tokens
    vocab: list[list[Any]] = [[text, NEVER] for text in special]
    characters = set()
    for token, score in zip(tokens, log_prob, strict=True):
        try:
            text = token.decode()
            vocab.append([text, score])
            characters.add(text)
        except UnicodeDecodeError:
            if len(token) > 1:
                raise InputError("export.partial") from None
            vocab.append([f"<0x{token[0]:02X}>", NEVER])
    vocab.append([UNKNOWN, NEVER])
    require_different([text for text, _ in vocab])
    for text in special:
        # An unknown character scores below a special token, so the special token would match its plain text.
        if not set(text) <= characters:
            raise InputError("export.special_characters", text=text)
    return _file(
        {"type": "Unigram", "unk_id": len(vocab) - 1, "vocab": vocab, "byte_fallback": True},
        _cut(model.pretokenizer),
        {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        _normalizer(model),
        model.special_tokens,
    )


_BPE: _Part = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}


def _bpe(model: MergedTokenizer) -> _Part:
    settings = model.settings
    is_bytes = model.forms is None
    if settings.end_of_word and settings.mark_place == "symbol":
        raise InputError("export.mark_symbol")
    labels = _labels(model)
    if is_bytes:
        labels = [to_byte_text(model.token_bytes(i)) or label for i, label in enumerate(labels)]
    vocabulary = [*labels, *(label for label, _, _ in _twins(model))]
    require_different(vocabulary)
    pairs = zip(model.history.left.tolist(), model.history.right.tolist(), strict=True)
    decoder: _Part = {"type": "Fuse"}
    if is_bytes:
        decoder = _BYTE_LEVEL
    elif settings.end_of_word:
        decoder = {"type": "BPEDecoder", "suffix": settings.end_of_word}
        if settings.continuing:
            prefix = {"Regex": rf"\A{re.escape(settings.continuing)}(?=.)"}
            decoder = {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": prefix, "content": ""}, decoder]}
    elif settings.continuing:
        decoder = {"type": "WordPiece", "prefix": settings.continuing, "cleanup": False}
    last = [_STRIP] if settings.drops_space else []
    return _file(
        {
            **_BPE,
            "unk_token": None if is_bytes else settings.unknown,
            "continuing_subword_prefix": settings.continuing or None,
            "end_of_word_suffix": settings.end_of_word or None,
            "vocab": {label: token_id for token_id, label in enumerate(vocabulary)},
            "merges": [[labels[a], labels[b]] for a, b in pairs],
        },
        [*_cut(model.pretokenizer), *([_BYTE_LEVEL] if is_bytes else last)],
        decoder,
        _normalizer(model),
        model.special_tokens,
    )


def id_of_twin(tokenizer: Tokenizer) -> dict[int, int]:
    """Additional ids in the file, after our last, and the token that each stands for.

    A character that training never saw in one of its forms (at the end of a word) is encoded as its unmarked token,
    which merges with nothing. In `tokenizers` it would be unknown; so the form gets its own token, which no merge uses.
    """
    model = tokenizer.merges
    return {} if model is None else {twin: plain_id for _, twin, plain_id in _twins(model)}


def _twins(model: MergedTokenizer) -> list[tuple[str, int, int]]:
    """Label and id of each twin, and the id of the token that it stands for."""
    settings, forms = model.settings, model.forms
    if forms is None or settings.algorithm != "bpe":
        return []
    plain_id = {character: len(settings.specials) + i for i, character in enumerate(forms[0])}
    used = [form for form in range(1, N_FORMS) if not (form & CONTINUING and not settings.continuing)]
    used = [form for form in used if not (form & FINAL and not settings.end_of_word)]
    missing = [(form, character) for form in used for character in sorted({*forms[0]} - {*forms[form]})]
    return [
        (marked(character, form, settings), model.vocab_size + i, plain_id[character])
        for i, (form, character) in enumerate(missing)
    ]


def _ranked(tokenizer: Tokenizer, ranks: Mapping[bytes, int]) -> _Part:
    """Ranks as merges: all pairs that form a token, in its order, because tiktoken merges any of them."""
    assert tokenizer.pretokenizer is not None  # every tokenizer with ranks has one
    text = {token: to_byte_text(token) for token in ranks}
    merges = [
        [text[token[:cut]], text[token[cut:]]]
        for token in sorted(ranks, key=lambda token: ranks[token])
        for cut in range(1, len(token))
        if token[:cut] in ranks and token[cut:] in ranks
    ]
    return _file(
        {
            **_BPE,
            "ignore_merges": True,
            "vocab": {text[token]: rank for token, rank in ranks.items()},
            "merges": merges,
        },
        [*_cut(tokenizer.pretokenizer), _BYTE_LEVEL],
        _BYTE_LEVEL,
        None,
        tokenizer.special_tokens,
    )


def _wordpiece(model: MatchingTokenizer) -> _Part:
    settings = model.settings
    if settings.end_of_word:
        raise InputError("export.wordpiece_mark")
    labels = _labels(model)
    require_different(labels)
    return _file(
        {
            "type": "WordPiece",
            "unk_token": settings.unknown,
            "continuing_subword_prefix": settings.continuing,
            "max_input_chars_per_word": settings.max_word_chars,
            "vocab": {label: token_id for token_id, label in enumerate(labels)},
        },
        [*_cut(model.pretokenizer), _STRIP],
        {"type": "WordPiece", "prefix": settings.continuing, "cleanup": False},
        _normalizer(model),
        model.special_tokens,
    )


def suits(tokenizer: Tokenizer) -> bool:
    """Whatever merges, matches or has probabilities, trained here; what is read from less than a tokenizer.json."""
    views = (tokenizer.pruning, tokenizer.longest_match, tokenizer.merges, tokenizer.tokenizer_json)
    return any(view is not None for view in views) or has_ranks(tokenizer)


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """In one of PROFILES."""
    return to_tokenizer_json(tokenizer, profile)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """The file says itself how text is cut."""
    return from_tokenizer_json(data)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """Special tokens as text, and as what they are."""
    import tokenizers

    reader = tokenizers.Tokenizer.from_str(data.decode())
    plain_id = id_of_twin(tokenizer)

    def theirs(texts: Sequence[str], allow_special: bool = False) -> list[list[int]]:
        reader.encode_special_tokens = not allow_special  # as text
        batch = reader.encode_batch(list(texts), add_special_tokens=False)
        return [[plain_id.get(token_id, token_id) for token_id in encoding.ids] for encoding in batch]

    has_special = any(not tokenizer.token_bytes(token_id) for token_id in range(tokenizer.vocab_size))
    ways = [False, True] if has_special else [False]
    return [(our_encoder(tokenizer, allow), partial(theirs, allow_special=allow)) for allow in ways]
