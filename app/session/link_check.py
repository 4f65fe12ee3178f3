"""Fingerprints of a model in its link, so that another server can tell whether it shows the same model.

`check=<corpus>.<settings>.<vocabulary>` in the URL: the first digits of three SHA-256 hashes. The `model` parameter
refers to a built-in corpus by name and omits default settings; another version of the program may have another text
under that name, other defaults, or a trainer that decides differently.
"""

import hashlib
import re
from typing import NamedTuple

from app.server.work.jobs import model_key
from engine.config import TrainingSettings
from engine.tokenizer import Tokenizer

_N_DIGITS = 8
_WORD = re.compile(rf"([0-9a-f]{{{_N_DIGITS}}})\.([0-9a-f]{{{_N_DIGITS}}})\.([0-9a-f]{{{_N_DIGITS}}})")


class LinkCheck(NamedTuple):
    """Fingerprints (hex digits) of a model's inputs and of its vocabulary."""

    corpus: str
    settings: str
    vocabulary: str

    def __str__(self) -> str:
        return ".".join(self)


def parse_check(word: str) -> LinkCheck | None:
    """The check that `str()` wrote; None for anything else."""
    match = _WORD.fullmatch(word)
    return LinkCheck(*match.groups()) if match else None


def check_of(corpus_digest: str, settings: TrainingSettings, vocabulary: str) -> LinkCheck:
    """The check of a model.

    Parameters
    ----------
    corpus_digest : as `app.texts.corpora.Text.digest`.
    vocabulary : as `vocabulary_hash`.
    """
    return LinkCheck(corpus_digest[:_N_DIGITS], model_key("", settings)[:_N_DIGITS], vocabulary[:_N_DIGITS])


def vocabulary_hash(model: Tokenizer) -> str:
    """SHA-256 (hex) of the tokens in order of their ids.

    Probabilities are left out: their last digits may depend on the processor.
    """
    digest = hashlib.sha256()
    for token_id in range(model.vocab_size):
        for part in (model.token_bytes(token_id), model.token_label(token_id).encode("utf-8", "surrogatepass")):
            digest.update(len(part).to_bytes(4, "little") + part)
    return digest.hexdigest()
