"""Parity-aware BPE: the authors' cases, `tokenizers` on random corpora, and the command."""

import json
import random
from pathlib import Path

import pytest

from engine.cli import main
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.interop.imported.byte_text import CHARACTER_OF_BYTE
from engine.merges.bpe import Bpe
from engine.merges.parity import ParityTrainer, parity_trainer
from engine.model_files import load_tokenizer

_N_BYTES = 256


def _trained(texts: list[list[str]], parallel: list[list[str]], n_merges: int, **options: int) -> ParityTrainer:
    settings = TrainingSettings(algorithm="byte-bpe", vocab_size=_N_BYTES + n_merges, pretokenizer="gpt2")
    trainer = parity_trainer(texts, parallel, settings, **options)
    reports = list(trainer.rounds(every=3))
    assert reports[-1].is_last and reports[-1].number == trainer.history.n_merges
    if reports[-1].number:
        assert trainer.history.n_tokens[-1] == reports[-1].n_tokens
    return trainer


def _merges(trainer: ParityTrainer) -> list[list[str]]:
    model = trainer.model()
    assert isinstance(model, Bpe)
    names = ["".join(CHARACTER_OF_BYTE[byte] for byte in token.surface) for token in model.tokens]
    return [[names[a], names[b]] for a, b in zip(model.history.left, model.history.right, strict=True)]


def _peer_merges(texts: list[list[str]], parallel: list[list[str]], n_merges: int, **options: int) -> list[list[str]]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    peer = Tokenizer(models.BPE())
    peer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.ParityBpeTrainer(num_merges=n_merges, min_frequency=1, show_progress=False, **options)
    trainer.train_from_iterator(peer, train_iterators=texts, dev_iterators=parallel)
    return json.loads(peer.to_str())["model"]["merges"]


def _before_a_repetition(merges: list[list[str]]) -> list[list[str]]:
    """The merges before the first that makes a text again: then `tokenizers` has one id for two pairs of parts."""
    made: set[str] = set()
    for k, (left, right) in enumerate(merges):
        if left + right in made:
            return merges[:k]
        made.add(left + right)
    return merges


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("global_merges", [0, 4])
def test_the_same_merges_as_tokenizers(seed: int, global_merges: int) -> None:
    draw = random.Random(seed)
    alphabets = ["abcab", "xyzxa", "가나다", "éü a", "aaab"]

    def lines(language: int, n: int) -> list[str]:
        letters = alphabets[language]
        return [
            " ".join("".join(draw.choices(letters, k=draw.randint(1, 6))) for _ in range(draw.randint(1, 5)))
            for _ in range(n)
        ]

    n_languages = draw.randint(1, 5)
    texts = [lines(k, draw.randint(1, 15)) for k in range(n_languages)]
    parallel = [lines(k, 4) for k in range(n_languages)]
    theirs = _peer_merges(texts, parallel, 40, global_merges=global_merges)
    ours = _merges(_trained(texts, parallel, 40, global_merges=global_merges))
    same = _before_a_repetition(theirs)
    assert len(same) > 5
    assert ours[: len(same)] == same
    if len(same) == len(theirs):
        assert ours == theirs


def test_the_cases_with_parallel_sentences(shared_data: Path) -> None:
    cases = json.loads((shared_data / "rivals" / "parity.json").read_text(encoding="utf-8"))["cases"]
    n_tried = 0
    for case in cases:
        if case["settings"].get("variant") or case["settings"].get("total_symbols"):
            continue
        if case["ratio"] and not case["dev"]:
            continue
        # Without other sentences, the trainer of the cases counts the corpora themselves.
        texts, wanted = case["train"], case["merges"]
        texts = [[word for line in text for word in line.split()] for text in texts]
        dev = [[" ".join(line.split()) for line in text] for text in case["dev"] or case["train"]]
        dev = [[word for line in text for word in line.split()] for text in dev]
        longest = max(map(len, dev))
        dev = [text + [""] * (longest - len(text)) for text in dev]
        options = {"global_merges": case["settings"].get("global_merges", 0)}
        n_merges = case["settings"]["num_merges"]
        assert _merges(_trained(texts, dev, n_merges, **options)) == wanted, case["name"]
        n_tried += 1
    assert n_tried >= 5


def test_the_language_with_the_most_tokens_has_the_turn() -> None:
    trainer = _trained([["ab ab ab ab"], ["cd cd"]], [["ab"], ["cd cd cd"]], 4)
    assert _merges(trainer) == [["c", "d"], ["Ġ", "cd"], ["a", "b"], ["Ġ", "ab"]]
    assert trainer.turns == [1, 1, 0, 0]  # the second language has no pair left after its two


_REFUSED = {
    "missing": (["a.txt", "b.txt", "--algorithm", "parity-bpe"], "--parallel"),
    "other algorithm": (["a.txt", "--algorithm", "bpe", "--parallel", "a.txt"], "parity-bpe only"),
    "global": (["a.txt", "--algorithm", "bpe", "--global-merges", "3"], "--global-merges"),
    "files": (["a.txt", "b.txt", "--algorithm", "parity-bpe", "--parallel", "a.txt"], "2 corpora but 1"),
    "lines": (["a.txt", "b.txt", "--algorithm", "parity-bpe", "--parallel", "a.txt", "b.txt"], "(2, 1)"),
    "empty": (["a.txt", "e.txt", "--algorithm", "parity-bpe", "--parallel", "b.txt", "b.txt"], "language 2"),
    "negative": (["a.txt", "--algorithm", "parity-bpe", "--parallel", "a.txt", "--global-merges", "-1"], "0 or more"),
    "stream": (["a.txt", "--algorithm", "parity-bpe", "--parallel", "a.txt", "--stream"], "in memory"),
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.txt", "low lower\nlowest\n"), ("b.txt", "가나 가나 다라\n"), ("e.txt", "\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("case", _REFUSED)
def test_what_is_refused(case: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, said = _REFUSED[case]
    assert main(["train", *arguments, "--vocab-size", "262", "--output", "m.json"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and said in error
    assert not (files / "m.json").exists()


def test_the_command_writes_the_same_ordinary_model_on_any_threads(files: Path) -> None:
    (files / "c.txt").write_text("가나 가나\n다라\n", encoding="utf-8")
    for threads in ("1", "2"):
        arguments = [
            "a.txt",
            "b.txt",
            "--algorithm",
            "parity-bpe",
            "--parallel",
            "a.txt",
            "c.txt",
            "--vocab-size",
            "264",
        ]
        assert main(["train", *arguments, "--threads", threads, "--output", f"m{threads}.json"]) == 0
    assert (files / "m1.json").read_bytes() == (files / "m2.json").read_bytes()
    model = load_tokenizer("m1.json")
    assert model.name == "Byte-level BPE" and model.vocab_size == 264
    assert model.decode(model.encode("가나 lower 😀").ids) == "가나 lower 😀"
    assert main(["export", "--model", "m1.json", "--to", "hf", "--output", "t.json"]) == 0
    assert load_tokenizer("t.json").encode("가나 lower 😀").ids == model.encode("가나 lower 😀").ids


def test_the_number_of_languages_is_checked() -> None:
    with pytest.raises(InputError):
        parity_trainer([["a"]], [["a"], ["b"]], TrainingSettings(algorithm="byte-bpe", vocab_size=300))
