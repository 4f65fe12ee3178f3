"""Whether the model of a link is the same here: its fingerprints in the URL, and a warning if they differ.

Whenever the model changes, its fingerprints go into the URL. Those of a link stay there as long as its model is shown,
so that reloading the page gives the same warning.
"""

import hashlib
import re
from typing import NamedTuple

import streamlit as st

from app.server.remember import remember
from app.server.work.training import model_key
from app.session import state
from app.session.models import ActiveTokenizer, current_reference, ready_tokenizer
from app.session.own_texts import held_texts
from app.session.reference import parse_reference
from app.session.titles import text_title
from app.texts.corpora import held_digest
from app.texts.i18n import t
from app.texts.mixture import find_text
from app.texts.plain import plain
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.tokenizer import Tokenizer

# Fingerprints of a model in its link, so that another server can tell whether it shows the same model.
#
# `check=<corpus>.<settings>.<vocabulary>` in the URL: the first digits of three SHA-256 hashes. The `model` parameter
# refers to a built-in corpus by name and omits default settings; another version of the program may have another text
# under that name, other defaults, or a trainer that decides differently.

_N_DIGITS = 8
_WORD = re.compile(rf"([0-9a-f]{{{_N_DIGITS}}})\.([0-9a-f]{{{_N_DIGITS}}})\.([0-9a-f]{{{_N_DIGITS}}})")


class LinkCheck(NamedTuple):
    """Fingerprints (hex digits) of a model's inputs and of its vocabulary."""

    corpus: str
    settings: str
    vocabulary: str

    def __str__(self) -> str:
        return ".".join(self)


def parse_check(word: str) -> LinkCheck | None:
    """The check that `str()` wrote; None for anything else."""
    match = _WORD.fullmatch(word)
    return LinkCheck(*match.groups()) if match else None


def check_of(corpus_digest: str, settings: TrainingSettings, vocabulary: str) -> LinkCheck:
    """The check of a model.

    Parameters
    ----------
    corpus_digest : as `app.texts.corpora.Text.digest`.
    vocabulary : as `vocabulary_hash`.
    """
    return LinkCheck(corpus_digest[:_N_DIGITS], model_key("", settings)[:_N_DIGITS], vocabulary[:_N_DIGITS])


def vocabulary_hash(model: Tokenizer) -> str:
    """SHA-256 (hex) of the tokens in order of their ids.

    Probabilities are left out: their last digits may depend on the processor.
    """
    digest = hashlib.sha256()
    for token_id in range(model.vocab_size):
        for part in (model.token_bytes(token_id), model.token_label(token_id).encode("utf-8", "surrogatepass")):
            digest.update(len(part).to_bytes(4, "little") + part)
    return digest.hexdigest()


_EXPECTED = "session.expected"  # the model of the link, and the link's fingerprints


def cached_vocabulary_hash(active: ActiveTokenizer) -> str:
    return remember("check.hash", active.sha256, lambda: vocabulary_hash(active.model), 200, is_shared=True)


def keep_link_check() -> bool:
    """Put the fingerprints of the session's model, if any, into the URL; whether a field of CHECK is to carry them."""
    word = str(current_reference())

    def decode(text: str) -> tuple[str, LinkCheck] | None:
        check = parse_check(text)
        return (word, check) if check else None

    state.adopt(state.CHECK, _EXPECTED, decode)
    # While a model is being trained, only the link's fingerprints are known.
    value = str(_expected() or _here() or "")
    if state.CHECK not in st.session_state and value:
        # A value set before its field is first drawn does not reach the URL by itself.
        state.publish(state.CHECK, value)
    if st.session_state.get(state.CHECK) != value:
        st.session_state[state.CHECK] = value
    return bool(value)


def render_link_check() -> None:
    """Show the differences if the link's model is unknown or another one here. Costs nothing otherwise."""
    named = str(st.session_state.get(state.MODEL, ""))
    if named and parse_reference(named) is None:
        with st.container(key="link_unknown"):
            st.warning(t("check.unknown", name=plain(named[:40])), icon=":material/link_off:")
    expected = _expected()
    here = _here() if expected else None
    if expected is None or here is None or (expected.corpus, expected.vocabulary) == (here.corpus, here.vocabulary):
        return
    reference = current_reference()
    name = text_title(reference.source_id, find_text(reference.source_id, held_texts()))
    with st.container(border=True, key="link_check"):
        st.warning(t("check.differs"), icon=":material/difference:")
        lines = []
        if expected.corpus != here.corpus:
            lines.append(t("check.corpus", name=plain(name), link=expected.corpus, here=here.corpus))
        if expected.settings != here.settings:
            lines.append(t("check.settings", link=expected.settings, here=here.settings))
        if expected.vocabulary == here.vocabulary:
            lines.append(t("check.same_vocabulary", here=here.vocabulary))
        else:
            if expected[:2] == here[:2]:
                lines.append(t("check.version", corpus=here.corpus, settings=here.settings))
            lines.append(t("check.vocabulary", link=expected.vocabulary, here=here.vocabulary))
        st.markdown("\n".join(f"- {line}" for line in lines))
        if expected.vocabulary != here.vocabulary:
            st.caption(t("check.advice"))
        st.button(t("check.accept"), key="link_check.accept", on_click=_accept, icon=":material/check:")


def _accept() -> None:
    st.session_state.pop(_EXPECTED, None)


def _expected() -> LinkCheck | None:
    """The link's fingerprints, as long as its model is the session's."""
    word, check = st.session_state.get(_EXPECTED, ("", None))
    return check if word == str(current_reference()) else None


def _here() -> LinkCheck | None:
    """Fingerprints of the model here; None if it is not ready, or comes from a file."""
    reference = current_reference()
    if reference.is_file:
        return None
    source = find_text(reference.source_id, held_texts())
    digest = source.digest if source else held_digest(reference.source_id)
    try:
        active: ActiveTokenizer | None = ready_tokenizer(reference, source) if digest else None
    except InputError:  # the file is damaged; the page reports it
        return None
    if active is None:
        return None
    return check_of(digest, reference.settings, cached_vocabulary_hash(active))
