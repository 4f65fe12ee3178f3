"""The fingerprint of a corpus, by which a model file identifies its training text."""

import hashlib

from app.texts.corpora import Text
from engine.corpus.normalize import normalize


def corpus_fingerprint(source: Text, normalization: str) -> str:
    """SHA-256 (hex) of the normalised text, as the model stores it (`engine.unigram.train.training_corpus`)."""
    text = normalize("\n".join(source.lines()), normalization)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
