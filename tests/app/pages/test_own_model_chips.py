"""The session's own model is a chip on every page that compares tokenizers, without having been loaded anew."""

import pytest

from app.session.reference import parse_reference
from app.session.titles import reference_title
from tests.pages import open_page, settle

pytestmark = [pytest.mark.usefixtures("shared_registry"), pytest.mark.slow]

_OWN = "toy.hug~vocab_size-256"


@pytest.mark.parametrize(
    ("page", "view"),
    [
        ("explore", ""),
        ("morphology", "scores"),
        ("morphology", "tags"),
        ("morphology", "grid"),
        ("cost", "sentence"),
        ("boundaries", "errors"),
        ("compare", "vocabularies"),
        ("compare", "audit"),
    ],
)
def test_a_model_that_a_link_brought_can_be_compared_everywhere(page: str, view: str) -> None:
    reference = parse_reference(_OWN)
    assert reference is not None
    app = settle(open_page(page, lang="en", model=_OWN, **({"view": view} if view else {})))
    names = {name for group in app.button_group for name in group.options}
    assert not app.exception
    assert any(reference_title(reference) in name.replace("\\", "") for name in names), sorted(names)
