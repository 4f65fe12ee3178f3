"""Every page launches; the Train page does what it says. No browser: Streamlit's own simulator."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.server.work.jobs import Registry
from app.session import state
from app.session.reference import DEFAULT_SETTINGS, ModelReference
from app.texts.catalogue import translate
from app.texts.plain import plain
from engine.cli import main
from engine.config import RECIPES
from engine.pretokenization import PRETOKENIZERS
from tests.conftest import ROOT
from tests.pages import PAGES, open_page, refresh

LANGUAGES = {"ko": "토크나이저 만들기", "en": "Train"}


def _open(page: str, lang: str = "ko", **params: str) -> AppTest:
    return open_page(page, lang=lang, **params)


@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize("page", PAGES)
def test_every_page_launches(page: str) -> None:
    """In Korean; in English what test_third_language.py opens is written half."""
    app = refresh(_open(page))
    assert len(app.title) == 1
    assert "\ufffd" not in str(app)


def test_the_switch_changes_the_language_and_the_url(registry: Registry) -> None:
    app = _open("train", "ko")
    assert app.title[0].value == LANGUAGES["ko"]
    app.segmented_control(key="language_switch").set_value("en").run()
    assert app.title[0].value == LANGUAGES["en"]
    assert app.query_params["lang"] == "en"


def test_an_unknown_language_is_ignored(registry: Registry) -> None:
    assert _open("train", "zz").title[0].value in LANGUAGES.values()


def _train(app: AppTest) -> AppTest:
    app.button(key="train.start").click().run()
    app = refresh(app)
    return app.run()  # the page runs again by itself once, with the new model


def test_training_activates_the_model(registry: Registry, tmp_path: Path, monkeypatch, capsys) -> None:
    app = _open("train")
    app.number_input(key="train.vocab_size").set_value(600).run()
    app = _train(app)
    assert not app.exception
    assert app.session_state["model"] == "ko~vocab_size-600"
    assert "학습이 끝났습니다" in app.success[0].value
    assert [metric.value for metric in app.metric if metric.label == "어휘 크기"] == ["600"]
    # The command that the page shows trains the same, and counts the rounds as the page does.
    command = shlex.split(next(one.value for one in app.code if one.value.startswith("thunder-tok train")))
    monkeypatch.chdir(ROOT)
    assert main([*command[1:-1], str(tmp_path / "model.tok"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    (rounds,) = (metric.value for metric in app.metric if metric.label == "라운드")
    assert (printed["vocab_size"], str(printed["rounds"])) == (600, rounds)
    assert printed["sha256"] in "".join(caption.value for caption in app.caption)


@pytest.mark.slow
def test_a_size_that_only_the_click_on_start_leaves_is_trained(registry: Registry) -> None:
    app = _open("train")
    app.number_input(key="train.vocab_size").set_value(601)
    assert _train(app).session_state["model"] == "ko~vocab_size-601"


@pytest.mark.parametrize("algorithm", ["thunder-tok", "unigram"])
def test_every_algorithm_trains_on_an_upload(algorithm: str, registry: Registry) -> None:
    app = _open("train")
    text = "나무에 꽃이 피었다.\r\n새가 꽃을 보았다.\r\n" * 9
    app.file_uploader(key="corpus.file").set_value(("글.txt", text.encode("cp949"), "text/plain")).run()
    captions = "".join(caption.value for caption in app.caption)
    assert "CP949" in captions and "Windows 줄바꿈" in captions
    app.selectbox(key="train.algorithm").set_value(algorithm).run()
    app.number_input(key="train.vocab_size").set_value(262).run()
    app = _train(app)
    assert not app.exception
    assert not app.error
    assert app.session_state["model"].startswith("text.")


def test_a_link_restores_the_form(registry: Registry) -> None:
    reference = ModelReference(
        "ko",
        replace(DEFAULT_SETTINGS, vocab_size=1234, score="p", pretokenizer=r"\p{L}+", special_tokens=("<a>", "<b>")),
    )
    app = _open("train", draft=str(reference))
    assert app.number_input(key="train.vocab_size").value == 1234
    assert app.segmented_control(key="train.score").value == "p"
    assert app.text_input(key="train.pattern").value == r"\p{L}+"
    assert app.text_area(key="train.special_tokens").value == "<a>\n<b>"


@pytest.mark.parametrize("source", ["text.0123", "mix.100.ko"])
def test_a_link_to_a_text_that_cannot_be_chosen_keeps_its_settings(registry: Registry, source: str) -> None:
    app = _open("train", draft=f"{source}~vocab_size-1234")
    assert app.number_input(key="train.vocab_size").value == 1234
    assert any("링크의 말뭉치" in info.value for info in app.info)


def test_a_link_to_a_model_that_is_gone_says_so(registry: Registry) -> None:
    app = _open("train", model="text.0123~vocab_size-1234")
    assert "링크의 모델" in app.warning[0].value
    app.button(key="model.use_default").click().run()
    assert not app.warning
    assert app.session_state["model"] == ""


def test_a_link_to_a_builtin_model_trains_it_after_a_click(registry: Registry) -> None:
    app = _open("train", model="ko~vocab_size-555")
    (asked,) = [info.value for info in app.info if "아직 이 서버에 없습니다" in info.value]
    assert "555" in asked
    assert not [task for task in (*registry._queue.running, *registry._queue.waiting) if not task.kind.is_short]
    app = refresh(app.button(key="model.train").click().run())
    assert [metric.value for metric in app.metric if metric.label == "어휘 크기"] == ["555"]


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("model", ["nonsense~~", "ko~vocab_size-x", "zz", "../x"])
def test_a_damaged_model_link_opens_the_default_and_says_so_or_says_why_not(model: str, registry: Registry) -> None:
    app = refresh(_open("train", model=model))
    sizes = [metric.value for metric in app.metric if metric.label == "어휘 크기"]
    if model == "zz":  # a corpus that this server might have had
        assert "(zz)" in app.warning[0].value and sizes == []
    else:
        assert [warning.value for warning in app.warning] == [translate("check.unknown", "ko", name=plain(model))]
        assert sizes == [f"{DEFAULT_SETTINGS.vocab_size:,}"]


def test_a_bad_pattern_is_explained(registry: Registry) -> None:
    app = _open("train")
    app.selectbox(key="train.pretokenizer").set_value("regex").run()
    app.text_input(key="train.pattern").set_value("(").run()
    assert not app.exception
    assert app.error
    assert app.button(key="train.start").disabled


def test_the_form_offers_every_pretokenizer(registry: Registry) -> None:
    app = _open("train")
    choice = app.selectbox(key="train.pretokenizer")
    assert len(set(choice.options)) == len(PRETOKENIZERS) + 1
    choice.set_value("thunder-tok-joined").run()
    assert not app.exception
    assert choice.value == "thunder-tok-joined"


def test_a_recipe_sets_the_fields_and_a_changed_field_is_no_recipe(registry: Registry) -> None:
    app = _open("train")
    recipe = app.segmented_control(key="train.recipe")
    assert recipe.value == "thunder-tok" and "직접 고른 설정" not in recipe.options
    recipe.set_value("fewest-tokens").run()
    fields = {
        name: getattr(app, kind)(key=f"train.{name}")
        for name, kind in {
            "score": "segmented_control",
            "seed_vocabulary": "segmented_control",
            "pretokenizer": "selectbox",
        }.items()
    }
    assert {name: field.value for name, field in fields.items()} == RECIPES["fewest-tokens"]
    assert any("--preset fewest-tokens" in one.value for one in app.code)
    app.number_input(key="train.seed_factor").set_value(3.0).run()
    assert "seed_factor-3" in app.query_params["draft"]
    app.segmented_control(key="train.score").set_value("p").run()
    assert app.segmented_control(key="train.recipe").value == "own"
    app.segmented_control(key="train.recipe").set_value("authors").run()
    assert any("--preset authors" in one.value for one in app.code) and not app.error
    assert "train.membership" not in {one.key for one in app.segmented_control}  # the program decides
    app.segmented_control(key="train.recipe").set_value("thunder-tok").run()
    assert app.segmented_control(key="train.score").value == "be_p"
    assert "뒤가 갈리는 언어 단위" in " ".join(one.value for one in app.caption)  # the corpus is small
    assert "draft" not in app.query_params  # the factor says nothing where BPE chooses nothing
    assert not app.exception


def test_superbpe_is_asked_where_it_crosses_spaces(registry: Registry) -> None:
    app = _open("train")
    assert "train.transition" not in {field.key for field in app.number_input}
    app.selectbox(key="train.algorithm").set_value("superbpe").run()
    assert app.selectbox(key="train.pretokenizer").value == "gpt2"  # words, which its first stage is about
    assert app.segmented_control(key="train.ties").value == "tokenizers"
    app.number_input(key="train.transition").set_value(0.7).run()
    (command,) = (block.value for block in app.code if "thunder-tok train" in block.value)
    assert "--algorithm superbpe --transition=0.7 " in command
    assert "transition-0.7" in app.query_params["draft"]
    app.selectbox(key="train.algorithm").set_value("byte-bpe").run()
    assert app.selectbox(key="train.pretokenizer").value == "thunder-tok"
    assert "transition" not in app.query_params["draft"] and not app.exception


def test_an_infeasible_size_cannot_be_started(registry: Registry) -> None:
    app = _open("train")
    app.number_input(key="train.vocab_size").set_value(100).run()
    assert "256" in app.warning[0].value
    assert app.button(key="train.start").disabled
    app.button(key="train.nearest").click().run()
    assert app.number_input(key="train.vocab_size").value == 256
    assert not app.button(key="train.start").disabled


def test_a_text_of_white_space_is_no_corpus(registry: Registry) -> None:
    app = _open("train")
    app.text_area(key="corpus.pasted").set_value("  \n \n").run()
    app.button(key="corpus.paste_add").click().run()
    assert not app.exception and not app.session_state[state.CORPORA]
    assert app.selectbox(key="corpus.id").value == "ko"


def test_a_damaged_model_file_is_refused(registry: Registry) -> None:
    app = refresh(_open("train"))
    app.file_uploader(key="train.model_file").set_value(("x.tok", b"nonsense", "application/octet-stream")).run()
    assert not app.exception
    assert "불러올 수 없습니다" in app.error[0].value


def test_a_page_about_lattices_says_that_wordpiece_has_none(registry: Registry) -> None:
    settings = replace(DEFAULT_SETTINGS, algorithm="wordpiece", vocab_size=80, pretokenizer="gpt2")
    app = refresh(_open("lattice", "ko", model=str(ModelReference("toy", settings))))
    assert "격자" in app.info[0].value
    app.button(key="model.use_default").click().run()
    assert not app.info


def test_an_unknown_view_is_said_and_the_first_is_shown(registry: Registry) -> None:
    app = _open("cost", "en", view="nowhere*", model="ko", **{"with": "none"})
    assert any("no view “nowhere" in info.value for info in app.info)
    assert not app.exception and "view" not in app.query_params
