"""A value of the session in the URL: out of it, into it, and what a link cannot mean."""

import pytest
from streamlit.testing.v1 import AppTest

from app.session.state import pack_text
from app.session.url import one_of, short_text, some_of, whole_number


def _page() -> None:
    import streamlit as st

    from app.session.url import UrlValue, one_of, whole_number

    # A control, and a number that only the session keeps; nothing is chosen without a parameter.
    kind = UrlValue("kind", "page.kind", one_of(["a", "b"]), str, "a")
    step: UrlValue[int | None] = UrlValue("step", "page.step", whole_number, str, None)
    kind.adopt()
    chosen = st.selectbox("Kind", ["a", "b"], key=kind.key)
    kind.publish(chosen)
    number = step.adopt()
    st.button("More", on_click=lambda: step.set((step.value or 0) + 1))
    st.button("None", on_click=lambda: step.set(None))
    step.publish(number)
    st.text(f"{chosen} {number} {step.value}")


def _opened(**params: str) -> AppTest:
    app = AppTest.from_function(_page)
    app.query_params.update(params)
    return app.run()


def _params(app: AppTest) -> dict[str, str]:
    return {name: "".join(value) for name, value in app.query_params.items()}


def test_a_value_goes_into_the_url_and_opens_from_it() -> None:
    app = _opened()
    assert app.text[0].value == "a None None" and _params(app) == {}
    app.selectbox[0].set_value("b").run()
    app.button[0].click().run()
    assert app.text[0].value == "b 1 1" and _params(app) == {"kind": "b", "step": "1"}
    assert _opened(**_params(app)).text[0].value == "b 1 1"


def test_the_default_is_not_in_the_url() -> None:
    app = _opened(kind="b", step="7")
    assert app.text[0].value == "b 7 7"
    app.selectbox[0].set_value("a").run()
    app.button[1].click().run()
    assert app.text[0].value == "a None None" and _params(app) == {}


@pytest.mark.parametrize("value", ["", "c", "-1", "1.5", "²", "12345", "1\n"])
def test_what_a_link_cannot_mean_is_the_default(value: str) -> None:
    app = _opened(kind=value, step=value)
    assert not app.exception and app.text[0].value == "a None None" and _params(app) == {}


def test_readers() -> None:
    assert [one_of("ab")(code) for code in ("a", "c")] == ["a", None]
    assert some_of(["a", "b"])("b.c.a.") == ["b", "a"]
    assert [whole_number(text) for text in ("0", "0012", "12345", "+1", "١")] == [0, 12, None, None, None]
    assert whole_number("123456", 6) == 123456
    assert [short_text(3)(text) for text in (pack_text("가나다라"), "zeN!", "~")] == ["가나다", None, None]
