"""Thunder-Tok Explorer's engine: trains and inspects tokenizers, with no user interface.

The most useful names are exported here, each imported lazily on first use:

- train: `read_corpus`, `TrainingSettings`, `train`, `start_training` (to watch the rounds)
- use: `load_tokenizer`, `Tokenizer` (the common interface), `Lattice` (all segmentations of one text)
- measure: `encode_lines`, `find_words`, `fertility`
- export: `export_tokenizer`
- `InputError` : an error the user can fix; any other exception is a bug

>>> from engine import TrainingSettings, train
>>> lines = ["가나 다라", "가나 마바", "가나 다라 마바"]
>>> tokenizer = train(lines, TrainingSettings(vocab_size=260))
>>> encoding = tokenizer.encode("가나 다라")
>>> [tokenizer.token_label(token_id) for token_id in encoding.ids]
['가나', ' 다라']
>>> lattice = tokenizer.lattice("가나 다라")
>>> [lattice.label(arc) for arc in lattice.best_path]
['가나', ' 다라']

Packages: `engine.corpus` reads and pre-tokenizes text, `engine.unigram` trains Thunder-Tok and the Unigram LM (one
trainer, two settings), `engine.lattice` holds all segmentations of a text, `engine.scale` trains shard by shard,
`engine.merges` implements BPE and WordPiece, `engine.measure` computes metrics, `engine.interop` reads and writes other
programs' files, `engine.fit` changes vocabularies, `engine.public` loads the tokenizers of public models,
`engine.shipped` the bundled models, `engine.hangul` conjugates verbs, `engine.query` finds queries in texts,
`engine.pictures` draws SVG, `engine.cli` is the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.config import TrainingSettings as TrainingSettings
    from engine.corpus.reading.read import read_corpus as read_corpus
    from engine.errors import InputError as InputError
    from engine.interop.exports import export_tokenizer as export_tokenizer
    from engine.lattice.lattice import Lattice as Lattice
    from engine.measure.encoded import encode_lines as encode_lines
    from engine.measure.intrinsic import fertility as fertility
    from engine.measure.words import find_words as find_words
    from engine.model_files import load_tokenizer as load_tokenizer
    from engine.tokenizer import Tokenizer as Tokenizer
    from engine.training import start_training as start_training
    from engine.training import train as train

VERSION = "1.1.0"
_MODULES = {
    "InputError": "errors",
    "Lattice": "lattice.lattice",
    "Tokenizer": "tokenizer",
    "TrainingSettings": "config",
    "encode_lines": "measure.encoded",
    "export_tokenizer": "interop.exports",
    "fertility": "measure.intrinsic",
    "find_words": "measure.words",
    "load_tokenizer": "model_files",
    "read_corpus": "corpus.reading.read",
    "start_training": "training",
    "train": "training",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Import a name of `__all__` on first use, so that the command line starts without loading everything."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
