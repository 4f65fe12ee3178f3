"""Hostile input everywhere: a clear refusal or a result, in bounded time and memory, never another exception.

The quick tests take a few hundred inputs of each kind; `make test-slow` takes more than ten thousand.
"""

import argparse
import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from app.parts.tables.learn.utf8 import parse_hex
from app.parts.tables.segmentation import joined_surrogates, segment
from app.server.stored_texts import checked_text
from app.session import state
from app.session.reference import parse_reference
from app.texts.mixture import find_text, mixture_text
from app.toys.corpus import read_toy_corpus
from app.views.boundaries.scores import _decode as decode_lambda
from app.views.scores.scatter import parse_box
from engine.cli import build_parser, main
from engine.config import ALGORITHMS, TrainingSettings
from engine.corpus.health import corpus_health
from engine.corpus.reading.encodings import ENCODINGS
from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import decode_bytes, open_corpus
from engine.corpus.reading.tables import TextTable
from engine.interop.huggingface.exporter import PROFILES, to_tokenizer_json
from engine.interop.huggingface.vocab_txt import to_vocab_txt
from engine.interop.sentencepiece.exporter import to_sentencepiece
from engine.interop.tiktoken.ranks import to_tiktoken
from engine.model_files import tokenizer_from_bytes
from engine.training import start_training
from tests.hostile import NASTY, blobs, bounded_memory, check, mutations, replaced, signed, texts

LINES = ["나무에 꽃이 피었다.", "새가 꽃을 보았다.", "a b <x> 3.14"] * 4
NAMES = ("a.txt", "a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.txt.gz", "a.zst", "a.xyz", "../<b>.csv", "")
MAX_BYTES = 1_000_000


@pytest.fixture(autouse=True)
def _bounds() -> Iterator[None]:
    with bounded_memory():
        yield


def _trained(algorithm: str, **changes: Any) -> Any:
    training = start_training(LINES, TrainingSettings(**{"algorithm": algorithm, "vocab_size": 290, **changes}))
    for _ in training.rounds():
        pass
    return training.model()


def _sentencepiece(kind: str) -> bytes:
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=file,
        model_type=kind,
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
        byte_fallback=False,
    )
    return file.getvalue()


@pytest.fixture(scope="module")
def own_files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A model file of every algorithm."""
    folder = tmp_path_factory.mktemp("models")
    paths = []
    for algorithm in ALGORITHMS:
        paths.append(folder / f"{algorithm}.tok")
        changes = {"pretokenizer": "pmi-entropy"} if algorithm == "thunder-tok" else {"pretokenizer": "gpt2"}
        _trained(algorithm, **changes).save(paths[-1])
    return paths


@pytest.fixture(scope="module")
def files(own_files: list[Path]) -> list[bytes]:
    """A file of every kind that can be opened, ours and other programs'."""
    bpe, wordpiece = _trained("byte-bpe", pretokenizer="gpt2"), _trained("wordpiece", pretokenizer="whitespace")
    safe = _trained("thunder-tok", sentencepiece_safe=True)
    others = [
        *(to_tokenizer_json(safe, profile) for profile in PROFILES),
        to_tokenizer_json(bpe),
        to_tokenizer_json(wordpiece),
        to_sentencepiece(safe),
        _sentencepiece("unigram"),
        _sentencepiece("bpe"),
        to_vocab_txt(wordpiece),
        to_tiktoken(bpe),
    ]
    made = [*(path.read_bytes() for path in own_files), *others]
    for data in made:
        assert _uses(data)
    return made


def _uses(data: bytes) -> int:
    """Open a model file and do with it what pages do."""
    tokenizer = tokenizer_from_bytes(data)
    for text in ("나무에 <0x41> a b\u3000\x00", ""):
        segment(tokenizer, text)
        tokenizer.decode(tokenizer.encode(text).ids)
    last = tokenizer.vocab_size - 1
    for token_id in {0, last // 2, last}:
        assert "\ufffd" not in tokenizer.token_label(token_id)
        tokenizer.token_bytes(token_id)
    return int(tokenizer.vocab_size)


def _upload(data: bytes, name: str, encoding: str | None) -> object:
    """What the Train page does with a file."""
    content, _ = open_corpus(data, name, encoding, MAX_BYTES)
    if isinstance(content, TextTable):
        content = "".join(content.read(column, MAX_BYTES).text for column in content.names[:3])
    return _paste(content)


def _paste(text: str) -> object:
    """What the Train page does with a text."""
    source = checked_text(text)
    source.lines()
    return corpus_health(source.read()), source.n_words


# What reads a parameter of the URL, or a field that takes any text.
_READERS: tuple[Callable[[str], object], ...] = (
    state.unpack_text,
    parse_reference,
    mixture_text,
    read_toy_corpus,
    parse_hex,
    parse_box,
    decode_lambda,
    _paste,
    lambda text: find_text(text, {}),
)


def _run(n: int) -> int:
    """n inputs to the upload, to the opening of models, and to every reader of texts."""
    made = 0
    for k, data in enumerate(blobs(1, n)):
        check(lambda data=data: decode_bytes(data))
        check(lambda data=data, k=k: _upload(data, NAMES[k % len(NAMES)], (None, *ENCODINGS)[k % (1 + len(ENCODINGS))]))
        check(lambda data=data: _uses(data))
        made += 2
    for k, text in enumerate(texts(2, n)):
        read = _READERS[k % len(_READERS)]
        check(lambda read=read, text=text: read(text.replace("\ufffd", "")))
        made += 1
    return made


def _train(seed: int, n: int) -> None:
    """Tiny trainings on hostile lines, with every algorithm."""
    dice = random.Random(seed)
    for k, text in enumerate(texts(seed, n)):
        algorithm = ALGORITHMS[k % len(ALGORITHMS)]
        lines = split_lines((text[:300] + "\n") * 2 + dice.choice(NASTY)[:300] + "\n가 나 다\n")
        special = (dice.choice(NASTY)[:50],) if dice.random() < 0.3 else ()

        def train(algorithm: str = algorithm, lines: list[str] = lines, special: tuple[str, ...] = special) -> object:
            training = start_training(
                lines, TrainingSettings(algorithm=algorithm, vocab_size=270, special_tokens=special)
            )
            for _ in training.rounds():
                pass
            return training.model().encode(lines[0]).ids

        check(train)


def test_hostile_bytes_and_texts() -> None:
    _run(250)


def test_mutated_model_files(files: list[bytes]) -> None:
    for data in mutations(files, 3, 400):
        check(lambda data=data: _uses(data))


def test_training_on_hostile_lines() -> None:
    _train(7, 40)


def test_every_tokenizer_cuts_every_text(files: list[bytes]) -> None:
    for data in files:
        tokenizer = tokenizer_from_bytes(data)
        for text in texts(4, 0)[::3]:
            own = joined_surrogates(text)
            segmentation = segment(tokenizer, own)
            assert b"".join(segmentation.bytes_of(k) for k in range(segmentation.ids.size)) in (own.encode(), b"")
            check(lambda tokenizer=tokenizer, own=own: tokenizer.decode(tokenizer.encode(own).ids))


def _values(action: argparse.Action, dice: random.Random, paths: list[str]) -> list[str]:
    """What to write after an option: mostly something that it could take."""
    if action.nargs == 0:
        return []
    if dice.random() < 0.3:
        value = dice.choice((*NASTY, *paths))
    elif action.choices:
        value = str(dice.choice(list(action.choices)))
    elif action.type in (int, float):
        value = dice.choice(("-1", "0", "1", "3", "300", "1e9", "99999999999", "0.5", "nan", "inf"))
    else:
        value = dice.choice(paths)
    return [value.replace("\0", "")[:3000]]


def _arguments(dice: random.Random, paths: list[str]) -> list[str]:
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    # Warming up takes no input.
    name = dice.choice([name for name in commands.choices if name != "warmup"])
    arguments = [name]
    for action in commands.choices[name]._actions:
        if action.option_strings and action.dest not in ("help", "threads", "output"):
            if action.required or dice.random() < 0.25:
                arguments += [action.option_strings[-1], *_values(action, dice, paths)]
        elif action.dest == "output":
            arguments += ["--output", dice.choice(paths[-2:])]
        elif not action.option_strings:
            arguments += _values(action, dice, paths)
    if dice.random() < 0.1:
        arguments.insert(dice.randrange(len(arguments)), dice.choice(NASTY).replace("\0", ""))
    return arguments


def _command_line(seed: int, n: int, models: list[Path], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dice = random.Random(seed)
    odd, plain, output = folder / "odd", folder / "plain.txt", folder / "made"
    plain.write_text("\n".join(LINES), encoding="utf-8")
    data = blobs(seed, n)
    for k in range(n):
        odd.write_bytes(data[k])
        paths = [str(odd), str(plain), str(dice.choice(models)), str(folder), str(folder / "no" / "such"), str(output)]
        arguments = _arguments(dice, paths)

        def call(arguments: list[str] = arguments) -> object:
            try:
                code = main(arguments)
            except SystemExit as end:
                code = int(end.code or 0)
            return code

        codes: list[object] = []
        check(lambda call=call, codes=codes: codes.append(call()))
        written = capsys.readouterr()
        assert codes[-1] in (0, 2), arguments
        assert "Traceback" not in written.err and "\ufffd" not in written.out, arguments
        if codes[-1] == 2:
            assert written.err.strip(), arguments


def test_the_command_line_never_ends_in_a_traceback(
    own_files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _command_line(5, 60, own_files, tmp_path, capsys)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def test_any_value_in_any_place_of_a_model_file(files: list[bytes]) -> None:
    @given(st.integers(0, 99), st.lists(st.integers(0, 10**6), min_size=1, max_size=6), _JSON)
    @settings(max_examples=150)
    def is_refused_or_works(k: int, place: list[int], value: object) -> None:
        data = replaced(files[k % len(files)], place, value)
        check(lambda: _uses(signed(data)) if data else None)

    is_refused_or_works()


@pytest.mark.slow
def test_ten_thousand_and_more(
    files: list[bytes], own_files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(2000) >= 6000
    for seed in (11, 12):
        for data in mutations(files, seed, 2000):
            check(lambda data=data: _uses(data))
    _train(13, 250)
    _command_line(14, 800, own_files, tmp_path, capsys)
