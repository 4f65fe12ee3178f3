"""The setting `partial_characters`: runs of bytes inside one character as candidates.

The paper (section 3.2) allows every substring that consists of units of the level below, which for characters are
bytes. The authors' code has only single bytes, so this is off by default.
"""

import numpy as np

from engine.config import N_BYTES
from engine.unigram.train.seed import SeedVocabulary


def byte_runs(seed: SeedVocabulary, min_count: int) -> dict[bytes, int]:
    """Proper substrings of two or more bytes inside a character, with their counts in the corpus."""
    counts: dict[bytes, int] = {}
    for code, count in zip(seed.alphabet.tolist(), seed.alphabet_count.tolist(), strict=True):
        encoded = chr(code).encode()
        for begin in range(len(encoded)):
            for end in range(begin + 2, len(encoded) + 1):
                if end - begin < len(encoded):
                    run = encoded[begin:end]
                    counts[run] = counts.get(run, 0) + count
    return {run: count for run, count in counts.items() if count >= min_count}


def add_byte_runs(
    seed: SeedVocabulary, rows: list[np.ndarray], runs: dict[bytes, int]
) -> tuple[SeedVocabulary, list[np.ndarray]]:
    """Insert the runs into the seed vocabulary (rows stay sorted by bytes); returns it and the renumbered rows."""
    tokens = [seed.blob[a:b].tobytes() for a, b in zip(seed.ptr[N_BYTES:-1], seed.ptr[N_BYTES + 1 :], strict=True)]
    every = sorted(tokens + list(runs))
    place = {token: N_BYTES + k for k, token in enumerate(every)}
    new_row = np.concatenate([np.arange(N_BYTES), [place[token] for token in tokens]]).astype(np.int32)
    n_rows = N_BYTES + len(every)

    weight, first, length = np.zeros(n_rows), np.full(n_rows, -1), np.zeros(n_rows, dtype=np.int64)
    weight[new_row], first[new_row], length[new_row] = seed.weight, seed.first, seed.length
    for run, count in runs.items():
        weight[place[run]] = count
    sizes = np.array([1] * N_BYTES + [len(token) for token in every])
    return (
        seed._replace(
            blob=np.frombuffer(bytes(range(N_BYTES)) + b"".join(every), dtype=np.uint8),
            ptr=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            weight=weight,
            first=first,
            length=length,
            character_row=np.where(seed.character_row >= 0, new_row[seed.character_row], -1).astype(np.int32),
        ),
        [np.where(row >= 0, new_row[row], -1).astype(np.int32) for row in rows],
    )
