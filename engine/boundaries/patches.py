"""Bytes in patches: single (ByT5), of fixed size (MegaByte), or cut where the next byte is hard to predict (BLT)."""

from collections.abc import Sequence

import numpy as np

from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.errors import InputError


def fixed_patches(n_bytes: int, size: int) -> list[int]:
    """Ends of patches of `size` bytes (MegaByte); the last one may be shorter."""
    if size < 1:
        raise InputError("patch.size", size=size)
    return [min(at + size, n_bytes) for at in range(0, n_bytes, size)]


def attention_cost(n_bytes: int, size: int) -> float:
    """Comparisons in MegaByte's attention: (N/P)^2 between the patches, and P^2 inside each of the N/P: N P."""
    return (n_bytes / size) ** 2 + n_bytes * size


class ByteModel:
    """Entropy of the next byte under an n-gram model of bytes.

    Parameters
    ----------
    lines : training text.
    order : length of the n-grams.
    """

    def __init__(self, lines: Sequence[str], order: int = 5) -> None:
        # Latin-1 makes every byte a character.
        self._model = CharacterModel(Ngrams([_bytes(line) for line in lines], order), order)

    def entropies(self, text: str) -> np.ndarray:
        """float64[n_bytes]: entropy (nats) of the prediction at every byte of the UTF-8 text."""
        return self._model.entropies(_bytes(text))


def _bytes(text: str) -> str:
    return text.encode().decode("latin-1")


def entropy_patches(entropies: np.ndarray, threshold: float, relative: bool = False) -> list[int]:
    """Ends of patches that begin where the next byte's entropy is high (BLT, Pagnoni et al. 2024, section 2.3).

    Parameters
    ----------
    entropies : of every byte.
    threshold : nats. Global: a patch begins where H > threshold. `relative`: where H exceeds that of the previous byte
        by more than the threshold, the approximate monotonic constraint.
    """
    n = entropies.size
    if n == 0:
        return []
    high = np.diff(entropies) > threshold if relative else entropies[1:] > threshold
    return [*(np.flatnonzero(high) + 1).tolist(), n]
