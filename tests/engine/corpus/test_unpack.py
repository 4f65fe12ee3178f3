"""Packed files: both ways in, and bombs that stay small."""

import gzip
import subprocess
import sys
import textwrap

import pyarrow
import pytest

from engine.corpus.reading.unpack import SizeError, unpack
from engine.errors import InputError
from tests.conftest import ROOT

_TEXT = "그 말은 틀렸어.\n".encode() * 99


def zstd(data: bytes) -> bytes:
    return pyarrow.compress(data, codec="zstd", asbytes=True)


@pytest.mark.parametrize("pack", [gzip.compress, zstd, bytes])
@pytest.mark.parametrize("text", [_TEXT, b"", b"PAR"])
def test_what_was_packed_comes_out(pack, text) -> None:
    assert unpack(pack(text)) == text


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_files_joined_one_after_the_other_are_one(pack) -> None:
    assert unpack(pack(b"a\n") + pack(b"b\n")) == b"a\nb\n"


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_the_limit_is_exact(pack) -> None:
    assert len(unpack(pack(_TEXT), len(_TEXT))) == len(_TEXT)
    with pytest.raises(SizeError, match="limit"):
        unpack(pack(_TEXT), len(_TEXT) - 1)
    with pytest.raises(SizeError):
        unpack(_TEXT, len(_TEXT) - 1)


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
@pytest.mark.parametrize("damage", [slice(0, -5), slice(0, 12), slice(0, 4)])
def test_damage_is_said(pack, damage) -> None:
    with pytest.raises(InputError, match="damaged or truncated"):
        unpack(pack(_TEXT)[damage])


@pytest.mark.parametrize("outer", [gzip.compress, zstd])
@pytest.mark.parametrize("inner", [gzip.compress, zstd])
def test_packed_twice_is_refused(outer, inner) -> None:
    with pytest.raises(InputError, match="compressed twice"):
        unpack(outer(inner(_TEXT)))


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"BZh9", b"%PDF-1.7", b"\xfd7zXZ\x00"])
def test_other_containers_are_named(head: bytes) -> None:
    for data in (head + _TEXT, gzip.compress(head + _TEXT)):
        with pytest.raises(InputError, match="the file is"):
            unpack(data)


def test_a_bomb_costs_little_memory() -> None:
    # 2 GB in some 60 kB.
    script = """
        import pyarrow, resource
        from engine.corpus.reading.unpack import SizeError, unpack
        bomb = pyarrow.compress(bytes(1 << 25), codec="zstd", asbytes=True) * 64
        assert len(bomb) < 1e5
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for limit in (64 << 20, 1 << 30):
            try:
                unpack(bomb, limit)
            except SizeError:
                print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    grown = [int(line) for line in done.stdout.split()]
    assert len(grown) == 2 and max(grown) < 32
