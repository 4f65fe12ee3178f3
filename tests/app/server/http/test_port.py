"""A port that is taken is refused before anything is prepared."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.__main__ import check_port, is_free
from engine.errors import InputError
from tests.conftest import ROOT


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"])
def taken(request: pytest.FixtureRequest) -> Iterator[int]:
    """A port that another server listens on."""
    with socket.create_server((request.param, 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_named_with_a_free_one(taken: int) -> None:
    asked = [
        ([f"--server.port={taken}"], {}),
        (["--server.port", str(taken)], {}),
        (["--server.port=0", f"--server.port={taken}", "--server.address=127.0.0.1"], {}),
        ([], {"STREAMLIT_SERVER_PORT": str(taken)}),
    ]
    for arguments, environment in asked:
        with pytest.raises(InputError) as refused:
            check_port(arguments, environment)
        assert refused.value.values["port"] == str(taken)
        free = refused.value.values["free"]
        assert f"make run PORT={free}" in str(refused.value)
        check_port([f"--server.port={free}"], {})


def test_a_number_that_no_port_has_is_refused() -> None:
    for number in (65536, 99999, -1):
        assert not is_free(number, "")
        with pytest.raises(InputError, match=f"port {number} is used .* or above 65535"):
            check_port([f"--server.port={number}"], {})


def test_what_streamlit_finds_or_refuses_itself_is_left_to_it(taken: int) -> None:
    for arguments in ([], ["--server.port="], ["--server.port=x"], ["--server.port=0"]):
        check_port(arguments, {})
    check_port([f"--server.port={taken}", "--server.address=192.0.2.1"], {})  # no address of this machine
    check_port([f"--server.port={taken}", "--server.port=0"], {"STREAMLIT_SERVER_PORT": str(taken)})


def test_the_command_says_it_in_one_sentence(taken: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", f"--server.port={taken}"],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "ko_KR.UTF-8", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and f"{taken}번 포트" in done.stderr
