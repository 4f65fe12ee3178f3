"""Controls whose value is a place in a list, or two ends: in the URL, and out of it again."""

import pytest
from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from app.parts.choices import url_range, url_row

    row, ends = url_row("of", "Of", ["a", "b", "c"]), url_range("lengths", "Lengths", 9)
    st.text(f"{row} {ends[0]} {ends[1]}")


def _opened(**params: str) -> AppTest:
    app = AppTest.from_function(_page)
    app.query_params.update(params)
    return app.run()


def test_a_change_is_in_the_url_and_a_new_session_shows_it() -> None:
    app = _opened()
    assert app.text[0].value == "0 0 9" and not app.query_params
    app.selectbox[0].set_value(2).run()
    app.slider[0].set_value((2, 5)).run()
    params = {name: "".join(value) for name, value in app.query_params.items()}
    assert params == {"of": "3", "lengths": "2-5"}
    assert _opened(**params).text[0].value == app.text[0].value == "2 2 5"


@pytest.mark.parametrize("value", ["", "0", "4", "-1", "x", "²", "9" * 5000, "5-2", "0-10", "1-", "<b>"])
def test_what_a_link_cannot_mean_is_the_default(value: str) -> None:
    app = _opened(of=value, lengths=value)
    assert not app.exception
    assert app.text[0].value == "0 0 9"
