"""Hostile input everywhere: a clear refusal or a result, never another exception."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import state
from app.mixture import mixture_source
from app.reference import ModelReference, parse_reference
from app.tables.segmentation import joined_surrogates, segment
from app.tables.utf8 import parse_hex
from engine.cli import main
from engine.config import TrainingSettings
from engine.corpus.read import decode_bytes, open_corpus
from engine.errors import InputError
from engine.lessons.toy_corpus import read_toy_corpus
from engine.model_files import load_tokenizer, tokenizer_from_bytes
from engine.training import save_tokenizer, start_training
from tests.conftest import ROOT

# The cases that broke other tools: literal tokens, marks, NUL, invisible and wide spaces, line ends, surrogates, emoji.
NASTY = (
    "<0x41>", "<unk>", "[UNK]", "</s>", "\u2581", "\u2581a", "\x00", "a\x00b", "\u200b", "\u3000", "\r\n", "\r",
    "\ud800", "\udc00\ud800", "👨\u200d👩\u200d👧", "\u1112\u1161\u11ab", "갂쀍뷁", "\ufeff", "\ufffe", "\U0010ffff",
    "\u0301" * 50, "a" * 5000, " " * 3000, "가" * 5000, "' OR 1=1 --", "<script>alert(1)</script>", "${jndi:x}",
    "../../etc/passwd", "%s%n", "((((a+)+)+)+)!", "\u202e\u202d", "ﷺ", "🏴\U000e0067\U000e0062", "１２３", "\t\t\t",
    "\x1b[31m", "NaN", "-0", "1e999", "{}", "[]", "~", "z", "z%%%",
)  # fmt: skip
QUICK, MANY = 400, 12_000


def _texts(seed: int, n: int) -> list[str]:
    """The nasty cases, and mixtures of them."""
    dice = random.Random(seed)
    return [*NASTY, *("".join(dice.choices(NASTY, k=dice.randint(1, 4)))[:3000] for _ in range(n))]


def _bytes(seed: int, n: int) -> list[bytes]:
    dice = random.Random(seed)
    made = [text.encode("utf-8", "surrogatepass") for text in _texts(seed, n // 2)]
    heads = [
        b"",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"PAR1",
        b"PK\x03\x04",
        b'{"a": ',
        b"a,b\n",
    ]
    made += [dice.choice(heads) + dice.randbytes(dice.randint(0, 300)) for _ in range(n // 2)]
    return made


def _refuses_or_works(call: Callable[[], object]) -> None:
    """Anything but InputError is a defect, and so is a replacement character that nobody typed."""
    try:
        result = call()
    except InputError as error:
        if not str(error).strip() or "Traceback" in str(error):
            pytest.fail(f"not a clear message: {error!r}")
    else:
        assert "\ufffd" not in str(result)[:10_000]


def _run(n: int, tmp_path: Path) -> None:
    names = ("a.txt", "a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.txt.gz", "a.zst", "a.xyz")
    for k, data in enumerate(_bytes(1, n)):
        _refuses_or_works(lambda data=data: decode_bytes(data))
        _refuses_or_works(lambda data=data, k=k: open_corpus(data, names[k % len(names)], None, 1_000_000))
        _refuses_or_works(lambda data=data: tokenizer_from_bytes(data))
    for text in _texts(2, n):
        _refuses_or_works(lambda text=text: state.unpack_text(text.replace("\ufffd", "")))
        _refuses_or_works(lambda text=text: parse_reference(text))
        _refuses_or_works(lambda text=text: mixture_source(text))
        _refuses_or_works(lambda text=text: read_toy_corpus(text))
        _refuses_or_works(lambda text=text: parse_hex(text))


def _mutations(files: list[bytes], n: int) -> list[bytes]:
    """Real model files with a byte changed, cut, doubled or with a number made huge."""
    dice = random.Random(3)
    made = []
    for _ in range(n):
        data = bytearray(dice.choice(files))
        kind = dice.randrange(4)
        at = dice.randrange(len(data))
        if kind == 0:
            data[at] = dice.randrange(256)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = data[at : at + 40]
        else:
            data[at : at + 8] = b"99999999"
        made.append(bytes(data))
    return made


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A model file of every kind."""
    folder = tmp_path_factory.mktemp("models")
    paths = []
    for algorithm in ("thunder-tok", "byte-bpe", "wordpiece", "words"):
        training = start_training(
            ["나무에 꽃이 피었다.", "a b <x>"] * 4,
            TrainingSettings(algorithm=algorithm, vocab_size=270, pretokenizer="gpt2"),
        )
        for _ in training.rounds():
            pass
        paths.append(folder / f"{algorithm}.tok")
        save_tokenizer(training.model(), paths[-1])
    return paths


def test_hostile_bytes_and_texts(tmp_path: Path) -> None:
    _run(QUICK, tmp_path)


def test_mutated_model_files(files: list[Path]) -> None:
    for data in _mutations([path.read_bytes() for path in files], QUICK):
        _refuses_or_works(lambda data=data: tokenizer_from_bytes(data).vocab_size)


def test_every_tokenizer_cuts_every_text(files: list[Path]) -> None:
    for path in files:
        tokenizer = load_tokenizer(path)
        for text in _texts(4, 60):
            own = joined_surrogates(text)
            segmentation = segment(tokenizer, own)
            assert b"".join(segmentation.bytes_of(k) for k in range(segmentation.ids.size)) in (own.encode(), b"")
            _refuses_or_works(lambda tokenizer=tokenizer, own=own: tokenizer.decode(tokenizer.encode(own).ids))


def test_the_command_line_never_ends_in_a_traceback(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd"
    for k, data in enumerate(_bytes(5, 40)):
        odd.write_bytes(data)
        for arguments in (
            ["encode", "--model", str(files[k % len(files)]), str(odd)],
            ["tokens", "--model", str(odd)],
            ["train", str(odd), "--vocab-size", "300", "--output", str(tmp_path / "m")],
            ["segment", "--method", "pmi-entropy", str(odd)],
        ):
            try:
                code = main(arguments)
            except SystemExit as end:
                code = int(end.code or 0)
            output = capsys.readouterr()
            assert code in (0, 2), arguments
            if code == 2:
                last = output.err.strip().splitlines()[-1]
                assert last and "Traceback" not in output.err


@pytest.mark.parametrize("page", ["explore", "lattice", "learn_failures", "compare"])
def test_pages_take_hostile_parameters(page: str) -> None:
    dice = random.Random(6)
    reference = str(ModelReference("toy", TrainingSettings(vocab_size=300)))
    for _ in range(3):
        app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300)
        names = ("text", "token", "with", "and", "view", "topic", "compare", "size", "round", "find", "sort")
        values = {name: joined_surrogates(dice.choice(NASTY))[:500] for name in names}
        app.query_params.update({"lang": "en", "model": reference, **values})
        app.run()
        if page != "explore":
            app.switch_page(str(ROOT / "app" / "views" / f"{page}.py")).run()
        assert not app.exception, values
        assert "\ufffd" not in str(app)


@pytest.mark.slow
def test_ten_thousand_and_more(files: list[Path], tmp_path: Path) -> None:
    _run(MANY, tmp_path)
    for data in _mutations([path.read_bytes() for path in files], 4000):
        _refuses_or_works(lambda data=data: tokenizer_from_bytes(data).vocab_size)
