"""The search for fewer tokens runs, and trains what it says."""

from dataclasses import replace

import pytest

from engine.training import seed_tokens
from engine.unigram.train.trainer import train
from research import search_fewest
from tests.engine.unigram.test_trainer import sentences


def test_the_search_is_skipped_without_its_corpora(capsys: pytest.CaptureFixture[str], tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("sys.argv", ["search_fewest.py", "--data", str(tmp_path)])
    search_fewest.main()
    assert capsys.readouterr().out.startswith("skipped: there is no ")


def test_a_factor_of_the_search_is_the_trainers() -> None:
    bench = search_fewest.Bench(sentences(200), 300, 1)
    for factor in (1.1, 2.0):
        asked = replace(bench.settings, seed_factor=factor)
        tokens = seed_tokens(bench.corpus.pretokens, asked)
        assert bench.train(bench.best(factor)).tokens == train(bench.corpus, asked, seed_tokens=tokens).tokens
    grown = search_fewest.again(bench, 1.1, 1)
    assert grown.vocab_size == 300 and grown.tokens != bench.train(bench.best(1.1)).tokens
