"""Golden vectors of the published program of the paper's authors (facts that it printed; no code of theirs)."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.lattice.lattice import VocabularyLattice
from engine.lattice.vocabulary import Vocabulary
from engine.pretokenization import get_pretokenizer


def _bytes(label: str) -> bytes:
    return bytes([int(label[3:5], 16)]) if label.startswith("<0x") else label.encode()


@pytest.mark.parametrize("name", ["toy34_paper_110", "toy34_readme_110", "formal120_paper_300", "formal120_readme_300"])
def test_fewest_tokens_are_those_of_beta(shared_data: Path, name: str) -> None:
    golden = json.loads((shared_data / "authors" / f"{name}.json").read_text(encoding="utf-8"))
    log_prob = {_bytes(label): value for label, value in golden["vocabulary"]}
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [token for token in log_prob if len(token) > 1]
    tokens += [token for token in map(_bytes, golden["added_characters"]) if len(token) > 1]
    probabilities = np.array([log_prob.get(token, -20.0) for token in tokens])
    vocabulary = Vocabulary(tokens, probabilities, get_pretokenizer("none"), False)
    for text, cut in golden["fewest_tokens_beta"].items():
        lattice = VocabularyLattice(vocabulary, text, ids=np.arange(len(tokens)))
        numbers = [number for arc in lattice.fewest_from_latest() for number in lattice.written(arc)]
        assert [tokens[number] for number in numbers] == list(map(_bytes, cut))
