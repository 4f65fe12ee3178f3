"""Every page with hostile values of every parameter of its URL: an explanation or a result, never an exception."""

import random
from collections.abc import Iterator

import pytest

from app.parts.tables.segmentation import joined_surrogates
from app.server.limits import Limits
from app.server.work.jobs import Registry, Request
from app.session.comparison import taught_settings
from app.session.reference import ModelReference
from app.session.state import pack_text
from app.texts.corpora import builtin_corpus
from engine.config import TrainingSettings
from tests.conftest import wait_until
from tests.hostile import NASTY, bounded_memory, check
from tests.menu import VIEWS
from tests.pages import PAGES, open_page
from tests.url_parameters import url_parameters

pytestmark = pytest.mark.slow

SETTINGS = TrainingSettings(vocab_size=300)
MODEL = str(ModelReference("toy", SETTINGS))
# A page without that view shows its first one.
_VIEWS = sorted({view for _, views in VIEWS.values() for view in views})
# What parameters of different kinds look like when they are only almost right.
_CLOSE = (
    "1-2",
    "9-1",
    "0",
    "1",
    "2",
    "99999999",
    "-5",
    "0.5",
    "1e400",
    "none",
    "byte-bpe",
    "words.bytes",
    "ko",
    "own",
    "en",
    "expected",
    "1_2_3_4",
    "0,0",
    "3.1",
    "nan_0_1_inf",
    "true",
    "all",
    "word",
    "text.0",
    "file.0",
    "run.0",
    "~",
    "~가",
    "job",
    "a,b,c",
    "ko~vocab_size-1",
    "ko~vocab_size-999999",
    "toy~pretokenizer-%28a%2B%29%2B%24",
    "ko~score-%00",
    "mix.5.ko.en",
    "mix.100.ko",
    "ko.news",
    "toy~special_tokens-%5B%22%5Cud800%22%5D",
    "a" * 300,
    "../" * 20,
    "9223372036854775808",
    "-0",
    "+1",
    "1_0",
    "\u0663",
    "0x10",
    "inf",
    "5e-324",
    "1-",
    "-",
    ".",
    ",",
    "1,,2",
    "0_0_0_0",
    "toy~algorithm-wordpiece",
    "toy~algorithm-bytes",
    "toy~vocab_size-270~score-ml",
    "z" + "A" * 60,
    "@" + "f" * 24,
)


@pytest.fixture(scope="module")
def one_registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """One for all, with the models that most links below name: pages then show more than the progress of a training."""
    registry = Registry(tmp_path_factory.mktemp("models"))
    source = builtin_corpus("toy")
    for settings in (SETTINGS, taught_settings("bytes", 300)):
        job_id = registry.submit(Request(source, settings))
        wait_until(lambda job_id=job_id: (job := registry.view(job_id)) is not None and not job.is_active, 300)
    return registry


@pytest.fixture(autouse=True)
def _server(one_registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: one_registry)
    # So small that no link makes this test train for long.
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(vocab=2000, job_seconds=20))


@pytest.fixture
def _memory() -> Iterator[None]:
    with bounded_memory(3_000_000_000):
        yield


def _values(dice: random.Random, share: float) -> dict[str, str]:
    """A hostile value of many parameters; the model is one that is there, mostly."""
    made = {"lang": dice.choice(("ko", "en")), "model": MODEL, "with": "bytes", "view": dice.choice(_VIEWS)}
    for name in url_parameters():
        if dice.random() < (0.1 if name in made else share):
            value = dice.choice(dice.choice((NASTY, _CLOSE)))
            value = joined_surrogates(value).replace("\ufffe", "")
            made[name] = dice.choice((value, (pack_text(value) or value)))[:2500]
    return made


def _open_hostile(page: str, values: dict[str, str]) -> None:
    app = open_page(page, **values)
    assert len(app.main) > 1, (page, values)
    assert "\ufffd" not in str(app), (page, values)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize("page", PAGES)
def test_a_page_takes_many_hostile_parameters(page: str, one_registry: Registry) -> None:
    dice = random.Random(f"{page} many")
    for k in range(8):
        values = _values(dice, (0.1, 0.4, 0.7, 0.9)[k % 4])
        # What the link trains is not the page's time.
        check(lambda values=values: _open_hostile(page, values))
        wait_until(lambda: one_registry.is_idle, 300)
