"""What a change reaches."""

from tests.conftest import ROOT
from tests.running.changed import gone, modules_of, reached_modules, reached_tests, removed_texts

_DIFF = """--- a/assets/i18n/rounds.toml
+++ b/assets/i18n/rounds.toml
-ko = "아깝게 제거됨: **{count:개}** [토큰](term:token)"
+ko = "근소한 차이로 제거: **{count:개}** [토큰](term:token)"
-en = "same"
+en = "same"
"""


def _names(paths: list[str], *removed: str) -> tuple[set[str], set[str]]:
    first, others = reached_tests(paths, {*removed})
    return tuple({path.relative_to(ROOT).as_posix() for path in files} for files in (first, others))


def test_removed_texts_are_what_a_test_could_quote() -> None:
    assert removed_texts(_DIFF) == {"아깝게 제거됨:"}


def test_what_the_program_still_says_is_not_gone() -> None:
    assert gone({"PRUNING_SCORES", "Vokabelheft"}) == {"Vokabelheft"}


def test_a_test_that_quotes_a_removed_text_comes_first() -> None:
    first, others = _names([], "removed texts are what a test could quote".replace(" ", "_"))
    assert first == {"tests/running/test_changed.py"} and others == set()


def test_importers_are_reached_through_others() -> None:
    assert "app.views.token.page" in reached_modules(["engine/corpus/reading/lines.py"])
    _, others = _names(["engine/corpus/pretokens/scan.py"])
    assert {"tests/engine/corpus/test_pretokenize.py", "tests/engine/unigram/test_trainer.py"} <= others


def test_a_page_is_reached_by_its_views_its_catalogue_and_its_components() -> None:
    assert modules_of("assets/i18n/rounds.toml") == {"app.views.rounds.page"}
    for path in ("app/views/rounds/page.py", "assets/i18n/rounds.toml"):
        _, others = _names([path])
        assert {"tests/app/views/test_app_scores_rounds.py", "tests/browser/views/test_rounds.py"} <= others
        assert "tests/app/views/test_registers.py" not in others
    assert modules_of("app/components/scripts/stepper.js") == {"app.components.players"}
    assert modules_of("app/components/styles/base.css") == {"app.components.component"}
    assert "tests/browser/views/test_share.py" in _names(["app/components/scripts/share.js"])[1]
    assert "tests/browser/test_components.py" in _names(["app/components/styles/strip.css"])[1]


def test_a_changed_test_and_those_of_a_changed_helper_are_reached() -> None:
    assert _names(["tests/app/test_i18n.py"])[0] == {"tests/app/test_i18n.py"}
    assert "tests/engine/test_unigram_oracle.py" in _names(["tests/naive.py"])[1]
