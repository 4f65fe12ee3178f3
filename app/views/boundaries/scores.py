"""The page's lambda and F1 over it, the rows of the paper's Table 1 on a gold text, and the distributions of both."""

import pandas as pd
import streamlit as st

from app.components.boards import LAMBDA_STEP, MAX_LAMBDA
from app.parts.data_table import ALL_ROWS, PINNED, draw_table, headings, in_bold, render_data, say_bold
from app.parts.layout import Layout, render_figure
from app.parts.problem import reason
from app.parts.tables.units import per_nat
from app.parts.tokenizers.tokenizer_set import Offer, render_offers
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.session.url import UrlValue, number_in
from app.share.facts import share
from app.texts.commands import segment_command
from app.texts.gold import GOLD, GoldText
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.boundaries.figures import distribution_figure, lambda_figure
from app.views.boundaries.tables import distribution_table, lambda_curve, scores_table, tokenizer_scores
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_LAMBDA
from engine.errors import InputError
from engine.evidence.claims import printed
from engine.measure.best import ties_with_best
from engine.segmentation.segmenter import method_scores


def _decode(text: str) -> float | None:
    value = number_in(0.0, MAX_LAMBDA)(text)
    return None if value is None else round(value / LAMBDA_STEP) * LAMBDA_STEP


_LAMBDA = UrlValue("lambda", "boundaries.lam", _decode, "{:g}".format, float(DEFAULT_LAMBDA))


def current_lambda() -> float:
    lam = float(_LAMBDA.adopt())
    _LAMBDA.publish(lam)
    return lam


def keep_lambda(lam: float) -> None:
    _LAMBDA.set(lam)


def lambda_slider() -> float:
    """A slider for lambda, for sections whose board does not have one."""
    current_lambda()
    st.slider(
        "λ",
        0.0,
        MAX_LAMBDA,
        step=LAMBDA_STEP,
        key=_LAMBDA.key,
        persist_state="session",
        help=t("boundaries.lambda_help"),
    )
    return current_lambda()


_SIZE = 12_000
# The methods of Table 1 of the entropy-driven pre-tokenization paper, with its word-level F1 on PKU.
_PAPER = {"none": "Baseline", "entropy-only": "Entropy Only", "lm-entropy": "GPT-2"}


def render_scores(
    view: Layout,
    gold: GoldText,
    ngrams: Ngrams,
    settings: tuple[str, bool, int, str],
    lam: float,
    name: str,
    read: GoldText,
    unit: str,
) -> None:
    """F1 over lambda, and the scores of every method.

    Parameters
    ----------
    settings : T, whether edges count as neighbours, the order of the language model and its rule.
    name : name of the gold; with a built-in one, methods also learn from other built-in text.
    read : the gold before corrections. All sessions share the results of an uncorrected built-in gold.
    """
    of = name if name in GOLD and gold == read else None
    active = render_offers(view, Offer("shipped", "shipped"), Offer("public", "public"))
    names = {score: t(f"boundaries.column.{score}") for score in ("f1", "boundary_f1")}
    with view.picture:
        with st.spinner(t("boundaries.measuring")):
            curve = _curve(gold, settings[:2], of)
        title = t("boundaries.lambda_title")
        figure = lambda_figure(curve, lam, names, title, "F1", language())
        render_figure(figure, "boundaries.lambda", title)
    with view.sections:
        st.subheader(t("boundaries.methods"), anchor=False)
        with st.spinner(t("boundaries.measuring"), show_time=True):
            table = _table(gold, settings, of)
        _render_table(table, gold, name, [row for one in active if (row := _other_row(one, gold))])
        render_data("lambda", curve, {"lam": "λ", **names}, of=gold.texts)
        if gold.training and gold == read and not gold.n_left_out:  # otherwise the gold differs from the file
            rows = zip(table["method"], table["lam"], table["bpe"], strict=True)
            share(
                commands=[
                    segment_command(gold.texts(), method, lam_, _SIZE if bpe else None, settings)
                    for method, lam_, bpe in rows
                ]
            )
        _render_distributions(ngrams, settings[0], unit, gold)


def _render_table(table: pd.DataFrame, gold: GoldText, name: str, others: list[dict[str, object]]) -> None:
    """A `scores_table`, with rows for other tokenizers."""
    rows = list(zip(table["method"], table["lam"], table["bpe"], strict=True))
    shown = table.assign(
        name=[_name(method, lam_, bpe) for method, lam_, bpe in rows],
        paper=[_paper(method, lam_) if bpe else None for method, lam_, bpe in rows],
    )
    if others:
        shown = pd.concat([shown, pd.DataFrame(others)], ignore_index=True)
    (ties,) = ties_with_best([shown.pop("f1_sums").tolist()])
    is_best = pd.DataFrame({"f1": [one.is_best for one in ties]})
    shares = [share for share in ("precision", "recall", "f1", "boundary_f1", "oov_recall") if share in shown]
    percent = dict.fromkeys(shares, "%.1f%%")
    columns = {"name": headings("boundaries.column", method=PINNED)["method"]}
    columns |= headings("boundaries.column", **percent, vocab_size="localized")
    if gold.is_chinese:
        columns |= headings("boundaries.column", paper="%.1f%%")
    in_percent = shown.assign(**{name: 100 * shown[name] for name in shares})
    draw_table(in_bold(in_percent, is_best), columns, "boundaries.scores", ALL_ROWS)
    say_bold(is_best)
    note = "scores_note" if name in GOLD else "scores_note_trained" if gold.training else "scores_note_own"
    st.caption(t(f"boundaries.{note}", lines=len(gold.test), words=sum(map(len, gold.test))))
    render_data("segmentation-scores", in_percent, columns, lambda: shown, of=gold.texts, bold=is_best)


def _other_row(active: ActiveTokenizer, gold: GoldText) -> dict[str, object] | None:
    try:
        scores = remember(
            "boundaries.others", (active.sha256, gold.test), lambda: tokenizer_scores(gold.test, active.model), 60
        )
    except InputError as error:  # an imported vocabulary may lack a character and have no unknown token
        st.warning(plain(f"{active.title}: {reason(error)}"), icon=":material/warning:")
        return None
    return {"name": active.title, "vocab_size": active.model.vocab_size, **scores}


def _curve(gold: GoldText, settings: tuple[str, bool], of: str | None) -> pd.DataFrame:
    """F1 over lambda; `of` is the name of an uncorrected built-in gold, whose results all sessions share."""
    key = (of or gold, settings)
    return remember(
        "boundaries.curve", key, lambda: lambda_curve(gold.test, gold.train, *settings), 20, is_shared=bool(of)
    )


def _table(gold: GoldText, settings: tuple[str, bool, int, str], of: str | None) -> pd.DataFrame:
    def measure() -> pd.DataFrame:
        rows = method_scores(gold.test, gold.train, *settings, _SIZE, gold.known)
        return scores_table(rows, bool(gold.known))

    return remember("boundaries.scored", (of or gold, settings), measure, 40, is_shared=bool(of))


def _paper(method: str, lam: float) -> float:
    _, _, f1 = printed("entropy", "entropy_table1")[_PAPER.get(method, f"λ={lam:g}")]
    return float(f1)


def _name(method: str, lam: float, bpe: bool) -> str:
    name = t(f"boundaries.method.{method}") + ("" if pd.isna(lam) else f" λ = {lam:g}")
    return f"{name} + BPE" if bpe and method != "none" else name


def _render_distributions(ngrams: Ngrams, total: str, unit: str, gold: GoldText) -> None:
    st.subheader(t("boundaries.distributions"), anchor=False)
    table = distribution_table(ngrams, total)
    table = table.assign(value=table["value"] * per_nat(unit))
    for place, kind in zip(st.columns(3), ("pmi", "left_entropy", "right_entropy"), strict=True):
        with place:
            title = t(f"boundaries.curve.{kind}")
            number = t("boundaries.number" if kind == "pmi" else "boundaries.number_log")
            figure = distribution_figure(table, kind, title, (t(f"figure.unit.{unit}"), number), language())
            render_figure(figure, f"boundaries.{kind}", title)
    st.caption(t("boundaries.distributions_note"))
    render_data(
        f"distributions-{unit}",
        table,
        {name: t(f"boundaries.column.{name}") for name in ("kind", "value", "count")},
        of=lambda: gold.texts()[1:],
    )
