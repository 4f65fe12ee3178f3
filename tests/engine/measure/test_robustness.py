"""What variants do to tokens: against a naive program, and by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thundertok as tt
from engine import TrainingSettings, train
from engine.cli import main
from engine.errors import InputError
from engine.measure.encoded import encode_lines
from engine.measure.robustness import changed_cuts, robustness_rows
from engine.measure.variants import VARIANTS, variant, written
from engine.public.load import load_public
from engine.tokenizer import Tokenizer

LINES = ["가나 다라", "나무 가나 다라마", "가나", "", "다라 나무!"]
_BYTES = train(["가"], TrainingSettings(algorithm="bytes", vocab_size=256))
_BPE = train(LINES * 3, TrainingSettings(algorithm="byte-bpe", vocab_size=300, pretokenizer="gpt2"))


def naive_cuts(tokenizer: Tokenizer, text: str, pairs: list[tuple[str, str]], side: int) -> set[float]:
    """Cuts between the characters that both texts have, counted from 0; halves are inside a character."""
    places = {0: 0.0}
    n_bytes, n_characters = 0, 0.0
    for pair in pairs:
        for k in range(1, len(pair[side].encode()) + 1):
            places[n_bytes + k] = n_characters + 0.5 if all(pair) else n_characters
        n_bytes += len(pair[side].encode())
        n_characters += all(pair)
        places[n_bytes] = n_characters
    cuts, at = set(), 0
    for token in tokenizer.encode(text).ids:
        cuts.add(places[at])
        at += len(tokenizer.token_bytes(token))
    return cuts - {0.0, n_characters}


@pytest.mark.parametrize("kind", VARIANTS)
@given(text=st.text(st.sampled_from("가나다라마 쀍a.ㅋ"), max_size=14))
def test_places_are_those_of_a_naive_program(kind: str, text: str) -> None:
    pairs = variant(text, kind, 0.5)
    for tokenizer in (_BYTES, _BPE):
        encoded = [encode_lines(tokenizer, [one]) for one in ("".join(old for old, _ in pairs), written(pairs))]
        counted = changed_cuts(encoded[0], encoded[1], [pairs])
        one, other = (naive_cuts(tokenizer, own.lines[0], pairs, k) for k, own in enumerate(encoded))
        assert counted is not None and counted.tolist() == [[len(one ^ other), len(one | other)]]


def test_a_removed_space_has_no_width() -> None:
    characters = train(LINES, TrainingSettings(algorithm="characters", vocab_size=20))
    (row,) = robustness_rows([("characters", characters)], {"a": ["가나 다라", "가나 나무"]}, ["no-spaces"])
    assert (row["tokens"], row["added"], row["characters"], row["cuts"], row["changed_cuts"]) == (10, -2, 10, 6, 0.0)
    assert row["added_per_character"] == row["added_per_character_low"] == -0.2


def test_the_best_are_those_whose_interval_says_so() -> None:
    lines = [f"{k}월 {7 * k % 28 + 1}일은 날씨가 좋아서 비빔면을 먹고 산에 갔다." for k in range(1, 13)]
    models = [(name, load_public(name)) for name in ("gpt2", "o200k_base")]
    rows = {(row["variant"], row["model"]): row for row in robustness_rows(models, {"a": lines})}
    assert len(rows) == 2 * len(VARIANTS)
    for kind in VARIANTS:
        finest, other = rows[kind, "gpt2"], rows[kind, "o200k_base"]
        assert finest["best"] and finest["changed_cuts"] < other["changed_cuts"]
        assert other["best"] == (other["from_best_p"] > 0.05)
        for row in (finest, other):
            assert row["changed_cuts_low"] <= row["changed_cuts"] <= row["changed_cuts_high"]
            before, after = (
                sum(len(dict(models)[row["model"]].encode(line).ids) for line in texts)
                for texts in (lines, [written(variant(line, kind)) for line in lines])
            )
            assert (row["tokens"], row["added"]) == (before, after - before)
    assert rows["nfd", "o200k_base"]["changed_cuts"] > 0.5


def test_a_normal_form_joins_letters_again() -> None:
    settings = TrainingSettings(algorithm="byte-bpe", vocab_size=280, pretokenizer="gpt2", normalization="nfc")
    model = train(LINES, settings)
    rows = {row["variant"]: row for row in robustness_rows([("nfc", model)], {"a": LINES[:2]}, ["nfd", "jamo"])}
    assert rows["nfd"]["added"] == 0 and rows["nfd"]["changed_cuts"] == 0.0
    assert rows["jamo"]["added"] > 0
    # A letter of the next character joins the syllable before it: there is no place to compare.
    pairs = [("가", "가"), ("나", "\u11a8")]
    encoded = [encode_lines(model, [text]) for text in ("가나", "가\u11a8")]
    assert changed_cuts(encoded[0], encoded[1], [pairs]) is None


@pytest.mark.parametrize(
    ("lines", "kind"), [(["abc def"], "typing"), (["가나"], "no-spaces"), ([" ", ""], "no-spaces")]
)
def test_a_text_that_stays_as_it_is_is_refused(lines: list[str], kind: str) -> None:
    with pytest.raises(InputError, match=f"the variant {kind} changes nothing in a.txt"):
        robustness_rows([("bytes", _BYTES)], {"a.txt": lines}, [kind])


def test_what_is_refused_is_not_encoded_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.measure.robustness.encode_lines", lambda *_: pytest.fail("was encoded"))
    with pytest.raises(InputError, match="no-spaces changes nothing"):
        robustness_rows([("bytes", _BYTES)], {"a.txt": ["가나다라"]}, ["nfd", "no-spaces"])


def test_command_and_package_print_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("오늘은 날씨가 참 좋네요.\n어제는 비가 왔다.\n", encoding="utf-8")
    arguments = ["robustness", "--model", "public:gpt2", "--text", str(path), "--rate", "0.9", "--seed", "3"]
    figure = tmp_path / "a.svg"
    assert main([*arguments, "--json", "--figure", str(figure)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["variant"] for row in rows] == list(VARIANTS) and figure.read_text("utf-8").startswith("<svg")
    found = tt.robustness("public:gpt2", path, rate=0.9, seed=3)
    for name in ("added_per_character_low", "changed_cuts", "changed_cuts_high", "best"):
        assert found[name].tolist() == [row[name] for row in rows]
    assert main([*arguments, "--variants", "jamo", "nfd"]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()[1:3]] == ["jamo", "nfd"]
    for wrong in (["--rate", "0"], ["--rate", "1.5"], ["--variants", "upside-down"], ["--seed", "-1"]):
        with pytest.raises(SystemExit) as stop:
            main([*arguments, *wrong])
        assert stop.value.code == 2 and len(capsys.readouterr().err.splitlines()) == 1
    path.write_text("hello\n", encoding="utf-8")
    assert main(arguments) == 2 and "changes nothing" in capsys.readouterr().err
    assert np.isfinite(found["changed_cuts"]).all()
