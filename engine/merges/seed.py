"""The seed vocabulary that BPE chooses: its tokens of whole characters, merged inside the same pre-tokens.

Greedy merges find the strings that save tokens, and steps on the way that save none once the longer string is there:
pruning takes those out again, and characters that are rare.
"""

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import Pretokens
from engine.merge_settings import MergeSettings
from engine.merges.trainer import MergeTrainer
from engine.vocabulary.boundary_safe import boundary_safe_mask

# Parts that the merges needed are made in: what the last of them has too many is left out.
_PARTS = 16


def bpe_tokens(pretokens: Pretokens, settings: TrainingSettings) -> list[str]:
    """Tokens of several characters, in the order in which byte-level BPE merges them.

    With the bytes they are `seed_factor` x `vocab_size` tokens, or fewer where no pair is left that occurs `min_count`
    times. Ties are broken as in `tokenizers`, so that the order of the sentences has no say.
    """
    room = int(settings.seed_factor * settings.vocab_size) - N_BYTES
    if room <= 0:
        return []
    trainer = MergeTrainer(pretokens, MergeSettings(vocab_size=None, ties="tokenizers", min_count=settings.min_count))
    surfaces = [token.surface for token in trainer.alphabet.tokens]
    found: dict[str, None] = {}  # of two merges that make the same text the first counts
    for _ in trainer.rounds(-(-room // _PARTS)):
        after = len(surfaces) - trainer.n_first
        new = (column[after:].tolist() for column in trainer.history[:2])
        for left, right in zip(*new, strict=True):
            surfaces.append(surfaces[left] + surfaces[right])
        found |= dict.fromkeys(_allowed(surfaces[trainer.n_first + after :], settings))
        if len(found) >= room:
            break
    return list(found)[:room]


def _allowed(surfaces: list[bytes], settings: TrainingSettings) -> list[str]:
    """Those of several whole characters that the settings do not keep out of a vocabulary."""
    texts = [_whole(surface) for surface in surfaces if len(surface) <= settings.max_token_bytes]
    texts = [text for text in texts if len(text) > 1]
    if not settings.sentencepiece_safe:
        return texts
    return np.array(texts, dtype=object)[boundary_safe_mask(texts, settings.pretokenizer)].tolist()


def _whole(surface: bytes) -> str:
    """The text; nothing where a character is not complete."""
    try:
        return surface.decode()
    except UnicodeDecodeError:
        return ""
