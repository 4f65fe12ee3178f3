"""Who pays more: the stored figures are those that the engine finds, and prices that make no sense change nothing."""

import json
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.parts.figures.premium import premium_figure
from app.texts.corpora import LANGUAGES, language_text, parallel_texts
from app.texts.i18n import translate
from app.texts.plain import unmarked
from app.views.cost.money import _decode
from app.views.cost.parity import Counts, measure_parity, parity_sentence, parity_table
from app.views.cost.stored import (
    BASE,
    NEWS,
    OTHERS,
    SENTENCES,
    bytes_premium,
    costs_by_language,
    family_table,
    korean,
    languages,
    premium_table,
)
from engine.cli import main
from engine.measure.encoded import encode_lines
from engine.measure.parallel import gini, max_min_ratio, parallel_table
from engine.model_files import load_tokenizer
from engine.public.load import is_available, load_public
from engine.shipped.catalogue import load_shipped
from engine.tokenizer import Tokenizer
from tests.conftest import ROOT
from tests.pages import open_page

pytestmark = pytest.mark.usefixtures("shared_registry")


@pytest.mark.parametrize("name", ["gpt2", pytest.param("llama2", marks=pytest.mark.slow)])
def test_stored_premiums_are_those_of_the_live_table(name: str) -> None:
    if not is_available(name):
        pytest.skip(f"the package with {name} is not installed")
    texts = {code: parallel_texts()[code] for code in ("en", "ko", "th")}
    live = parallel_table(load_public(name), texts, BASE).set_index("language")
    for code in ("ko", "th"):
        stored = premium_table(SENTENCES, code).set_index("name").loc[name]
        assert (stored["tokens"], stored["base"]) == (live.loc[code, "tokens"], live.loc["en", "tokens"])
        found = live.loc[code, ["premium", "premium_low", "premium_high"]].tolist()
        assert stored[["value", "low", "high"]].tolist() == pytest.approx(found, abs=1e-4)


def test_who_ties_with_the_lowest_is_stored() -> None:
    for text in (SENTENCES, NEWS):
        for code in languages(text) - {BASE}:
            table = premium_table(text, code)
            best = table[table["best"]]
            assert table["value"].min() in best["value"].tolist()
            # An interval entirely above all of the best is no tie.
            assert not (best["low"] > best["high"].min()).any()


def test_stored_tokens_of_a_shipped_model() -> None:
    tokens = encode_lines(load_shipped("thunder-tok-32k"), parallel_texts()["ko"]).n_tokens
    assert korean(SENTENCES)["shipped:thunder-tok-32k"][0] == tokens


def test_bytes_are_the_baseline() -> None:
    sizes = {code: sum(len(line.encode()) for line in parallel_texts()[code]) for code in ("en", "ko")}
    assert bytes_premium(SENTENCES, "ko") == pytest.approx(sizes["ko"] / sizes["en"], abs=1e-4)
    assert languages(SENTENCES) == {BASE, *OTHERS} and languages(NEWS) < languages(SENTENCES)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        (
            "en",
            "Korean takes 4.7 times as many tokens as English with GPT-2 (2019), 2.2 with GPT-4 (2023) and 1.4 with",
        ),
        ("ko", "한국어 토큰은 영어의 4.7배(GPT-2, 2019), 2.2배(GPT-4, 2023), 1.4배(GPT-4o, 2024)입니다."),
    ],
)
def test_the_sentence_of_the_page(lang: str, said: str) -> None:
    page = open_page("cost", lang=lang)
    assert said in unmarked(page.markdown[0].value).replace("\u2060", "")


def test_a_million_messages_at_ones_own_prices() -> None:
    page: AppTest = open_page("cost", lang="en", of="th", prices="gpt2-2~gemma3-0", won="1000", more="money")
    assert "Thai" in page.markdown[0].value
    table = premium_table(SENTENCES, "th").set_index("title")
    costs = next(one.value for one in page.dataframe if "more" in one.value).set_index("title")
    each = table.loc["GPT-2", ["base", "tokens"]] / 72
    assert costs.loc["GPT-2", ["base", "dollars"]].tolist() == pytest.approx((each * 2).tolist())
    assert costs.loc["GPT-2", "more"] == pytest.approx((each["tokens"] - each["base"]) * 2000)
    assert costs.loc["Gemma 3", "dollars"] == 0
    assert costs["dollars"].notna().sum() == 2
    assert costs.loc["GPT-2", "in_won"] == pytest.approx(each["tokens"] * 2000)
    assert [one.value for one in page.caption if "at a price of 0" in one.value and "Gemma 3" in one.value]
    # What fits into a context does not depend on prices, and is longer in the language that takes fewer tokens.
    fits = next(one.value for one in page.dataframe if "pages" in one.value).set_index("title")
    assert fits.loc["GPT-2", "base_pages"] / fits.loc["GPT-2", "pages"] == pytest.approx(
        table.loc["GPT-2", "value"], abs=1e-3
    )
    words = sum(len(line.split()) for line in parallel_texts()["en"])
    assert fits.loc["GPT-2", "base_pages"] == pytest.approx(128_000 * words / table.loc["GPT-2", "base"] / 250)


@pytest.mark.parametrize(
    "text", ["gpt2-nan", "gpt2-inf", "gpt2--1", "gpt2-1e308", "gpt9-1", "gpt2", "", "~", "gpt2-1~"]
)
def test_prices_of_a_link_that_make_no_sense_are_ignored(text: str) -> None:
    assert _decode(text) is None


@pytest.mark.parametrize("prices", ["gpt2-nan", "gpt2-1e308"])
def test_a_price_of_a_link_that_makes_no_sense_is_named(prices: str) -> None:
    page = open_page("cost", lang="en", prices=prices, more="money")
    (said,) = [one.value.replace("\\", "") for one in page.warning]
    assert f"“{prices}” was ignored" in said
    costs = next(one.value for one in page.dataframe if "more" in one.value).set_index("title")
    assert costs.loc["GPT-4", "dollars"] > 0  # the list prices are there
    assert not open_page("cost", lang="en", more="money").warning


@pytest.mark.parametrize(("second", "key"), [("", "fertility.pair.empty"), ("가" * 200_000, "fertility.pair.long")])
def test_a_translation_that_cannot_be_compared(second: str, key: str) -> None:
    page = open_page("cost", {"fertility.second": second}, lang="en", view="sentence")
    said = [one.value for one in (*page.info, *page.warning)]
    assert said == [translate(key, "en", limit=200)]


def test_a_tokenizer_that_loses_a_sentence_is_not_the_cheaper_one() -> None:
    """BERT has one unknown token for a script, and none at all for what it takes out."""
    for first, second in (("tea", "ᚠᚢᚦᚨᚱᚲ"), ("\u200b", "차"), ("\u00ad", "\u200b")):
        page = open_page(
            "cost", lang="en", view="sentence", first=f"~{first}", second=f"~{second}", **{"and": "public:bert"}
        )
        assert not page.exception
        times = page.dataframe[0].value.set_index("tokenizer")["times"]
        assert list(times.index[times.isna()]) == ["BERT"] and np.isfinite(times.dropna()).all()


def test_one_sentence_and_many_are_told_apart() -> None:
    if not is_available("cl100k_base"):
        pytest.skip("the package with it is not installed")
    page = open_page("cost", lang="en", view="sentence")
    pair = next(one.value for one in page.dataframe if "times" in one.value)
    assert pair[["first", "second"]].to_numpy().tolist()[1:] == [[4, 13], [4, 8]]
    assert [one.value for one in page.caption if "takes 3.25 times" in one.value and "1.15 to 3.50" in one.value]


def test_equity_is_that_of_the_stored_tokens() -> None:
    tokens = [premium_table(SENTENCES, code).set_index("title").loc["GPT-4"] for code in OTHERS]
    wanted = [tokens[0]["base"], *(one["tokens"] for one in tokens)]
    assert costs_by_language(SENTENCES)["GPT-4"].tolist() == wanted
    page = open_page("cost", lang="en", more="fairness", public="none", shipped="none", texts="parallel.ko")
    table = next(one.value for one in page.dataframe if "gini" in one.value).set_index("title")
    assert table.loc["GPT-4", "n"] == len(OTHERS) + 1
    assert table.loc["GPT-4", "gini"] == pytest.approx(gini(pd.Series(wanted)))
    assert table.loc["GPT-4", "max_min"] == pytest.approx(max_min_ratio(pd.Series(wanted)))


@pytest.fixture(scope="module")
def counted() -> tuple[Counts, Counts]:
    return measure_parity()


@pytest.fixture
def trained_by_command(tmp_path: Path) -> tuple[Tokenizer, Tokenizer]:
    """Both tokenizers, by the commands that train them."""
    corpora, parallel = [], []
    for code in LANGUAGES:
        corpora.append(str(tmp_path / f"{code}.txt"))
        parallel.append(str(tmp_path / f"{code}.parallel.txt"))
        Path(corpora[-1]).write_text("\n".join(language_text(code).lines()), encoding="utf-8")
        Path(parallel[-1]).write_text("\n".join(parallel_texts()[code][::2]), encoding="utf-8")
    models = [str(tmp_path / name) for name in ("byte.json", "parity.json")]
    common = ["train", *corpora, "--vocab-size", "2000", "--ties", "lexicographic", "--pretokenizer", "gpt2"]
    assert main([*common, "--algorithm", "byte-bpe", "--output", models[0]]) == 0
    assert main([*common, "--algorithm", "parity-bpe", "--output", models[1], "--parallel", *parallel]) == 0
    return load_tokenizer(models[0]), load_tokenizer(models[1])


def test_parity_is_measured_on_sentences_that_no_training_has_seen(
    counted: tuple[Counts, Counts], trained_by_command: tuple[Tokenizer, Tokenizer]
) -> None:
    for code in LANGUAGES:
        seen, held_out = parallel_texts()[code][::2], parallel_texts()[code][1::2]
        learned = "\n".join([*language_text(code).lines(), *seen])
        assert not [line for line in held_out if line in learned]
        for counts, model in zip(counted, trained_by_command, strict=True):
            assert counts[code].tolist() == [len(model.encode(line).ids) for line in held_out]


def test_the_ratios_of_parity_by_hand(counted: tuple[Counts, Counts]) -> None:
    before, after = ({code: counts[code].tolist() for code in LANGUAGES} for counts in counted)
    table = parity_table(*counted)
    assert table.equals(parity_table(*counted))
    table = table.set_index(["code", "tokenizer"])
    # Lines drawn again and again, the same ones on both sides.
    draw = random.Random(1)
    drawn = [draw.choices(range(36), k=36) for _ in range(2000)]
    for code in LANGUAGES:
        for name, counts in (("before", before), ("after", after)):
            row = table.loc[(code, name)]
            assert row["tokens"] == sum(counts[code])
            assert row["value"] == pytest.approx(sum(counts[code]) / sum(before["en"]))
            assert row["parity"] == pytest.approx(sum(counts[code]) / sum(counts["en"]))
        changed = table.loc[(code, "after")]
        assert changed["change"] == pytest.approx(sum(after[code]) / sum(before[code]) - 1)
        again = sorted(sum(after[code][k] for k in rows) / sum(before[code][k] for k in rows) - 1 for rows in drawn)
        bounds = [again[50], again[1949]]
        assert changed[["change_low", "change_high"]].tolist() == pytest.approx(bounds, abs=0.01)
    whole = sum(map(sum, after.values())) / sum(map(sum, before.values())) - 1
    assert table.loc[("mean", "after"), "change"] == pytest.approx(whole)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({"en": [5, 5], "hi": [12, 12]}, "**HI** takes **40% fewer** tokens (95%: -40% to -40%)"),
        ({"en": [5, 5], "hi": [30, 30]}, "**HI** takes **50% more** (95%: +50% to +50%)"),
        ({"en": [5, 5], "hi": [10, 40]}, "**HI**: no change can be told (95% interval -50% to +100%)"),
    ],
)
def test_parity_says_only_what_the_interval_shows(
    after: dict[str, list[int]], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {"en": np.array([5, 5]), "hi": np.array([20, 20])}
    table = parity_table(before, {code: np.array(counts) for code, counts in after.items()})
    monkeypatch.setattr("app.texts.i18n.language", lambda: "en")
    sentence = parity_sentence(table, {"en": "EN", "hi": "HI", "mean": "BOTH"})
    assert said in sentence and "**EN**: no change can be told (95% interval +0% to +0%)" in sentence


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_remedy_is_shown_beside_the_problem(lang: str) -> None:
    page = open_page("cost", lang=lang, more="parity")
    assert not page.exception
    figure = json.loads(page.get("plotly_chart")[-1].proto.spec)
    assert [len(trace["y"]) for trace in figure["data"]] == [len(LANGUAGES)] * 2
    table = next(one.value for one in page.dataframe if "parity" in one.value)
    hindi = table[(table["code"] == "hi") & (table["tokenizer"] == translate("cost.parity.after", lang))].iloc[0]
    assert hindi["change"] < 0 < table["change"].max()
    said = next(one.value for one in page.markdown if f"{-hindi['change']:.0%}" in one.value)
    assert translate("corpora.multi.hi", lang) in said


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize(("years", "axis", "is_projected"), [((70, 85, 105), 350, False), ((115,), 415, True)])
def test_names_do_not_overlap(code: str, years: tuple[int, ...], axis: int, is_projected: bool) -> None:
    """On screens whose years are so wide and whose axes so high, in pixels."""
    baselines = {"bytes": bytes_premium(SENTENCES, code)}
    figure = premium_figure(premium_table(SENTENCES, code), baselines, "title", "en", is_projected)
    bottom, top = figure.layout.yaxis.range
    for year in years:
        boxes = []
        for one in (one for one in figure.layout.annotations if one.showarrow):
            width = 0.55 * one.font.size * len(one.text.removeprefix("<b>").removesuffix("</b>"))
            x, y = one.x * year + one.ax, axis * (one.y - bottom) / (top - bottom) - one.ay
            boxes.append((x if one.xanchor == "left" else x - width, y, width, 1.1 * one.font.size))
        for (x, y, width, height), (left, at, wide, high) in combinations(boxes, 2):
            assert x + width <= left or left + wide <= x or abs(y - at) >= (height + high) / 2


def test_a_phone_hides_the_small_names() -> None:
    figure = premium_figure(premium_table(SENTENCES, "ko"), {"bytes": 1.2}, "title", "en")
    labels = [one for one in figure.layout.annotations if one.showarrow]
    assert len(labels) == len(premium_table(SENTENCES, "ko"))
    # On a phone only the loud ones have room: the style sheet knows the others by their size.
    small = {one.font.size for one in labels if "<b>" not in one.text}
    (size,) = small
    assert all(one.font.size != size for one in figure.layout.annotations if one not in labels or "<b>" in one.text)
    assert f'.st-key-cost-premium .annotation:has(text[style*="font-size: {size}px"])' in (
        ROOT / "assets/styles/app.css"
    ).read_text(encoding="utf-8")


def test_lines_go_forward_in_time() -> None:
    figure = premium_figure(premium_table(SENTENCES, "ko"), {}, "title", "en")
    for trace in figure.data:
        assert list(trace.x) == sorted(trace.x)
    assert list(figure.layout.xaxis.tickvals) == list(range(2019, 2027))
    assert figure.layout.xaxis.range[1] > figure.layout.xaxis.tickvals[-1]


def test_tokenizers_that_do_not_know_a_language_are_left_out() -> None:
    assert not {"KcBERT", "BERT", "mBERT"} & set(premium_table(SENTENCES, "ko")["title"])
    assert "public:bert" not in korean(SENTENCES)


def test_who_got_better_at_korean() -> None:
    table = family_table(SENTENCES, "ko").set_index("first")
    assert (table["high"] < 0).all() and not (table["base_low"] > 0).any()
    assert table.loc["GPT-2", "last"] == "GPT-4o" and table.loc["GPT-2", "value"] == pytest.approx(-70.08, abs=0.01)
    assert table.loc["Gemma 2", ["dearest", "dearest_value"]].tolist() == ["ja", pytest.approx(7.21, abs=0.01)]


def test_the_languages_under_the_tokenizers_of_the_sentence() -> None:
    page = open_page("cost", lang="en", view="languages", of="th")
    (figure,) = (json.loads(chart.proto.spec) for chart in page.get("plotly_chart"))
    assert [trace["name"] for trace in figure["data"]] == ["GPT-2", "GPT-4", "GPT-4o"]
    assert all(len(trace["y"]) == len(OTHERS) and "Thai ◀" in trace["y"] for trace in figure["data"])


def test_nothing_below_the_picture_is_computed_before_it_is_opened() -> None:
    assert not any({"more", "gini"} & set(table.value) for table in open_page("cost", lang="en").dataframe)


def test_a_link_to_the_generations_opens_who_paid() -> None:
    page = open_page("cost", lang="en", view="generations", of="th")
    assert not page.info and "Thai takes" in page.markdown[0].value
    families = next(one.value for one in page.dataframe if "families" in one.value)
    assert families["families"].tolist()[0] == "GPT-2 → GPT-4o"


@pytest.mark.parametrize("view", ["premium", "languages", "sentence"])
def test_every_line_may_be_open_at_once(view: str) -> None:
    app = open_page("cost", lang="en", view=view, more="korean.parity.money.fairness")
    assert not app.exception
