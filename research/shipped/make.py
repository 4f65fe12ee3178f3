"""`make models`: trains the shipped models, and writes them and their manifest.

    python -m research.shipped.make FOLDER [NAME ...]

FOLDER contains ko_mix/*.txt.zst; their licences are below. With names, only those models are trained. Every hundredth
line of each register is held back to measure fertility. The models do not contain the texts, only tokens of at most 32
bytes and their numbers. The same texts give the same bytes.
"""

import dataclasses
import hashlib
import json
import lzma
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.config import RECIPES, TrainingSettings, defaults_of, stored_settings
from engine.corpus.reading.read import read_corpus
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import fertility
from engine.measure.words import find_words
from engine.shipped.catalogue import MANIFEST, MODELS
from engine.tokenizer import Tokenizer
from engine.training import train
from engine.unigram.model.compact import compact
from engine.unigram.model.model import Model

_HELD_BACK = 100
_CORPUS = "ko_mix"


class _Register(NamedTuple):
    """Licence and source of a register's texts."""

    licence: str
    source: str


_REGISTERS = {
    "book_reviews": _Register("CC BY, CC BY 2.0 KR", "yiunsr/boddari"),
    "chat": _Register("MIT", "songys/Chatbot_data"),
    "courts": _Register("public domain (Copyright Act of Korea, Art. 7)", "Bullskc/Legalize-KR"),
    "fairytales": _Register("expired, CC BY 4.0, donated", "yiunsr/boddari"),
    "film_reviews": _Register("CC0 1.0 (declared by the collector)", "e9t/nsmc"),
    "laws": _Register("public domain (Copyright Act of Korea, Art. 7)", "xxyy89890-wq/legalize-kr"),
    "learner_essays": _Register("CC BY-SA 4.0", "UniversalDependencies/UD_Korean-KSL"),
    "novels": _Register("CC BY-SA 4.0 (texts in the public domain)", "storidient/KoCoNovel"),
    "reports": _Register("CC BY-SA 3.0 IGO", "yiunsr/boddari"),
    "tech_docs": _Register("CC BY 4.0", "reactjs/ko.react.dev"),
    "utterances": _Register("CC BY-SA 4.0", "warnikchow/3i4k"),
    "web_sentences": _Register("CC BY-SA 4.0", "UniversalDependencies/UD_Korean-GSD"),
    "wikinews": _Register("CC BY 2.5", "yiunsr/boddari"),
}


class _Recipe(NamedTuple):
    """How to make a model.

    Parameters
    ----------
    settings : training settings.
    first_round : the first round to keep, chosen so that the file is below 3.5 MB; 0 keeps the whole model.
    """

    settings: TrainingSettings
    first_round: int = 0


def _of(algorithm: str, vocab_size: int, **settings: Any) -> TrainingSettings:
    return dataclasses.replace(defaults_of(algorithm), vocab_size=vocab_size, **settings)


# Without a minimum count, WordPiece's score spends most of the vocabulary on pairs of rare characters: 3.19 tokens per
# word instead of 1.69.
_RECIPES = {
    "thunder-tok-32k": _Recipe(_of("thunder-tok", 32_000), 3),
    "thunder-tok-joined-32k": _Recipe(_of("thunder-tok", 32_000, pretokenizer="thunder-tok-joined"), 3),
    "fewest-tokens-32k": _Recipe(_of("thunder-tok", 32_000, **RECIPES["fewest-tokens"])),
    "thunder-tok-8k": _Recipe(_of("thunder-tok", 8_000), 4),
    "unigram-32k": _Recipe(_of("unigram", 32_000, pretokenizer="gpt2"), 4),
    "byte-bpe-32k": _Recipe(_of("byte-bpe", 32_000, pretokenizer="gpt2")),
    "byte-bpe-thunder-tok-32k": _Recipe(_of("byte-bpe", 32_000, pretokenizer="thunder-tok")),
    "bpe-mecab-32k": _Recipe(_of("byte-bpe", 32_000, pretokenizer="mecab")),
    "wordpiece-32k": _Recipe(_of("wordpiece", 32_000, pretokenizer="whitespace", min_count=30)),
}


def main(folder: Path, names: Sequence[str] = ()) -> None:
    """Make the models of these names, or all models."""
    unknown = sorted(set(names) - set(_RECIPES))
    if unknown:
        raise SystemExit(f"there is no recipe for {', '.join(unknown)}; choose of: {', '.join(_RECIPES)}")
    paths = {register: folder / _CORPUS / f"{register}.txt.zst" for register in _REGISTERS}
    missing = [str(path) for path in paths.values() if not path.exists()]
    if missing:
        raise SystemExit(f"nothing was made: the texts are not here ({missing[0]}); name the folder that holds them")
    texts = {register: read_corpus(path) for register, path in paths.items()}
    held_back = {register: lines[::_HELD_BACK] for register, lines in texts.items()}
    lines = [line for text in texts.values() for number, line in enumerate(text) if number % _HELD_BACK]
    MODELS.mkdir(exist_ok=True)
    known = {entry["name"]: entry for entry in _entries()}
    for name in names or _RECIPES:
        known[name] = _make(name, _RECIPES[name], lines, held_back)
        sys.stderr.write(f"{name}: {known[name]['size']:,} bytes, fertility {known[name]['fertility']['all']}\n")
    content = {
        "corpus": {"name": _CORPUS, "held_back": _HELD_BACK, "registers": _registers(texts)},
        "models": [known[name] for name in _RECIPES if name in known],
    }
    MANIFEST.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = (
        json.loads(MANIFEST.read_text(encoding="utf-8"))["models"] if MANIFEST.exists() else []
    )
    return entries


def _make(name: str, recipe: _Recipe, lines: Sequence[str], held_back: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    tokenizer: Tokenizer = train(lines, recipe.settings)
    if recipe.first_round:
        assert isinstance(tokenizer, Model)
        tokenizer = compact(tokenizer, recipe.first_round)
        data, file = tokenizer.to_bytes(), f"{name}.tok"
    else:
        data, file = lzma.compress(tokenizer.to_bytes(), preset=9), f"{name}.tok.xz"
    (MODELS / file).write_bytes(data)
    every = [line for text in held_back.values() for line in text]
    return {
        "name": name,
        "file": file,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "settings": stored_settings(recipe.settings),
        "vocab_size": tokenizer.vocab_size,
        "fertility": {part: _fertility(tokenizer, text) for part, text in {"all": every, **held_back}.items()},
    }


def _fertility(tokenizer: Tokenizer, lines: Sequence[str]) -> float:
    encoded = encode_lines(tokenizer, lines)
    return round(fertility(encoded, find_words(encoded.seen)).value, 4)


def _registers(texts: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    return {
        register: {
            "lines": len(lines),
            "bytes": sum(len(line.encode()) + 1 for line in lines),
            **_REGISTERS[register]._asdict(),
        }
        for register, lines in texts.items()
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
