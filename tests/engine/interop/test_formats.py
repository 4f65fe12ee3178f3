"""Any tokenizer file is recognised by its content, and every command takes it."""

import base64
import codecs
import json

import pytest
import tokenizers

from engine.cli import main
from engine.config import TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.interop.exports import export_tokenizer
from engine.interop.formats import import_tokenizer, is_ranks
from engine.interop.tiktoken.ranks import to_tiktoken
from engine.training import start_training
from tests.engine.interop.test_sentencepiece_export import korean_lines

LINES = korean_lines(200)


def trained(algorithm: str, **settings):
    score = {"score": "ml", "seed_vocabulary": "ngrams"} if algorithm == "unigram" else {}
    training = start_training(LINES, TrainingSettings(algorithm=algorithm, vocab_size=1300, **score, **settings))
    for _ in training.rounds():
        pass
    return training.model()


@pytest.mark.parametrize(
    ("algorithm", "settings", "target", "profile", "name"),
    [
        ("thunder-tok", {"sentencepiece_safe": True}, "sentencepiece", "byte-level", "SentencePiece Unigram"),
        ("thunder-tok", {}, "hf", "byte-level", "Unigram"),
        ("thunder-tok", {"sentencepiece_safe": True}, "hf", "byte-fallback", "Unigram"),
        ("byte-bpe", {"pretokenizer": "gpt2"}, "hf", "byte-level", "Byte-level BPE"),
        ("byte-bpe", {"pretokenizer": "gpt2"}, "tiktoken", "byte-level", "Byte-level BPE"),
        ("wordpiece", {"pretokenizer": "whitespace"}, "hf", "byte-level", "WordPiece"),
        ("wordpiece", {"pretokenizer": "whitespace"}, "vocab", "byte-level", "WordPiece"),
    ],
)
def test_what_is_exported_is_recognised(algorithm, settings, target, profile, name, tmp_path, capsys) -> None:
    model = trained(algorithm, **settings)
    out = tmp_path / "exported.bin"
    export = export_tokenizer(model, target, LINES[:50], profile, n_fuzz=300)
    assert export.report.mismatches == 0
    imported = import_tokenizer(export.data)
    assert name in imported.name
    if target not in ("vocab", "tiktoken"):  # those files do not say how text is cut first
        assert [imported.encode(line).ids for line in LINES] == [model.encode(line).ids for line in LINES]
    out.write_bytes(export.data)
    text = tmp_path / "text.txt"
    text.write_text(LINES[0], encoding="utf-8")
    assert main(["encode", "--model", str(out), str(text)]) == 0
    assert capsys.readouterr().out.count("|") > 1


def test_a_vocab_txt_says_whether_it_is_uncased() -> None:
    head = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
    uncased = import_tokenizer(f"{head}cafe\n".encode())
    cased = import_tokenizer(f"{head}cafe\nA\n".encode())
    korean = import_tokenizer(f"{head}cafe\n안녕\n".encode())
    assert [uncased.token_label(i) for i in uncased.encode("Café").ids] == ["cafe"]
    assert [cased.token_label(i) for i in cased.encode("Café").ids] == ["[UNK]"]
    assert [korean.token_label(i) for i in korean.encode("안녕 cafe").ids] == ["안녕", "cafe"]


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "x.model", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "picture.png", "not a supported tokenizer file"),
        (b"<unk>\t0\n<s>\t0\n", "m.vocab", "choose the .model file"),
        (b"\0\1\2", "x.model", "SentencePiece"),
        (b"{", "tokenizer.json", "."),
        (b"YQ== 0\nYg== 1\n", "ranks.tiktoken", "256 single bytes"),
        (b"a\nb\n", "vocab.txt", "lacks the unknown token"),
        (b"<html><b>hello</b></html>", "vocab.html", "not a supported tokenizer file"),
    ],
)
def test_files_of_other_kinds(data: bytes, name: str, reason: str) -> None:
    with pytest.raises(ModelFileError, match=reason):
        import_tokenizer(data, name)


_RANKS = "".join(f"{base64.b64encode(bytes([i])).decode()} {i}\n" for i in range(256))
_WORDPIECE = {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "가": 1, "##é": 2}}
_WORDPIECE |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
_TEXTS = {
    "vocab.txt": "[PAD]\n[UNK]\n가\n나\n##é\n",
    "codes": "#version: 0.2\n가 나</w>\né a\n",
    "ranks.tiktoken": _RANKS,
    "tokenizer.json": json.dumps({"version": "1.0", "added_tokens": [], "model": _WORDPIECE}, ensure_ascii=False),
}


@pytest.mark.parametrize("name", _TEXTS)
def test_text_in_another_encoding_is_read_by_its_mark_or_refused_by_name(name: str) -> None:
    text = _TEXTS[name]
    ids = import_tokenizer(text.encode(), name).encode("가é 나").ids
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        data = text.encode(encoding)
        assert import_tokenizer(data, name).encode("가é 나").ids == ids
        assert is_ranks(data) == (name == "ranks.tiktoken")
    marked = codecs.BOM_UTF32_BE + text.encode("utf-32-be"), codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    assert [import_tokenizer(data, name).encode("가é 나").ids for data in marked] == [ids, ids]
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        with pytest.raises(ModelFileError, match=rf"from byte 0 on \(it looks like {encoding}\); save it as UTF-8"):
            import_tokenizer(text.encode(encoding), name)
    if not text.isascii():
        with pytest.raises(ModelFileError, match=r"not valid UTF-8 from byte \d+ on \(it looks like cp949\)"):
            import_tokenizer(text.encode("cp949", "ignore"), name)
        with pytest.raises(ModelFileError, match="not valid UTF-8"):
            import_tokenizer(text.encode("latin-1", "ignore"), name)
    with pytest.raises(ModelFileError):
        import_tokenizer(codecs.BOM_UTF16_LE + b"\x00\xd8", name)  # half a pair of surrogates


_LINES = "".join(f"{k} {token!r} {len(token)}\n" for k, token in enumerate([b"\x00", "a", "'", "한"], 1))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n", "Git LFS pointer.*git lfs pull"),
        (b"GGUF\x03\0\0\0", "GGUF file of llama.cpp"),
        ((90).to_bytes(8, "little") + b'{"model.embed_tokens.weight":{"dtype":"F32"}}', "weights of a model"),
        (_LINES.encode(), "vocabulary of RWKV"),
        (b'{"a": 0, "model": 1, "vocab": 2}', "vocab.json, the vocabulary alone"),
        (b'{"<|im_end|>": 5}', "vocab.json"),
        (b'{"config": {"pattern": "a"}, "vocab": [{"rank": 0, "token_bytes": "AA=="}]}', "tekken.json of Mistral"),
        (
            b'{"version": "1.0", "model": {"split_eomi": true, "glue_token": 3, "vocab": []}}',
            "subword tokenizer of Kiwi",
        ),
        (b'{"tokenizer_class": "BertTokenizer", "model_max_length": 512}', "file of settings"),
        (b'{"architectures": ["X"], "model_type": "x", "vocab_size": 9}', "file of settings"),
        (b'{"unk_token": "[UNK]", "sep_token": "[SEP]"}', "file of settings"),
    ],
)
def test_files_beside_a_tokenizer_are_named(data: bytes, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        import_tokenizer(data)


def test_a_file_that_begins_like_another_is_read() -> None:
    """`GGUF`, numbers and quotes may be tokens, too."""
    assert import_tokenizer(b"[UNK]\nGGUF\n1 'a' 1\n").vocab_size == 3


def test_an_imported_byte_level_bpe_is_not_said_to_be_none() -> None:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=260, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(["ab ab ab"], trainer)
    with pytest.raises(InputError, match="trained here or read from ranks"):
        to_tiktoken(import_tokenizer(tokenizer.to_str().encode()))
