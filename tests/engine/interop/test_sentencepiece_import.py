"""SentencePiece files as tokenizers: the ids of sentencepiece, spans that tile, and hostile files that are refused."""

import io
import json
import random
import struct
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from engine.cli import main
from engine.errors import InputError, ModelFileError
from engine.interop.exports import fuzz_lines
from engine.interop.formats import import_tokenizer
from engine.interop.sentencepiece import proto as sentencepiece_proto
from engine.interop.sentencepiece.exporter import to_sentencepiece
from engine.interop.sentencepiece.importer import SentencePieceTokenizer, from_sentencepiece
from engine.interop.sentencepiece.proto import BPE, NORMAL, UNKNOWN, UNUSED, WORD, ModelPiece, read_proto, write_proto
from tests.conftest import ROOT
from tests.engine.interop.test_sentencepiece_export import korean_lines, trained

PLAIN = {"normalization_rule_name": "identity", "add_dummy_prefix": False, "remove_extra_whitespaces": False}
SYMBOLS = ["한국", "<b>", "  ", "ab cd", "가나다라마바사"]
SETTINGS = {
    "defaults": {},
    "plain": PLAIN,
    "bytes and symbols": {"byte_fallback": True, "user_defined_symbols": SYMBOLS},
    "space after": {"treat_whitespace_as_suffix": True, "byte_fallback": True},
    "case folded": {
        "normalization_rule_name": "nfkc_cf",
        "remove_extra_whitespaces": False,
        "control_symbols": ["<mask>"],
    },
    "no words": {"split_by_whitespace": False, "allow_whitespace_only_pieces": True, "split_digits": True},
}


def english_lines() -> list[str]:
    return (ROOT / "assets" / "corpora" / "multi" / "en.txt").read_text("utf-8").split("\n")[:100]


@cache
def model_file(kind: str, settings: str) -> bytes:
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(korean_lines() + english_lines()),
        model_writer=file,
        model_type=kind,
        vocab_size=900,
        character_coverage=0.98,
        hard_vocab_limit=False,
        minloglevel=2,
        **SETTINGS[settings],
    )
    return file.getvalue()


def check_against_sentencepiece(data: bytes, lines: list[str]) -> SentencePieceTokenizer:
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = from_sentencepiece(data)
    assert tokenizer.vocab_size == processor.get_piece_size()
    for line, ids in zip(lines, processor.encode(lines), strict=True):
        encoding = tokenizer.encode(line)
        assert encoding.ids == ids, line
        assert_tiles(encoding, line)
        if "<0x" not in (text := tokenizer.decode(ids)):
            assert text == processor.decode(ids)
    return tokenizer


def test_lines_at_once_are_encoded_as_one_by_one() -> None:
    # Unknown and partly unknown characters beside each other, marks in the text, lines without tokens.
    odd = [
        "",
        " ",
        "\u2581",
        "쀍뷁",
        "쀍\u2581 뷁",
        "a\U0001f600\U0001f600b",
        "<b><b>한국  가나다라마바사ab cd",
        "\n\n",
    ]
    for settings in SETTINGS:
        data = model_file("bpe", settings)
        proto = read_proto(data)
        # Without the pieces of one character, of the characters inside longer pieces there is none.
        longer = [piece for piece in proto.pieces if piece.kind != NORMAL or len(piece.text) > 1 or piece.text < "나"]
        tied = [piece._replace(score=float(-len(piece.text))) for piece in proto.pieces]
        for pieces in (proto.pieces, longer, tied):
            data = write_proto(proto._replace(pieces=pieces))
            for lines in (odd + korean_lines(20), lines_for(data, 50)[:60]):
                tokenizer = check_against_sentencepiece(data, lines)
                encodings = [tokenizer.encode(line) for line in lines]
                for threads in (1, 3):
                    batch = tokenizer.encode_lines(lines, threads)
                    assert batch.ids.tolist() == [token_id for one in encodings for token_id in one.ids]
                    assert batch.size.tolist() == [end - begin for one in encodings for begin, end in one.spans]
                    assert np.diff(batch.line_ptr).tolist() == [len(one.ids) for one in encodings]


def test_hostile_pieces_and_words_stay_within_their_budgets() -> None:
    proto = read_proto(write_proto(read_proto(model_file("bpe", "plain"))))
    # Every prefix of the piece splits it in two.
    nested = [ModelPiece("a" * n, -float(n), NORMAL) for n in range(1, 1025)]
    data = write_proto(proto._replace(pieces=[proto.pieces[0], *nested]))
    word = "a" * 1_000_000
    batch = from_sentencepiece(data).encode_lines([word, "a" * 1023])
    assert batch.size.sum() == len(word) + 1023
    families = [ModelPiece(chr(0xAC00 + k) * n, 0.0, NORMAL) for k in range(130) for n in range(1, 257)]
    assert "4,243,200" in load(write_proto(proto._replace(pieces=[proto.pieces[0], *families])))


def assert_tiles(encoding, text: str) -> None:
    if encoding.ids:
        begins, ends = zip(*encoding.spans, strict=True)
        assert begins == (0, *ends[:-1])
        assert ends[-1] == len(text.encode())
        assert all(begin <= end for begin, end in encoding.spans)
    else:
        assert not encoding.spans


def lines_for(data: bytes, n: int) -> list[str]:
    texts = [piece.text.replace("▁", " ") for piece in read_proto(data).pieces]
    return fuzz_lines(n, texts, ["<mask>", *SYMBOLS]) + korean_lines(100)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_ids_and_texts_are_those_of_sentencepiece(kind: str, settings: str) -> None:
    data = model_file(kind, settings)
    check_against_sentencepiece(data, lines_for(data, 400))


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_two_thousand_lines(kind: str, settings: str) -> None:
    data = model_file(kind, settings)
    check_against_sentencepiece(data, lines_for(data, 2000))


def test_spaces_after_all_other_merges_as_llama_2_and_mistral_have_them() -> None:
    proto = read_proto(model_file("bpe", "plain"))
    spaces = [ModelPiece("\u2581" * n, -1e9, NORMAL) for n in (2, 4, 3, 8)]
    pieces = [*(piece for piece in proto.pieces if set(piece.text) != {"\u2581"} or len(piece.text) == 1), *spaces]
    data = write_proto(proto._replace(pieces=pieces))
    check_against_sentencepiece(data, lines_for(data, 300))


def test_user_defined_pieces_round_as_in_sentencepiece() -> None:
    data = model_file("unigram", "bytes and symbols")
    rng = random.Random(5)
    pieces = ["1,000", "00", "0", "ㅠㅠㅠ", "!!!", " ", "안녕", "10", *SYMBOLS]
    check_against_sentencepiece(data, ["".join(rng.choices(pieces, k=rng.randrange(2, 14))) for _ in range(2000)])


def test_an_export_read_again_is_the_same() -> None:
    model = trained(special_tokens=("<pad>", "[MASK]"))
    data = to_sentencepiece(model)
    tokenizer = import_tokenizer(data)
    for line in lines_for(data, 600):
        assert tokenizer.encode(line) == model.encode(line)
        assert tokenizer.decode(model.encode(line).ids) == line
    assert tokenizer.encode("가[MASK]나", allow_special=True) == model.encode("가[MASK]나", allow_special=True)
    assert [tokenizer.token_bytes(i) for i in range(model.vocab_size)] == [
        model.token_bytes(i) for i in range(model.vocab_size)
    ]


def test_what_a_piece_stands_for() -> None:
    tokenizer = from_sentencepiece(model_file("unigram", "bytes and symbols"))
    ids = {tokenizer.token_label(i): i for i in range(tokenizer.vocab_size)}
    assert tokenizer.token_bytes(ids["<0xEC>"]) == b"\xec"
    assert tokenizer.token_bytes(ids["<unk>"]) == tokenizer.token_bytes(ids["<s>"]) == b""
    assert tokenizer.token_bytes(ids["▁"]) == b" "
    assert tokenizer.decode([ids["<0xEC>"], ids["▁"]]) == "<0xEC> "
    assert tokenizer.name == "SentencePiece Unigram"
    assert from_sentencepiece(model_file("bpe", "plain")).name == "SentencePiece BPE"
    with pytest.raises(InputError, match="there is no token with the id -1"):
        tokenizer.token_label(-1)
    with pytest.raises(InputError, match="lone surrogate"):
        tokenizer.encode("\ud800")


def test_a_file_is_read_as_it_stands_and_written_as_it_was_read() -> None:
    data = model_file("bpe", "case folded")
    theirs = sentencepiece_model_pb2.ModelProto()
    theirs.ParseFromString(data)
    ours = read_proto(data)
    assert [(p.piece, p.score, p.type) for p in theirs.pieces] == ours.pieces
    assert theirs.normalizer_spec.precompiled_charsmap == ours.charsmap
    assert read_proto(write_proto(ours)) == ours
    again = sentencepiece_model_pb2.ModelProto()
    again.ParseFromString(write_proto(ours))
    assert again.normalizer_spec.name == "nfkc_cf" and again.trainer_spec.model_type == BPE


def load(data: bytes) -> str:
    """The message of a file that is refused; empty for one that can be used, after using it."""
    try:
        tokenizer = from_sentencepiece(data)
        for text in ("안녕하세요 ½ ㅠㅠ", "", "  a\0 <b>"):
            assert_tiles(tokenizer.encode(text), text)
    except ModelFileError as error:
        return str(error)
    return ""


def test_every_truncation_gives_a_clear_sentence() -> None:
    data = model_file("unigram", "bytes and symbols")
    for size in [*range(40), *range(40, len(data) - 1, 997)]:
        message = load(data[:size])
        assert "SentencePiece" in message, size


def test_damaged_bytes_never_crash() -> None:
    rng = random.Random(1)
    for kind, settings in (("unigram", "case folded"), ("bpe", "bytes and symbols")):
        data = model_file(kind, settings)
        for _ in range(60):
            damaged = bytearray(data)
            for _ in range(rng.randrange(1, 20)):
                damaged[rng.randrange(len(data))] = rng.randrange(256)
            load(bytes(damaged))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "its fields cannot be read"),
        (b"\x0a" + b"\xff" * 30, "its fields cannot be read"),
        (b"\x0e\x00", "its fields cannot be read"),
        (b"\x08\x01", "contains no SentencePiece vocabulary"),
        (b"\x0a\x03\x0a\x01\xff", "not UTF-8"),
        (b"\x0a\x00" * 9, "an empty piece"),
        (b"\x30\x01", "contains no SentencePiece vocabulary"),
    ],
)
def test_what_is_no_model(data: bytes, reason: str) -> None:
    assert reason in load(data)


def test_what_protobuf_sets_aside_is_looked_at() -> None:
    data = model_file("unigram", "plain")
    piece = b"\x0a\x05\x0a\x03<!>"
    assert load(data + piece + b"\xca\x3e\x01x") == ""  # field 1001: of a later version
    assert "unknown type" in load(data + b"\x0a\x07\x0a\x03<!>\x18\x09")
    assert "the unknown type 9" in load(data + b"\x12\x02\x18\x09")
    for damage in (b"\x12\x02\x1a\x00", b"\x0a\x07\x0a\x03<!>\x10\x01", b"\x18\x01", b"\x1a\x02\x10\x01"):
        assert "fields that no SentencePiece model has" in load(data + damage)
    assert "fields that no SentencePiece model has" in load(data + b"\xc8\x3e\x01" * 500_000)


@pytest.mark.parametrize("element", [b"\x0a\x00", b"\x0a\x02\x18\x01", b"\x12\x04\x2a\x00\x2a\x00"])
def test_many_small_fields_are_refused_before_they_take_memory(element: bytes, monkeypatch) -> None:
    monkeypatch.setattr(sentencepiece_proto, "_empty_message", None)  # nothing is parsed
    assert "over 1,000,000 pieces" in load(element * 5_000_000)


def test_a_model_of_our_own_is_used_without_sentencepiece(tmp_path) -> None:
    model = tmp_path / "own.ttok"
    trained().save(model)
    program = (
        "import sys; from engine.cli import main; "
        "assert main(sys.argv[1:]) == 0; sys.exit('sentencepiece' in sys.modules or 'google.protobuf' in sys.modules)"
    )
    command = [sys.executable, "-c", program, "encode", "--model", str(model)]
    assert subprocess.run(command, input="안녕\n".encode(), cwd=ROOT, capture_output=True).returncode == 0


def test_size_is_bounded(monkeypatch) -> None:
    data = model_file("bpe", "plain")
    monkeypatch.setattr(sentencepiece_proto, "MAX_PIECES", 100)
    assert "over 100 pieces" in load(data)
    monkeypatch.setattr(sentencepiece_proto, "MAX_FILE_BYTES", 1000)
    assert "limit for a SentencePiece model is 1,000 bytes" in load(data)


UNK, A, B = ModelPiece("<unk>", 0.0, UNKNOWN), ModelPiece("a", -1.0, NORMAL), ModelPiece("b", -2.0, NORMAL)


@pytest.mark.parametrize(
    ("pieces", "changes", "reason"),
    [
        ([UNK, A, A], {}, "the same piece twice"),
        ([UNK, A, ModelPiece("", -1.0, NORMAL)], {}, "an empty piece"),
        ([UNK, A, ModelPiece("<unknown>", 0.0, UNKNOWN)], {}, "exactly one"),
        ([UNK, A, ModelPiece("b", float("nan"), NORMAL)], {}, "outside -10,000,000 to 10,000,000"),
        ([UNK, A, ModelPiece("b" * 2000, -1.0, NORMAL)], {}, "over 1,024 characters"),
        ([UNK, A, B], {"byte_fallback": True}, "256 byte pieces"),
        ([UNK, A, B], {"algorithm": WORD}, "whole words"),
        ([UNK, A, ModelPiece("b", -1.0, UNUSED)], {"algorithm": BPE}, "unused pieces"),
        ([UNK, A, B], {"denormalizer_charsmap": b"x"}, "denormalization"),
        ([UNK, A, B], {"charsmap": b"\xff\xff\xff\xff\0\0\0\0\0"}, "normalization rules cannot be read"),
        ([UNK, A, B], {"charsmap": b"\4\0\0\0\0\0\0\0" + b"x" * 3000 + b"\0"}, "replacements of over"),
    ],
)
def test_what_breaks_the_rules(pieces, changes, reason: str) -> None:
    proto = read_proto(write_proto(read_proto(model_file("unigram", "plain"))._replace(pieces=pieces)))
    assert reason in load(write_proto(proto._replace(**changes)))


def test_unused_pieces_of_a_unigram_model_match_no_text() -> None:
    proto = read_proto(model_file("unigram", "plain"))
    pieces = [p._replace(kind=UNUSED) if i % 3 == 0 and p.kind == NORMAL else p for i, p in enumerate(proto.pieces)]
    data = write_proto(proto._replace(pieces=pieces))
    check_against_sentencepiece(data, lines_for(data, 200))


def test_a_map_that_blows_text_up_is_refused() -> None:
    # One unit is the root; its child for "a" has a leaf that points at 1,000 characters.
    units = np.zeros(256, dtype=np.uint32)
    units[0] = 1 << 10  # offset 1
    node = 1 ^ ord("a")
    units[node] = ord("a") | 1 << 8 | 2 << 10  # label, leaf, offset 2
    units[node ^ 2] = 1 << 31  # value 0
    strings = b"b" * 1000 + b"\0"
    charsmap = struct.pack("<I", units.nbytes) + units.tobytes() + strings
    proto = read_proto(write_proto(read_proto(model_file("unigram", "plain"))._replace(charsmap=charsmap)))
    tokenizer = from_sentencepiece(write_proto(proto))
    assert tokenizer.encode("x").ids
    with pytest.raises(ModelFileError, match="64 times longer"):
        tokenizer.encode("a" * 1000)


def test_commands_take_imported_files(tmp_path, capsys) -> None:
    path = tmp_path / "other.model"
    path.write_bytes(model_file("unigram", "defaults"))
    text = tmp_path / "text.txt"
    text.write_text("안녕하세요 여러분\n안녕\n", encoding="utf-8")
    assert main(["encode", "--model", str(path), "--json", str(text)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["spans"][-1][1] for row in rows] == [25, 6]
    assert main(["fertility", "--model", str(path), "--text", str(text), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["algorithm"], row["words"]) == ("SentencePiece Unigram", 3)
    path.write_bytes(path.read_bytes()[:5000])
    assert main(["encode", "--model", str(path), str(text)]) == 2
    assert "damaged or truncated" in capsys.readouterr().err


def test_long_lines_take_linear_time() -> None:
    for kind in ("unigram", "bpe"):
        tokenizer = from_sentencepiece(model_file(kind, "bytes and symbols"))
        text = "한국어 ㅋㅋㅋ 1,000원 " * 20_000
        assert_tiles(tokenizer.encode(text), text)
