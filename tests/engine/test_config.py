"""Defaults of the algorithms, and the settings that feasible sizes are looked up with."""

from dataclasses import fields, replace

import pytest

from engine.config import (
    ALGORITHMS,
    MERGE_ALGORITHMS,
    RECIPES,
    TrainingSettings,
    chosen_settings,
    defaults_of,
    recipe_of,
    size_probe,
    unused_settings,
)
from engine.errors import InputError
from engine.training import start_training, train

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다."] * 5
# Another value of every setting, feasible with the lines above.
OTHERS = {
    "vocab_size": 275,
    "pretokenizer": "gpt2",
    "score": "ml",
    "seed_vocabulary": "ngrams",
    "seed_factor": 1.5,
    "context": "pretoken",
    "membership": "expected",
    "shrink": 0.5,
    "sub_iterations": 1,
    "min_count": 3,
    "max_token_bytes": 6,
    "max_seed": 20,
    "special_tokens": ("<pad>",),
    "normalization": "nfd",
    "sentencepiece_safe": True,
    "partial_characters": True,
    "ties": "tokenizers",
    "transition": 0.96,
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_only_two_algorithms_have_defaults_of_their_own(algorithm: str) -> None:
    usual = TrainingSettings(algorithm=algorithm)
    own = {
        "unigram": replace(usual, score="ml", seed_vocabulary="ngrams"),
        "superbpe": replace(usual, pretokenizer="gpt2", ties="tokenizers"),
    }
    assert defaults_of(algorithm) == own.get(algorithm, usual)


@pytest.mark.parametrize("algorithm", ["thunder-tok", "unigram", "byte-bpe", "wordpiece", "superbpe"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_probe_finds_the_sizes_of_the_training(algorithm: str, name: str) -> None:
    changed = replace(defaults_of(algorithm), **{"vocab_size": 270, name: OTHERS[name]})
    low, high = start_training(LINES, size_probe(changed)).feasible
    if algorithm in MERGE_ALGORITHMS:
        # The training itself knows how small it can be; with the same settings it can be as large as the probe says.
        assert start_training(LINES, replace(changed, vocab_size=high)).feasible == (low, high)
    else:
        assert start_training(LINES, changed).feasible == (low, high)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_setting_of_which_no_use_is_made_changes_no_token(algorithm: str) -> None:
    usual = replace(defaults_of(algorithm), vocab_size=256 if algorithm == "bytes" else 270)
    changed = [replace(usual, **{name: value}) for name, value in OTHERS.items()]
    unused = [settings for settings in changed if unused_settings(settings)]
    assert unused and not unused_settings(usual)

    def tokens(settings: TrainingSettings) -> list[str]:
        model = train(LINES, settings, 1)
        return [*map(model.token_label, range(model.vocab_size)), *map(str, model.encode(LINES[0]).ids)]

    assert [tokens(settings) == tokens(usual) for settings in unused] == [True] * len(unused)


def test_a_probe_finds_the_sizes_of_the_seed_that_bpe_chooses() -> None:
    # The seed grows with the size that is asked for, the sizes that can be asked for do not.
    chosen = TrainingSettings(seed_vocabulary="bpe", seed_factor=1.0)
    low, high = start_training(LINES, size_probe(replace(chosen, seed_factor=3.0))).feasible
    assert size_probe(chosen) == size_probe(replace(chosen, seed_factor=3.0)) != size_probe(TrainingSettings())
    assert start_training(LINES, replace(chosen, vocab_size=high)).feasible == (low, high)
    with pytest.raises(InputError, match=f"choose a size from {low} to {high} "):
        start_training(LINES, replace(chosen, vocab_size=high + 1))


@pytest.mark.parametrize("factor", [0.5, 10_001, float("nan")])
def test_a_seed_factor_out_of_range_is_refused(factor: float) -> None:
    with pytest.raises(InputError, match="seed factor must be between 1 and 10,000"):
        TrainingSettings(seed_factor=factor)


def test_a_recipe_is_known_by_its_parts() -> None:
    for name in RECIPES:
        assert recipe_of(chosen_settings("thunder-tok", name, vocab_size=999, shrink=0.5)) == name
    assert recipe_of(TrainingSettings(score="tokens")) is None
    assert recipe_of(TrainingSettings()) == "thunder-tok"


def test_every_setting_is_tried_above() -> None:
    assert {*OTHERS, "algorithm"} == {setting.name for setting in fields(TrainingSettings)}


def test_probes_are_equal_where_the_sizes_cannot_differ() -> None:
    wanted = TrainingSettings(vocab_size=300, score="p", context="pretoken", shrink=0.5, sub_iterations=3)
    assert size_probe(wanted) == size_probe(TrainingSettings())
    assert size_probe(defaults_of("unigram")) == size_probe(TrainingSettings(seed_vocabulary="ngrams"))
    assert size_probe(replace(wanted, min_count=3)) != size_probe(wanted)
    assert size_probe(TrainingSettings(algorithm="bpe", ties="tokenizers")) == size_probe(
        TrainingSettings(algorithm="bpe")
    )
