"""Model and tokenizer files of every kind, whole in form and with values at their extremes.

    python -m tests.hostile_models 1000 1        # so many files, and a seed

makes files, reads each as the program does, and computes with what was accepted, under a watchdog; see `run`. Set
NUMBA_BOUNDSCHECK=1, so that a kernel that follows a wrong index says so.
"""

import base64
import dataclasses
import faulthandler
import json
import random
import struct
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from engine.config import TrainingSettings
from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import decode_bytes
from engine.errors import InputError
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.vocab_txt import to_vocab_txt
from engine.interop.imported.pretokenizers import BEHAVIORS
from engine.interop.sentencepiece.exporter import to_sentencepiece
from engine.interop.sentencepiece.proto import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    ModelPiece,
    SentencePieceProto,
    write_proto,
)
from engine.interop.subword_nmt.codes import to_bpe_codes
from engine.interop.tiktoken.ranks import to_tiktoken
from engine.lattice.lattice import Lattice
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.gold import parse_gold
from engine.measure.morphemes.morphology import morphology_scores
from engine.merge_settings import MergeSettings
from engine.merges.model_writer import FORMAT
from engine.model_files import tokenizer_from_bytes
from engine.segmentation.scoring import read_gold, score_segmentation
from engine.tokenizer import Tokenizer
from engine.unigram.model.writer import MAGIC
from tests.hostile import signed

SECONDS_A_FILE = 10
LEAST_SHARE = 0.3
# Characters of the text that costs are counted on, and most calls of functions for each.
LONG, CALLS_A_CHARACTER = 500, 1000
USED_TEXTS = ("나무에 꽃이 <0x41> a  b\u3000\0 <unk> 갂쀍뷁 é😀", "", "aab나무 " * 30)


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a native model file."""
    at = len(MAGIC) + 8
    end = at + int.from_bytes(data[len(MAGIC) : at], "little")
    header = json.loads(data[at:end])
    arrays = {}
    for name, dtype, size in header["arrays"]:
        arrays[name] = np.frombuffer(data, dtype=dtype, count=size, offset=end).copy()
        end += arrays[name].nbytes
    return header, arrays


def native(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A native model file with this header and these arrays, and the checksum that fits."""
    header = header | {"arrays": [[name, array.dtype.name, array.size] for name, array in arrays.items()]}
    head = json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogatepass")
    content = MAGIC + len(head).to_bytes(8, "little") + head + b"".join(a.tobytes() for a in arrays.values())
    return content + sha256(content).digest()


# Numbers at the ends of what a type, a range or a sum can hold.
_WHOLE = (0, 1, -1, -2, 2, 255, 256, 300, 32_767, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, True, None, "1", 0.0, 1.5)
_REAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    5e-324,
    -5e-324,
    1e-300,
    -745.2,
    -9_999.9,
    -10_000.0,
    -10_000.1,
    1 + 1e-12,
    700.0,
    9e6,
    -9e6,
    1.1e7,
    1e15,
    1e308,
    -1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    True,
    None,
    "0",
    10**400,
)
_TEXTS = (
    "",
    "a",
    "가",
    "\0",
    "\ud800",
    "\u2581",
    "##",
    "<0x41>",
    "가" * 1024,
    "가" * 1025,
    "\ufeff",
    "\u0301",
    " ",
    "나무",
)
_OTHERS = ([], {}, [[]], ["a", "a"], [0] * 3, None, False, "no such kind")
_BEGINS, _ENDS = ("나", "무", "꽃", "a", "é", "😀", "\u2581"), ("", "나", "무", "b", "꽃이")
_PIECES = sorted({begin + end for begin in _BEGINS for end in _ENDS} - {"a"})
KINDS = ("native", "merges", "unigram", "bpe", "wordpiece", "sentencepiece", "vocab", "tiktoken", "codes", "gold")
_SHARE_AS_THEY_ARE = 0.4
_WARM_UP = 12


def hostile_file(kind: str, dice: random.Random, changes: int | None = None) -> bytes:
    """A file of one of KINDS: two in five keep all rules but may be at their ends, the others break one or two.

    `changes` is how many it breaks; None: as the dice have it.
    """
    if changes is None:
        changes = 0 if dice.random() < _SHARE_AS_THEY_ARE else dice.choice((1, 1, 2))
    if kind == "native":
        return _native(dice, changes)
    if kind == "sentencepiece":
        return _sentencepiece(dice, changes)
    if kind in _LINES:
        return _lines(_LINES[kind](dice), dice, changes)
    tree = {"merges": _merges, "unigram": _unigram, "bpe": _bpe, "wordpiece": _wordpiece}[kind](dice)
    for _ in range(changes):
        _change_tree(tree, dice)
    return signed(json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _log_probs(dice: random.Random, n: int) -> np.ndarray:
    ends = dice.choice(((-20, -1), (-10_000, -10_000), (0, 0), (-5e-324, 0), (-10_000, 0), (-750, -740)))
    return np.array([dice.uniform(*ends) for _ in range(n)])


def _native(dice: random.Random, changes: int) -> bytes:
    partial = dice.random() < 0.3
    more = [piece.encode() for piece in dice.sample(_PIECES, dice.randint(0, len(_PIECES)))]
    tokens = sorted([*more, *([b"\xeb\x82", b"\xeb\x82\x98"[1:]] if partial else [])])
    n_rounds = dice.randint(1, 3)
    n = 256 + len(tokens)
    died = np.array([-1] * 256 + [dice.randint(-1, n_rounds - 2) if n_rounds > 1 else -1 for _ in tokens], np.int16)
    special = dice.sample(("<s>", "나무", "a", "\u2581"), dice.randint(0, 2))
    left = np.flatnonzero(died == -1)
    ids = np.full(n, -1, dtype=np.int32)
    ids[left] = len(special) + np.array(dice.sample(range(left.size), left.size))
    score = dice.choice(("be_p", "be", "p", "ml"))
    settings = dataclasses.asdict(
        TrainingSettings(special_tokens=tuple(special), partial_characters=partial, score=score, pretokenizer="none")
    )
    arrays = {
        "blob": np.frombuffer(bytes(range(256)) + b"".join(tokens), dtype=np.uint8).copy(),
        "size": np.array([1] * 256 + [len(token) for token in tokens], dtype=np.uint8),
        "died_in_round": died,
        "ids": ids,
    }
    rounds = []
    for number in range(n_rounds):
        alive = int(((died == -1) | (died >= number)).sum())
        names = ("log_prob", "p", "be", *(("loss",) if score == "ml" else ()))
        for name in names:
            arrays[f"{number}/{name}"] = (
                _log_probs(dice, alive) if name == "log_prob" else np.full(alive, dice.choice((0.0, 1.0, 5e-324, 0.3)))
            )
        rounds.append(
            {
                "number": number,
                "vocab_size": alive + len(special),
                "objective": 1.5,
                "n_tokens": 9.0,
                "threshold": dice.choice((None, 0.0, 1e300)),
                "n_removed": int((died == number).sum()),
                "is_last": number == n_rounds - 1,
            }
        )
    corpus = {"units": dice.choice((0, 5, 2**62)), "words": dice.choice((0, 7)), "sha256": "0" * 64}
    header = {"version": 1, "settings": settings, "corpus": corpus, "rounds": rounds}
    for _ in range(changes):
        if dice.random() < 0.3:
            _change_tree(header, dice)
        else:
            name = dice.choice(sorted(arrays))
            arrays[name] = _changed_array(arrays[name], dice)
    data = native(header, arrays)
    if changes and dice.random() < 0.1:
        claimed = json.dumps([["blob", "uint8", dice.choice((2**31, 2**62, -1))]]).encode()
        data = signed(data.replace(b'[["blob", "uint8", ', claimed[:-2] + b'], ["blob", "uint8", ', 1))
    return data


def _changed_array(array: np.ndarray, dice: random.Random) -> np.ndarray:
    chosen = _REAL if array.dtype.kind == "f" else _WHOLE
    numbers = [one for one in chosen if type(one) is float or (type(one) is int and abs(one) < 2**70)]
    with np.errstate(all="ignore"):
        value = np.array(dice.choice(numbers)).astype(array.dtype)
    kind = dice.randrange(8)
    made = array.copy()
    if kind == 0:
        made[:] = value
    elif kind <= 3 and made.size:
        made[dice.randrange(made.size)] = value
    elif kind == 4:
        made = made[: dice.choice((0, 1, made.size - 1))]
    elif kind == 5:
        made = np.concatenate([made, made[-1:]])
    elif kind == 6:
        made = made[::-1].copy()
    else:
        made = made.astype(dice.choice((np.float64, np.int64, np.uint8, np.int32)))
    return made


def _change_tree(tree: Any, dice: random.Random) -> None:
    """One value of a JSON tree, anywhere, becomes one of its type at its extremes, or of another; or is there twice."""
    inner, key = tree, dice.choice(list(tree))
    while isinstance(inner[key], (dict, list)) and inner[key] and dice.random() < 0.9:
        inner = inner[key]
        key = dice.choice(list(inner)) if isinstance(inner, dict) else dice.randrange(len(inner))
    value = inner[key]
    how = dice.random()
    if how < 0.15 and isinstance(inner, list):
        inner.append(value)
    elif how < 0.25:
        del inner[key]
    elif how < 0.35:
        inner[key] = dice.choice(_OTHERS)
    elif isinstance(value, str):
        inner[key] = dice.choice(_TEXTS)
    elif isinstance(value, bool):
        inner[key] = not value
    else:
        inner[key] = dice.choice(_REAL if isinstance(value, float) else _WHOLE)


def _merges(dice: random.Random) -> dict[str, Any]:
    is_bytes = dice.random() < 0.5
    wordpiece = not is_bytes and dice.random() < 0.5
    alphabet = "".join(sorted("나무꽃이ab"))
    special = dice.sample(("<s>", "나무"), dice.randint(0, 2))
    chosen = MergeSettings(
        algorithm="byte-bpe" if is_bytes else "wordpiece" if wordpiece else "bpe",
        pretokenizer="whitespace",
        special_tokens=tuple(special),
        end_of_word="</w>" if not is_bytes and not wordpiece else "",
        continuing="##" if wordpiece else "",
        score="likelihood" if wordpiece else "frequency",
    )
    forms = [alphabet, alphabet if wordpiece else "", "" if wordpiece or is_bytes else alphabet, ""]
    n_first = len(chosen.specials) + (256 if is_bytes else sum(map(len, forms)))
    n = dice.choice((0, 1, 5, 20))
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < n:
        made = n_first + len(pairs)
        # Either any two tokens, or the last one with itself: twenty of these are a million bytes.
        pairs[(made - 1, made - 1) if n == 20 else (dice.randrange(made), dice.randrange(made))] = None
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    counts = [dice.choice((0, 1, 2**62)) for _ in pairs]
    scores = [dice.choice((0.0, -1.0, 5e-324, 1e15)) for _ in pairs]
    return {
        "format": FORMAT,
        "version": 1,
        "kind": "wordpiece" if wordpiece else "bpe",
        "settings": dataclasses.asdict(chosen),
        "corpus": {"symbols": 9, "words": 3},
        "alphabet": None if is_bytes else forms,
        "merges": {
            "left": left,
            "right": right,
            "frequency": counts,
            "score": scores,
            "runner_left": [-1] * n,
            "runner_right": [-1] * n,
            "runner_frequency": counts,
            "runner_score": scores,
            "n_ties": [1] * n,
            "n_tokens": counts,
        },
    }


# The last four end only by the clock or the limit of memory, or fit where nothing is.
_PATTERNS = (r"\p{L}+", " ", "(?r)나|무", "a\\K", "(?u)(?a)a", "(?<=나)", "[\ud800]", "(가|가가)*$", "(?R)|a", "", "a*")


# What steps look for and put in: together they grow a text, change it for ever, or find something everywhere.
_SOUGHT = ("a", "a", "b", "나", " ", "aa", "é", "\u2581", "")
_PUT_IN = ("", "a", "b", "aa", "나a", "\u2581", "a" * 30)
# A chain of tokens each of which begins the next: all of them are walked at every place of a text of one letter.
_CHAIN = ["a" * size for size in (2, 3, 100, 1000)]
# The same as merges make them.
_DOUBLED = ["a" * 2**k for k in range(1, 10)]

_Part = Callable[[random.Random], dict[str, Any]]


def _pattern(dice: random.Random) -> dict[str, Any]:
    return {"Regex": dice.choice(_PATTERNS)} if dice.random() < 0.05 else {"String": dice.choice(_SOUGHT)}


def _of(kind: str, **choices: Sequence[Any]) -> _Part:
    """A part of this type, with one of the values that each of its fields may have."""
    return lambda dice: {"type": kind, **{name: dice.choice(values) for name, values in choices.items()}}


def _with_pattern(kind: str, **choices: Sequence[Any]) -> _Part:
    return lambda dice: {**_of(kind, **choices)(dice), "pattern": _pattern(dice)}


_EITHER = (True, False)
_NORMALIZERS: tuple[_Part, ...] = (
    *(_of(kind) for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "ByteLevel")),
    _of("Prepend", prepend=_PUT_IN),
    _of("Strip", strip_left=_EITHER, strip_right=_EITHER),
    _of("BertNormalizer", clean_text=_EITHER, handle_chinese_chars=_EITHER, strip_accents=_EITHER, lowercase=_EITHER),
    *[_with_pattern("Replace", content=_PUT_IN)] * 5,
)
_PRETOKENIZERS: tuple[_Part, ...] = (
    *(_of(kind) for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
    _of("ByteLevel", add_prefix_space=_EITHER, use_regex=_EITHER),
    _of("Punctuation", behavior=BEHAVIORS),
    _of("Digits", individual_digits=_EITHER),
    _of("CharDelimiterSplit", delimiter=_SOUGHT),
    _of("Metaspace", replacement=("\u2581", "a"), prepend_scheme=("always", "first", "never"), split=_EITHER),
    *[_with_pattern("Split", behavior=BEHAVIORS, invert=_EITHER)] * 3,
)
_DECODERS: tuple[_Part, ...] = (
    *(_of(kind) for kind in ("ByteLevel", "ByteFallback", "Fuse")),
    _of("BPEDecoder", suffix=_SOUGHT),
    _of("WordPiece", prefix=("##", "a", ""), cleanup=_EITHER),
    _of("Strip", content=_SOUGHT, start=(0, 1, 1000)),
    _of("Metaspace", replacement=("\u2581", "a"), prepend_scheme=("always", "never")),
    *[_with_pattern("Replace", content=_PUT_IN)] * 2,
)


def _part(dice: random.Random, kinds: Sequence[_Part], inner_key: str) -> dict[str, Any] | None:
    """No step, one, or some of them again and again."""
    n = dice.choice((0, 1, 1, 2, 3, 8, 200))
    if n < 2:
        return dice.choice(kinds)(dice) if n else None
    steps = [dice.choice(kinds)(dice) for _ in range(min(n, dice.randint(1, 4)))]
    return {"type": "Sequence", inner_key: (steps * n)[:n]}


def _added(dice: random.Random) -> list[dict[str, Any]]:
    flags = ("special", "normalized", "single_word", "lstrip", "rstrip")
    texts = ["a", "나", " ", "aab", "<unk>", "É", *(f"<{i}" for i in range(300)), "a" * 1024]
    chosen = dice.sample(texts, dice.choice((0, 0, 1, 3, 300)))
    return [
        {"id": 1000 + i, "content": text, **{flag: dice.random() < 0.3 for flag in flags}}
        for i, text in enumerate(chosen)
    ]


def _steps(dice: random.Random) -> dict[str, Any]:
    return {
        "added_tokens": _added(dice),
        "normalizer": _part(dice, _NORMALIZERS, "normalizers"),
        "pre_tokenizer": _part(dice, _PRETOKENIZERS, "pretokenizers"),
        "decoder": _part(dice, _DECODERS, "decoders"),
    }


def _unigram(dice: random.Random) -> dict[str, Any]:
    ends = dice.choice(((-20.0, 0.0), (-1e7, 1e7), (0.0, 0.0), (-5e-324, 5e-324), (1e7, 1e7), (-1e7, -1e7)))
    texts = ["<unk>", *dice.sample(_PIECES, dice.randint(1, len(_PIECES))), *dice.choice(([], _CHAIN))]
    texts += [f"<0x{byte:02X}>" for byte in range(256)] if dice.random() < 0.3 else []
    model = {
        "type": "Unigram",
        "vocab": [[text, dice.uniform(*ends)] for text in texts],
        "unk_id": dice.choice((0, 0, None)),
        "byte_fallback": len(texts) > 256,
    }
    return {**_steps(dice), "model": model}


def _bpe(dice: random.Random) -> dict[str, Any]:
    texts = ["<unk>", *"나무꽃이ab"]
    merges = []
    for _ in range(dice.choice((0, 3, 12))):
        a, b = dice.choice(texts[1:]), dice.choice(texts[1:])
        merges.append([a, b])
        texts += [] if a + b in texts else [a + b]
    model = {
        "type": "BPE",
        "vocab": {text: i for i, text in enumerate(texts)},
        "merges": merges,
        "unk_token": "<unk>",
        "fuse_unk": dice.random() < 0.5,
        "ignore_merges": dice.random() < 0.5,
        "byte_fallback": False,
    }
    if dice.random() < 0.3:
        model["vocab"] |= {f"<0x{byte:02X}>": len(texts) + byte for byte in range(256)}
        model |= {"byte_fallback": True, "end_of_word_suffix": dice.choice(("", "</w>", "x" * 1000)), "merges": []}
    return {**_steps(dice), "model": model}


def _wordpiece(dice: random.Random) -> dict[str, Any]:
    more = dice.choice(([], _CHAIN))
    texts = ["<unk>", *dice.sample(_PIECES, 10), *more]
    texts += [f"##{text}" for text in (*dice.sample(_PIECES, 10), *more)]
    longest = dice.choice((0, 1, 100, 10_000_000))
    model = {
        "type": "WordPiece",
        "vocab": {text: i for i, text in enumerate(texts)},
        "unk_token": "<unk>",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": longest,
    }
    return {**_steps(dice), "model": model}


def _growing(times: int) -> bytes:
    """A character map that makes so many letters of an `a`; see `engine.interop.sentencepiece.normalizer`."""
    units = np.zeros(512, dtype="<u4")
    child = 256 ^ ord("a")
    units[0] = 256 << 10
    units[child] = 1 << 10 | 1 << 8 | ord("a")
    units[child ^ 1] = 1 << 31
    return struct.pack("<I", units.nbytes) + units.tobytes() + b"a" * times + b"\0"


def _sentencepiece(dice: random.Random, changes: int) -> bytes:
    ends = dice.choice(((-20.0, 0.0), (-1e6, 1e6), (0.0, 0.0), (-1e7, -1e7)))
    kind = dice.choice((UNIGRAM, BPE))
    pieces = [ModelPiece("<unk>", 0.0, UNKNOWN)]
    pieces += [
        ModelPiece(text, dice.uniform(*ends), dice.choice((NORMAL, NORMAL, USER_DEFINED)))
        for text in dice.sample(_PIECES, dice.randint(0, len(_PIECES)))
    ]
    bytes_too = dice.random() < 0.3
    pieces += [ModelPiece(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)] if bytes_too else []
    pieces += [ModelPiece(text, -1.0, NORMAL) for text in dice.choice(([], _CHAIN))]
    numbers = (dice.choice((0, 1 << 10, 0xFFFFFFFF, dice.getrandbits(32))) for _ in range(4))
    units = struct.pack("<IIII", *numbers)
    charsmap = dice.choice(
        (b"", b"", _growing(dice.choice((1, 20, 60, 1000))), struct.pack("<I", 16) + units + b"a\0b\0")
    )
    names = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
    flags = {name: dice.random() < 0.5 for name in names}
    for _ in range(changes):
        at = dice.randrange(len(pieces))
        how = dice.randrange(5)
        if how == 0:
            number = dice.choice([one for one in _REAL if type(one) is float])
            pieces[at] = pieces[at]._replace(score=number)
        elif how == 1:
            pieces[at] = pieces[at]._replace(text=dice.choice([text for text in _TEXTS if text != "\ud800"]))
        elif how == 2:
            pieces[at] = pieces[at]._replace(kind=dice.choice((NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE)))
        elif how == 3:
            pieces.append(pieces[at])
        else:
            charsmap = dice.choice((b"\0", b"\xff" * 20, struct.pack("<I", 2**31) + b"a\0", units + b"\0"))
    if not any(piece.kind == UNKNOWN for piece in pieces):
        pieces.append(ModelPiece("<other>", 0.0, UNKNOWN))
    proto = SentencePieceProto(pieces, kind, bytes_too, charsmap=charsmap, normalizer="x", **flags)
    return write_proto(proto)


def _vocab(dice: random.Random) -> list[bytes]:
    more = dice.choice(([], [f"{text}b" for text in _CHAIN]))
    return [
        b"[UNK]",
        *(text.encode() for text in (*dice.sample(_PIECES, 8), *more)),
        *(f"##{text}".encode() for text in dice.sample(_PIECES, 8)),
    ]


def _ranks(dice: random.Random) -> list[bytes]:
    more = [text.encode() for text in (*dice.sample(_PIECES, 9), *dice.choice(([], _DOUBLED)))]
    tokens = [*(bytes([byte]) for byte in range(256)), *more]
    gap = dice.choice((0, 0, 1, 1000))
    return [base64.b64encode(token) + b" %d" % (rank + gap) for rank, token in enumerate(tokens)]


def _gold(dice: random.Random) -> list[bytes]:
    rows = [f"{text}\t{dice.choice(('나+무', '+', '++', 'a', '나+'))}".encode() for text in dice.sample(_PIECES, 4)]
    sentence = ["# text = 나무 꽃이", "나무\t나무", "꽃이\t꽃+이", ""]
    spaced = ["나무 꽃 이", "", "# a", "ab 나 나무 "]
    columns = ["# sent_id = 1", "1-2\t나무\t_\t_", "1\t나\t나\tNOUN", "1.1\t무\t무\tNOUN", ""]
    labels = ["나\tB", "무\tI", "", "꽃\tO"]
    return [line.encode() for line in dice.choice(([], sentence, sentence, spaced, columns, labels))] + rows


def _codes(dice: random.Random) -> list[bytes]:
    parts = ["나", "무", "꽃", "이</w>", "a", "b</w>", "<", "</w>"[1:2]]
    lines = ["#version: 0.2", "나 무</w>"]
    for _ in range(dice.choice((0, 3, 20))):
        left, right = dice.choice(parts), dice.choice(parts)
        parts.append(left + right)
        lines.append(f"{left} {right}")
    return [line.encode() for line in lines]


_LINES: dict[str, Callable[[random.Random], list[bytes]]] = {
    "vocab": _vocab,
    "tiktoken": _ranks,
    "codes": _codes,
    "gold": _gold,
}


def _lines(lines: list[bytes], dice: random.Random, changes: int) -> bytes:
    """The lines with some of them twice, gone, cut, swapped, or with a number or a text at its extremes."""
    for _ in range(changes):
        if not lines:
            break
        at = dice.randrange(len(lines))
        how = dice.randrange(6)
        if how == 0:
            lines.insert(at, lines[at])
        elif how == 1:
            del lines[at]
        elif how == 2:
            lines[at] = lines[at][: len(lines[at]) // 2]
        elif how == 3:
            lines.reverse()
        elif how == 4:
            number = dice.choice(_WHOLE)
            lines[at] = lines[at].rpartition(b" ")[0] + f" {number}".encode()
        else:
            lines[at] = dice.choice(_TEXTS).encode("utf-8", "surrogatepass")
    return b"\n".join(lines) + dice.choice((b"\n", b"", b"\r\n"))


@cache
def _any_tokenizer() -> Tokenizer:
    return tokenizer_from_bytes("[UNK]\n나\n##무\n꽃\n##이".encode())


def use(kind: str, data: bytes) -> bool:
    """Read the file and compute with it all that pages and commands do; whether it was accepted.

    What an accepted tokenizer cannot do (write a character, be exported) it refuses like a file.
    """
    if kind == "gold":
        try:
            lines = split_lines(decode_bytes(data)[0].replace("\r\n", "\n"))
            words = read_gold(lines).words
            score_segmentation(words, [list("".join(own)) for own in words])
            morphology_scores(_any_tokenizer(), gold_analysis(parse_gold(lines)))
        except InputError:
            return False
        return True
    try:
        tokenizer = tokenizer_from_bytes(data, "vocab.txt" if kind == "vocab" else "")
    except InputError:
        return False
    for text in USED_TEXTS:
        with suppress(InputError):
            tokenizer.decode(tokenizer.encode(text, allow_special=True).ids)
            tokenizer.encode_lines([text, "", text])
        if tokenizer.probabilities is not None:
            with suppress(InputError):
                _use_lattice(tokenizer.probabilities.lattice(text))
    _use_long(tokenizer)
    tokenizer.statistics()
    for token_id in range(tokenizer.vocab_size):
        tokenizer.token_label(token_id), tokenizer.token_bytes(token_id)
    if tokenizer.pruning is not None:
        for number in range(tokenizer.pruning.last_round + 1):
            tokenizer.pruning.round_table(number, include_dead=True)
            tokenizer.pruning.vocabulary(number).encode(USED_TEXTS[0])
            _use_lattice(tokenizer.pruning.lattice(USED_TEXTS[0], number))
    if tokenizer.merges is not None:
        tokenizer.merges.table()
        tokenizer.merges.encode_after(tokenizer.merges.n_merges // 2, USED_TEXTS[0])
    with suppress(InputError):
        if tokenizer.pruning is not None:
            to_sentencepiece(tokenizer.pruning)
    for write in (to_tokenizer_json, to_vocab_txt, to_tiktoken, to_bpe_codes):
        with suppress(InputError):
            write(tokenizer)
    return True


def _use_long(tokenizer: Tokenizer) -> None:
    """Encode a long text that holds what the file looks for, and decode as many tokens: calls are counted, no time."""
    text = (("".join(tokenizer.sought)[:100] + "a" * 100 + "aab나무é ") * LONG)[:LONG]
    ids: list[int] = []
    with suppress(InputError), _few_calls(LONG):
        ids = tokenizer.encode(text).ids[:LONG]
    n_bytes = sum(len(tokenizer.token_label(token_id).encode()) for token_id in ids)
    with suppress(InputError), _few_calls(len(ids) + n_bytes):
        tokenizer.decode(ids)


@contextmanager
def _few_calls(n_characters: int) -> Iterator[None]:
    """At most CALLS_A_CHARACTER functions are called inside for each character, and for a hundred more."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
        assert calls <= CALLS_A_CHARACTER * (n_characters + 100), f"{calls} calls for {n_characters} characters"


def _use_lattice(lattice: Lattice) -> None:
    found = [lattice.best_path, lattice.fewest_tokens(), *(path.arcs for path in lattice.nbest(4)), *lattice.sample(3)]
    for arcs in found:
        assert "".join(lattice.text[lattice.begin[a] : lattice.end[a]] for a in arcs) == lattice.text
    assert np.isfinite(lattice.log_z) and np.isfinite(lattice.entropy)
    assert ((lattice.marginal >= 0) & (lattice.marginal < 1.001)).all()
    lattice.viterbi_steps()
    lattice.sample(2, temperature=0.1)
    if lattice.n:
        lattice.best_avoiding(0), lattice.best_through(0)


def run(n: int, seed: int) -> None:
    """Make and use n files; exits with 1 and the first defects where there are any, or where a file takes too long."""
    accepted: Counter[str] = Counter()
    defects: list[str] = []
    # What is compiled takes its time once; that is no defect.
    warm = random.Random(0)
    for kind in KINDS * _WARM_UP:
        with suppress(Exception):  # the same is met again below
            use(kind, hostile_file(kind, warm, 0))
    for k in range(n):
        kind = KINDS[k % len(KINDS)]
        data = hostile_file(kind, random.Random(f"{seed} {k}"))
        # Ends the process from a thread of its own, whatever kernel it is in.
        faulthandler.dump_traceback_later(SECONDS_A_FILE, exit=True)
        try:
            with pattern_allowance(0.3, 200_000_000):
                accepted[kind] += use(kind, data)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            defects.append(f"{kind} {seed} {k}: {error!r:.200} at {frame.filename}:{frame.lineno}")
        faulthandler.cancel_dump_traceback_later()
    share = sum(accepted.values()) / n
    sys.stdout.write(f"{n:,} files, {share:.0%} accepted: {dict(accepted)}, {len(defects)} defects\n")
    sys.stdout.write("".join(f"{defect}\n" for defect in defects[:20]))
    sys.exit(bool(defects) or share < LEAST_SHARE)


if __name__ == "__main__":
    run(int(sys.argv[1]), int(sys.argv[2]))
