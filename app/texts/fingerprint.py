"""The fingerprint of a corpus, by which a model file identifies its training text."""

import hashlib

from app.texts.corpora import Text
from engine.corpus.normalize import normalize


def corpus_fingerprint(source: Text, normalization: str) -> str:
    """SHA-256 (hex) of the normalised text, as `engine.unigram.train.training_corpus.build_corpus` writes it into the model."""
    text = normalize("\n".join(source.lines()), normalization)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
