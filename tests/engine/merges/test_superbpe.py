"""SuperBPE: golden vectors, a naive trainer on counts, the models in `tokenizers`, and what is refused."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Peer

from engine.cli import main
from engine.config import N_BYTES, TrainingSettings, chosen_settings
from engine.corpus.pretokens.known_patterns import SUPERWORDS
from engine.corpus.pretokens.presets import PRESETS
from engine.errors import InputError
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.imported.byte_text import to_byte_text
from engine.merges.alphabet import BYTE_ORDER
from engine.merges.bpe import Bpe
from engine.training import start_training, train
from tests.interop_text import corpus_lines, fuzz_lines

few = settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

GOLDEN = Path(__file__).resolve().parents[4] / "shared/data/rivals/superbpe.json"
LINES = [
    "name: the cat sat on the mat in 2024",
    "name: the dog sat on the mat in 2025...",
    "그 나무는 그 집 앞에 있다.",
    "그 나무는 그 산 위에 있다!?",
] * 3


def trained(lines: list[str], first: int, total: int, pretokenizer: str = "gpt2", **changes: Any) -> Bpe:
    """A model of `total` merges, of which the first stage makes `first`."""
    size = N_BYTES + total
    chosen = chosen_settings(
        "superbpe", vocab_size=size, transition=(N_BYTES + first) / size, pretokenizer=pretokenizer, **changes
    )
    model = train(lines, chosen)
    assert isinstance(model, Bpe)
    return model


def surfaces(model: Bpe) -> list[tuple[bytes, bytes]]:
    """The two parts of every merge."""
    pairs = zip(model.history.left.tolist(), model.history.right.tolist(), strict=True)
    return [(model.token_bytes(left), model.token_bytes(right)) for left, right in pairs]


# The oracle. Symbols are ids, since two merges may make the same bytes.


def _pieces(lines: list[str], pattern: str) -> Counter[str]:
    """Matches of the pattern, and the text between them."""
    return Counter(
        part
        for line in lines
        for part in regex.split(f"({pattern})", line)
        if part  # the pattern has no group of its own
    )


def _merged(word: list[int], pair: tuple[int, int], made: int) -> list[int]:
    """Left to right, a made symbol taking part in nothing more."""
    out: list[int] = []
    at = 0
    while at < len(word):
        fits = tuple(word[at : at + 2]) == pair
        out.append(made if fits else word[at])
        at += 2 if fits else 1
    return out


def _may_merge(text: bytes) -> bool:
    return b": " not in text and len([part for part in text.split(b" ") if part]) <= 4


class Naive:
    """Both stages, recounting everything before every merge."""

    def __init__(self, lines: list[str], pattern: str, first: int, total: int) -> None:
        self.tokens = [bytes([byte]) for byte in BYTE_ORDER]
        self.merges: list[tuple[int, int]] = []
        self._cut(lines, pattern)
        self._learn(first, vetoes=False)
        inherited, texts = self.merges, self.tokens
        self.tokens, self.merges = texts[:N_BYTES], []
        self._cut(lines, SUPERWORDS)
        new_id = dict(zip(range(N_BYTES), range(N_BYTES), strict=True))
        for old, (left, right) in enumerate(inherited, start=N_BYTES):
            pair = (new_id.get(left, -1), new_id.get(right, -1))
            if self._counts()[pair]:
                new_id[old] = len(self.tokens)
                self._merge(pair)
        self._learn(total, vetoes=True)

    def _cut(self, lines: list[str], pattern: str) -> None:
        number = {byte: i for i, byte in enumerate(BYTE_ORDER)}
        pieces = _pieces(lines, pattern)
        self.words = [([number[byte] for byte in text.encode()], count) for text, count in pieces.items()]

    def _counts(self) -> Counter[tuple[int, int]]:
        counts: Counter[tuple[int, int]] = Counter()
        for word, count in self.words:
            for pair in pairwise(word):
                counts[pair] += count
        return counts

    def _merge(self, pair: tuple[int, int]) -> None:
        made = len(self.tokens)
        self.words = [(_merged(word, pair, made), count) for word, count in self.words]
        self.tokens.append(self.tokens[pair[0]] + self.tokens[pair[1]])
        self.merges.append(pair)

    def _learn(self, total: int, vetoes: bool) -> None:
        while len(self.merges) < total:
            counts = self._counts()
            pairs = [pair for pair in counts if not vetoes or _may_merge(self.tokens[pair[0]] + self.tokens[pair[1]])]
            if not pairs:
                return
            self._merge(min(pairs, key=lambda pair: (-counts[pair], pair)))


WORDS = st.sampled_from(["a", "ab", "ba", "the", "나무", "a:", "b:", "1", "2024", "...", ".", "", "!?", "\t", "é"])
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=9).map(" ".join), min_size=1, max_size=6)


@few
@given(
    SENTENCES, st.integers(0, 12), st.integers(0, 14), st.sampled_from(["gpt2", "whitespace", "none", "thunder-tok"])
)
def test_as_the_naive_trainer_merges(lines: list[str], first: int, more: int, pretokenizer: str) -> None:
    if not any(lines):
        return
    model = trained(lines, first, first + more, pretokenizer)
    naive = Naive(lines, PRESETS[pretokenizer].pattern, first, first + more)
    got = list(zip(model.history.left.tolist(), model.history.right.tolist(), strict=True))
    assert got == naive.merges
    assert model.history.n_tokens.tolist()[-1:] == [sum(len(w) * c for w, c in naive.words)][: model.n_merges]
    for k in range(model.n_merges + 1):
        n_tokens = sum(len(model.encode_after(k, line).ids) for line in lines)
        assert n_tokens == (model.history.n_tokens[k - 1] if k else model.n_symbols)


@pytest.mark.skipif(not GOLDEN.is_file(), reason="no shared data")
@pytest.mark.parametrize("case", ["example", "colon"])
def test_golden_merges(case: str) -> None:
    golden = json.loads(GOLDEN.read_text())
    part, pattern = golden[case], golden["example"]["stage1_regex"]
    expected = part["merges"] if case == "example" else part["stage1"][: part["t"]] + part["new"]
    model = trained(part["lines"], part["t"], len(expected), pattern)
    assert [[to_byte_text(left), to_byte_text(right)] for left, right in surfaces(model)] == expected
    for text, tokens in part.get("encode", {}).items():
        assert [to_byte_text(model.token_bytes(i)) for i in model.encode(text).ids] == tokens


def test_a_token_joins_four_words_and_no_space_follows_its_colon() -> None:
    model = trained(["a b c d e f", "k: v w"] * 9, 0, 30, "none")
    tokens = [model.token_bytes(i) for i in range(model.vocab_size)]
    assert max(len(token.split()) for token in tokens) == 4
    assert b"k:" in tokens and not any(b": " in token for token in tokens)


def test_merges_that_no_piece_has_are_left_out() -> None:
    lines = ["in 2024 1234"] * 4
    # With the pattern of words a number of four digits and its space are one token; SuperBPE cuts both.
    words = train(lines, TrainingSettings("byte-bpe", 280, "gpt2", ties="tokenizers"))
    assert " 2024" in [words.token_label(i) for i in range(words.vocab_size)]
    model = trained(lines, 24, 24)
    labels = [model.token_label(i) for i in range(N_BYTES, model.vocab_size)]
    assert "202" in labels and not any(label.startswith((" 2", " 1")) or "2024" in label for label in labels)


def test_the_rounds_end_where_the_settings_say() -> None:
    training = start_training(LINES, chosen_settings("superbpe", vocab_size=300, transition=0.95))
    reports = list(training.rounds())
    assert [report.is_last for report in reports] == [False] * (len(reports) - 1) + [True]
    model = training.model()
    assert (model.name, model.vocab_size, reports[-1].vocab_size) == ("SuperBPE", 300, 300)
    with pytest.raises(InputError, match="has finished"):
        next(training.rounds())


def test_special_tokens_come_first() -> None:
    chosen = chosen_settings("superbpe", vocab_size=300, transition=0.9, special_tokens=("<s>", "</s>"))
    with_special, plain = train(LINES, chosen), trained(LINES, round(0.9 * 300) - 258, 42)
    assert isinstance(with_special, Bpe) and surfaces(with_special) == surfaces(plain)
    assert with_special.special_tokens == {"<s>": 0, "</s>": 1}


@pytest.mark.parametrize("ties", ["first-seen", "lexicographic"])
def test_other_ties_change_only_the_choice_between_equals(ties: str) -> None:
    chosen, usual = trained(LINES, 30, 60, ties=ties), trained(LINES, 30, 60)
    assert surfaces(chosen) != surfaces(usual)
    assert chosen.history.frequency[0] == usual.history.frequency[0]


def test_tokenizers_encodes_the_same_ids() -> None:
    model = train(corpus_lines(), chosen_settings("superbpe", vocab_size=1200, transition=0.7))
    assert any(b" " in model.token_bytes(i).strip() for i in range(model.vocab_size))
    content = json.loads(to_tokenizer_json(model))
    steps = content["pre_tokenizer"]["pretokenizers"]
    assert [step["type"] for step in steps] == ["Split", "ByteLevel"]
    assert (steps[0]["pattern"], steps[0]["behavior"]) == ({"Regex": SUPERWORDS}, "Isolated")
    peer = Peer.from_str(json.dumps(content))
    for line in [
        *corpus_lines(),
        *fuzz_lines(200, corpus_lines()),
        *LINES,
        "a  b",
        " " * 5 + "x ",
        "a: b 12345678 ...//\n\nb",
    ]:
        assert peer.encode(line, add_special_tokens=False).ids == model.encode(line).ids, line
        assert model.decode(model.encode(line).ids) == line


def command(corpus: Path, *options: str) -> list[str]:
    return ["train", str(corpus), "--vocab-size", "290", "--output", str(corpus.parent / "m.json"), *options]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def test_the_command_trains_the_same_bytes_on_any_threads(corpus: Path, capsys) -> None:
    digests = set()
    for threads in ("1", "2"):
        assert main(command(corpus, "--algorithm", "superbpe", "--threads", threads, "--json")) == 0
        digests.add(json.loads(capsys.readouterr().out)["sha256"])
    assert len(digests) == 1
    assert main(command(corpus, "--algorithm", "superbpe", "--transition", "0.95", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["sha256"] not in digests


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--algorithm", "superbpe", "--transition", "0"], "transition must be between 0.01 and 1, got 0"),
        (["--algorithm", "superbpe", "--transition", "1.5"], "got 1.5"),
        (["--algorithm", "superbpe", "--transition", "nan"], "got nan"),
        (["--algorithm", "superbpe", "--transition", "25600"], "got 25,600"),
        (["--algorithm", "superbpe", "--transition", "most"], "invalid float value"),
        (["--algorithm", "byte-bpe", "--transition", "0.8"], "leave it out, or choose superbpe instead of byte-bpe"),
        (["--transition", "0.5"], "--transition is a setting of superbpe only"),
        (["--algorithm", "superbpe", "--stream"], "without --dask and --stream"),
        (["--algorithm", "superbpe", "--vocab-size", "100"], "256"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    options: list[str], said: str, corpus: Path, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en")
    try:
        code = main(command(corpus, *options))
    except SystemExit as stop:
        code = stop.code
    error = capsys.readouterr().err
    assert code == 2 and said in error and error.count("\n") == 1
    assert not (corpus.parent / "m.json").exists()
