"""The Boundaries page without a browser, and what it is made from."""

import json
import math
import shlex
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components.boards import cut_board_payload
from app.components.component import sendable
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.upload import Upload
from app.server.stored_texts import hold
from app.session import state
from app.texts.catalogue import translate
from app.texts.corpora import own_text
from app.texts.gold import GOLD, builtin_gold, gold_of
from app.texts.plain import plain
from app.views.boundaries import sentence as boundaries_bpe
from app.views.boundaries.figures import errors_figure
from app.views.boundaries.tables import distribution_table, errors_of, errors_table, profile_table
from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.cli import main
from engine.corpus.reading.read import decode_bytes
from engine.segmentation.scoring import KINDS
from tests.pages import go_to, open_page, shared_commands
from tests.seen import component_data


def _open(**params: str) -> AppTest:
    return open_page("boundaries", lang="en", model="toy~vocab_size-300", **params)


def _payloads(app: AppTest) -> list[dict[str, Any]]:
    return [component_data(element) for element in app.get("bidi_component")]


def _strips(app: AppTest) -> list[dict[str, Any]]:
    """Rows of the last strip on the page."""
    return [payload["rows"] for payload in _payloads(app) if payload.get("rows") and "places" not in payload][-1]


def _cut_by(app: AppTest) -> str:
    """Name of the row whose tokens stay inside the boundaries."""
    return str(_strips(app)[-1]["name"])


def test_the_lines_that_are_scored_are_not_learned_from() -> None:
    for name in GOLD:
        gold = builtin_gold(name)
        assert len(gold.test) == 3 * len(gold.words) // 10
        assert not {"".join(words) for words in gold.test} & set(gold.train)
    assert gold_of(["가  나"]).test == gold_of(["가  나"]).words == (("가", "나"),)
    # Two standards for the same sentences.
    assert ["".join(own) for own in builtin_gold("zh_words").words] == [
        "".join(own) for own in builtin_gold("zh_fine").words
    ]


def test_the_curves_and_the_distributions() -> None:
    lines = ["가나다라", "가나마바"]
    ngrams = Ngrams(lines, 6)
    table = profile_table(ngrams, CharacterModel(ngrams, 2), "가나z", "characters")
    assert table["pmi"].notna().tolist() == [True, False, False]
    assert table["right_entropy"].iloc[1] == pytest.approx(0.6931, abs=1e-4)  # 나: 다 or 마
    counts = distribution_table(ngrams, "characters")
    assert counts[counts["kind"] == "pmi"]["count"].sum() == 5


def test_the_bars_are_the_counts_of_the_errors() -> None:
    gold = [["학교", "에", "가", "요"]]
    table = errors_table({"<b>": errors_of(gold, [["학", "교", "에가", "요"]]), "all": errors_of(gold, gold)})
    names = {kind: f"{kind}!" for kind in KINDS}
    for language in ("ko", "en"):
        figure = errors_figure(table, names, "title", "axis", language)
        assert {bar.name: [*bar.x] for bar in figure.data} == {f"{kind}!": [*table[kind]] for kind in KINDS}
        assert all([*bar.y] == ["&lt;b&gt;", "all"] for bar in figure.data) and figure.layout.barmode == "stack"
        assert not errors_figure(table[:0], names, "title", "axis", language).data


def test_the_folded_line_names_the_gold_and_a_missing_file_is_asked_for() -> None:
    app = _open(gold="zh_words")
    assert "Gold standard and method: Chinese, words" in [one.label for one in app.expander]
    app = _open(gold="own", view="errors")
    assert [one.value for one in app.info] == [translate("boundaries.gold.none", "en")]
    assert "Gold standard and method: my file" in [one.label for one in app.expander]


@pytest.mark.slow
def test_lambda_is_one_for_all_sections_and_travels_in_the_link() -> None:
    app = _open(gold="ko_nospace")
    assert "within boundaries (λ = 4)" in _cut_by(app)
    app.session_state["boundaries.lam"] = 0.5  # what the board's callback does
    app.run()
    assert "within boundaries (λ = 0.5)" in _cut_by(app)
    assert app.query_params["lambda"] == "0.5"
    app.session_state["choice.view"] = "scores"
    app.run()
    assert app.slider(key="boundaries.lam").value == 0.5
    app.slider(key="boundaries.lam").set_value(4.0).run()
    assert "lambda" not in app.query_params


def test_the_board_gets_the_numbers_of_the_server() -> None:
    matcher = UtilityMatcher(Ngrams(["가나다라", "가나마바"], 3), 1.0)
    text = "가나\x00z"
    terms = matcher.terms(text)
    payload = sendable(cut_board_payload(text, terms, [{"label": "gold", "ends": [2, 4]}], [], 1.0))
    assert payload["characters"] == ["가", "나", "<0x00>", "z"]
    for sent, row in zip(payload["pmi"], terms.pmi.tolist(), strict=True):
        assert [value if value is not None else -math.inf for value in sent] == row
    assert payload["entropy"] == terms.entropy.tolist()
    assert json.loads(json.dumps(payload)) == payload  # infinities would not come through


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lam": 16.0}, "from 0 to 15"),
        ({"above": [{"label": "gold", "ends": [1, 3]}]}, "does not cut the text"),
        ({"below": [{"label": "lm", "ends": [2, 2, 4]}]}, "does not cut the text"),
        ({"text": "가"}, "terms of this text"),
    ],
)
def test_what_the_board_refuses(changes: dict[str, Any], message: str) -> None:
    terms = UtilityMatcher(Ngrams(["가나다라"], 3)).terms("가나다라")
    arguments = {"text": "가나다라", "terms": terms, "above": [], "below": [], "lam": 1.0}
    with pytest.raises(ValueError, match=message):
        cut_board_payload(**(arguments | changes))


@pytest.mark.parametrize("gold", ["ko_nospace", "zh_words"])
def test_odd_sentences(gold: str) -> None:
    app = _open(gold=gold)
    mixed = "a\u1112\u1161\u11ab😀\x00б\u0301漢字ｶﾞ 가나다1½"
    for text in ("", " ", "가", "王", mixed, "\u200b", "뷁" * 99, "x" * 100_000):
        # The field in the browser takes 2,000 characters; a link may hold more.
        app.session_state["boundaries.text"] = text
        app.run()
        assert not app.exception
        assert not app.error
        assert "\ufffd" not in str(app)
        if text.strip():
            shown = "".join(text.split())[:120]
            assert all(sum(len(one["label"]) > 0 for one in row["tokens"]) > 0 for row in _strips(app))
            assert _strips(app)[0]["tokens"][-1]["e"] == len(joined_surrogates(shown))


def test_every_bpe_is_trained_once_and_a_visitors_own_is_kept_by_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []
    train = boundaries_bpe.train_inside

    def counted(lines: Any, cut: Any, size: int) -> Any:
        trained.append(len(lines))
        return train(lines, cut, size)

    monkeypatch.setattr(boundaries_bpe, "train_inside", counted)
    own = gold_of(["가나 다라", "가나 마바", "다라 마바"])
    for app in (_open(gold="own"), _open(gold="own")):
        app.session_state["boundaries.file.upload"] = Upload("gold.tsv", own)
        app.run()
        for lam in (1.0, 2.0, 1.0):
            app.session_state["boundaries.lam"] = lam
            app.run()
            assert not app.exception
    # Free, with the first lambda, with 1 and with 2: once in each of the two sessions, which share nothing.
    assert trained == [len(own.train)] * 8
    # Nothing but the visitor's own lines is learned from, and the page says so.
    app.session_state["choice.view"] = "scores"
    app.run()
    said = [caption.value for caption in app.caption]
    assert translate("boundaries.scores_note_own", "en", lines=len(own.test), words=sum(map(len, own.test))) in said


# Their words are as their morphemes cut them; a line of the training text has no spaces, another is empty.
GOLD_FILE = """# text
나는\t나+는
집에\t집+에
갔다\t가+았+다

해도\t해+도
집에\t집+에

너는\t너+는
갔다\t가+았+다
"""
GOLD_WORDS = "나 는 집 에 갔 다\n해 도 집 에\n너 는 갔 다"
TRAINING = "나 는 집 에 갔 다\n너도집에간다\n\n나 는 너 도 갔 다\r\n우리 는 집 에 산 다\n"


@pytest.fixture
def own_gold(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The scores of a visitor's own gold; files are read without the process of their own that a server gives them."""
    monkeypatch.setattr(
        "app.views.boundaries.own_gold.read_text_file", lambda data, visitor, is_gold=False: decode_bytes(data)[0]
    )
    settings = {"rule": "peak", "order": "3", "total": "characters", "noedges": "true"}
    app = _open(view="scores", gold="own", shipped="none", public="none", **settings)
    return _give(app, "boundaries.file", "text.txt", GOLD_FILE)


def _give(app: AppTest, key: str, name: str, text: str) -> AppTest:
    app.file_uploader(key=key).set_value((name, text.encode(), "text/plain")).run()
    assert not app.exception
    return app


def test_a_sentence_of_ones_own_gold_is_text_among_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "app.views.boundaries.own_gold.read_text_file", lambda data, visitor, is_gold=False: decode_bytes(data)[0]
    )
    app = _give(
        _open(gold="own"), "boundaries.file", "text.txt", "![](//a) b\n" + "".join(f"가 나{k}\n" for k in range(20))
    )
    labels = [option.content for group in app.get("button_group") for option in group.proto.options]
    assert any(label.startswith(plain("![](//a)")) for label in labels), labels
    assert not any("![" in label for label in labels)


def _commands(app: AppTest) -> list[str]:
    return shared_commands(app)


def test_a_training_text_scores_as_the_commands_that_are_shown(
    own_gold: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app, made = own_gold, {}
    without = app.dataframe[0].value
    monkeypatch.setattr("streamlit.download_button", lambda _, data, **options: made.update({options["key"]: data}))
    assert not _commands(app) and "oov_recall" not in without
    app = _give(app, "boundaries.training_file", "text.txt", TRAINING)
    said = [caption.value for caption in app.caption]
    assert translate("boundaries.training.read", "en", name=plain("text.txt"), lines=4) in said
    assert translate("boundaries.scores_note_trained", "en", lines=3, words=14) in said
    rows = app.dataframe[0].value.to_dict("records")
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text(GOLD_FILE, encoding="utf-8")
    Path("text-2.txt").write_bytes(TRAINING.encode())
    names = ("precision", "recall", "f1", "boundary_f1", "oov_recall")
    for command, row in zip(_commands(app), rows, strict=True):
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [row[name] for name in names] == [100 * told[name] for name in names], command
        assert (row["vocab_size"] if row["bpe"] else None) == told.get("vocab_size")
    said_options = ("--no-edges", "--rule=peak", "--order=3", "--total=characters", "--lambda=0", "text-2.txt")
    assert len(rows) == 13 and all(option in "\n".join(_commands(app)) for option in said_options)
    origin = " ".join(own_text(text).fingerprint for text in (GOLD_WORDS, TRAINING.replace("\r\n", "\n")))
    for name in ("csv.segmentation-scores", "csv.lambda"):
        assert {line.rpartition(",")[2] for line in made[name]().decode("utf-8-sig").splitlines()[1:]} == {origin}
    # Taken away, it has left nothing.
    app.file_uploader(key="boundaries.training_file").set_value(None).run()
    assert app.dataframe[0].value.equals(without) and not _commands(app)


@pytest.mark.slow
def test_a_training_text_is_held_by_the_session_until_it_is_taken_away(
    own_gold: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = _give(own_gold, "boundaries.training_file", "<b>[x](http://a.example).txt", TRAINING)
    assert any("\\[x\\]" in caption.value and "<b>" not in caption.value for caption in app.caption)
    held = app.session_state[state.CORPORA]
    assert [text.fingerprint for text in held.values()] == [own_text(TRAINING.replace("\r\n", "\n")).fingerprint]
    # The server needed the memory: with the file in its field the text is held again, without it the page says so.
    ((id_, text),) = held.items()
    held.drop(id_)
    app.run()
    assert _commands(app) and list(held) == [id_]
    app = go_to(go_to(app, "glossary"), "boundaries")
    assert _commands(app)
    held.drop(id_)
    app.run()
    assert not _commands(app) and any("\\[x\\]" in warning.value for warning in app.warning)
    hold(text, held)
    app.run().button(key="boundaries.training_file.remove").click().run()
    assert not app.exception and app.dataframe and not _commands(app)
    monkeypatch.setattr("app.views.boundaries.own_gold._MAX_TRAINING_BYTES", 9)
    app = _give(app, "boundaries.training_file", "b.txt", TRAINING)
    assert len(app.error) == 1 and "more than 9 bytes" in app.error[0].value
    assert go_to(go_to(app, "glossary"), "boundaries").dataframe  # with its field the refusal is gone


def test_a_korean_gold_of_morphemes_is_sentences_and_cut_where_there_are_too_many() -> None:
    lines = ["# text = 나는 갔다", "나는\t나+는", "갔다\t가+았+다", "", "하지\t하", "", "밥도\t밥+도", ""]
    gold = gold_of(lines, limit=2)
    assert gold.words == (("나", "는", "갔", "다"), ("하지",)) and (gold.whole, gold.n_left_out) == ((("하지", 1),), 1)
    app = _open(gold="own")
    app.session_state["boundaries.file.upload"] = Upload("gold.tsv", gold)
    app.run()
    assert not app.exception
    said = [caption.value for caption in app.caption]
    assert translate("boundaries.gold.read", "en", sentences=2, words=5) in said
    assert translate("boundaries.gold.whole", "en", count=1, distinct=1, often="하지 1") in said


def test_a_corrected_sentence_is_in_the_link_and_in_every_count() -> None:
    app = _open(gold="ko_nospace", view="errors")
    before = app.dataframe[0].value
    test = builtin_gold("ko_nospace").test
    text = "".join(test[0])
    app = _open(gold="ko_nospace", view="errors", corrected=f"~{' '.join(text)}\nx y")
    after = app.dataframe[0].value
    others = _stretches(test[1:])
    assert _stretches(test) - others == len(test[0])
    assert before.iloc[:, 1:].to_numpy().tolist() != after.iloc[:, 1:].to_numpy().tolist()
    # Every row is a sum over the same sentences: no method can hold more stretches than there are gold words.
    assert (after.iloc[:, 1:].sum(axis=1) <= others + len(text)).all()
    assert app.query_params["corrected"].startswith(("~", "z"))
    app.session_state["boundaries.text"] = text
    app.session_state["choice.view"] = "sentence"
    app.run()
    board = next(data for data in _payloads(app) if "places" in data)
    assert board["cuts"] == list(range(1, len(text)))
    app.button(key="boundaries.correct.reset").click().run()
    assert not any(button.key == "boundaries.correct.reset" for button in app.button)
    app.session_state["choice.view"] = "errors"
    app.run()
    assert app.dataframe[0].value.equals(before)


def _stretches(gold: Any) -> int:
    return sum(map(len, gold))


def test_the_papers_figures_stand_beside_chinese_only() -> None:
    assert [builtin_gold(name).is_chinese for name in GOLD] == [False, True, True]
    assert '"paper"' not in _open(view="scores", gold="ko_nospace").dataframe[0].proto.columns


def test_scores_and_bytes() -> None:
    app = _open(view="scores", gold="zh_words")
    table = app.dataframe[0].value
    assert len(table) == 13 and '"paper"' in app.dataframe[0].proto.columns
    assert table["f1"].between(1, 100).all() and table["f1"].max() > 50  # per cent
    app = _open(view="bytes", patch="4")
    assert app.dataframe[0].value["patches"].iloc[0] == len("커피 2잔 주세요!".encode())
    assert "118" in app.latex[0].value  # (22/4)^2 + 22 * 4
