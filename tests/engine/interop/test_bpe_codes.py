"""Codes files of subword-nmt, and its learner, checked against subword-nmt itself."""

import io
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE as Peer
from subword_nmt.learn_bpe import learn_bpe

from engine.config import TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.interop.exports import export_tokenizer
from engine.interop.formats import import_tokenizer
from engine.interop.subword_nmt.codes import from_bpe_codes, to_bpe_codes
from engine.merge_settings import MergeSettings
from engine.merges.bpe import Bpe
from engine.merges.trainer import train_merges
from engine.tokenizer import Tokenizer
from tests.interop_text import ROOT, corpus_lines, fuzz_lines


@cache
def model(pretokenizer: str = "whitespace", **changes: object) -> Bpe:
    chosen = TrainingSettings(
        algorithm="bpe",
        vocab_size=2600,
        pretokenizer=pretokenizer,
        ties="lexicographic",
        **changes,  # type: ignore[arg-type]
    )
    made = train_merges(corpus_lines(), chosen)
    assert isinstance(made, Bpe)
    return made


def segments(tokenizer: Tokenizer, text: str) -> list[str]:
    """As `subword-nmt apply-bpe` writes them; what is unknown, as the characters of its span."""
    encoding = tokenizer.encode(text)
    written = []
    for token_id, (begin, end) in zip(encoding.ids, encoding.spans, strict=True):
        own = text.encode()[begin:end].decode().strip(" ")
        is_last = end == len(text.encode()) or text.encode()[end:].startswith(b" ")
        assert token_id == tokenizer.unknown_id or own == tokenizer.token_bytes(token_id).decode()
        written.append(own if is_last else f"{own}@@")
    return written


def peer(data: bytes) -> Peer:
    return Peer(io.StringIO(data.decode(), newline="\n"))


def test_subword_nmt_segments_as_we_do() -> None:
    theirs, imported = peer(to_bpe_codes(model())), import_tokenizer(to_bpe_codes(model()))
    unseen = sum(len(form) for form in model().forms[:1]) - len(model().forms[2])  # type: ignore[index]
    assert unseen > 100  # characters that never ended a word in training: what they end is cut alike
    lines = [" ".join(line.split()) for line in corpus_lines()[::20] + fuzz_lines(300, corpus_lines())]
    for line in lines:
        expected = theirs.segment(line).split(" ") if line else []
        assert segments(model(), line) == expected, line
        assert segments(imported, line) == expected, line
    assert imported.name == "BPE" and "at spaces" in imported.unsupported[0]
    assert imported.decode(imported.encode("한국어 글").ids) == "한국어 글"


@given(st.lists(st.text("가나다ab@</w>\t\u3000", min_size=1), max_size=6).map(" ".join))
def test_what_is_imported_cuts_any_line_as_subword_nmt(line: str) -> None:
    data = "#version: 0.2\n가 나\n가나 다</w>\na b</w>\n나 다</w>\na b\na b\n< /\n</ w\n</w >\n@ @\n".encode()
    expected = [segment for word in line.split(" ") if word for segment in peer(data).segment_tokens([word])]
    imported = import_tokenizer(data, "codes")
    assert segments(imported, line) == expected
    assert imported.encode(f"\r {line} \r\n").ids == imported.encode(line).ids


def test_exports_are_checked_with_the_libraries() -> None:
    for target in ("subword-nmt", "hf"):
        report = export_tokenizer(model(), target, corpus_lines()[:50], n_fuzz=300).report
        assert report.mismatches == 0 and report.checked_lines >= 350
    # Text that is cut before, as MeCab cuts it here, is that program's affair.
    assert export_tokenizer(model("gpt2"), "subword-nmt", corpus_lines()[:50], n_fuzz=100).suffix == ".codes"


@pytest.mark.parametrize("text", ["ko/news.txt", "multi/de.txt", "multi/ru.txt", "multi/hi.txt"])
def test_trained_merges_are_those_of_its_own_learner(text: str) -> None:
    lines = (ROOT / "assets" / "corpora" / text).read_text(encoding="utf-8").split("\n")
    settings = MergeSettings(
        algorithm="bpe",
        end_of_word="</w>",
        pretokenizer="whitespace",
        ties="lexicographic",
        vocab_size=None,
        max_merges=400,
    )
    ours = train_merges(lines, settings)
    theirs = io.StringIO()
    learn_bpe(io.StringIO("\n".join(" ".join(line.split()) for line in lines)), theirs, 400, min_frequency=1)
    assert to_bpe_codes(ours).decode() == theirs.getvalue()
    assert max(ours.history.n_ties) > 10  # or the rule of ties would not be seen


def refusals() -> Sequence[tuple[object, str]]:
    marks = {"algorithm": "bpe", "vocab_size": None, "max_merges": 2}
    return [
        (train_merges(["ab ab"], TrainingSettings(algorithm="byte-bpe", vocab_size=257)), "on characters only"),
        (train_merges(["ab ab"], TrainingSettings(algorithm="wordpiece", vocab_size=40)), "on characters only"),
        (train_merges(["ab ab"], MergeSettings(**marks, end_of_word="_")), "attaches </w>"),  # type: ignore[arg-type]
        (train_merges(["ab ab"], MergeSettings(**marks)), "attaches </w>"),  # type: ignore[arg-type]
        (train_merges(["가 나 가 나"], TrainingSettings(algorithm="bpe", vocab_size=40)), "separates words"),
        (train_merges(["ab ab"], TrainingSettings(algorithm="bpe", vocab_size=40, normalization="nfc")), "normalise"),
        (train_merges(["a b"], TrainingSettings(algorithm="bpe", vocab_size=40, pretokenizer="gpt2")), "no merges"),
    ]


def test_what_a_codes_file_cannot_hold_is_said() -> None:
    for tokenizer, reason in refusals():
        with pytest.raises(InputError, match=reason):
            to_bpe_codes(tokenizer)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"#version: 0.1\na b</w>\n", "has version '0.1'"),
        (b"#version: 0.2\n", "merges.txt of another"),
        ("#version: 0.2\nĠ t\n".encode(), "merges.txt of another"),
        (b"#version: 0.2\n\xff b</w>\n", "not valid UTF-8"),
        (b"#version: 0.2\na b c</w>\n", "line 2 of the codes is not"),
        (b"#version: 0.2\nab</w>\n", "line 2 of the codes is not"),
        (b"#version: 0.2\na b</w>\n\na b\n", "line 3 of the codes is not"),
        (b"#version: 0.2\nab c</w>\n", "merges 'ab', which no earlier line"),
        (b"#version: 0.2\n" + b"a" * (17 << 20), "limit for a codes file is"),
    ],
)
def test_damaged_files(data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        import_tokenizer(data, "codes")
    assert "\n" not in str(caught.value)


def test_windows_line_ends_and_a_mark_of_the_byte_order_are_read() -> None:
    data = "\ufeff#version: 0.2\r\na b</w>\r\n".encode()
    imported = from_bpe_codes(data)
    assert [imported.token_label(i) for i in imported.encode("ab ba x").ids] == ["ab</w>", "b", "a</w>", "[UNK]"]
