"""The Lattice page in Streamlit's own simulator: presets, odd texts, what-ifs."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from app.session import state
from app.texts.catalogue import template, translate
from app.texts.presets import PRESETS
from app.views.lattice.whatif import WhatIf, changed_lattice
from engine.config import TrainingSettings
from engine.unigram.train.trainer import build_corpus, train
from tests.pages import choose_example, open_page, write
from tests.seen import component_data

pytestmark = pytest.mark.usefixtures("prepared")


def _open(**params: str) -> AppTest:
    return open_page("lattice", lang="ko", **params)


def _data(app: AppTest) -> dict:
    """What the lattice component was given."""
    return next(data for one in app.get("bidi_component") if "min_marginal" in (data := component_data(one)))


def _best(data: dict) -> list[str]:
    columns = data["columns"]
    bars = zip(columns["b"], columns["label"], columns["best"], strict=True)
    spans = sorted((begin, label) for begin, label, best in bars if best)
    return [label for _, label in spans]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_show_a_lossless_best_path(name: str) -> None:
    app = _open()
    choose_example(app, "lattice", name)
    assert not app.exception
    data = _data(app)
    assert "".join(data["chars"]) == PRESETS[name]
    # The bytes of a character that is no token stand for it.
    pieces = [
        bytes.fromhex(label.replace("<0x", "").replace(">", "")).decode() if label.startswith("<0x") else label
        for label in _best(data)
    ]
    assert "".join(pieces) == PRESETS[name]
    # A character in bytes counts a token for each, as on every page.
    shown = next(metric for metric in app.metric if metric.label == translate("lattice.metric.tokens", "ko"))
    assert int(shown.value) == sum(max(1, label.count("<0x")) for label in _best(data))
    caption = translate(f"lattice.preset.{name}", "ko")
    named = [token.replace("␣", " ") for token in re.findall(r"\((␣[^)]+)\)", caption)]
    assert set(named) <= set(_best(data))


def test_the_path_with_the_fewest_tokens_is_marked_where_it_is_not_the_best() -> None:
    def shown(**params: str) -> tuple[int, int, list[tuple[int, int]], str]:
        app = _open(text=state.pack_text(PRESETS["korea"]), **params)
        counts = {metric.label: metric.value for metric in app.metric}
        least, best = (int(counts[translate(f"lattice.metric.{name}", "ko")]) for name in ("fewest", "tokens"))
        data = _data(app)
        spans = sorted((data["columns"]["b"][arc], data["columns"]["e"][arc]) for arc in data["fewest"])
        return least, best, spans, "".join(one.value for one in app.caption)

    least, best, spans, said = shown()
    assert not spans and least == best and translate("lattice.fewest.best", "ko", count=least) in said
    # A token that nothing else would choose.
    least, best, spans, said = shown(add=state.pack_text("대한민국은 대한민국에서 대한민국으로"), logprob="-99")
    assert [begin for begin, _ in spans] == [0, *(end for _, end in spans[:-1])] and spans[0] == (0, 19)
    assert len(spans) == least < best
    assert template("lattice.fewest.other", "ko").split("{")[0] in said


def test_no_candidate_joins_parts_of_two_words() -> None:
    app = _open()
    choose_example(app, "lattice", "dictionary")
    assert not any("어 사" in label for label in _data(app)["columns"]["label"])


def test_no_candidate_crosses_from_a_number_to_a_word() -> None:
    app = _open()
    choose_example(app, "lattice", "coffee")
    columns = _data(app)["columns"]
    at = PRESETS["coffee"].index("잔")
    assert not any(b < at < e for b, e in zip(columns["b"], columns["e"], strict=True))


@pytest.mark.parametrize(
    "text", ["가", " ", "쀍😀갂", "a\x00b\u200b", "<svg onload=alert(1)>", "가" * 400, "가나 " * 300]
)
def test_odd_texts_are_shown(text: str) -> None:
    app = _open()
    write(app, "lattice.text", text)
    assert not app.exception
    assert len(_data(app)["chars"]) == min(len(text), 400)


def test_an_empty_text_asks_for_one() -> None:
    app = _open()
    write(app, "lattice.text", "")
    assert not app.exception
    assert len(app.info) == 1


def test_a_forbidden_token_leaves_the_lattice() -> None:
    app = _open(tab="whatif")
    token = _best(_data(app))[0]
    app.multiselect(key="lattice.forbid").set_value([token]).run()
    assert not app.exception
    assert token not in _data(app)["columns"]["label"]
    app.button(key="lattice.reset").click().run()
    assert token in _data(app)["columns"]["label"]


def test_an_added_token_joins_the_lattice() -> None:
    app = _open(tab="whatif")
    app.text_input(key="lattice.add").set_value("구마는 다").run()
    app.number_input(key="lattice.add_log_prob").set_value(-0.5).run()
    assert not app.exception
    columns = _data(app)["columns"]
    added = columns["label"].index("구마는 다")
    assert (columns["b"][added], columns["e"][added], columns["lp"][added], columns["id"][added]) == (1, 6, -0.5, None)


def test_a_lattice_is_what_its_arguments_say() -> None:
    settings = TrainingSettings(vocab_size=270)
    model = train(build_corpus(["나무에 꽃이 피었다.", "나무에 새가 앉았다."] * 5, settings), settings)
    text, last = "나무에", model.last_round
    plain, is_changed = changed_lattice(model, text, last, WhatIf())
    assert not is_changed and plain.best_log_prob == model.lattice(text, last).best_log_prob
    certain, is_changed = changed_lattice(model, text, last, WhatIf(added=((text, -1e-6),)))
    assert is_changed and [certain.labels[arc] for arc in certain.best_path] == [text]
    cut, is_changed = changed_lattice(model, text, last, WhatIf(added=((text, -1e-6),), forced=((0, 1),)))
    assert is_changed and cut.end[cut.best_path[0]] == 1


def _merges(app: AppTest) -> list[dict]:
    """The rows of merges in place of the lattice."""
    payloads = [component_data(element) for element in app.get("bidi_component")]
    return next(data["rows"] for data in payloads if "rows" in data)


@pytest.mark.parametrize("model", ["public:gpt2", "shipped:byte-bpe-32k"])
def test_a_model_that_merges_shows_its_merges(model: str) -> None:
    app = _open(model=model, text="~고구마는 맛있다.")
    rows = _merges(app)
    # From the bytes of the first word that merges to its tokens, one fewer by every merge, which is marked.
    n = len(rows[0]["tokens"])
    assert n in (10, 12) and [len(row["tokens"]) for row in rows] == [*range(n, n - len(rows), -1)]
    assert [row["count"] for row in rows] == [str(len(row["tokens"])) for row in rows]
    assert [[one.get("kind") for one in row["tokens"]].count("new") for row in rows] == [0] + [1] * (len(rows) - 1)
    numbers = [int(re.sub(r"\D", "", row["name"])) for row in rows[1:]]
    assert numbers == sorted(numbers) and len(numbers) > 1
    assert not app.info and not app.exception
    table = app.dataframe[-1].value
    assert table["number"].tolist()[: len(numbers)] == numbers and 2 in set(table["word"])


def test_the_word_whose_merges_are_drawn_is_in_the_link() -> None:
    app = _open(model="shipped:byte-bpe-32k", text="~고구마는 맛있다.", word="2")
    assert _merges(app)[0]["tokens"][0]["label"] == "␣" or _merges(app)[0]["tokens"][0]["label"] == " "
    assert app.query_params["word"] == "2"
    write(app, "lattice.text", "가나")
    assert len(_merges(app)[0]["tokens"]) == 6 and "word" not in app.query_params


def test_of_many_merges_the_last_are_drawn() -> None:
    app = _open(model="shipped:byte-bpe-32k", text="~" + "가" * 40)
    rows = _merges(app)
    assert len(rows) == 16 and len(rows[0]["tokens"]) == 120
    left_out = template("lattice.merges.left_out", "ko").split("{")[0]
    assert any(left_out in one.value for one in app.caption)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "<b>", "가" * 400, "a\nb", "쀍😀"])
def test_odd_texts_of_a_model_that_merges(text: str) -> None:
    app = _open(model="shipped:byte-bpe-32k")
    write(app, "lattice.text", text)
    assert not app.exception and len(app.info) == (not text)


def test_wordpiece_has_neither() -> None:
    app = _open(model="shipped:wordpiece-32k")
    assert app.info[0].value.endswith(template("model.no_lattice", "ko").split("{name}")[1])


def test_another_tokenizer_can_cut_the_sentence() -> None:
    app = _open(text="~고구마", under="shipped:byte-bpe-32k")
    assert len(_merges(app)[0]["tokens"]) == 9 and app.query_params["under"] == "shipped:byte-bpe-32k"
    app.selectbox(key="lattice.under").set_value("shipped:unigram-32k").run()
    assert not app.exception and "".join(_best(_data(app))) == "고구마"
    app.selectbox(key="lattice.under").set_value("").run()
    assert not app.exception and _data(app) and "under" not in app.query_params


@pytest.mark.parametrize("under", ["x", "shipped:none", "ko~vocab_size-777", "public:../x", "file.00"])
def test_a_tokenizer_that_is_not_ready_leaves_the_active_model(under: str) -> None:
    app = _open(text="~고구마", under=under)
    assert not app.exception and _data(app)


def test_a_link_to_a_bar_that_the_sentence_does_not_have_picks_none() -> None:
    app = open_page("lattice", lang="en", model="shipped:thunder-tok-8k", text="~%", pick="5")
    assert not app.exception
    assert any(translate("lattice.why.pick", "en") == one.value for one in app.caption)
