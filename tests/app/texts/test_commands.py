"""Commands that pages show: whatever is chosen, the command line understands the same."""

import shlex
from dataclasses import fields, replace

import pytest

from app.texts.commands import (
    OWN_TEXT,
    collocates_command,
    concordance_command,
    encode_commands,
    fertility_command,
    file_names,
    lattice_command,
    morphology_command,
    train_command,
)
from app.texts.corpora import builtin_corpus, own_text
from engine.cli import build_parser
from engine.commands.train import settings_of
from engine.config import ALGORITHMS, RECIPES, TrainingSettings, defaults_of
from engine.corpus.files import CorpusFiles
from tests.conftest import ROOT

CHANGED = {
    "vocab_size": 999,
    "pretokenizer": "-가| \\w+",
    "score": "p",
    "seed_vocabulary": "ngrams",
    "context": "pretoken",
    "seed_factor": 2.5,
    "membership": "occurrence",
    "shrink": 0.3,
    "sub_iterations": 3,
    "min_count": 5,
    "max_token_bytes": 20,
    "max_seed": 5000,
    "special_tokens": ("<s>", "--a b", "'\""),
    "normalization": "nfd",
    "sentencepiece_safe": True,
    "partial_characters": True,
    "ties": "lexicographic",
    "transition": 0.6,
}


def parsed(command: str):
    program, *words = shlex.split(command)
    assert program == "thunder-tok"
    return build_parser().parse_args(words)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_training_is_told_with_all_its_settings(algorithm: str) -> None:
    assert {field.name for field in fields(TrainingSettings)} == {"algorithm", *CHANGED}
    source = builtin_corpus("ko", ("news", "essay"))
    changed = {name: value for name, value in CHANGED.items() if name != "transition" or algorithm == "superbpe"}
    for settings in (defaults_of(algorithm), TrainingSettings(algorithm=algorithm, **changed)):  # type: ignore[arg-type]
        options = parsed(train_command(source, settings, "가 나.tok"))
        assert settings_of(options) == settings and options.output == "가 나.tok"
        assert [ROOT / path for path in options.corpus] == list(source.paths)
    assert parsed(train_command(own_text("나무"), TrainingSettings())).corpus == [OWN_TEXT]


def test_a_recipe_is_told_by_its_name() -> None:
    fewest = TrainingSettings(**RECIPES["fewest-tokens"], seed_factor=4.0)
    command = train_command(builtin_corpus("ko"), fewest)
    assert "--preset fewest-tokens" in command and "--score" not in command
    assert settings_of(parsed(command)) == fewest
    assert settings_of(parsed(f"{command} --score p")) == replace(fewest, score="p")


def test_a_table_of_fertility_is_told() -> None:
    texts = [builtin_corpus("ko", ("news",)), own_text("나무")]
    options = parsed(fertility_command(["1.tok", "가 나.json"], texts, "graphemes"))
    assert options.model == ["1.tok", "가 나.json"] and options.words == "graphemes"
    assert options.text == ["assets/corpora/ko/news.txt", OWN_TEXT]


def test_own_files_are_named_as_they_are_each_name_once() -> None:
    called = ["내 글.txt", "내 글.txt", "-o.csv.gz", "", "a.txt + 2", OWN_TEXT]
    texts = [own_text(f"나무 {number}", name) for number, name in enumerate(called)]
    names = file_names([*texts, texts[0], builtin_corpus("ko")])
    wanted = ["내 글.txt", "내 글-2.txt", "./-o.csv.gz", "corpus.txt", "corpus-2.txt", "corpus-3.txt"]
    assert [name for own in names.values() for name in own] == wanted
    assert parsed(fertility_command(["1.tok"], texts, "eojeol", names)).text == wanted
    assert parsed(train_command(texts[1], TrainingSettings(), names=names)).corpus == ["내 글-2.txt"]
    assert parsed(train_command(texts[0], TrainingSettings())).corpus == ["내 글.txt"]


def test_the_parts_of_a_table_are_files_whose_names_say_as_much() -> None:
    files = CorpusFiles.of({"reviews.csv: 소설, 1998": 1, "reviews.csv: ../x": 1})
    assert [*file_names([own_text("가\n나", "reviews.csv", files)]).values()] == [["소설_1998.txt", ".._x.txt"]]


def test_a_corpus_of_files_is_told_by_their_names() -> None:
    files = CorpusFiles.of({"novel_1998.txt": 1, "-news.csv": 1})
    several = own_text("가\n나", "novel_1998.txt + 1", files)
    wanted = ["novel_1998.txt", "./-news.csv"]
    assert parsed(train_command(several, TrainingSettings())).corpus == wanted
    assert parsed(fertility_command(["1.tok"], [several, own_text("다", "a.txt")], "eojeol")).text == [*wanted, "a.txt"]


def test_a_table_of_morphology_is_told() -> None:
    options = parsed(morphology_command(["shipped:byte-bpe-32k", "1.tok"], "-내 정답.tsv"))
    assert (options.model, options.gold) == (["shipped:byte-bpe-32k", "1.tok"], "./-내 정답.tsv")


@pytest.mark.parametrize("text", ["나는 밥", "--x 'y' \"z\"", "%s $HOME\n"])
def test_tokens_and_lattice_of_a_text(text: str) -> None:
    (command,) = encode_commands(["public:gpt2"], text)
    said, _, encode = command.rpartition(" | ")
    assert shlex.split(said) == ["printf", "%s", text]
    assert build_parser().parse_args(shlex.split(encode)[1:]).model == "public:gpt2"
    assert encode_commands(["m.tok"], 1001 * "가") == [f"thunder-tok encode --model m.tok {OWN_TEXT}"]
    asked = build_parser().parse_args(shlex.split(lattice_command("m.tok", text, 3))[1:])
    assert (asked.text, asked.round) == (text, 3)


@pytest.mark.parametrize("wanted", ['[tag="NNG"] [form="을|를"]', '[token=="\'"]', "--x $HOME", '"학교.*"'])
def test_a_search_is_told_with_its_files(wanted: str) -> None:
    texts = [own_text("나무", "-내 글.txt"), own_text("나무 꽃", "-내 글.txt"), builtin_corpus("ko", ("news",))]
    names = file_names(texts)
    for text, files in zip(texts, (["./-내 글.txt"], ["./-내 글-2.txt"], ["assets/corpora/ko/news.txt"]), strict=True):
        for name in ("query", "text"):
            options = parsed(concordance_command(text, "가 나.tok", {name: wanted}, names))
            assert (options.files, options.model, getattr(options, name)) == (files, "가 나.tok", wanted)
        window = {"unit": "words", "left": 0, "right": 7, "min-count": 2, "sort": "t", "analyser": "mecab"}
        options = parsed(collocates_command(text, "1.tok", {"node": wanted, **window}, names))
        assert (options.files, options.model, options.node) == (files, "1.tok", wanted)
        assert {name: getattr(options, name.replace("-", "_")) for name in window} == window
