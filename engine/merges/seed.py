"""The seed vocabulary `bpe`: the tokens of whole characters that BPE merges inside the same pre-tokens.

Greedy merges find strings that save tokens, but also intermediate steps that save none once the longer string exists;
pruning removes those, and rare characters.
"""

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import Pretokens
from engine.merge_settings import MergeSettings
from engine.merges.trainer import MergeTrainer
from engine.vocabulary.boundary_safe import boundary_safe_mask

# Merges are made in this many parts; surplus tokens of the last part are dropped.
_PARTS = 16


def bpe_tokens(pretokens: Pretokens, settings: TrainingSettings) -> list[str]:
    """Multi-character tokens, in the order in which byte-level BPE merges them.

    With the bytes, there are `seed_factor` x `vocab_size` tokens, or fewer if no pair with a count of `min_count` is
    left. Ties are broken as in `tokenizers`, so that the result does not depend on the order of the sentences.
    """
    room = int(settings.seed_factor * settings.vocab_size) - N_BYTES
    if room <= 0:
        return []
    trainer = MergeTrainer(pretokens, MergeSettings(vocab_size=None, ties="tokenizers", min_count=settings.min_count))
    surfaces = [token.surface for token in trainer.alphabet.tokens]
    found: dict[str, None] = {}  # two merges may create the same text
    for _ in trainer.rounds(-(-room // _PARTS)):
        n_merges = len(surfaces) - trainer.n_first
        new = (column[n_merges:].tolist() for column in trainer.history[:2])
        for left, right in zip(*new, strict=True):
            surfaces.append(surfaces[left] + surfaces[right])
        found |= dict.fromkeys(_allowed(surfaces[trainer.n_first + n_merges :], settings))
        if len(found) >= room:
            break
    return list(found)[:room]


def _allowed(surfaces: list[bytes], settings: TrainingSettings) -> list[str]:
    """The texts of several whole characters that the settings allow in a vocabulary."""
    texts = [_text(surface) for surface in surfaces if len(surface) <= settings.max_token_bytes]
    texts = [text for text in texts if len(text) > 1]
    if not settings.sentencepiece_safe:
        return texts
    return np.array(texts, dtype=object)[boundary_safe_mask(texts, settings.pretokenizer)].tolist()


def _text(surface: bytes) -> str:
    """The text of the bytes; empty if a character is incomplete."""
    try:
        return surface.decode()
    except UnicodeDecodeError:
        return ""
