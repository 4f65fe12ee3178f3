"""Each method's and tokenizer's errors on the gold: how often it cuts too much, too little, or elsewhere."""

from collections.abc import Callable, Sequence

import streamlit as st

from app.parts.choices import set_choice, url_choice, url_row
from app.parts.data_table import pick_row, render_data
from app.parts.layout import Layout, render_figure
from app.parts.problem import show_problem
from app.parts.tokenizers.tokenizer_set import Offer, render_offers
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.texts.gold import GoldText
from app.texts.i18n import language, t
from app.views.boundaries.figures import errors_figure
from app.views.boundaries.own_gold import use_sentence
from app.views.boundaries.tables import Errors, errors_of, errors_table
from engine.boundaries.language_model import CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.corpus.normalize import text_of_spans
from engine.errors import InputError
from engine.segmentation.scoring import KINDS, RIGHT
from engine.segmentation.segmenter import pieces, token_words

_MAX_ROWS = 500


def render_errors(
    view: Layout, gold: GoldText, ngrams: Ngrams, model: CharacterModel, lam: float, total: str, rule: str
) -> None:
    """Error counts of each as bars, and the errors of one of them, the most frequent first."""
    utility, entropy = UtilityMatcher(ngrams, lam, total), UtilityMatcher(ngrams, float("inf"), total)
    methods: dict[str, Callable[[str], Sequence[int]]] = {
        t("boundaries.method.pmi-entropy") + f" λ = {lam:g}": utility.cut,
        t("boundaries.method.entropy-only"): entropy.cut,
        t("boundaries.method.lm-entropy"): lambda text: entropy_cuts(model.entropies(text), rule),
    }
    shown = render_offers(view, Offer("shipped", "shipped"), Offer("public", "public"))
    with view.picture:
        found = {name: _of_method(gold, cut) for name, cut in methods.items()}
        for active in shown:
            try:
                found[active.title] = _of_tokenizer(gold, active)
            except InputError as error:  # an imported vocabulary may lack a character and have no unknown token
                show_problem(active.title, error)
        table = errors_table(found)
        kinds = {kind: t(f"boundaries.errors.{kind}") for kind in KINDS}
        title = t("boundaries.errors.title")
        figure = errors_figure(table, kinds, title, t("boundaries.errors.axis"), language())
        render_figure(figure, "boundaries.errors.figure", title)
    with view.sections:
        columns = {"name": t("boundaries.column.method")} | kinds
        st.dataframe(table, hide_index=True, column_config=columns)
        text = "text_trained" if gold.training else "text"
        st.caption(t(f"boundaries.errors.{text}", sentences=len(gold.test), words=sum(map(len, gold.test))))
        render_data("segmentation-errors", table, columns, of=gold.texts)
        name = list(found)[url_row("of", t("boundaries.errors.of"), list(found))]
        wrong = {"all": t("boundaries.errors.all")} | {kind: kinds[kind] for kind in KINDS if kind != RIGHT}
        _render_list(found[name], url_choice("error", t("boundaries.errors.kind"), wrong, "all"), gold)


def _render_list(errors: Errors, kind: str, gold: GoldText) -> None:
    """The errors of a kind: gold, what was found, count, and an example in context."""
    table = errors.table if kind == "all" else errors.table[errors.table["kind"] == kind].reset_index(drop=True)
    st.caption(t("boundaries.errors.count", kinds=len(table), count=int(table["count"].sum())))
    if table.empty:
        return
    names = {kind: t(f"boundaries.errors.{kind}") for kind in KINDS}
    columns = {name: t(f"boundaries.errors.column.{name}") for name in ("kind", "gold", "found", "count", "context")}
    shown = table.assign(kind=table["kind"].map(names))

    def open_sentence(row: int) -> None:
        use_sentence(table["sentence"].iloc[row])
        set_choice("view", "sentence")

    first = shown.head(_MAX_ROWS)
    pick_row(first, "boundaries.errors", open_sentence, columns, height=400)
    st.caption(t("boundaries.errors.open"))
    render_data("segmentation-error-list", shown, columns, of=gold.texts)


def _of_method(gold: GoldText, cut: Callable[[str], Sequence[int]]) -> Errors:
    return errors_of(gold.test, [pieces(text, cut(text)) for text in map("".join, gold.test)])


def _of_tokenizer(gold: GoldText, active: ActiveTokenizer) -> Errors:
    def count_errors() -> Errors:
        words = [[text_of_spans(word, active.model.normalization) for word in own] for own in gold.test]
        return errors_of(words, [token_words(active.model, "".join(own)) for own in words])

    return remember("boundaries.errors", (active.sha256, gold.test), count_errors, 12)
