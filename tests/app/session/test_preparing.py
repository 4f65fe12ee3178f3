"""What needs kernels that are being compiled says so, and runs by itself once they are ready."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from app.server.work.kernels import KernelsNotReadyError, kernels
from app.session import models
from tests.conftest import ROOT

_PAGE = """
import streamlit as st
from app.server.work.kernels import kernels
from app.session.page_run import said_while_preparing

st.text("before")
with said_while_preparing():
    kernels().check()
    st.text("after")
"""


def _texts(app: AppTest) -> list[str]:
    assert not app.exception
    return [one.value for one in app.text]


def test_a_page_says_how_far_the_kernels_are_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels(), "progress", (5, 13))
    app = AppTest.from_string(_PAGE).run()
    assert _texts(app) == ["before"]
    (bar,) = app.get("progress")
    assert "5/13" in bar.proto.text or "5 of 13" in bar.proto.text
    monkeypatch.setattr(kernels(), "progress", None)
    assert _texts(app.run()) == ["before", "after"] and not app.get("progress")


_FAILED = _PAGE.replace("kernels().check()", "from app.server.work.kernels import KernelsNotReadyError as E; raise E")


def test_what_could_not_be_compiled_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels(), "failure", "TypingError")
    app = AppTest.from_string(_FAILED).run()
    assert _texts(app) == ["before"] and not app.get("progress")
    assert "TypingError" in app.error[0].value


def test_a_public_tokenizer_is_loaded_once_though_its_kernels_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = SimpleNamespace(vocab_size=3, encode=Mock(side_effect=KernelsNotReadyError))
    load = Mock(return_value=waiting)
    monkeypatch.setattr(models, "load_public", load)
    for _ in range(2):
        with pytest.raises(KernelsNotReadyError):
            models._load_public("made up", "")
    assert load.call_count == 1 and waiting.encode.call_count == 2


# The pages of a server that has compiled nothing.
_COLD = """
import os
from app.server.work.kernels import kernels
from engine._jit import compile_if
from tests.pages import open_page

os.environ["THUNDER_TOK_MODEL"] = "shipped:thunder-tok-32k"
kernels().progress = 3, 13
compile_if(kernels()._may_compile)
for page in ("explore", "lattice"):
    app = open_page(page, lang="en")
    print(*(bar.proto.text.partition(":")[0] for bar in app.get("progress")), bool(app.metric), sep="|")
"""


@pytest.mark.slow
def test_the_first_page_shows_strips_before_anything_is_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", _COLD], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    explore, lattice = done.stdout.splitlines()
    assert explore.startswith("Preparing GPT") and explore.endswith(
        "(3 of 13)|True"
    )  # counts of the shipped tokenizers
    assert lattice == "Preparing (3 of 13)|False"
