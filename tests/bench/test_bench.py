"""The benchmark runs, and what ours and its peers make is the same; no figure is looked at."""

from pathlib import Path

import pytest

from tests.bench import run as bench


@pytest.mark.slow(seconds=60)
def test_a_small_benchmark(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.run
    monkeypatch.setattr(bench, "run", lambda command, **_: run(command))  # with the kernels that are there
    monkeypatch.setattr(bench, "TIKTOKEN_PATTERNS", ("cl100k",))
    corpus = tmp_path / "corpus.txt"
    lines = (bench._BUILT_IN / "essay.txt").read_text(encoding="utf-8").splitlines()[:150]
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--corpus", str(corpus), "--vocab-size", "800", "--runs", "1", "--no-slow", "--threads", "1"]
    assert bench.main(options) == 0
    output = capsys.readouterr().out
    assert output.count("identical") == 5
    for program in ("sentencepiece unigram", "tokenizers BpeTrainer", "tokenizers encode_batch_fast"):
        assert program in output


def test_longer_corpora_are_not_repetitions(tmp_path: Path) -> None:
    lines = [f"낱말{i} 낱말{i + 1} 낱말{i + 2}" for i in range(9000)]
    path = tmp_path / "long.txt"
    bench._lengthen(lines, 1, path)
    written = path.read_text(encoding="utf-8").splitlines()
    assert 900_000 < path.stat().st_size <= 1_000_000
    assert len(set(written)) > 0.99 * len(written)
