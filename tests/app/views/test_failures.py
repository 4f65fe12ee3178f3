"""The failure modes page: every topic has its text, every variant is cut, and unused tokens are counted."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from app.session import state
from app.session.comparison import taught_settings
from app.session.models import ActiveTokenizer
from app.session.reference import ModelReference
from app.texts.catalogue import LANGUAGES, translate
from app.texts.corpora import ALL, builtin_corpus
from app.texts.plain import unmarked
from app.views.learn_failures.prompt_edge import next_bytes_table
from app.views.learn_failures.tables import code_costs, misread, unused_tokens
from app.views.learn_failures.topics import TOPICS, examples
from engine import train
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.interop.tiktoken.ranks import TiktokenBpe
from engine.measure.encoded import EncodedLines, encode_lines
from engine.measure.prompt_edge import prompt_edge
from engine.measure.robustness import robustness_rows
from engine.measure.token_ngrams import token_model
from engine.measure.variants import VARIANTS
from engine.merges.plain import Utf8Bytes
from engine.merges.trainer import train_merges
from engine.pretokenization import get_pretokenizer
from engine.public.load import load_public
from engine.tokenizer import Tokenizer
from tests.pages import open_page, settle, write
from tests.seen import component_data


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_its_text(topic: str) -> None:
    for lang in LANGUAGES:
        assert translate(f"learn_failures.topic.{topic}.title", lang)
        assert len(unmarked(translate(f"learn_failures.topic.{topic}.says", lang))) <= (60 if lang == "ko" else 110)
        assert len(translate(f"learn_failures.topic.{topic}.text", lang)) > 40
        assert 2 <= len(examples(topic, lang)) <= 12


@pytest.mark.parametrize(("lang", "other", "first"), [("ko", "en", "강아지"), ("en", "ko", " strawberry")])
def test_it_opens_with_examples_of_the_visitors_language(lang: str, other: str, first: str) -> None:
    app = open_page("learn_failures", lang=lang)
    lines = examples("letters", lang)
    assert app.session_state["failures.text"] == "\n".join(lines)
    assert lines != examples("letters", other) and lines[1] == first
    assert translate("learn_failures.topic.letters.says", lang).split("[")[0] in app.markdown[0].value
    assert "text" not in app.query_params
    # Korean examples come first for Korean, and last for others; not where the text counts them.
    assert (examples("names", lang)[0] == "김민수") == (lang == "ko") and examples("names", "en")[-1] == "남궁옥분"
    assert examples("scripts", lang)[1:3] == ("paypal", "p\u0430yp\u0430l")
    write(app, "failures.text", "mine")
    app.selectbox(key="failures.topic").set_value("emoji").run()
    assert app.session_state["failures.text"] == "\n".join(examples("emoji", lang))


def test_an_unknown_language_gets_the_examples_of_english() -> None:
    assert examples("chat", "xx") == examples("chat", "en") and examples("case", "xx") == examples("case", "en")


def test_examples_have_as_many_tokens_as_their_texts_say() -> None:
    models = {name: load_public(name) for name in ("gpt2", "cl100k_base", "o200k_base")}

    def pieces(name: str, text: str) -> list[str]:
        return [models[name].token_label(i) for i in models[name].encode(text).ids]

    def counts(name: str, *texts: str) -> list[int]:
        return [len(pieces(name, text)) for text in texts]

    assert pieces("o200k_base", "강아지") == ["강", "아", "지"]
    assert pieces("o200k_base", "ㄱㅏㅇㅇㅏㅈㅣ").count("ㅇ") == 2
    assert all(counts(name, " strawberry") == [1] for name in models)
    assert all(piece.strip() in "strawberry" for piece in pieces("cl100k_base", "s t r a w b e r r y"))
    assert counts("o200k_base", "할 수 있다", "할수있다") == [3, 4]
    assert counts("o200k_base", "I cannot wait to see you.", "Icannotwaittoseeyou.") == [7, 8]
    assert counts("o200k_base", "alot", "a lot", "idk", " tbh") == [2, 2, 2, 2]
    assert counts("cl100k_base", "ㅋ") == [2] and pieces("cl100k_base", "hahaha") == ["h", "ahaha"]
    assert counts("o200k_base", "ㅋㅋ", "ㅎㅎ", "ㅜ", "lol") == [1, 1, 2, 1]
    assert counts("gpt2", "밥 먹었어?", "진지 잡수셨습니까?") == [13, 24]
    assert counts("o200k_base", "밥 먹었어?", "진지 잡수셨습니까?", "이거 봐.", "이것 좀 봐 주시겠습니까?") == [
        6,
        7,
        5,
        10,
    ]
    for name in models:
        assert counts(name, "Look at this.", "Could you please have a look at this?") == [4, 9]
        assert counts(name, "gonna", "going to") == [2, 2]
    assert counts("o200k_base", "컴퓨터", "셈틀", "프레젠테이션", "발표", "챗", "computer") == [2, 3, 5, 2, 2, 1]
    assert counts("cl100k_base", "컴퓨터") == [7]
    for name in ("cl100k_base", "o200k_base"):
        assert pieces(name, "1000000") == ["100", "000", "0"] and pieces(name, "120000000")[1:] == ["000", "000"]


def test_the_whole_of_the_built_in_texts_is_one_source() -> None:
    parts = [builtin_corpus(name) for name in ("ko", "multi", "web")]
    assert builtin_corpus(ALL).n_chars == sum(part.n_chars for part in parts)


def test_steps_on_the_way_to_longer_tokens_are_unused() -> None:
    lines = ["abab"] * 9
    model = train_merges(lines, TrainingSettings(algorithm="byte-bpe", vocab_size=258, pretokenizer="gpt2"))
    table = unused_tokens(model, lines)
    assert "ab" in table["token"].tolist()
    assert "abab" not in table["token"].tolist()
    assert len(table) == 257


def test_digits_in_threes_are_counted_from_the_right() -> None:
    cut = get_pretokenizer(taught_settings("digits-3", 300).pretokenizer).split
    assert cut("12345678") == ["12", "345", "678"]
    for number in ("1", "12", "123", "1234", "12345", "123456"):
        assert ",".join(cut(number)) == f"{int(number):,}"
    assert len(cut("7" * 20_000)) == 6667
    assert cut("a1234,5678b") == ["a", "1", "234", ",", "5", "678", "b"]


def test_ids_are_read_with_another_vocabulary() -> None:
    reader = Utf8Bytes()
    assert misread(reader, list("가 a".encode())) == ("가␣a", 5)
    assert misread(reader, [0xEA, 0xB0, 300, 0x80, 65, -1, 256]) == ("<0xEA><0xB0>⟦300⟧<0x80>A⟦-1⟧⟦256⟧", 4)
    # A vocabulary may hold the mark of broken text itself.
    assert misread(reader, [0xEF, 0xBF, 0xBD, 10]) == ("<0xEF><0xBF><0xBD><0x0A>", 4)
    assert misread(reader, []) == ("", 0)
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 300}
    gap = misread(TiktokenBpe(ranks, "gpt2", {"<|end|>": 301}), [300, 299, 301, 302])
    assert gap == ("ab⟦299⟧<|end|>⟦302⟧", 2)


def test_any_two_of_the_chosen_tokenizers_are_a_wrong_pair() -> None:
    link = {"topic": "wrong_pairs", "models": "gpt2.cl100k_base", "text": state.pack_text("오늘은 날씨")}
    app = open_page("learn_failures", lang="en", **link)
    known = {name: load_public(name) for name in ("gpt2", "cl100k_base")}
    ids = {name: tokenizer.encode("오늘은 날씨").ids for name, tokenizer in known.items()}
    written = {name: " ".join(map(str, own)) for name, own in ids.items()}
    read = misread(known["cl100k_base"], ids["gpt2"])
    assert [one.value for one in app.code] == [written["gpt2"], read.text] and read.n_known == len(ids["gpt2"])
    app.selectbox(key="row.writer").set_value(1).run()
    # GPT-2 has half as many ids.
    read = misread(known["gpt2"], ids["cl100k_base"])
    assert [one.value for one in app.code] == [written["cl100k_base"], read.text]
    assert f"⟦{max(ids['cl100k_base'])}⟧" in read.text and 0 < read.n_known < len(ids["cl100k_base"])
    assert any(f"it has {read.n_known} of the {len(ids['cl100k_base'])} ids" in one.value for one in app.caption)
    alone = open_page("learn_failures", lang="en", topic="wrong_pairs", models="gpt2")
    assert translate("learn_failures.wrong.two", "en") in [one.value for one in alone.info]


def test_what_variants_do_is_what_the_command_measures() -> None:
    lines = ["귀여운 멍멍이가 왔다", "오늘은 명동에 갔다.", "과자를 먹었다"]
    link = {"topic": "noise", "shipped": "none", "models": "gpt2.o200k_base", "text": state.pack_text("\n".join(lines))}
    app = open_page("learn_failures", lang="en", **link)
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "changed_cuts" in frame.value)
    wanted = robustness_rows([(name, load_public(name)) for name in ("gpt2", "o200k_base")], {"": lines})
    assert table["changed_cuts"].tolist() == [row["changed_cuts"] for row in wanted]
    assert table["added_per_character_high"].tolist() == [row["added_per_character_high"] for row in wanted]
    assert set(table["variant"]) == {translate(f"learn_failures.variant.{kind}", "en") for kind in VARIANTS}
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert [trace["name"] for trace in figure["data"]] == table["model"].unique().tolist()
    app.segmented_control(key="choice.variant").set_value("look-alike").run()
    counts = next(frame.value for frame in app.dataframe if "bytes" in frame.value)
    assert counts["text"].tolist() == ["귀여운␣멍멍이가␣왔다", "커여운␣댕댕이가␣왔다"]
    write(app, "failures.text", "hello")
    assert translate("learn_failures.robust.none", "en") in [one.value for one in app.info] and not app.exception


def test_three_ways_to_go_on_after_a_prompt() -> None:
    link = {"topic": "trailing", "models": "gpt2", "corpus": "ko", "text": state.pack_text("옛날 옛적에 \n옛날 옛적에")}
    app = open_page("learn_failures", lang="en", **link)
    gpt2, source = load_public("gpt2"), builtin_corpus("ko")
    edge = prompt_edge(gpt2, token_model(encode_lines(gpt2, source.lines()), 2), "옛날 옛적에 ")
    assert edge is not None and not app.exception
    traces = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    assert [trace["name"] for trace in traces] == [
        translate(f"learn_failures.edge.way.{way}", "en") for way in ("plain", "healed", "exact")
    ]
    assert f"in {edge.n_tokenizations:,} ways" in " ".join(one.value for one in app.caption)
    labels = next_bytes_table(edge)["next"].tolist()
    assert "EA 가–꿿" in labels and traces[0]["x"] == labels[:8]
    app.selectbox(key="row.prompt").set_value(1).run()
    assert "‘옛날␣옛적에’" in str(json.loads(app.get("plotly_chart")[0].proto.spec)["layout"])
    # BERT's tokens are not the bytes of a text.
    alone = open_page("learn_failures", lang="en", topic="trailing", models="bert", text=state.pack_text("Once"))
    assert any("are not the bytes of this text" in one.value for one in alone.info)


def test_a_tokenizer_that_cannot_encode_the_corpus_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(tokenizer: Tokenizer, lines: Sequence[str]) -> EncodedLines:
        raise InputError("corpus.empty")

    monkeypatch.setattr("app.views.learn_failures.prompt_edge.encode_lines", refuse)
    link = {"topic": "trailing", "models": "cl100k_base", "text": state.pack_text("http:")}
    app = open_page("learn_failures", lang="en", **link)
    assert not app.exception and ["contains no text" in one.value for one in app.error] == [True]


def test_a_switch_lets_tokens_cross_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = builtin_corpus("ko").lines()

    def trained(references: Iterable[ModelReference], chosen_by: Sequence[str]) -> list[ActiveTokenizer]:
        return [
            ActiveTokenizer(one, train_merges(lines, replace(one.settings, vocab_size=2000)), str(one), None)
            for one in references
        ]

    monkeypatch.setattr("app.views.learn_failures.spaces.ready_references", trained)  # a worker takes seconds
    text = "할 수 있는 것 같다."
    app = open_page("learn_failures", lang="en", topic="across", across="all", text=state.pack_text(text))
    counts = next(frame.value for frame in app.dataframe if "phrases" in frame.value).iloc[0]
    tokens = {}
    for way in ("within", "phrases", "anywhere"):
        app.segmented_control(key="choice.spaces").set_value(way).run()
        payloads = [component_data(one) for one in app.get("bidi_component")]
        (row,) = next(data["rows"] for data in payloads if "rows" in data)
        tokens[way] = [token["label"] for token in row["tokens"]]
        assert counts[way] == len(tokens[way]) and "".join(tokens[way]) == text
    assert not any(" " in token[1:] for token in tokens["within"])
    assert any(" " in token.strip() for token in tokens["phrases"])
    assert len(tokens["phrases"]) < len(tokens["within"])
    monkeypatch.undo()
    app = open_page("learn_failures", lang="en", topic="across", text=state.pack_text(text))
    (shipped,) = (frame.value for frame in app.dataframe if "phrases" in frame.value)
    assert "anywhere" not in shipped and shipped["phrases"][0] < shipped["within"][0]
    for paper in ("SuperBPE", "BoundlessBPE"):
        assert any(f"**{paper}** (" in one.value and "2025" in one.value for one in app.markdown)


@pytest.mark.usefixtures("shared_registry")
def test_a_line_is_cut_by_every_tokenizer() -> None:
    app = settle(
        open_page("learn_failures", lang="en", topic="special", corpus="ko", models="none", compare="characters.bytes")
    )
    counts = app.dataframe[0].value
    assert counts["text"].tolist()[0] == "<|endoftext|>"
    assert counts.iloc[0].tolist()[1:] == [13, 13, 13, 13]
    assert "<|endoftext|>" in app.code[1].value.split(" | ")
    assert "<|endoftext|>" not in app.code[0].value.split(" | ")


def test_what_code_costs_is_counted_line_by_line() -> None:
    lines = ["    if a:", "", "b"]
    table = code_costs({"bytes": train(lines, TrainingSettings(algorithm="bytes", vocab_size=256))}, lines)
    row = table.iloc[0]
    assert row[["tokens", "indentation", "round_trip"]].tolist() == [10, 4, 1.0]
    assert row["per_line"] == pytest.approx(10 / 3) and row["characters"] == 1
