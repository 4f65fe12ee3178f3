"""A pre-tokenizer for source code compared with GPT-2's, on the visitor's own file: where it cuts, what it costs.

Two small BPE vocabularies that differ only in the pre-tokenizer, and two in wide use.
"""

from dataclasses import replace
from pathlib import Path

import streamlit as st

import engine
from app.parts.data_table import download_csv, draw_table, headings
from app.parts.problem import reason
from app.parts.tables.segmentation import joined_surrogates
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.server.work.reading import read_text_file
from app.session import state
from app.session.comparison import taught_settings
from app.session.reference import ModelReference
from app.texts.corpora import builtin_text, own_text
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.views.learn_failures.tables import code_costs
from engine.corpus.reading.lines import with_line_feeds
from engine.errors import InputError
from engine.pretokenization import get_pretokenizer
from engine.public.catalogue import PUBLIC

_PRETOKENIZERS = ("code", "gpt2")
_PUBLIC = ("gpt2", "cl100k_base")
_SIZE = 600
_MAX_CHARACTERS, _CUT_LINES = 50_000, 8
_OPERATORS = frozenset("=(){}[]")


def render_code() -> None:
    """The file, how both pre-tokenizers cut its first lines, and one row per tokenizer."""
    st.subheader(t("learn_failures.code.heading"))
    st.markdown(t("learn_failures.code.text"))
    source = builtin_text("web.code")
    settings = {name: replace(taught_settings("byte-bpe", _SIZE), pretokenizer=name) for name in _PRETOKENIZERS}
    trained = [ModelReference(source.id, one) for one in settings.values()]
    lines = _lines()
    if not any(lines):
        st.info(t("learn_failures.empty"), icon=":material/edit:")
        return
    shown = ready_references([*trained, *(ModelReference(PUBLIC + name) for name in _PUBLIC)], ())
    for name in _PRETOKENIZERS:
        st.markdown(f"**{t(f'train.pretokenizer.{name}')}**")
        pieces = [get_pretokenizer(name).split(line) for line in _code_lines(lines)]
        cut = "\n".join(" | ".join(visible_space(piece) for piece in line) for line in pieces)
        st.code(cut, language=None, wrap_lines=True)
    ours = {reference: t(f"learn_failures.code.name.{name}") for name, reference in zip(settings, trained, strict=True)}
    names = [ours.get(one.reference, one.title) for one in shown]
    models = dict(zip(names, (one.model for one in shown), strict=True))
    key = (tuple(one.sha256 for one in shown), tuple(names), tuple(lines))
    table = remember("failures.code", key, lambda: code_costs(models, lines))
    columns = headings("learn_failures.code.column", name="", vocab_size="localized", tokens="localized")
    columns |= headings("learn_failures.code.column", per_line="%.2f", characters="%.2f")
    columns |= headings("learn_failures.code.column", indentation="localized", round_trip="percent")
    draw_table(table, columns, "failures.code")
    st.caption(t("learn_failures.code.note", lines=len(lines), characters=sum(map(len, lines))))
    download_csv("code", lambda: table, of=lambda: own_text("\n".join(lines)))


def _code_lines(lines: list[str]) -> list[str]:
    """The first indented lines with an operator, if there are any: files often begin with prose."""
    return ([line for line in lines if line[:1].isspace() and _OPERATORS.intersection(line)] or lines)[:_CUT_LINES]


def _lines() -> list[str]:
    """Lines of the visitor's file; by default a file of this program."""
    file = st.file_uploader(t("learn_failures.code.file"), key="failures.source")
    if file is None:
        text = (Path(engine.__file__).parent / "training.py").read_text(encoding="utf-8")
    else:
        try:
            text = with_line_feeds(read_text_file(file.getvalue(), state.visitor()))
        except InputError as error:
            st.error(plain(f"{file.name}: {reason(error)}"))
            return []
    if len(text) > _MAX_CHARACTERS:
        st.caption(t("learn_failures.code.cut", count=_MAX_CHARACTERS))
    return joined_surrogates(text[:_MAX_CHARACTERS]).rstrip("\n").split("\n")
