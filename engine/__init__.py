"""Thunder-Tok Explorer's engine: tokenizers trained and taken apart, with no user interface.

What most people need is here; each name is loaded from its module when it is asked for first.

- train: `read_corpus`, `TrainingSettings`, `train`, `start_training` (to watch the rounds)
- use: `load_tokenizer`, `Tokenizer` (what all of them answer), `Lattice` (all segmentations of one text)
- measure: `encode_lines`, `find_words`, `fertility`
- give away: `export_tokenizer`
- `InputError` : whatever a user can mend; everything else is a defect

>>> from engine import TrainingSettings, train
>>> lines = ["가나 다라", "가나 마바", "가나 다라 마바"]
>>> tokenizer = train(lines, TrainingSettings(vocab_size=260))
>>> encoding = tokenizer.encode("가나 다라")
>>> [tokenizer.token_label(token_id) for token_id in encoding.ids]
['가나', ' 다라']
>>> lattice = tokenizer.lattice("가나 다라")
>>> [lattice.label(arc) for arc in lattice.best_path]
['가나', ' 다라']

Where to read on: `engine.corpus` reads and pre-tokenizes text, `engine.unigram` trains Thunder-Tok and the Unigram LM
(one trainer, two settings), `engine.lattice` has the segmentations of one text, `engine.scale` trains shard by shard,
`engine.merges` has BPE and WordPiece, `engine.measure` measures, `engine.interop` reads and writes other programs'
files, `engine.public` loads tokenizers of public models, `engine.shipped` the models that come with the program,
`engine.hangul` knows the forms of verbs, `engine.cli` is the command line.
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
    """One of the names above, loaded now: the command line imports this package, and must not wait for all of them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
