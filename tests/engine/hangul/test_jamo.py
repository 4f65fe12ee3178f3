"""Hangul letter by letter: exactly there and back, and spans that are places in the text as it was given."""

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.parts.tables.segmentation import TextPart, segment
from app.parts.tables.strips import token_row
from app.parts.tables.tokens import visible
from app.session.state import pack_text
from app.texts.corpora import builtin_corpus
from app.views.morphology.jamo import ending_table, final_table, letters_of
from engine import train
from engine.cli import main
from engine.config import ALGORITHMS, TrainingSettings, defaults_of
from engine.corpus.morphemes.analysers import line_morphemes
from engine.errors import InputError
from engine.hangul.jamo import compose, decompose, readable, syllable_offsets
from engine.interop.exports import export_tokenizer
from engine.measure.encoded import encode_lines
from engine.measure.morphemes.letters import final_cuts
from engine.model_files import load_tokenizer, tokenizer_from_bytes
from engine.pictures.showable import showable
from engine.tokenizer import Tokenizer, require_probabilities
from tests.pages import open_page, refresh

LINES = builtin_corpus("ko").sentences()[:150]
ODD = "갂 쀍 힣 가 ㅋㅋ ㅠㅠ é e\u0301 漢 カ\u3099 🎉 Å ½ ﬁ"
OLD = "나랏〮말ᄊᆞ미 듀ᇰ귁〮에〮 달아〮 문ᄍᆞᆼ와〮로 서르 ᄉᆞᄆᆞᆺ디〮 아니〮ᄒᆞᆯᄊᆡ〮"

given_text = st.text(
    st.sampled_from("가각갂쀍힣 ㅋㅏ.\n\u115f\u1100\u1161\u11a8\u119e\u302e\u302f\u1113\u11f0\ua960\ud7b0\ud7cb\u0301é")
    | st.characters(exclude_categories=["Cs"])
)


def jamo_settings(algorithm: str, **changes: object) -> TrainingSettings:
    size = {"words": 60, "characters": 90, "bytes": 256}.get(algorithm, 400)
    made = vars(defaults_of(algorithm)) | {"vocab_size": size, "normalization": "jamo", "max_token_bytes": 60}
    return TrainingSettings(**made | changes)


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Tokenizer]:
    return {name: train(LINES, jamo_settings(name)) for name in ALGORITHMS if name != "bytes"}


def test_every_syllable_as_unicode_has_it() -> None:
    """All 11,172: the canonical decomposition, and nothing else is touched."""
    for code in range(0xAC00, 0xD7A4):
        assert decompose(chr(code)) == unicodedata.normalize("NFD", chr(code))
        assert compose(decompose(chr(code))) == chr(code)
    assert decompose("é ㅋ 漢") == "é ㅋ 漢"


@given(given_text)
@example(ODD)
@example(OLD)
def test_there_and_back(text: str) -> None:
    assert compose(decompose(text)) == text
    data, seen, offsets = text.encode(), decompose(text).encode(), syllable_offsets(text)
    assert offsets.size == len(seen) + 1
    assert offsets[-1] == len(data)
    assert (np.diff(offsets) >= 0).all()
    # By hand: the bytes of each character alone, a syllable's by its letters.
    expected = []
    at = 0
    for char in text:
        size, n_seen = len(char.encode()), len(decompose(char).encode())
        expected += [at + (k // 3 if decompose(char) != char else k) for k in range(n_seen)]
        at += size
    assert offsets.tolist() == [*expected, at]


@pytest.mark.parametrize("algorithm", ["thunder-tok", "unigram", "byte-bpe"])
@given(text=given_text)
@example(text=ODD)
@example(text=OLD)
@example(text="")
def test_decoding_gives_the_text_back(tokenizers: dict[str, Tokenizer], algorithm: str, text: str) -> None:
    tokenizer = tokenizers[algorithm]
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text
    ends = [end for _, end in encoding.spans]
    assert [begin for begin, _ in encoding.spans] == [0, *ends[:-1]][: len(ends)]
    assert ends[-1:] == [len(text.encode())][: len(ends)]
    batch = tokenizer.encode_lines([text, "가", text])
    assert batch.ids.tolist() == [*encoding.ids, *tokenizer.encode("가").ids, *encoding.ids]
    assert batch.size[: len(ends)].tolist() == [end - begin for begin, end in encoding.spans]


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "words", "characters"])
def test_the_others_decode_syllables(tokenizers: dict[str, Tokenizer], algorithm: str) -> None:
    tokenizer = tokenizers[algorithm]
    seen = 0
    for line in LINES:
        encoding = tokenizer.encode(line)
        assert encoding.spans[-1][1] == len(line.encode())
        if tokenizer.unknown_id not in encoding.ids:
            seen += 1
            assert tokenizer.decode(encoding.ids).replace(" ", "") == line.replace(" ", "")
    assert seen


def test_a_model_file_keeps_it(tokenizers: dict[str, Tokenizer]) -> None:
    for tokenizer in tokenizers.values():
        read = tokenizer_from_bytes(tokenizer.to_bytes())
        assert read.normalization == "jamo"
        assert read.encode(LINES[0]) == tokenizer.encode(LINES[0])


def test_old_hangul_is_trained_on_and_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, model = tmp_path / "old.txt", tmp_path / "model.tok"
    old.write_text(f"{OLD}\n" * 40, encoding="utf-8")
    assert main(["train", str(old), "--vocab-size", "300", "--normalization", "jamo", "--output", str(model)]) == 0
    capsys.readouterr()
    assert main(["encode", "--model", str(model), str(old), "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    tokenizer = load_tokenizer(model)
    assert tokenizer.decode(first["ids"]) == OLD
    assert len(first["ids"]) < len(OLD)  # it has tokens of more than a letter
    assert not any("\ufffd" in tokenizer.decode([one]) for one in first["ids"])


def test_letters_of_the_text_are_told_from_those_of_syllables() -> None:
    """Each would be composed, or joined to the syllable before it, if it had no filler."""
    for text in ("\u1100\u1161", "가\u11a8", "\u1100아", "\u115f\u1161", "\u115f", OLD):
        assert compose(decompose(text)) == text
        assert readable(decompose(text)) == text
    assert decompose("\u119e\u11eb\ua960\ud7cb") == "\u119e\u11eb\ua960\ud7cb"


def test_a_lattice_counts_as_encoding_does(tokenizers: dict[str, Tokenizer]) -> None:
    model = require_probabilities(tokenizers["thunder-tok"])
    for text in ("갔다 봤다 a", LINES[0]):
        lattice = model.lattice(text)
        encoding = model.encode(text)
        spans = [lattice.span(arc) for arc in lattice.best_path]
        assert [begin for begin, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == len(text.encode())
        assert {end for _, end in spans} <= {end for _, end in encoding.spans}
    added = model.lattice("갔다", add=[("갔", 0.0)])  # as people type it
    assert visible(added.labels[added.best_path[0]]) == "갔"


def test_mecab_does_not_read_jamo() -> None:
    with pytest.raises(InputError, match="syllables"):
        TrainingSettings(pretokenizer="mecab", normalization="jamo")


def test_formats_that_cannot_take_hangul_apart(tokenizers: dict[str, Tokenizer]) -> None:
    for algorithm, target in [
        ("thunder-tok", "hf"),
        ("thunder-tok", "sentencepiece"),
        ("byte-bpe", "hf"),
        ("byte-bpe", "tiktoken"),
        ("bpe", "hf"),
        ("bpe", "subword-nmt"),
        ("wordpiece", "hf"),
    ]:
        with pytest.raises(InputError) as caught:
            export_tokenizer(tokenizers[algorithm], target, LINES[:3])
        assert caught.value.code in ("export.hf_jamo", f"export.{_short(target)}_normalization")


def _short(target: str) -> str:
    return {"sentencepiece": "sp", "subword-nmt": "codes"}.get(target, target)


def test_what_stands_for_a_part_of_a_syllable() -> None:
    assert readable(decompose("했습니다")) == "했습니다"
    assert showable(decompose("한")[1:] + decompose("국")[:1]) == "◌ㅏㄴㄱ◌"
    assert readable("ㅋㅋ") == "ㅋㅋ"  # letters that stand alone in the text stay what they are


@given(st.text(st.sampled_from("가각한글ㄱㅏ ")), st.integers(0, 20), st.integers(0, 20))
def test_labels_tell_tokens_apart(text: str, begin: int, size: int) -> None:
    seen = decompose(text)
    token = seen[begin : begin + size]
    others = {seen[a:b] for a in range(len(seen)) for b in range(a, len(seen) + 1)} - {token}
    assert readable(token) not in {readable(other) for other in others}


def test_a_cut_inside_a_syllable_is_one_in_the_text(tokenizers: dict[str, Tokenizer]) -> None:
    """Characters cut 갔다 into five letters: of 갔 each is a part, of 다 too; the strip says which."""
    tokenizer = tokenizers["characters"]
    segmentation = segment(tokenizer, "갔다")
    assert segmentation.text == "갔다"
    assert segmentation.begin.tolist() == [0, 0, 0, 1, 1]
    assert segmentation.is_partial.all()
    row = token_row(tokenizer, segmentation, TextPart(0, 5, 0, 2), "", "")
    assert [token["hex"] for token in row["tokens"]] == [False] * 5
    encoded = encode_lines(tokenizer, ["갔다"])
    assert encoded.seen == encoded.lines
    assert encoded.end.tolist() == [1, 2, 3, 4, 6]


def test_cuts_before_finals_by_hand(tokenizers: dict[str, Tokenizer]) -> None:
    """Characters cut before every final; of syllables none is cut."""
    lines = ["갔다 봤다", "", "먹는 값"]
    found = {one.final: (one.syllables, one.cut) for one in final_cuts(encode_lines(tokenizers["characters"], lines))}
    assert found == {"ㄱ": (1, 1), "ㄴ": (1, 1), "ㅄ": (1, 1), "ㅆ": (2, 2)}
    syllables = train(LINES, TrainingSettings(vocab_size=400))
    assert not any(one.cut for one in final_cuts(encode_lines(syllables, ["갔다 봤다"])))


def test_endings_of_a_vocabulary_by_hand() -> None:
    """ㅆ다 of 갔다 and 봤다 is one token; where it stands in the text, and how often it is used."""
    corpus = ["갔다", "봤다", "섰다", "갔다", "컸다"] * 4
    model = train(corpus, TrainingSettings(vocab_size=270, normalization="jamo", seed_vocabulary="ngrams"))
    lines = ["샀다", "났다"]
    letters = letters_of(model, lines)
    pieces = [[visible(model.token_label(k)) for k in model.encode(line).ids] for line in lines]
    uses = sum("◌ㅆ다" in own for own in pieces)
    row = ending_table(letters).set_index("ending").loc["ㅆ다"]
    assert (row["is_token"], row["uses"], row["places"]) == (uses > 0, uses, len(lines))
    assert uses > 0
    (final,) = final_table(letters).itertuples(index=False)
    begun = sum(any(piece.startswith("◌ㅆ") for piece in own) for own in pieces)
    assert (final.final, final.syllables, final.cut) == ("ㅆ", len(lines), begun)
    assert letters.n_tokens == sum(map(len, pieces))
    assert letters.inside == sum(piece[0] == "◌" for own in pieces for piece in own)


def test_morphemes_of_jamo_are_those_of_the_syllables() -> None:
    text = "나는 갔다 abc."
    seen = decompose(text)
    found, own = line_morphemes(seen, "mecab"), line_morphemes(text, "mecab")
    assert [(compose(seen[one.begin : one.end]), one.tag, one.form) for one in found] == [
        (text[one.begin : one.end], one.tag, one.form) for one in own
    ]
    assert len(own) > 4


@pytest.mark.slow
@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize("lang", ["ko", "en"])
def test_the_lens_in_use(lang: str) -> None:
    app = refresh(open_page("morphology", view="jamo", lang=lang))
    table = app.dataframe[0].value
    assert table["vocab_size"].tolist() == [4000, 4000]
    assert table["fertility"][1] < table["fertility"][0]  # at this size, on this text
    assert app.dataframe[1].value["is_token"][0]  # ㅂ니다
    app.text_input(key="morphology.forms").set_value(OLD).run()
    assert not app.exception and not app.warning


@pytest.mark.slow
@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize("page", ["explore", "lattice", "rounds"])
def test_old_hangul_on_every_page(page: str) -> None:
    model = "toy.hug~vocab_size-256~normalization-jamo"
    app = refresh(open_page(page, model=model, text=pack_text("옛 \u1112\u119e 글"), lang="en"))
    assert not app.exception
