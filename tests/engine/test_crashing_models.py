"""Two files with a right checksum that ended the process, or never let it end: both are refused, and both are harmless.

Each is read in a process of its own, so that a crash is a failure of the test and not its end.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.engine.unigram.test_trainer import sentences, trained
from tests.hostile_models import native, unpacked

_SECONDS = 120  # a first call compiles

_READ = """
import sys
from engine.errors import ModelFileError
from engine.model_files import load_tokenizer

try:
    model = load_tokenizer(sys.argv[1])
except ModelFileError as error:
    sys.exit(f"refused: {error}")
text = "그 말은 쀍 좋다. " * 40
model.encode(text)
lattice = model.lattice(text)
lattice.best_path, lattice.marginal, lattice.nbest(5), lattice.sample(5)
"""

# The same numbers where no reader stands before the kernels.
_COMPUTE = """
import sys
import numpy as np
from engine.pretokenization import get_pretokenizer
from engine.lattice.lattice import VocabularyLattice
from engine.lattice.vocabulary import Vocabulary

tokens = [bytes([byte]) for byte in range(256)] + ["말".encode(), "말은".encode()]
text = "그 말은 쀍 좋다. " * 40
for value in map(float, sys.argv[1:]):
    for partial in (False, True):
        vocabulary = Vocabulary(tokens, np.full(258, value), get_pretokenizer("none"), partial)
        numbers, _ = vocabulary.encode(text)
        assert b"".join(tokens[number] for number in numbers) == text.encode()
        vocabulary.encode_lines([text])
        lattice = VocabularyLattice(vocabulary, text)
        lattice.best_path, lattice.marginal, lattice.nbest(5), lattice.sample(5), lattice.viterbi_steps()
        lattice.entropy, lattice.best_avoiding(0), lattice.fewest_tokens()
"""

_FORWARD = """
import numpy as np
from engine.lattice.passes import _forward_scaled

end, one = np.arange(1, 4, dtype=np.uint32), np.ones(3, dtype=np.uint8)
for weight in (np.inf, 1e308, 5e-324, 0.0, np.nan):
    _forward_scaled(0, 3, np.uint64(0), 3, end, one, end * 0, np.array([weight]), np.empty(3))
"""


def _run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)


@pytest.mark.parametrize("value", [-1e308, 700.0])
def test_extreme_log_probabilities_are_refused(value: float, tmp_path: Path) -> None:
    path = tmp_path / "model.tok"
    header, arrays = unpacked(trained(sentences(80), vocab_size=290).to_bytes())
    for name in arrays:
        if name.endswith("/log_prob"):
            arrays[name] = np.full_like(arrays[name], value)
    path.write_bytes(native(header, arrays))
    found = _run(_READ, str(path))
    assert found.returncode == 1, found.stderr[-2000:]
    assert "refused: " in found.stderr and "(log_prob)" in found.stderr


def test_kernels_survive_whatever_numbers_they_get() -> None:
    found = _run(_COMPUTE, "-1e308", "-10000", "-700", "-5e-324", "700", "1e308")
    assert found.returncode == 0, found.stderr[-2000:]


def test_the_forward_pass_ends_where_sums_overflow() -> None:
    found = _run(_FORWARD)
    assert found.returncode == 0, found.stderr[-2000:]
