"""What a link names is trained after a click; what is chosen on the page, at once."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.server.work.jobs import Registry
from tests.pages import go_to, open_page, refresh, settle

# Every one of them on the corpus of the default model, and of another size than it.
_LINKS = {
    "explore": {"with": "words.bogus", "size": "400"},
    "compare": {"and": "ko.news~vocab_size-700"},
    "rounds": {"versus": "true"},
}


def _keys(app: AppTest) -> set[str]:
    return {button.key for button in app.button if button.key}


@pytest.fixture
def opened(registry: Registry) -> Callable[..., AppTest]:
    """Opens a link on a server that has the default model, and nothing else."""
    settle(open_page("token", lang="en"))

    def open_link(page: str) -> AppTest:
        app = open_page(page, lang="en", **_LINKS[page])
        # Whatever runs again by itself changes nothing, nor does another page.
        for _ in range(2):
            refresh(app)
            assert registry.is_idle and "set.train" in _keys(app)
        return app

    return open_link


def _n_begun(registry: Registry) -> int:
    """How many jobs have begun: a short one has ended before the page is drawn."""
    return len(registry._jobs) + len(registry._finished)


@pytest.mark.slow
@pytest.mark.parametrize("page", _LINKS)
def test_a_link_asks_before_it_trains(opened: Callable[..., AppTest], page: str) -> None:
    app = opened(page)
    assert "not on this server" in " ".join(one.value.lower() for one in app.info)
    app = settle(app.button(key="set.train").click().run())
    assert "set.train" not in _keys(app)
    again = open_page(page, lang="en", **_LINKS[page])  # for everybody else the models are there now
    assert "set.train" not in _keys(again)


@pytest.mark.slow
def test_what_is_chosen_on_the_page_is_trained_at_once(opened: Callable[..., AppTest], registry: Registry) -> None:
    app = opened("rounds")
    app.segmented_control(key="choice.versus").set_value("none").run()
    assert registry.is_idle
    before = _n_begun(registry)
    app.segmented_control(key="choice.versus").set_value("true").run()
    assert _n_begun(registry) > before and "set.train" not in _keys(app)
    settle(app)
    app = opened("explore")
    app.number_input(key="set.size").set_value(500).run()
    before = _n_begun(registry)
    app.pills(key="set.codes.with").set_value(["characters"]).run()
    assert _n_begun(registry) > before and "set.train" not in _keys(app)
    settle(app)
    # And what was chosen there counts on the next page.
    go_to(app, "compare")
    assert "set.train" not in _keys(app)
