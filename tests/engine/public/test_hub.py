"""Tokenizers of the hub, against a server of our own: what comes is the tokenizer, and what may go wrong is said."""

import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from urllib.request import Request

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

import engine.public.download as download
import engine.public.hub as hub_module
from engine.cli import main
from engine.errors import InputError
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import single_token_words
from engine.measure.parallel import parallel_table
from engine.measure.words import find_words
from engine.public.download import is_public
from engine.public.hub import fetch_file, hub_folder, kept_file, load_hub
from engine.segmentation.segmenter import token_words
from tests.engine.interop.test_sentencepiece_import import model_file
from tests.hub_server import COMMIT, HubServer, endless, redirect, refuse, send

WORDS = ["[UNK]", "[CLS]", "hug", "##s", "Hug", "é", "e", "나무"]
VOCAB = "".join(f"{word}\n" for word in WORDS).encode()


def bpe() -> bytes:
    """A tokenizer.json as `tokenizers` writes it."""
    made = Tokenizer(models.BPE({"h": 0, "u": 1, "g": 2, "hu": 3, "hug": 4, "나": 5}, [("h", "u"), ("hu", "g")]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return str(made.to_str()).encode()


def _code(model: str, **options: int) -> str:
    with pytest.raises(InputError) as error:
        fetch_file(model, hub_folder(), **options)
    assert "\n" not in str(error.value)
    return error.value.code


def test_a_tokenizer_by_its_id(hub: HubServer) -> None:
    hub.files["owner/name"] = {"tokenizer.json": bpe()}
    assert load_hub("owner/name").encode("hug hu나").ids == [4, 3, 5]
    assert hub.asked == ["/owner/name/resolve/main/tokenizer.json"]
    assert not {"Authorization", "Cookie"} & set(hub.headers[0])


def test_the_second_use_asks_nobody(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.files["owner/name"] = {"tokenizer.json": bpe()}
    first = fetch_file(" owner/name ", hub_folder())
    assert (first.name, first.commit) == ("tokenizer.json", COMMIT)
    hub.files.clear()
    assert fetch_file("owner/name", hub_folder()) == first
    assert len(hub.asked) == 1
    # What one hub sent is not what another one would.
    monkeypatch.setenv("HF_ENDPOINT", hub.address.replace("127.0.0.1", "localhost"))
    assert _code("owner/name") == "hub.missing"


def test_other_files_where_there_is_no_tokenizer_json(hub: HubServer) -> None:
    pieces = model_file("bpe", "defaults")
    hub.files["old/pieces"] = {"tokenizer.model": pieces}
    hub.files["old/t5"] = {"spiece.model": pieces}
    for model in hub.files:
        assert fetch_file(model, hub_folder()).content == pieces
        assert load_hub(model).encode("나무").ids


@pytest.mark.parametrize("lower", [True, False])
def test_a_vocab_txt_is_used_as_its_configuration_says(hub: HubServer, lower: bool) -> None:
    config = {"do_lower_case": lower, "strip_accents": False, "tokenizer_class": "BertTokenizerFast"}
    hub.files["bert"] = {"vocab.txt": VOCAB, "tokenizer_config.json": json.dumps(config).encode()}
    peer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    peer.normalizer = normalizers.BertNormalizer(lowercase=lower, strip_accents=False)
    peer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    text = "Hugs é 나무, hugs"
    assert load_hub("bert").encode(text).ids == peer.encode(text).ids
    assert hub.asked[-1] == f"/bert/resolve/{COMMIT}/tokenizer_config.json"


@pytest.mark.parametrize(
    "files",
    [
        {"vocab.txt": VOCAB, "tokenizer_config.json": b'{"tokenizer_class": "BertJapaneseTokenizer"}'},
        {"vocab.txt": VOCAB.replace(b"##", "▁".encode())},
    ],
)
def test_a_vocab_txt_of_another_kind_is_refused(hub: HubServer, files: dict[str, bytes]) -> None:
    hub.files["bert"] = dict(files)
    assert _code("bert") == "hub.not_bert"


@pytest.mark.parametrize(
    "model",
    [
        "",
        "..",
        "a/../b",
        "../../api",
        "a/b/c",
        "https://example.org/x",
        "//example.org",
        "a b",
        "a/b?x",
        "a@b",
        "a/b\n",
        "가/나",
        "-a/b",
        "a/" + "b" * 97,
    ],
)
def test_only_an_id_is_asked_for(hub: HubServer, model: str) -> None:
    if model == "a/b\n":  # the spaces around an id are none of it
        assert _code(model) == "hub.missing"
        return
    assert _code(model) == "hub.id"
    assert hub.asked == []


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuse(401, "GatedRepo"), "hub.gated"),
        (refuse(403), "hub.gated"),
        (refuse(401), "hub.missing"),
        (refuse(404, "RepoNotFound"), "hub.missing"),
        (refuse(404), "hub.no_file"),
        (refuse(500), "hub.status"),
        (refuse(429), "hub.status"),
        (send(b"x", 1001), "hub.large"),
        (endless(b"x" * 500), "hub.large"),
        (send(b"x", 2), "hub.offline"),
        (redirect("/a/b/resolve/main/tokenizer.json"), "hub.offline"),
        (redirect("file:///etc/hosts"), "hub.offline"),
        (redirect("https:///"), "hub.offline"),
    ],
)
def test_what_goes_wrong_is_said(hub: HubServer, reply: Callable[..., None], code: str) -> None:
    hub.files["a/b"] = {"tokenizer.json": reply}
    assert _code("a/b", max_bytes=1000) == code
    assert list(hub_folder().iterdir()) == []
    assert len(hub.asked) <= 6


def test_a_hub_without_reasons(hub: HubServer) -> None:
    hub.files["a/b"] = dict.fromkeys(hub_module._FILES, refuse(404))
    assert _code("a/b") == "hub.missing"


def test_a_slow_answer_ends(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.files["a/b"] = {"tokenizer.json": endless(b"x", 0.01)}
    monkeypatch.setattr(download, "MAX_SECONDS", 0.2)
    assert _code("a/b") == "hub.slow"
    hub.files["a/c"] = {"tokenizer.json": endless(b"x", 60)}  # and one that says nothing
    monkeypatch.setattr(download, "MAX_SECONDS", 60)
    monkeypatch.setattr(download, "_SILENCE_SECONDS", 0.1)
    assert _code("a/c") == "hub.offline"


def test_no_network(monkeypatch: pytest.MonkeyPatch, hub: HubServer) -> None:
    for no_address in ("http://[::1", "abc", "http://"):
        monkeypatch.setenv("HF_ENDPOINT", no_address)
        assert _code("a/b") == "hub.offline"
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"the tokenizer hub 127\.0\.0\.1:9 cannot be reached \(Connection refused\)"):
        fetch_file("a/b", hub_folder())


def test_redirects_within_the_hub_and_to_another_server(hub: HubServer) -> None:
    with HubServer() as store:
        store.files["x"] = {"blob": bpe()}
        hub.files["new/name"] = {"tokenizer.json": redirect(f"{store.address}/x/resolve/main/blob")}
        hub.files["name"] = {"tokenizer.json": redirect("/new/name/resolve/main/tokenizer.json")}
        assert fetch_file("name", hub_folder()).content == bpe()
        assert len(store.asked) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the machine has one address for itself")
@pytest.mark.parametrize("host", ["127.0.0.2", "127%2e0.0.2", "2130706434", "[::ffff:127.0.0.2]", "u@127.0.0.2"])
def test_a_public_hub_leads_nowhere_inside(hub: HubServer, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "is_public", lambda address: address == "127.0.0.1" or is_public(address))
    with HubServer("127.0.0.2") as inside:
        inside.files["x"] = {"blob": bpe()}
        path = f"{inside.address.rpartition(':')[2]}/x/resolve/main/blob"
        hub.files["a/b"] = {"tokenizer.json": redirect(f"http://{host}:{path}")}
        assert _code("a/b") == "hub.offline"
        assert inside.asked == []
        if host == "127.0.0.2":
            with pytest.raises(InputError, match="it leads to a private address"):
                fetch_file("a/b", hub_folder())


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        ("10.1.2.3", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("2606:4700::1111", True),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("ff0e::1", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("feff::1", False),
        ("2001:db8::1", False),
        ("::ffff:8.8.8.8", True),
        ("::ffff:127.0.0.1", False),
        ("::7f00:1", False),
        ("::8.8.8.8", True),
        ("64:ff9b::8.8.8.8", True),
        ("64:ff9b::", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b:1::8.8.8.8", False),
        ("2002:808:808::1", True),
        ("2002::", False),
        ("2002:7f00:1::", False),
        ("2002:a9fe:a9fe::1", False),
        ("2001:0:808:808::f7f7:f7f7", True),
        ("2001:0:808:808::80ff:fffe", False),
        ("2001:0:a00:1::f7f7:f7f7", False),
    ],
)
def test_an_address_is_judged_by_what_it_leads_to(address: str, expected: bool) -> None:
    assert is_public(address) == expected


def test_an_https_hub_leads_to_https_only(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_(request: Request, timeout: float) -> AbstractContextManager:
        opened.append(request.full_url)
        return nullcontext(SimpleNamespace(status=302, headers={"Location": f"{hub.address}/a"}))

    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example/")
    monkeypatch.setattr(download, "build_opener", lambda *_: SimpleNamespace(open=open_))
    with pytest.raises(InputError, match="it leads to http"):
        fetch_file("a/b", hub_folder())
    assert opened == ["https://hub.example/a/b/resolve/main/tokenizer.json"]
    assert hub.asked == []


def test_by_way_of_a_proxy(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", hub.address)
    monkeypatch.setenv("HF_ENDPOINT", "http://8.8.8.8")
    hub.files["http://8.8.8.8/a/b"] = {"tokenizer.json": bpe()}
    assert fetch_file("a/b", hub_folder()).content == bpe()


def test_closed(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNDER_TOK_HUB", " OFF ")
    assert _code("a/b") == "hub.closed"
    assert hub.asked == []


def test_what_is_no_tokenizer_is_not_kept(hub: HubServer) -> None:
    hub.files["a/b"] = {"tokenizer.json": b"<html>Welcome to this hotel</html>"}
    with pytest.raises(InputError) as error:
        load_hub("a/b")
    assert error.value.code == "import.unknown"
    hub.files["a/b"] = {"tokenizer.json": bpe()}
    assert load_hub("a/b").vocab_size == 6


def test_what_was_used_longest_ago_goes(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder: Path = hub_folder()
    monkeypatch.setattr(hub_module, "_KEPT_BYTES", 2 * len(bpe()))
    for name in ("a", "b", "a", "c"):
        hub.files[name] = {"tokenizer.json": bpe()}
        fetch_file(name, folder)
        for path in folder.iterdir():  # a while later
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10))
    assert [kept_file(name, folder) is not None for name in "abc"] == [True, False, True]


def test_the_bytes_are_told_as_they_come(hub: HubServer) -> None:
    hub.files["a/b"] = {"tokenizer.json": bpe()}
    told: list[tuple[int, int]] = []
    fetch_file("a/b", hub_folder(), report=lambda *sizes: told.append(sizes))
    assert told[-1] == (len(bpe()), len(bpe()))


def test_the_command_line(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    hub.files["owner/name"] = {"tokenizer.json": bpe()}
    assert main(["tokens", "--model", "hub:owner/name", "--json"]) == 0
    assert "나" in capsys.readouterr().out
    assert main(["tokens", "--model", "hub:nobody/nothing"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "the hub has no public model nobody/nothing" in said


def test_measures_of_what_leaves_characters_out(hub: HubServer) -> None:
    """tokenizer.json of BPE without an unknown token and without bytes: other characters are no token at all."""
    hub.files["a/b"] = {"tokenizer.json": bpe()}
    tokenizer = load_hub("a/b")
    assert token_words(tokenizer, "나hug") == ["나", "hug"]
    assert token_words(tokenizer, "다다") == ["다다"] and token_words(tokenizer, "") == []
    encoded = encode_lines(tokenizer, ["나", "다", "hug"])
    words = find_words(encoded.seen, "eojeol")
    assert single_token_words(encoded, words).value == pytest.approx(2 / 3)
    nothing = encode_lines(tokenizer, ["다"])
    assert single_token_words(nothing, find_words(nothing.seen, "eojeol")).value == 0
    with pytest.raises(InputError, match="lacks every character of the text in ko"):
        parallel_table(tokenizer, {"en": ["hug"], "ko": ["다"]}, "en")
