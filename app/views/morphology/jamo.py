"""The jamo lens: the same text, size and algorithm with Hangul as syllables and as jamo, side by side."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, url_choice, url_field
from app.parts.data_table import headings, render_data
from app.parts.layout import Layout
from app.parts.problem import show_problem
from app.parts.side_by_side import cut_text, render_strips
from app.parts.tables.tokens import visible
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session import state
from app.session.comparison import LETTERS, LETTERS_SIZE, letters_reference
from app.session.models import ActiveTokenizer, current_reference
from app.session.own_texts import held_texts
from app.session.titles import text_title
from app.session.url import UrlValue, short_text
from app.texts.corpora import Text, builtin_corpus
from app.texts.i18n import t
from app.texts.mixture import find_text
from app.texts.plain import plain
from engine.errors import InputError
from engine.hangul.jamo import decompose
from engine.hangul.syllables import put_together
from engine.measure.encoded import encode_lines
from engine.measure.morphemes.letters import FinalCuts, final_cuts
from engine.tokenizer import Tokenizer

# Endings that begin with the final consonant of the stem's last syllable, as commonly written.
ENDINGS = ("ㅂ니다", "ㅂ니까", "ㄴ다", "ㄹ까", "ㄹ게", "ㅆ다", "ㅆ고", "ㅆ습니다", "ㅆ어요", "ㅆ는데")
_FINALS = ("ㄴ", "ㄹ", "ㅁ", "ㅂ", "ㅆ")


class Letters(NamedTuple):
    """Counts of a tokenizer on a text.

    Attributes
    ----------
    vocab_size : size of the vocabulary; n_tokens, n_words : counts in the text.
    inside : tokens of the text that begin inside a syllable.
    finals : see engine.measure.morphemes.letters.
    tokens : tokens of the vocabulary that begin with a final consonant, the most used first. Columns: token (as shown,
        with ◌ before it), uses (in the text).
    uses : uses of all tokens, by their text as shown.
    places : occurrences of each of ENDINGS in the text, however tokenized.
    """

    vocab_size: int
    n_tokens: int
    n_words: int
    inside: int
    finals: list[FinalCuts]
    tokens: pd.DataFrame
    uses: Mapping[str, int]
    places: Mapping[str, int]


_FORMS = "갑니다 먹습니다 갔다 봤다 먹었다 보았다 했습니다"
_MAX_CHARACTERS, _MAX_LINES, _MAX_TOKENS = 300, 5000, 100
_ALGORITHMS = ("thunder-tok", "unigram", "byte-bpe", "wordpiece")
_SIZES = ("1000", "2000", "4000", "8000")
_USUAL_SIZE, _BUILTIN = str(LETTERS_SIZE), "ko"
_CORPUS, _ALGORITHM, _SIZE = "corpus", "algorithm", "jamo_size"


def render_jamo(view: Layout) -> None:
    """The forms under both models, what to train, and what the endings become."""
    sources = _sources()
    with view.topic:
        text = _forms()
    texts = {name: plain(text_title(source.id, source)) for name, source in sources.items()}
    names = {name: t(f"train.algorithm.{name}") for name in _ALGORITHMS}
    sizes = {size: f"{int(size):,}" for size in _SIZES}
    label = t(
        "morphology.jamo.settings",
        algorithm=names[read_choice(_ALGORITHM, names, _ALGORITHMS[0])],
        size=int(read_choice(_SIZE, sizes, _USUAL_SIZE)),
        text=texts[read_choice(_CORPUS, texts, _BUILTIN)],
    )
    with view.settings(label):
        source = sources[
            url_choice(_CORPUS, t("morphology.jamo.corpus"), texts, _BUILTIN, t("morphology.jamo.corpus_help"))
        ]
        algorithm = url_choice(_ALGORITHM, t("train.algorithm.label"), names, _ALGORITHMS[0])
        size = int(url_choice(_SIZE, t("train.size.label"), sizes, _USUAL_SIZE))
    with view.picture:
        try:
            wanted = [letters_reference(source, algorithm, size, form) for form in LETTERS]
        except InputError as error:
            show_problem(t("morphology.jamo.refused"), error)
            return
        shown = ready_references(wanted, (_CORPUS, _ALGORITHM, _SIZE, state.MODEL))
        if shown:
            _render_forms(shown, text)
    if len(shown) == len(wanted):
        with view.sections:
            _render_letters(shown, source)


def _sources() -> dict[str, Text]:
    """The built-in corpus, and the training text of the session's model."""
    builtin = builtin_corpus()
    reference = current_reference()
    own = None if reference.is_file else find_text(reference.source_id, held_texts())
    return {_BUILTIN: builtin} | ({"model": own} if own is not None and own.id != builtin.id else {})


def _forms() -> str:
    """The text to cut; `forms` in the URL."""
    url = UrlValue("forms", "morphology.forms", short_text(_MAX_CHARACTERS), state.pack_text, _FORMS)
    return url_field(url, t("morphology.jamo.forms_field"), _MAX_CHARACTERS, is_alone=True)


def _render_forms(shown: list[ActiveTokenizer], text: str) -> None:
    if not text.strip():
        st.info(t("explore.empty"), icon=":material/edit:")
        return
    try:
        render_strips("morphology.jamo", cut_text("morphology.jamo", shown, text), show_help=False)
    except InputError as error:
        show_problem(t("morphology.jamo.refused"), error)
    st.caption(t("morphology.jamo.part"))


def _render_letters(shown: list[ActiveTokenizer], source: Text) -> None:
    """Both vocabularies on their training text."""
    lines = source.sentences()
    found = [
        remember("jamo", (active.sha256, source.id), partial(letters_of, active.model, lines[:_MAX_LINES]))
        for active in shown
    ]
    st.caption(
        t("morphology.jamo.measured", lines=min(len(lines), _MAX_LINES), text=plain(text_title(source.id, source)))
    )
    table = letters_table({active.title: one for active, one in zip(shown, found, strict=True)})
    columns = headings("morphology.jamo.column", tokenizer="", vocab_size="localized", tokens="localized")
    columns |= headings("morphology.jamo.column", fertility="%.3f", inside="percent")
    st.dataframe(table, hide_index=True, column_config=columns)
    _render_answers(found[-1], source)


def _render_answers(letters: Letters, source: Text) -> None:
    """The two questions about the jamo vocabulary."""
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader(t("morphology.jamo.bnida"))
        endings = ending_table(letters)
        is_token, uses = bool(endings["is_token"].iloc[0]), int(endings["uses"].iloc[0])
        places = int(endings["places"].iloc[0])
        answer = "yes" if is_token else "no"
        st.markdown(t(f"morphology.jamo.bnida_{answer}", uses=uses, places=places, ending=ENDINGS[0]))
        columns = headings("morphology.jamo.ending", **dict.fromkeys(endings.columns, ""))
        st.dataframe(endings, hide_index=True, column_config=columns)
    with right:
        st.subheader(t("morphology.jamo.ss"))
        finals = final_table(letters)
        own = finals[finals["final"] == "ㅆ"]
        syllables, cut = (int(own[name].sum()) for name in ("syllables", "cut"))
        beginning = letters.tokens[letters.tokens["token"].str.startswith("◌ㅆ")]
        names = ", ".join(f"{row.token} {row.uses:,}" for row in beginning.head(6).itertuples())
        st.markdown(t("morphology.jamo.ss_answer", syllables=syllables, cut=cut, count=len(beginning)))
        if names:
            st.caption(plain(names))
        columns = headings("morphology.jamo.final", final="", syllables="", cut="", share="percent")
        st.dataframe(finals, hide_index=True, column_config=columns)
    st.subheader(t("morphology.jamo.begin_heading"))
    columns = headings("morphology.jamo.begin", **dict.fromkeys(letters.tokens.columns, ""))
    st.caption(t("morphology.jamo.begin_count", count=len(letters.tokens)))
    st.dataframe(letters.tokens.head(_MAX_TOKENS), hide_index=True, column_config=columns, height=320)
    render_data("jamo-tokens", letters.tokens, columns, of=source.with_lines(source.sentences()[:_MAX_LINES]))


def letters_of(tokenizer: Tokenizer, lines: Sequence[str]) -> Letters:
    """Encode the lines, each as a whole, and count."""
    encoded = encode_lines(tokenizer, lines)
    data = np.frombuffer("".join(encoded.seen).encode(), dtype=np.uint8)
    counts = encoded.counts().tolist()
    uses: dict[str, int] = {}
    for token_id, n in enumerate(counts):
        name = visible(tokenizer.token_bytes(token_id).decode(errors="hex_tokens"))
        uses[name] = uses.get(name, 0) + n
    beginning = [(name, n) for name, n in uses.items() if name[:1] == "◌" and _begins_with_final(name)]
    beginning.sort(key=lambda row: (-row[1], row[0]))
    seen = decompose("\n".join(lines))
    return Letters(
        tokenizer.vocab_size,
        encoded.n_tokens,
        sum(len(line.split()) for line in lines),
        int((data[encoded.begin[encoded.begin < data.size]] & 0xC0 == 0x80).sum()),
        final_cuts(encoded),
        pd.DataFrame(beginning, columns=["token", "uses"]),
        uses,
        {ending: seen.count(_conjoining(ending)) for ending in ENDINGS},
    )


def _begins_with_final(name: str) -> bool:
    """Whether the token begins with a final consonant, so that the beginning of a syllable is missing."""
    return "ㄱ" <= name[1:2] <= "ㅎ"


def _conjoining(ending: str) -> str:
    """The ending with its first letter as a conjoining final consonant."""
    return decompose(put_together("ㄱ", "ㅏ", ending[0]))[2:] + decompose(ending[1:])


def letters_table(found: Mapping[str, Letters]) -> pd.DataFrame:
    """One row per tokenizer. Columns: tokenizer, vocab_size, tokens, fertility, inside (share of the tokens)."""
    rows = [
        (name, one.vocab_size, one.n_tokens, one.n_tokens / max(1, one.n_words), one.inside / max(1, one.n_tokens))
        for name, one in found.items()
    ]
    return pd.DataFrame(rows, columns=["tokenizer", "vocab_size", "tokens", "fertility", "inside"])


def ending_table(letters: Letters) -> pd.DataFrame:
    """One row per ending of ENDINGS. Columns: ending, is_token, uses, places."""
    rows = [
        (ending, f"◌{ending}" in letters.uses, letters.uses.get(f"◌{ending}", 0), letters.places[ending])
        for ending in ENDINGS
    ]
    return pd.DataFrame(rows, columns=["ending", "is_token", "uses", "places"])


def final_table(letters: Letters) -> pd.DataFrame:
    """One row per final consonant that endings begin with. Columns: final, syllables, cut, share."""
    rows = [
        (one.final, one.syllables, one.cut, one.cut / one.syllables) for one in letters.finals if one.final in _FINALS
    ]
    return pd.DataFrame(rows, columns=["final", "syllables", "cut", "share"])
