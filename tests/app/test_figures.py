"""Every figure over ordinary, empty and odd data: it has its title in both languages, and can be sent."""

import ast
import inspect
import json
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from app.classroom.page.class_figures import numbers_figure, tally_figure
from app.parts.figures.bars import dots_figure, grouped_bars_figure, moves_figure, ranked_bars_figure
from app.parts.figures.base import Plot, marked_up
from app.parts.figures.histogram import early_figure, histogram_figure
from app.parts.figures.lines import added_figure, growth_figure, matrix_figure
from app.parts.figures.premium import premium_figure
from app.parts.figures.rounds import CURVES, round_curve_figure, token_life_figure
from app.parts.figures.scatter import MAX_POINTS, MAX_SAMPLE, is_binned, scatter_figure, scatter_points, scatter_ranges
from app.parts.tables.tokens import BYTE, FATES, REMOVED, Box, Extent, Frontier
from app.views.boundaries.figures import distribution_figure, errors_figure, lambda_figure, profile_figure
from app.views.compare.algorithms import algorithms_figure
from app.views.compare.vocabularies import overlap_figure
from app.views.growth.languages import joined_figure
from app.views.lattice.sections import samples_figure
from app.views.learn_failures.variants import robustness_figure
from app.views.learn_unigram.training import pruning_figure
from app.views.morphology.figures import tags_figure, tradeoff_figure
from app.views.papers.exhibits import curve_figure, korean_study_figure, verdicts_figure
from app.views.rounds.figures import SURVIVALS, apart_figure, survival_figure
from app.views.scores.distributions import rank_figure
from app.views.search.figures import key_figure, parts_figure, spread_figure
from app.views.token.entropy import scatter_figure as token_scatter_figure
from app.views.token.entropy import shares_figure, surprisal_figure
from app.views.token.stability import kept_by_length_figure, kept_by_rank_figure, kept_figure
from app.views.token.tables import by_length, by_rank, distribution
from engine.measure.morphemes.token_classes import CLASSES
from engine.pruning_rounds import Histogram
from engine.pruning_scores import PRUNING_SCORES
from engine.segmentation.scoring import KINDS
from engine.unigram.model.compact import histogram
from engine.unigram.model.levels import LEVELS
from tests.app.sources import parsed
from tests.browser.injected import TOKENS

ODD_TOKENS = ["<b>굵게</b>", "<0xEC>", "&amp;", "$x$", "␣안녕", "🍊", '"', "%{y}"]
EXTENTS = {
    "p": Extent(1e-6, 0.5),
    "be": Extent(0.1, 7.0),
    "be_p": Extent(1e-7, 3.0),
    "ml": Extent(1e-7, 1.0),
    "tokens": Extent(1.0, 1e5),
}
EXTENTS |= {name: EXTENTS["be"] for name in PRUNING_SCORES if name not in EXTENTS}
RANGES = scatter_ranges(EXTENTS, -6.0)
CUT = Frontier("be_p", 1e-3, 1e-5, 1000)


def _tokens(n: int, **columns: object) -> pd.DataFrame:
    """A table such as `round_tokens` makes, of n tokens."""
    dice = np.random.default_rng(3)
    p = 10.0 ** dice.uniform(-6, -0.5, n)
    be = dice.uniform(0, 7, n)
    return pd.DataFrame(
        {
            "row": np.arange(n),
            "token": [ODD_TOKENS[k % len(ODD_TOKENS)] for k in range(n)],
            "level": [LEVELS[k % len(LEVELS)] for k in range(n)],
            "n_chars": 2,
            "p": p,
            "log10_p": np.log10(p),
            "be": be,
            "be_p": be * p,
            "ml": be * p,
            "tokens": np.round(1e5 * p),
            **{name: be / 2 for name in PRUNING_SCORES if name not in ("p", "be", "be_p", "ml", "tokens")},
            "score": be * p,
            "fate": pd.Categorical([FATES[k % 3] for k in range(n)], categories=FATES),
            "reason": "",
            "rank": np.arange(n),
            **columns,
        }
    )


def _rounds(n: int) -> pd.DataFrame:
    number = np.arange(n)
    threshold = np.where(number == n - 1, np.nan, 1e-3)
    return pd.DataFrame(
        {
            "number": number,
            "vocab_size": 5000 - 100 * number,
            "objective": 100.0 + number,
            "n_tokens": 1e4 + number,
            "threshold": threshold,
            "n_removed": 100,
            "fertility": 1.5 + 0.1 * number,
        }
    )


def _life(n: int, died: int) -> pd.DataFrame:
    number = np.arange(n)
    alive = number <= died
    return pd.DataFrame(
        {
            "number": number,
            "alive": alive,
            "rank": 1,
            "n_prunable": 10,
            "percentile": np.where(alive, 0.5, np.nan),
            "cut": 0.25,
        }
    )


def _kept(n: int) -> pd.DataFrame:
    return _tokens(n, kept=np.arange(n) % 21, n_chars=1 + np.arange(n) % 15)


def _survival(n: int) -> pd.DataFrame:
    """Of each class tokens that get fewer; of the last one there are none."""
    rows = [(name, number, 0 if name == CLASSES[-1] else n - number) for name in CLASSES for number in range(n)]
    table = pd.DataFrame(rows, columns=["name", "number", "kept"])
    return table.assign(share=table["kept"] / table["kept"].where(table["kept"] > 0))


_F1 = {"f1": "F1", "boundary_f1": "F1 of boundaries"}


def _early(n: int, column: str) -> Histogram:
    table = _tokens(n)
    return histogram(table[column].to_numpy(), (table["fate"] == REMOVED).to_numpy())


def _keys(labels: Sequence[str], n_groups: int) -> pd.DataFrame:
    """Rows of `key_table` that name sub-corpora as the tokens."""
    groups = [labels[k * n_groups // len(labels)] for k in range(len(labels))]
    numbers = {
        "count": 9,
        "against": 2,
        "g2": 5.0,
        "log_ratio": 1.0,
        "log_ratio_low": 0.5,
        "log_ratio_high": 2.0,
        "p_holm": 0.01,
    }
    return pd.DataFrame({"group": groups, "label": labels, "kind": "", **numbers})


def _parts(names: list[str]) -> pd.DataFrame:
    """Hits by part of a corpus."""
    return pd.DataFrame({"part": names, "count": 3, "words": 9, "per_million": 1e6 / 3})


def _spread(names: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({"group": names, "file": names, "at": 0.5, "count": 1}, index=range(len(names)))


def _premiums(titles: Sequence[str]) -> pd.DataFrame:
    rows = [(title, "GPT", 2019 + k % 4, 1.5 + k, 1.2 + k, 1.9 + k, k == 0, k == 1) for k, title in enumerate(titles)]
    return pd.DataFrame(rows, columns=["title", "family", "year", "value", "low", "high", "is_ours", "best"])


def _moves(names: Sequence[str], tokenizers: Sequence[str]) -> pd.DataFrame:
    rows = [(name, k, 1.5, 1.2, 1.9, "+5%") for name in names for k in tokenizers]
    return pd.DataFrame(rows, columns=["name", "tokenizer", "value", "low", "high", "end"])


# Name, and how it is drawn from n rows of data in a language.
FIGURES: dict[str, Callable[[int, str], Plot]] = {
    "added": lambda n, lang: added_figure(
        pd.DataFrame({"added": range(n), "y": 2.0, "low": 1.9, "high": 2.1}),
        "added",
        "y",
        f"t {lang}",
        ("a", "b"),
        lang,
    ),
    "scatter": lambda n, lang: scatter_figure(_tokens(n), CUT, RANGES, "bit", lang, Box(-4, -2, 1, 3), "<0xEC>"),
    "scatter-small": lambda n, lang: scatter_figure(
        _tokens(n), CUT, RANGES, "bit", lang, chosen="<0xEC>", is_small=True
    ),
    "premium": lambda n, lang: premium_figure(_premiums([f"T{k}" for k in range(n)][:16]), {"B": 1.2}, lang, lang),
    "keys": lambda n, lang: key_figure(_keys([f"T{k}" for k in range(n)], 2), lang, lang),
    "keys-of-three": lambda n, lang: key_figure(_keys([f"T{k}" for k in range(n)], 3), lang, lang),
    "parts": lambda n, lang: parts_figure(_parts([f"T{k}" for k in range(n)]), lang, lang),
    "spread": lambda n, lang: spread_figure(_spread([f"T{k}" for k in range(n)]), lang, lang),
    "ranked-bars": lambda n, lang: ranked_bars_figure(_premiums([f"T{k}" for k in range(n)]), lang, "x", lang),
    "moves": lambda n, lang: moves_figure(_moves([f"T{k}" for k in range(n)], ("a", "b")), lang, "x", lang),
    "entropies": lambda n, lang: distribution_figure(
        pd.DataFrame({"kind": "pmi", "value": np.arange(n) / 2, "count": np.arange(n)}), "pmi", lang, ("x", "y"), lang
    ),
    "errors": lambda n, lang: errors_figure(
        pd.DataFrame({"name": [f"T{k}" for k in range(n)], **dict.fromkeys(KINDS, 3)}),
        dict.fromkeys(KINDS, "k"),
        lang,
        "x",
        lang,
    ),
    "lambda": lambda n, lang: lambda_figure(
        pd.DataFrame({"lam": np.arange(n) / 10, "f1": 0.5, "boundary_f1": 0.7}), 0.1, _F1, lang, "y", lang
    ),
    "surprisal": lambda n, lang: surprisal_figure(
        pd.Series(1 / (2.0 + np.arange(n))), 1.5, 1.0, lang, ("x", "y"), lang
    ),
    "life": lambda n, lang: token_life_figure({token: _life(n, 1) for token in ODD_TOKENS[:4]}, lang),
    "life-in-a-round": lambda n, lang: token_life_figure({"a": _life(n, 1)}, lang, 300),
    "kept": lambda n, lang: kept_figure(distribution(_kept(n), 20), 20, lang),
    "kept-by-length": lambda n, lang: kept_by_length_figure(by_length(_kept(n), 20), lang),
    "kept-by-rank": lambda n, lang: kept_by_rank_figure(by_rank(_kept(n), 20), lang),
    "apart": lambda n, lang: apart_figure(
        _tokens(n, kept_by=["both", "first", "second"] * (n // 3) + ["both"] * (n % 3)).assign(
            p_second=0.01, be_second=1.5, died_second=-1.0
        ),
        "second",
        f"<b>굵게 {lang}",
        {"both": "<둘 다>", "first": "a", "second": "b"},
        "bit",
        lang,
    ),
    **{
        f"histogram-{column}": lambda n, lang, column=column: histogram_figure(
            _tokens(n), column, EXTENTS[column], "nat", lang
        )
        for column in EXTENTS
    },
    **{
        f"early-{column}": lambda n, lang, column=column: early_figure(
            _early(n, column), column, EXTENTS[column], "bit", lang
        )
        for column in EXTENTS
    },
    **{
        f"rank-{column}": lambda n, lang, column=column: rank_figure(_tokens(n), column, EXTENTS[column], "bit", lang)
        for column in EXTENTS
    },
    **{
        f"round-{column}": lambda n, lang, column=column: round_curve_figure(_rounds(n), column, "be_p", "bit", lang)
        for column in CURVES
    },
    **{
        f"survival-{column}": lambda n, lang, column=column: survival_figure(_survival(n), column, lang)
        for column in SURVIVALS
    },
}


def _texts(figure: Plot) -> str:
    """Everything that the browser is sent, as one string."""
    return json.dumps(json.loads(figure.to_json()), ensure_ascii=False)


@pytest.mark.parametrize("name", FIGURES)
def test_any_data_makes_a_titled_figure(name: str) -> None:
    """In its language; what has no colour of its own follows a change of theme."""
    titles = set()
    for n, language in ((0, "ko"), (1, "en"), (2, "ko"), (40, "ko"), (40, "en")):
        figure = FIGURES[name](n, language)
        assert figure.layout.title.text
        assert figure.layout.font.color is None
        assert all(annotation.font.color is None for annotation in figure.layout.annotations)
        sent = _texts(figure)
        assert "NaN" not in sent
        assert "\ufffd" not in sent
        if n == 40:
            assert len(figure.data) > 0
            titles.add(figure.layout.title.text)
    assert len(titles) == 2


def test_user_text_is_never_markup() -> None:
    assert marked_up("<b>&</b>") == "&lt;b&gt;&amp;&lt;/b&gt;"
    for name in ("scatter", "life", "apart", "rank-p"):
        sent = _texts(FIGURES[name](40, "ko"))
        assert not any(token in sent for token in ("<b>굵게", "<0xEC>", "<둘 다>", "<ML>"))


def _hostile_figures() -> dict[str, Plot]:
    """The other figures, with hostile texts wherever a visitor's text comes to stand."""
    texts, axes = list(TOKENS), ("x", "y")
    n = len(texts)
    numbers = pd.DataFrame({"value": np.arange(n) + 1.0, "low": 0.5, "high": n + 1.0, "vocab_size": np.arange(n) + 300})
    named = numbers.assign(
        text=texts,
        name=texts,
        number=np.arange(n),
        observed=0.1,
        exact=0.1,
        removed=texts,
        segmentation=texts,
        sentence=texts,
        share=0.1,
        marginal=0.5,
        size=np.arange(n),
        loss=1.5,
        token=texts,
        right_entropy=np.arange(n),
        be=0.5,
        difference=np.arange(n),
    )
    members = [(k,) for k in range(6)] + [(0, 1, 2)]
    overlap = pd.DataFrame({"members": members, "count": 5})
    profile = pd.DataFrame(
        {
            "position": [0, 1],
            "character": ["<", "&"],
            "pmi": 1.0,
            "left_entropy": 1.0,
            "right_entropy": 1.0,
            "lm_entropy": 1.0,
        }
    )
    curves = dict.fromkeys(("pmi", "left_entropy", "right_entropy", "lm_entropy", "observed", "exact"), "a")
    return {
        "grouped_bars_figure": grouped_bars_figure(named, "text", "name", "value", "t", "a", "en"),
        "premium_figure": premium_figure(_premiums(texts), {texts[0]: 1.2}, "t", "en"),
        "ranked_bars_figure": ranked_bars_figure(_premiums(texts), "t", "a", "en"),
        "errors_figure": errors_figure(
            pd.DataFrame({"name": texts, **dict.fromkeys(KINDS, 3)}), dict.fromkeys(KINDS, "k"), "t", "a", "en"
        ),
        "dots_figure": dots_figure(named, "text", "name", "value", "t", "a", "en"),
        "moves_figure": moves_figure(_moves(texts, texts[:2]).assign(end=texts[0]), "t", "a", "en"),
        "growth_figure": growth_figure(named, "name", "value", "t", axes, "en"),
        "matrix_figure": matrix_figure(pd.DataFrame(1.0, index=texts, columns=texts), "t", axes, "en"),
        "algorithms_figure": algorithms_figure(
            named.assign(
                number="1",
                floor=0.5,
                **{name + end: 1.0 for name in ("tokens", "bits", "f1") for end in ("", "_low", "_high")},
            ),
            "t",
            "en",
        ),
        "overlap_figure": overlap_figure(overlap.head(3), texts[:3], "t", "a", "en"),
        "overlap_figure of many": overlap_figure(overlap, texts[:6], "t", "a", "en"),
        "samples_figure": samples_figure(named, "t", curves, axes),
        "shares_figure": shares_figure(named, "t", "a", "en"),
        "tags_figure": tags_figure(
            pd.DataFrame(
                {"tokenizer": texts, "tag": texts, "name": texts, "pieces": 3, "boundaries": 2}
                | dict.fromkeys(("cut", "cut_low", "cut_high"), 0.5)
            ),
            "cut",
            "t",
            "en",
        ),
        "tradeoff_figure": tradeoff_figure(
            named.assign(tokenizer=texts, fertility=1.5, f1=0.5),
            pd.DataFrame({"tokenizer": texts * 2, "fertility": 1.5, "f1": 0.5, "vocab_size": 300, "round": 1.0}),
            texts[:3],
            "en",
        ),
        "robustness_figure": robustness_figure(
            named.assign(variant=texts, model=texts, changed_cuts=0.5, changed_cuts_low=0.4, changed_cuts_high=0.6),
            dict(zip(texts, texts, strict=True)),
            "changed_cuts",
            "en",
        ),
        "scatter_figure": token_scatter_figure(named, texts[0], "t", axes, "en"),
        "pruning_figure": pruning_figure(named.iloc[::-1], "t", axes, "en"),
        "profile_figure": profile_figure(profile, curves, "t", "a", "en"),
        "token_life_figure": token_life_figure({text: _life(3, 1) for text in texts[:4]}, "en"),
        "apart_figure": apart_figure(
            _tokens(n, token=texts, kept_by=["both", "first", "second"] * (n // 3)).assign(
                p_second=0.01, be_second=1.5, died_second=-1.0
            ),
            "second",
            texts[0],
            {"both": texts[0], "first": texts[1], "second": texts[2]},
            "bit",
            "en",
        ),
        "rank_figure": rank_figure(_tokens(n, token=texts), "p", EXTENTS["p"], "nat", "en"),
        "joined_figure": joined_figure(named.assign(languages=1, tokens=1.0, change=0.0), "t", axes),
        "curve_figure": curve_figure(
            "".join(texts),
            [1.0] * len("".join(texts)),
            {"printed": [2], "ours": [3]},
            {name: name for name in ("entropy", "printed", "ours")},
            "t",
            "a",
        ),
        "korean_study_figure": korean_study_figure(
            named.assign(strategy=named["name"], vocabulary=named["name"], mean_tokens=1.0, bleu=1.0), "bleu", "t", axes
        ),
        "verdicts_figure": verdicts_figure(
            named.assign(source=texts, agrees=1, differs=2, slip=0, undecided=1, not_measured=1),
            dict(zip(("agrees", "differs", "slip", "undecided", "not_measured"), texts, strict=False)),
            "t",
        ),
        "key_figure": key_figure(_keys(texts, 2), texts[0], "en"),
        "parts_figure": parts_figure(_parts(texts), texts[0], "en"),
        "spread_figure": spread_figure(_spread(texts), texts[0], "en"),
        "tally_figure": tally_figure(texts, [1] * n, [False] * n, "t"),
        "numbers_figure": numbers_figure([1.0, 2.0], 1.0, 0.0, None, 1.0, 1.5, "t", texts[0]),
    }


# Those that hold numbers and our own words only.
_WITHOUT_TEXT = {
    "added_figure",
    "histogram_figure",
    "distribution_figure",
    "lambda_figure",
    "round_curve_figure",
    "surprisal_figure",
    "early_figure",
    "kept_figure",
    "kept_by_length_figure",
    "kept_by_rank_figure",
    "survival_figure",
}


def test_hostile_texts_are_no_markup_in_any_figure() -> None:
    figures = _hostile_figures()
    figures["scatter_figure of scores"] = scatter_figure(
        _tokens(len(TOKENS), token=TOKENS), CUT, RANGES, "nat", "en", None, TOKENS[0]
    )
    for name, figure in figures.items():
        sent, templates = _texts(figure), [str(trace.hovertemplate) for trace in figure.data]
        for token in TOKENS:
            raw = json.dumps(token, ensure_ascii=False)[1:-1]
            assert "<" not in token or raw not in sent, (name, token)
            # A template would fill braces in, and read the rest as markup.
            assert not any(token in template for template in templates), (name, token)
    with_text = {name.split()[0] for name in figures}
    every = {one.rpartition(".")[2] for one in _figure_functions()}
    assert every - with_text - _WITHOUT_TEXT == set(), "not drawn with hostile texts"
    assert _WITHOUT_TEXT & with_text == set() and every >= _WITHOUT_TEXT, "no longer without text"


def _figure_functions() -> set[str]:
    """Every public function of the app that returns a figure, as `module.name`."""
    return {
        f"{path.removesuffix('.py').replace('/', '.')}.{node.name}"
        for path, module in parsed("app").items()
        for node in module.body
        if isinstance(node, ast.FunctionDef)
        and node.returns
        and ast.unparse(node.returns) == "Plot"
        and node.name.endswith("_figure")
    }


def test_every_figure_of_the_app_is_drawn_here() -> None:
    """What is imported is drawn: the linter finds what is not used."""
    imported = {f"{one.__module__}.{one.__name__}" for one in globals().values() if inspect.isfunction(one)}
    assert _figure_functions() - imported == set()


def test_the_frontier_is_where_the_score_is_the_threshold() -> None:
    figure = scatter_figure(_tokens(40), CUT, RANGES, "nat", "en")
    line = next(trace for trace in figure.data if "frontier" in (trace.name or ""))
    product = np.asarray(line.y, dtype=float) * 10.0 ** np.asarray(line.x, dtype=float)
    assert product == pytest.approx(np.full(product.size, CUT.score), rel=1e-5)


@pytest.mark.parametrize("kind", PRUNING_SCORES)
def test_every_score_draws_what_it_can(kind: str) -> None:
    figure = scatter_figure(_tokens(40), Frontier(kind, 0.01, 1e-5, 1000), RANGES, "bit", "ko")
    named = sum(trace.mode == "lines" and trace.showlegend is not False for trace in figure.data)
    assert named == (3 if kind in ("be_p", "be", "p") else 2)


def test_nothing_removed_means_no_frontier() -> None:
    figure = scatter_figure(_tokens(40), Frontier("be_p", None, None, 0), RANGES, "bit", "ko")
    assert [trace.mode for trace in figure.data] == ["markers"] * 3


def test_bars_of_a_round_without_tokens_hold_all_that_were_counted() -> None:
    table = _tokens(400)
    low = float(table["be_p"].quantile(0.3))
    kept, removed = early_figure(_early(400, "be_p"), "be_p", Extent(low, 1.0), "nat", "en").data
    gone = table["fate"] == REMOVED
    assert (sum(kept.y), sum(removed.y)) == (int((~gone).sum()), int(gone.sum()))
    # But for the first, which holds what is smaller too, a bar holds what lies above it.
    values = np.log10(table["be_p"][gone].to_numpy())
    for middle, width, count in list(zip(removed.x, removed.width, removed.y, strict=True))[1:]:
        assert count == ((values >= middle - width / 2) & (values < middle + width / 2)).sum()


def test_survivors_and_removed_differ_in_colour_and_shape() -> None:
    kept, removed, _ = scatter_figure(_tokens(40), CUT, RANGES, "bit", "ko").data[:3]
    assert kept.marker.line.width > 0  # points on each other stay apart
    assert kept.marker.color != removed.marker.color
    assert kept.marker.symbol != removed.marker.symbol


def test_many_tokens_are_binned_and_only_a_sample_is_sent() -> None:
    table = _tokens(MAX_POINTS + 1000).sort_values("score", ascending=False, ignore_index=True)
    assert is_binned(table)
    points = scatter_points(table)
    assert sum(map(len, points)) <= MAX_SAMPLE
    figure = scatter_figure(table, CUT, RANGES, "bit", "ko")
    for trace, sample in zip(figure.data, points, strict=False):
        assert len(trace.x) == len(sample)
    cells = next(trace for trace in figure.data if trace.type == "heatmap")
    inside = table["log10_p"].between(*RANGES[0]) & table["be"].between(*RANGES[1])
    assert int(np.asarray(cells.text).sum()) == int(inside.sum())
    assert len(figure.to_json()) < 1_500_000


def test_points_come_back_in_the_order_of_the_traces() -> None:
    table = _tokens(41)
    figure = scatter_figure(table, CUT, RANGES, "nat", "ko")
    for fate, trace, points in zip(FATES, figure.data, scatter_points(table), strict=False):
        assert (points["fate"] == fate).all()
        assert np.allclose(np.asarray(trace.x, dtype=float), points["log10_p"], atol=1e-6)


def test_histogram_counts_every_prunable_token_once() -> None:
    table = _tokens(60)
    figure = histogram_figure(table, "p", EXTENTS["p"], "bit", "en")
    counted = sum(int(np.asarray(trace.y).sum()) for trace in figure.data)
    assert counted == int((table["fate"] != BYTE).sum())
    assert {trace.name for trace in figure.data} == {"survives", "removed"}


def test_shares_are_shown_in_percent() -> None:
    table = pd.DataFrame({"text": ["a", "b"], "name": ["x", "x"], "vocab_size": [10, 20], "share": [0.25, 0.5]})
    bars = grouped_bars_figure(table, "text", "name", "share", "T", "A", "en", in_percent=True, xaxis={"title": "X"})
    lines = growth_figure(table, "name", "share", "T", ("X", "A"), "en", in_percent=True)
    for figure, ticks in ((bars, "~%"), (lines, ".0%")):
        assert figure.layout.yaxis.tickformat == ticks and figure.layout.yaxis.title.text == "A"
        assert figure.layout.xaxis.title.text == "X"
    assert "%{y:.1%}" in lines.data[0].hovertemplate
