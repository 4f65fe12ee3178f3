"""`tokenizer.json` and vocab.txt read back: the same ids and decoded text as `tokenizers`, our own files, bad files."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, decoders, models, normalizers, trainers
from tokenizers import Tokenizer as Peer
from tokenizers import pre_tokenizers as cuts

from engine.errors import InputError, ModelFileError
from engine.interop import json_fields
from engine.interop.formats import import_tokenizer
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.interop.huggingface.vocab_txt import from_vocab_txt, to_vocab_txt, vocab_txt_labels
from engine.interop.imported.tokenizer import Imported
from tests.engine.interop.test_huggingface_export import FORMS, model
from tests.interop_text import corpus_lines, fuzz_lines

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def trained(peer: Peer, trainer: Any) -> Peer:
    peer.train_from_iterator(corpus_lines()[:400], trainer)
    return peer


def gpt2() -> Peer:
    peer = Peer(models.BPE())
    peer.pre_tokenizer, peer.decoder = cuts.ByteLevel(add_prefix_space=True), decoders.ByteLevel()
    bpe = trainers.BpeTrainer(
        vocab_size=700, initial_alphabet=cuts.ByteLevel.alphabet(), special_tokens=["<|end|>"], show_progress=False
    )
    trained(peer, bpe)
    # Added tokens with every option.
    peer.add_tokens([AddedToken("안녕 ", lstrip=True, rstrip=True), AddedToken("abc", single_word=True)])
    peer.add_tokens([AddedToken("한국", normalized=True), "한국어"])
    return peer


def llama2() -> Peer:
    peer = Peer(models.BPE(unk_token="<unk>"))
    peer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    peer.decoder = decoders.Sequence(parts)
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    settings: dict[str, Any] = {"limit_alphabet": 400, "max_token_length": 12}
    trained(peer, trainers.BpeTrainer(vocab_size=1200, special_tokens=special, show_progress=False, **settings))
    content = json.loads(peer.to_str())
    content["model"] |= {"byte_fallback": True, "fuse_unk": True}
    content["added_tokens"] = content["added_tokens"][:3]
    return Peer.from_str(json.dumps(content))


def llama3() -> Peer:
    peer = Peer(models.BPE(ignore_merges=True))
    split = cuts.Split(Regex(LLAMA3), "isolated")
    peer.pre_tokenizer = cuts.Sequence([split, cuts.ByteLevel(add_prefix_space=False, use_regex=False)])
    peer.decoder = decoders.ByteLevel()
    alphabet = cuts.ByteLevel.alphabet()
    return trained(peer, trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False))


def unigram(scheme: str, split: bool) -> Peer:
    peer = Peer(models.Unigram())
    peer.normalizer = normalizers.NFKC()
    peer.pre_tokenizer = cuts.Metaspace(prepend_scheme=scheme, split=split)
    peer.decoder = decoders.Metaspace(prepend_scheme=scheme, split=split)
    special = ["<unk>", "<s>"]
    settings = {"unk_token": "<unk>", "special_tokens": special, "show_progress": False}
    return trained(peer, trainers.UnigramTrainer(vocab_size=1200, **settings))


def t5() -> Peer:
    peer = unigram("first", True)
    steps = [normalizers.Replace(Regex(" {2,}"), " "), normalizers.NFKD(), normalizers.Replace("...", "…")]
    peer.normalizer = normalizers.Sequence(steps)
    peer.pre_tokenizer = cuts.Sequence([cuts.WhitespaceSplit(), cuts.Metaspace(prepend_scheme="always")])
    return peer


def bert(lowercase: bool) -> Peer:
    peer = Peer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=12))
    peer.normalizer, peer.pre_tokenizer = normalizers.BertNormalizer(lowercase=lowercase), cuts.BertPreTokenizer()
    peer.decoder = decoders.WordPiece()
    special = ["[UNK]", "[CLS]"]
    return trained(peer, trainers.WordPieceTrainer(vocab_size=1400, special_tokens=special, show_progress=False))


def marked_bpe() -> Peer:
    peer = Peer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True))
    steps = [normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip()]
    peer.normalizer = normalizers.Sequence(steps)
    pieces = [cuts.Whitespace(), cuts.Digits(True), cuts.Punctuation("merged_with_previous")]
    peer.pre_tokenizer, peer.decoder = cuts.Sequence(pieces), decoders.BPEDecoder()
    settings: dict[str, Any] = {"special_tokens": ["<unk>"], "end_of_word_suffix": "</w>", "show_progress": False}
    return trained(peer, trainers.BpeTrainer(vocab_size=900, **settings))


def without_unknown() -> Peer:
    # A character that is no token is left out, and there is no decoder.
    peer = Peer(models.BPE())
    peer.normalizer = normalizers.NFC()
    pieces = [cuts.WhitespaceSplit(), cuts.CharDelimiterSplit("."), cuts.Punctuation("contiguous")]
    peer.pre_tokenizer = cuts.Sequence(pieces)
    return trained(peer, trainers.BpeTrainer(vocab_size=900, show_progress=False, limit_alphabet=300))


PEERS: dict[str, Any] = {
    "gpt2": gpt2,
    "llama2": llama2,
    "llama3": llama3,
    **{
        f"unigram {scheme} {split}": (unigram, scheme, split)
        for scheme in ("always", "first", "never")
        for split in (True, False)
    },
    "t5": t5,
    "bert uncased": (bert, True),
    "bert cased": (bert, False),
    "marked bpe": marked_bpe,
    "bpe without unknown": without_unknown,
}


@cache
def peer(name: str) -> Peer:
    make = PEERS[name]
    made: Peer = make[0](*make[1:]) if isinstance(make, tuple) else make()
    return made


@cache
def imported(name: str) -> Imported:
    return from_tokenizer_json(peer(name).to_str().encode())


def compare(theirs: Peer, lines: list[str]) -> Imported:
    content = theirs.to_str()
    # What was just trained has other scores than its file, by the last digit: that decides ties.
    theirs, ours = Peer.from_str(content), from_tokenizer_json(content.encode())
    for allow_special in (False, True):
        theirs.encode_special_tokens = not allow_special
        for line in lines:
            expected = theirs.encode(line, add_special_tokens=False).ids
            ids, spans = ours.encode(line, allow_special=allow_special)
            assert ids == expected, line
            assert_tiled(spans, line)
            expected_text, text = theirs.decode(ids, skip_special_tokens=False), ours.decode(ids)
            assert "\ufffd" not in text.replace("\ufffd", "", line.count("\ufffd"))
            if "\ufffd" not in expected_text:
                assert text == expected_text, line
    return ours


def assert_tiled(spans: list[tuple[int, int]], line: str) -> None:
    ends = [0, *(end for _, end in spans)]
    assert [begin for begin, _ in spans] == ends[:-1]
    assert ends == sorted(ends)
    assert not spans or ends[-1] == len(line.encode())


@pytest.mark.parametrize("name", PEERS)
def test_ids_and_decoded_text_are_those_of_tokenizers(name: str) -> None:
    ours = compare(peer(name), corpus_lines()[:10] + fuzz_lines(200, corpus_lines()))
    assert ours.unsupported == ()
    assert ours.vocab_size == peer(name).get_vocab_size()


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_ids_are_those_of_tokenizers_on_thousands_of_lines(name: str, shared_data: Path) -> None:
    lines = corpus_lines(shared_data)
    compare(peer(name), lines[:500] + fuzz_lines(1500, lines, seed=2))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("behavior", ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"])
def test_splits(behavior: str, invert: bool) -> None:
    theirs = Peer.from_str(peer("gpt2").to_str())
    split = cuts.Split(Regex(r"[ㅠㅋ.!]|\p{N}|^a|b$"), behavior, invert)
    theirs.pre_tokenizer = cuts.Sequence([split, cuts.ByteLevel(add_prefix_space=False)])
    compare(theirs, fuzz_lines(100, corpus_lines()))


@pytest.mark.parametrize(("algorithm", "vocab_size", "pretokenizer", "profile"), FORMS)
def test_our_own_files_come_back_the_same(algorithm: str, vocab_size: int, pretokenizer: str, profile: str) -> None:
    ours = model(algorithm, vocab_size, pretokenizer)
    again = from_tokenizer_json(to_tokenizer_json(ours, profile))
    assert again.unsupported == ()
    # The byte-fallback profile has an unknown token after our own.
    assert again.vocab_size == ours.vocab_size + (profile == "byte-fallback")
    for token_id in range(ours.vocab_size):
        assert again.token_label(token_id) == ours.token_label(token_id)
        assert again.token_bytes(token_id) == ours.token_bytes(token_id)
    for line in corpus_lines()[:20] + fuzz_lines(100, corpus_lines()):
        for allow_special in (False, True):
            encoding = ours.encode(line, allow_special=allow_special)
            assert again.encode(line, allow_special=allow_special) == encoding, line
            assert again.decode(encoding.ids) == ours.decode(encoding.ids), line


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cn"])))
def test_spans_are_those_of_the_text_as_given(text: str) -> None:
    for name in ("bert uncased", "marked bpe", "t5", "llama2"):
        assert_tiled(imported(name).encode(text).spans, text)


def test_spans_of_decomposed_text() -> None:
    theirs = Peer.from_str(peer("gpt2").to_str())
    theirs.normalizer = normalizers.NFC()
    theirs.pre_tokenizer = cuts.ByteLevel(add_prefix_space=False)
    ours = from_tokenizer_json(theirs.to_str().encode())
    text = "\u1112\u1161\u11abx"
    ids, spans = ours.encode(text)
    assert ids == ours.encode("한x").ids
    assert [text.encode()[begin:end] for begin, end in spans][-1] == b"x"


def test_bytes_that_make_no_character_are_hex() -> None:
    ours = from_tokenizer_json(to_tokenizer_json(model("byte-bpe", 900)))
    half = next(i for i in range(ours.vocab_size) if ours.token_bytes(i) == b"\xec")
    assert ours.token_label(half) == "<0xEC>"
    assert ours.decode([half]) == "<0xEC>"
    with pytest.raises(InputError, match="no token with the id"):
        ours.decode([10**6])


def test_vocab_txt_comes_back() -> None:
    ours = model("wordpiece", 2500, "whitespace")
    assert vocab_txt_labels(to_vocab_txt(ours)) == [token.label for token in ours.tokens]


@pytest.mark.parametrize("lowercase", [False, True])
def test_vocab_txt_is_read_as_bert_does(lowercase: bool) -> None:
    theirs = Peer.from_str(peer("bert uncased" if lowercase else "bert cased").to_str())
    theirs.model = models.WordPiece(theirs.get_vocab(), unk_token="[UNK]", max_input_chars_per_word=100)
    labels = [theirs.id_to_token(i) for i in range(theirs.get_vocab_size())]
    ours = from_vocab_txt("\r\n".join([*labels, ""]).encode(), lowercase=lowercase)
    theirs.encode_special_tokens = True
    for line in corpus_lines()[:20] + fuzz_lines(200, corpus_lines()):
        assert ours.encode(line).ids == theirs.encode(line, add_special_tokens=False).ids, line
    assert ours.encode("[CLS]", allow_special=True).ids == [1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1 of the vocabulary is empty"),
        (b"[UNK]\n\na\n", "line 2 of the vocabulary is empty"),
        (b"a\n[UNK]\na\n", "lines 1 and 3"),
        (b"a\nb\n", "lacks the unknown token"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a" * (17 << 20), "limit for a vocab.txt is"),
    ],
)
def test_damaged_vocab_txt(data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        from_vocab_txt(data)


# Files that nobody should be able to do harm with


def small(**changes: Any) -> dict[str, Any]:
    vocab = {"a": 0, "b": 1, "ab": 2, "[UNK]": 3}
    return {"model": {"type": "BPE", "vocab": vocab, "merges": [["a", "b"]]} | changes}


def scores(*entries: Any, **changes: Any) -> dict[str, Any]:
    return {"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *entries]} | changes}


def added(**changes: Any) -> dict[str, Any]:
    return small() | {"added_tokens": [{"id": 4, "content": "<s>", "special": True} | changes]}


def split(pattern: Any, **changes: Any) -> dict[str, Any]:
    return small() | {"pre_tokenizer": {"type": "Split", "pattern": pattern, "behavior": "Isolated"} | changes}


HOSTILE = [
    ([], "no JSON object"),
    ({}, "has no model"),
    ({"model": "a"}, "model is not valid"),
    ({"model": {"type": "<script>alert(1)</script>"}}, "model type is"),
    ({"model": {"type": ["BPE"]}}, "model type is"),
    (small(vocab={}), "model.vocab must have 1"),
    (small(vocab=[["a", 1]]), "model.vocab is not valid"),
    (small(vocab={"a": -1}), "is not valid"),
    (small(vocab={"a": 1.5}), "is not valid"),
    (small(vocab={"a": True}), "is not valid"),
    (small(vocab={"a": 10**30}), "is not valid"),
    (small(vocab={"a": 0, "b": 0}, merges=[]), "the same id, 0"),
    (small(vocab={"a": 0, "b": 1_999_999}, merges=[]), "model.vocab is incomplete"),
    (small(vocab={"a\ud800": 0}, merges=[]), "is not valid"),
    (small(merges=[["a", "x"]]), "'x', which is not in the vocabulary"),
    (small(merges=[["b", "a"]]), "'ba', which is not in the vocabulary"),
    (small(merges=["a b c"]), "is not valid"),
    (small(merges=[["a"]]), "is not valid"),
    (small(merges=[[1, 2]]), "is not valid"),
    (small(merges=7), "model.merges is not valid"),
    (small(unk_token="<none>"), "not in the vocabulary"),
    (small(unk_token=3), "is not valid"),
    (small(byte_fallback="yes"), "is not valid"),
    (small(type="WordPiece", unk_token="<none>"), "not in the vocabulary"),
    (small(type="WordPiece", max_input_chars_per_word=-1), "is not valid"),
    (scores(["a", None]), "between -10,000,000 and 10,000,000"),
    (scores(["a", "1"]), "between -10,000,000 and 10,000,000"),
    (scores(["a", 10**400]), "between -10,000,000 and 10,000,000"),
    (scores(["a"]), "is not valid"),
    (scores(["a", -1.0], ["a", -2.0]), "also at 1"),
    (scores(unk_id=7), "is not valid"),
    (scores(unk_id="0"), "is not valid"),
    ({"model": {"type": "Unigram", "vocab": []}}, "must have 1 to"),
    (added(content="x" * 600_000), "up to 500,000 characters"),
    (small() | {"added_tokens": [{}] * 30_000}, "up to 20,000 tokens"),
    (added(id=None), "is not valid"),
    (added(content=None), "is not valid"),
    (small() | {"added_tokens": [3]}, r"added_tokens\[0\] is not valid"),
    (small() | {"normalizer": "NFC"}, "normalizer is not valid"),
    (small() | {"normalizer": {"type": 3}}, "normalizer.type is not valid"),
    (small() | {"decoder": {"type": "Strip", "start": 10**9}}, "is not valid"),
    (split({"Regex": "("}), "not a regular expression"),
    (split({"Regex": "a" * 30_000}), "20,000 characters"),
    (split({}), "is not valid"),
    (split("x"), "pre_tokenizer.pattern is not valid"),
    (split({"String": "x"}, behavior="Cut"), "is not valid"),
    (small() | {"pre_tokenizer": {"type": "Metaspace", "replacement": "xx"}}, "is not valid"),
]


@pytest.mark.parametrize(("content", "message"), HOSTILE)
def test_hostile_files(content: Any, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        from_tokenizer_json(json.dumps(content).encode())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_files_that_are_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    data = to_tokenizer_json(model("thunder-tok", 1500))
    deep = b'{"model": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    sequence = b'{"type": "Sequence", "normalizers": [' * 2000 + b"]}" * 2000
    for damaged, message in [
        (b"", "not valid JSON"),
        (data[: len(data) // 2], "not valid JSON"),
        (b"\xff\xfe" + data, "not valid UTF-8"),
        (deep, "nested too deeply"),
        (json.dumps(small())[:-1].encode() + b', "normalizer": ' + sequence + b"}", "nested too deeply"),
        (data.replace(b"-1000000.0", b"NaN", 1), "NaN where a number"),
        (b'{"model": {"type": "Unigram", "vocab": [["a", -Infinity]]}}', "-Infinity where a number"),
        (b'{"model": {"type": "Unigram", "vocab": [["a", 1e999]]}}', "between -10,000,000 and 10,000,000"),
    ]:
        with pytest.raises(ModelFileError, match=message):
            from_tokenizer_json(damaged)
    monkeypatch.setattr(json_fields, "MAX_FILE_BYTES", 1000)
    with pytest.raises(ModelFileError, match=r"limit for a tokenizer\.json is 1,000 bytes"):
        from_tokenizer_json(data)


@pytest.mark.slow
def test_a_pattern_that_backtracks_for_ever_is_stopped() -> None:
    ours = from_tokenizer_json(json.dumps(split({"Regex": "(a|aa)+$"})).encode())
    with pytest.raises(InputError, match="backtracks too much"):
        ours.encode("a" * 200 + "b")


def test_steps_that_multiply_the_text_are_stopped() -> None:
    replace = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    double = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    for part in (
        {"normalizer": {"type": "Sequence", "normalizers": [replace] * 60}},
        {"normalizer": replace | {"content": "a" * 10**6}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [double] * 60}},
    ):
        ours = from_tokenizer_json(json.dumps(small() | part).encode())
        with pytest.raises(InputError, match="use another tokenizer"):
            ours.encode("aé" * 1000)
    with pytest.raises(ModelFileError, match="up to 200 steps"):
        from_tokenizer_json(json.dumps(small() | {"decoder": {"type": "Sequence", "decoders": [{}] * 201}}).encode())


def test_the_content_says_what_a_file_is() -> None:
    assert import_tokenizer(peer("gpt2").to_str().encode(), "x.bin").name == "Byte-level BPE"
    assert import_tokenizer(b" \n" + peer("bert cased").to_str().encode()).name == "WordPiece"
    vocabulary = to_vocab_txt(model("wordpiece", 2500, "whitespace"))
    assert import_tokenizer(vocabulary, "some.txt").encode("한국어, 안녕").ids
    assert import_tokenizer(b"[PAD]\n[UNK]\na\n##b\n", "vocab.txt").decode([2, 3]) == "ab"
    assert import_tokenizer(b"{\n[UNK]\n", "vocab.txt").encode("{").ids == [0]
    with pytest.raises(ModelFileError, match="not valid JSON"):
        import_tokenizer(b'{"model": ')


def test_uncased_vocabularies_are_known_by_their_entries() -> None:
    assert import_tokenizer(b"[UNK]\nabc\n", "vocab.txt").encode("ABC").ids == [1]
    assert import_tokenizer(b"[UNK]\nabc\nABC\n", "vocab.txt").encode("ABC").ids == [2]
    assert import_tokenizer("[UNK]\nabc\n한\n".encode(), "vocab.txt").encode("한").ids == [2]
    # U+211D is an upper-case letter (Lu) that has no lower case, as others in the vocabulary of bert-base-uncased.
    assert import_tokenizer("[UNK]\nabc\nℝ\n".encode(), "vocab.txt").encode("ABC ℝ").ids == [1, 2]


def test_a_vocabulary_of_hangul_letters_says_that_text_must_be_decomposed() -> None:
    ranges = (range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3))
    letters = [chr(code) for codes in ranges for code in codes]
    data = "\n".join(["[UNK]", "A", "abc", *letters, *(f"##{letter}" for letter in letters)]).encode()
    ours = from_vocab_txt(data)
    assert "decompose the text first (NFD)" in ours.unsupported[-1]
    assert ours.encode("한").ids == [ours.unknown_id]
    assert len(ours.encode("\u1112\u1161\u11ab").ids) == 3
    with_syllables = from_vocab_txt(data + "\n한".encode())
    assert not any("NFD" in part for part in with_syllables.unsupported)


def test_html_stays_text() -> None:
    content = small(vocab={"<": 0, "b": 1, ">": 2, "<b": 3, "<b>": 4}, merges=[["<", "b"], ["<b", ">"]])
    ours = from_tokenizer_json(json.dumps(content).encode())
    assert ours.encode("<b><b>").ids == [4, 4]
    assert ours.token_label(4) == "<b>"


def test_what_is_not_supported_is_named_with_its_place() -> None:
    content = small(dropout=0.1) | {
        "truncation": {"max_length": 5},
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Transliterate"}]},
        "pre_tokenizer": {"type": "UnicodeScripts"},
        "post_processor": {"type": "TemplateProcessing"},
        "decoder": {"type": "CTC"},
    }
    ours = from_tokenizer_json(json.dumps(content).encode())
    places = [line.split(":")[0] for line in ours.unsupported]
    assert places == [
        "model.dropout",
        "truncation",
        "post_processor",
        "decoder",
        "normalizer.normalizers[1]",
        "pre_tokenizer",
    ]
    assert ours.encode("ab").ids == [2]


def test_a_character_without_any_token() -> None:
    content = scores(["a", -1.0], unk_id=None)
    ours = from_tokenizer_json(json.dumps(content).encode())
    assert ours.encode("a").ids == [1]
    with pytest.raises(InputError, match="not in the imported vocabulary"):
        ours.encode("ab")
