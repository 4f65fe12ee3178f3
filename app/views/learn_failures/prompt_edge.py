"""The edge of the prompt: what a model of tokens expects after a line, under one tokenization and under all of them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_row
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout, render_figure
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain, visible_space
from engine.measure.encoded import encode_lines
from engine.measure.prompt_edge import LINE_END, PromptEdge, TokenPrefixes, prompt_edge
from engine.measure.token_ngrams import TokenModel, token_model

_ORDER = 2
_MAX_BARS = 8
_MAX_PROMPT = 80  # characters, the last ones
_WAYS = ("plain", "healed", "exact")
# The Hangul syllables whose UTF-8 begins with a byte.
_SYLLABLES = {0xEA: "가–꿿", 0xEB: "뀀–뿿", 0xEC: "쀀–쿿", 0xED: "퀀–힣"}


def render_prompt_edge(view: Layout, lines: Sequence[str], tokenizers: Sequence[ActiveTokenizer], source: Text) -> None:
    """What follows one of the lines under one of the tokenizers, which learns from `source` what follows a token.

    Raises
    ------
    InputError : the tokenizer cannot encode `source` or the line.
    """
    titles = [f"{number}. {one.title}" for number, one in enumerate(tokenizers, start=1)]
    with view.scrubber:
        titled = [visible_space(line) for line in lines]
        prompt = lines[url_row("prompt", t("learn_failures.edge.prompt"), titled)][-_MAX_PROMPT:]
        active = tokenizers[url_row("reader", t("learn_failures.edge.reader"), titles)]
    key = (active.sha256, source.digest)
    texts, model = remember("failures.edge.model", key, lambda: _learned(active, source), 4, is_shared=True)
    edge = remember("failures.edge", (*key, prompt), lambda: prompt_edge(active.model, model, prompt, texts))
    with view.picture:
        if edge is None:
            st.info(t("learn_failures.edge.none", name=plain(active.title)), icon=":material/info:")
            return
        title = t("learn_failures.edge.title", prompt=visible_space(prompt))
        figure = grouped_bars_figure(
            next_bytes_table(edge),
            "next",
            "way",
            "p",
            title,
            t("learn_failures.edge.axis"),
            language(),
            in_percent=True,
        )
        render_figure(figure, "failures.edge", t("learn_failures.edge.alt"))
        st.caption(
            t(
                "learn_failures.edge.count",
                count=edge.n_tokenizations,
                most=edge.most_tokens,
                share=100 * edge.share,
                corpus=t(f"learn_failures.on.{source.collection}"),
                own=len(active.model.encode(prompt).ids),
            )
        )


def _learned(active: ActiveTokenizer, source: Text) -> tuple[TokenPrefixes, TokenModel]:
    return TokenPrefixes(active.model), token_model(encode_lines(active.model, source.lines()), _ORDER)


def next_bytes_table(edge: PromptEdge) -> pd.DataFrame:
    """The most probable next bytes of any way. Columns: next (its label), way (its title), p."""
    ways = {way: getattr(edge, way) for way in _WAYS}
    known = {way: p for way, p in ways.items() if p is not None}
    if not known:
        return pd.DataFrame(columns=["next", "way", "p"])
    most = np.argsort(-np.max([*known.values()], axis=0), kind="stable")[:_MAX_BARS]
    rows = [
        (_label(int(byte)), t(f"learn_failures.edge.way.{way}"), float(p[byte]))
        for way, p in known.items()
        for byte in most
    ]
    return pd.DataFrame(rows, columns=["next", "way", "p"])


def _label(byte: int) -> str:
    """A byte as a reader would name it: a character, or the syllables that begin with it."""
    if byte == LINE_END:
        return t("learn_failures.edge.line_end")
    if 0x20 <= byte < 0x7F:
        return visible_space(chr(byte))
    return f"{byte:02X} {_SYLLABLES[byte]}" if byte in _SYLLABLES else f"{byte:02X}"
