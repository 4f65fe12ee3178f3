"""What bounds the run of a page bounds that of a fragment which runs again by itself."""

import re

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT


def _two_fragments() -> None:
    """A fragment, and another inside; no page around them, as where a fragment alone runs again."""
    import streamlit as st

    from app.server.work.turns import TURNS
    from app.session.page_run import fragment
    from engine.corpus.pretokens.own_pattern import current_allowance, too_slow

    @fragment
    def outer() -> None:
        st.session_state["outer"] = current_allowance()
        inner()

    @fragment(key="inner")
    def inner() -> None:
        st.session_state["inner"] = current_allowance()
        st.session_state["line"] = len(TURNS._line)
        raise too_slow(5.0)

    outer()
    st.session_state["after"] = current_allowance()


def _defect() -> None:
    from app.session.page_run import fragment

    @fragment
    def broken() -> None:
        raise ValueError

    broken()


def test_a_fragment_has_a_turn_the_allowance_of_a_page_and_a_sentence() -> None:
    app = AppTest.from_function(_two_fragments, default_timeout=60).run()
    found = app.session_state
    assert found["outer"] is found["inner"] and found["outer"].seconds == 5.0
    assert found["after"].seconds != 5.0
    assert found["line"] == 1  # the inner one did not line up once more
    assert not app.exception and "5" in app.error[0].value
    assert AppTest.from_function(_defect, default_timeout=60).run().exception


def test_no_fragment_goes_round_it() -> None:
    sources = {path.name: path.read_text("utf-8") for path in (ROOT / "app").rglob("*.py")}
    assert sorted(name for name, source in sources.items() if re.search(r"st\.fragment\b(?!`)", source)) == [
        "page_run.py"
    ]
