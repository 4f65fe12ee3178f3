"""Thunder-Tok Explorer in Python and in notebooks: load tokenizers, train them, compare them, see why they cut so.

>>> import thundertok as tt
>>> model = tt.train(["가나 다라", "가나 마바", "가나 다라 마바"], vocab_size=260)
>>> model.encode("가나 다라")
가나| 다라  (2 tokens)

- models: `load` (a shipped or public tokenizer, one of the Hugging Face hub, a file), `train`
- tables: `compare`, `fertility`, `robustness`, `morphology`, `keyness`, `lineage`
- vocabularies: `fit` (add tokens, remove tokens, and see what it costs)
- reports: `audit`, `stability`, `segment`
- `InputError` : an error the user can fix, in one sentence; any other exception is a bug

What a call returns shows itself: as text in a terminal, as a table or a picture in a notebook. Pictures are those of
the app, as SVG: no scripts, nothing from the network, light or dark as the reader prefers. Tables are DataFrames.

Everything is computed by `engine`; `model.tokenizer` is its object, with more methods (`help(engine)`).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.errors import InputError as InputError
    from thundertok.fitting import fit as fit
    from thundertok.measuring import audit as audit
    from thundertok.measuring import compare as compare
    from thundertok.measuring import fertility as fertility
    from thundertok.measuring import keyness as keyness
    from thundertok.measuring import lineage as lineage
    from thundertok.measuring import morphology as morphology
    from thundertok.measuring import robustness as robustness
    from thundertok.measuring import segment as segment
    from thundertok.measuring import stability as stability
    from thundertok.models import load as load
    from thundertok.models import train as train

_MODULES = {
    "InputError": "engine.errors",
    "audit": "thundertok.measuring",
    "compare": "thundertok.measuring",
    "fertility": "thundertok.measuring",
    "fit": "thundertok.fitting",
    "keyness": "thundertok.measuring",
    "lineage": "thundertok.measuring",
    "load": "thundertok.models",
    "morphology": "thundertok.measuring",
    "robustness": "thundertok.measuring",
    "segment": "thundertok.measuring",
    "stability": "thundertok.measuring",
    "train": "thundertok.models",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Import a name of `__all__` on first use: pandas and the compiled kernels take a second to load."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    if _MODULES[name].startswith(__name__):
        value = import_module("thundertok.corpora").checked(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
