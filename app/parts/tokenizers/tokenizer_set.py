"""Several tokenizers to compare: the active one, shipped and public ones, those trained here, others.

    shown = render_tokenizer_set(view)  # the tokenizers that are ready; the others are being trained

The selection is in the URL: `shipped=byte-bpe-32k` and `public=gpt2.o200k_base`, `with=byte-bpe.unigram` (on the
active model's corpus), `size=2000` (of these), `and=<reference>,<reference>` for models trained or loaded earlier.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from app.parts.choices import render_pills, url_codes
from app.parts.layout import Layout
from app.parts.problem import job_reason, reason
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.hub_field import render_own_model
from app.parts.tokenizers.job_progress import follow_jobs, fraction_done, offer_again
from app.server.limits import LimitError
from app.server.work.jobs import FAILED, JobView, Request
from app.server.work.kernels import KernelsNotReadyError
from app.session import state
from app.session.comparison import (
    FIRST_PUBLIC,
    FIRST_SHIPPED,
    MAX_SHOWN,
    TRAINED_HERE,
    USUAL,
    taught_reference,
    taught_settings,
)
from app.session.figure import figure_alone
from app.session.models import ActiveTokenizer, ask_for, current_reference, is_asked_for, ready_tokenizer
from app.session.own_texts import held_texts, publish_own_texts
from app.session.page_run import render_preparing
from app.session.reference import DEFAULT_SETTINGS, ModelReference, first_reference, parse_reference
from app.session.state import agree_to_link, is_own
from app.session.titles import algorithm_title, missing_note, reference_title, text_title
from app.session.training import ensure_trained, follow_probes
from app.session.url import UrlValue, whole_number
from app.share.facts import note_models
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.mixture import find_text
from app.texts.plain import plain
from engine.config import MERGE_ALGORITHMS
from engine.errors import InputError
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available
from engine.shipped.catalogue import SHIPPED, shipped_models

_FILE = "set.file"
_MIN_SIZE, _MAX_SIZE = 300, 100_000


def _references(word: str) -> list[str]:
    return [part for part in word.split(",") if parse_reference(part)][: MAX_SHOWN - 1]


def _size(text: str) -> int | None:
    size = whole_number(text, 6)
    return size if size is not None and _MIN_SIZE <= size <= _MAX_SIZE else None


_SIZE: UrlValue[int | None] = UrlValue("size", "set.size", _size, str, None)
OTHERS: UrlValue[list[str]] = UrlValue("and", "set.others", _references, ",".join, [])


@dataclass(frozen=True)
class Offer:
    """Tokenizers to select from, as `param=<code>.<code>` in the URL.

    Attributes
    ----------
    kind : "shipped" or "public", or "here" for those trained on `corpus`.
    default : the codes selected at first.
    trained : all codes of those trained here.
    size : their vocabulary size.
    also : further URL parameters that determine what is trained.
    """

    param: str
    kind: str
    default: tuple[str, ...] = ()
    trained: tuple[str, ...] = TRAINED_HERE
    corpus: Text | None = None
    size: int = 0
    also: tuple[str, ...] = ()

    @cached_property
    def titles(self) -> dict[str, str]:
        if self.kind == "shipped":
            return {name: t(f"shipped.{name}") for name in shipped_models()}
        if self.kind == "public":
            return {one.name: one.title for one in PUBLIC_TOKENIZERS.values() if is_available(one.name)}
        return {code: t(f"train.algorithm.{code}") for code in self.trained}

    @cached_property
    def selection(self) -> UrlValue[list[str]]:
        usual = [code for code in self.titles if code in self.default]
        return url_codes(self.param, f"set.codes.{self.param}", self.titles, usual)

    def choose(self) -> list[str]:
        """Select some of the codes."""
        label = t("set.label") if self.param == "with" else t(f"set.{self.kind}")
        selected = render_pills(self.selection.key, label, self.titles, t(f"set.{self.kind}_help"))
        codes = [code for code in self.titles if code in selected]
        self.selection.publish(codes)
        if self.kind == "public" and (missing := [name for name in PUBLIC_TOKENIZERS if name not in self.titles]):
            st.caption(missing_note(missing))
        return codes

    def references(self, codes: list[str]) -> list[ModelReference]:
        """Call it below the picture: it says what cannot be trained."""
        if self.kind != "here":
            return [ModelReference(f"{self.kind}:{code}") for code in codes]
        trained_here = _trained_here(codes, self.corpus, self.size) if self.corpus else []
        if is_own(self.param, *self.also):
            ask_for(trained_here)
        return trained_here


def render_tokenizer_set(view: Layout, default: tuple[str, ...] = USUAL) -> list[ActiveTokenizer]:
    """The controls, and the selected tokenizers, the active one first; MAX_SHOWN at most.

    A shipped model is compared with other shipped and public ones, a model trained here with others on its corpus.
    The controls are the folded line of the view; what is still being trained is said below its picture.

    Parameters
    ----------
    default : codes of any kind, selected at first beside a model that is not shipped.
    """
    with view.picture:
        active = active_tokenizer()
    is_shipped = active.reference.is_shipped
    default = (*FIRST_SHIPPED[1:], *FIRST_PUBLIC) if is_shipped else default
    here = Offer("with", "here", default, also=(_SIZE.param, state.MODEL))
    # A link that names those trained here names all others too.
    ready = () if here.param in st.query_params and not is_shipped else default
    shipped, public = Offer("shipped", "shipped", ready), Offer("public", "public", ready)
    with view.settings(_summary([active.title], here, shipped, public), "tokenizer_set"):
        codes = [] if is_shipped else here.choose()
        ready_made = [*shipped.references(shipped.choose()), *public.references(public.choose())]
        chips = st.container()
        with st.popover(t("set.more"), icon=":material/tune:", key="set.more"):
            if is_shipped:
                codes = here.choose()
            here = replace(here, corpus=None if active.lacks_text else active.text, size=_choose_size(active))
            _add_other()
        with chips:
            others = _choose_others()
        if active.lacks_text and codes:
            st.caption(t("own_text.needed"))
    with view.pending:
        return _first_of([active.reference, *here.references(codes), *ready_made, *others])


def put_beside(previous: ModelReference) -> None:
    """Keep a shipped model that was active among those that others are compared with, and the usual two with it."""
    names = [*FIRST_SHIPPED[:1], *FIRST_PUBLIC[1:], previous.source_id.removeprefix(SHIPPED)]
    for kind in ("shipped", "public"):
        offer = Offer(kind, kind, (*FIRST_SHIPPED, *FIRST_PUBLIC))
        offer.selection.set([code for code in offer.titles if code in {*offer.selection.value, *names}])


def render_offers(view: Layout, *offers: Offer) -> list[ActiveTokenizer]:
    """Tokenizers of a page that does without the active one: those trained here first; and others."""
    with view.settings(_summary([], *offers), "offers"):
        codes = {offer: offer.choose() for offer in offers}
        others = render_others()
    with view.pending:
        here_first = sorted(offers, key=lambda offer: offer.kind != "here")
        return _first_of([*(one for offer in here_first for one in offer.references(codes[offer])), *others])


def all_titles() -> dict[str, str]:
    """Titles of all shipped and public ones, and of the session's models, by reference."""
    offers = [Offer(kind, kind) for kind in ("shipped", "public")]
    named = {f"{offer.kind}:{code}": title for offer in offers for code, title in offer.titles.items()}
    return {**named, **_titles(list(st.session_state.get(state.KNOWN, {})))}


def render_others() -> list[ModelReference]:
    """Models that were trained or loaded earlier, or are loaded here."""
    chips = st.container()
    with st.popover(t("set.add"), icon=":material/upload_file:", key="set.add"):
        _add_other()
    with chips:
        return _choose_others()


def _first_of(references: list[ModelReference]) -> list[ActiveTokenizer]:
    """At most MAX_SHOWN of them, with a note if there are more."""
    wanted = list(dict.fromkeys(references))
    if len(wanted) > MAX_SHOWN:
        st.caption(t("set.too_many", limit=MAX_SHOWN))
    shown = ready_references(wanted[:MAX_SHOWN])
    note_models(shown)
    return shown


def _summary(first: list[str], *offers: Offer) -> str:
    selected = [offer.titles[code] for offer in offers for code in offer.selection.value]
    return ", ".join([*map(plain, [*first, *selected]), *_titles(OTHERS.adopt()).values()]) or t("set.choose")


def _choose_size(active: ActiveTokenizer) -> int:
    own = DEFAULT_SETTINGS if active.reference.is_shipped else None  # the built-in text is small
    default_size = own.vocab_size if own else max(_MIN_SIZE, min(_MAX_SIZE, active.model.vocab_size))
    # Another active model has another size; one set by hand stays.
    _SIZE.adopt()
    size = st.number_input(
        t("set.size", size=default_size),
        _MIN_SIZE,
        _MAX_SIZE,
        value=None,
        step=500,
        key=_SIZE.key,
        persist_state="session",
        placeholder=f"{default_size:,}",
        help=t("set.size_help"),
    )
    _SIZE.publish(int(size) if size else None)
    return int(size or default_size)


def _choose_others() -> list[ModelReference]:
    """Further models: files, and the session's. Call it after `_add_other`."""
    chosen = OTHERS.value
    titles = _titles([*dict.fromkeys([*_own_models(), *chosen])])
    if titles:
        chosen = render_pills(OTHERS.key, t("set.others"), titles, t("set.others_help"))
    OTHERS.publish(chosen)
    publish_own_texts()
    return [ref for word in chosen if (ref := parse_reference(word))]


def _own_models() -> list[str]:
    current = current_reference()
    is_brought = not current.is_named and current != first_reference()
    return [*st.session_state.get(state.KNOWN, {}), *[str(current)] * is_brought]


def _titles(words: list[str]) -> dict[str, str]:
    """A distinct title for each reference: Streamlit identifies options by title alone."""
    titles = {word: reference_title(ref) for word in words if (ref := parse_reference(word))}
    times = Counter(titles.values())
    return {
        word: plain(title if times[title] == 1 else f"{title} ({hashlib.sha256(word.encode()).hexdigest()[:4]})")
        for word, title in titles.items()
    }


def _add_other() -> None:
    OTHERS.adopt()
    reference = render_own_model(_FILE, t("set.file"), t("set.file_help"))
    if reference is not None:
        chosen = [word for word in OTHERS.value if word != str(reference)]
        OTHERS.set([*chosen, str(reference)][1 - MAX_SHOWN :])


def _trained_here(codes: list[str], source: Text, size: int) -> list[ModelReference]:
    found: list[ModelReference] = []
    uncounted: list[str] = []
    for code in codes:
        try:
            reference = taught_reference(code, source, size)
        except InputError as error:
            st.caption(t("set.refused", name=t(f"train.algorithm.{code}"), reason=plain(reason(error))))
            continue
        if reference is None:
            uncounted.append(code)
            continue
        if reference.settings.algorithm in MERGE_ALGORITHMS and reference.settings.vocab_size > size:
            alphabet = reference.settings.vocab_size
            st.caption(t("set.larger", name=t(f"train.algorithm.{code}"), size=alphabet, asked=size))
        found.append(reference)
    if uncounted:
        st.caption(t("set.counting", names=", ".join(t(f"train.algorithm.{code}") for code in uncounted)))
        follow_probes(source, *(taught_settings(code, size) for code in uncounted))
    return found


def ready_references(wanted: Iterable[ModelReference], chosen_by: Sequence[str] | None = None) -> list[ActiveTokenizer]:
    """Those that are ready; the others are trained, and the page reruns when one is done.

    Models not requested by the visitor (`app.session.models.ask_for`) wait for a click. If none is ready, the page ends
    here.

    Parameters
    ----------
    chosen_by : URL parameters that determine them: they are requested here unless one of these is the link's.
    """
    wanted, held = list(wanted), held_texts()
    if chosen_by is not None and is_own(*chosen_by):
        ask_for(wanted)
    shown: list[ActiveTokenizer] = []
    waiting: list[str] = []
    unasked: list[ModelReference] = []
    unprepared: list[ModelReference] = []
    for reference in wanted:
        source = find_text(reference.source_id, held)
        name = plain(text_title(reference.source_id, None)) if reference.is_named else ""
        try:
            found = ready_tokenizer(reference, source, name and t("set.loading", name=name))
        except KernelsNotReadyError:
            unprepared.append(reference)
            continue
        if found is not None:
            shown.append(found)
            if parts := found.model.unsupported:
                st.caption(t("set.unsupported", name=plain(found.title), parts=plain("; ".join(parts))))
        elif reference.is_public:
            st.caption(missing_note([reference.source_id]))
        elif source is None:
            st.caption(t("set.gone", name=plain(reference_title(reference))))
        elif figure_alone() or not is_asked_for(reference):
            unasked.append(reference)
        elif job_id := _train(Request(source, reference.settings)):
            waiting.append(job_id)
    if unasked:
        ask_first(unasked)
    if waiting:
        follow_jobs(waiting, _render_waiting)
    if unprepared:
        render_preparing(plain(", ".join(map(reference_title, unprepared))))
    if (waiting or unasked or unprepared) and not shown:
        st.stop()  # the rest of the page would ask for a selection that has been made
    return shown


def ask_first(references: list[ModelReference]) -> None:
    """Show what the link would train, with a button to start it."""
    names = Counter(f"{algorithm_title(one.settings)} ({one.settings.vocab_size:,})" for one in references)
    st.info(t("set.not_here", names=plain(_counted(names))), icon=":material/model_training:")
    if not figure_alone():
        st.button(t("set.train"), on_click=_agree, args=(references,), key="set.train")


def _agree(references: list[ModelReference]) -> None:
    agree_to_link()
    ask_for(references)


def _train(request: Request) -> str | None:
    """The job that trains it; None, with a message, if it cannot be trained."""
    try:
        job = ensure_trained(request, asks_to_cancel=False)
    except LimitError as error:
        st.caption(plain(reason(error)))
        return None
    if job.state == FAILED:
        name = algorithm_title(request.settings)
        st.caption(t("set.refused", name=name, reason=plain(job_reason(job))))
        if job.error is not None and job.error.code.startswith("job."):  # the process failed, not the text
            offer_again(job)
        return None
    return job.id


def _render_waiting(*jobs: JobView) -> None:
    # Several trainings may differ in their corpus or settings only; their number says enough then.
    names = Counter(f"{algorithm_title(job.request.settings)} {fraction_done(job):.0%}" for job in jobs)
    done = sum(map(fraction_done, jobs)) / max(1, len(jobs))
    st.progress(min(1.0, done), t("set.training", names=plain(_counted(names))))


def _counted(names: Counter[str]) -> str:
    return ", ".join(name if n == 1 else f"{name} ×{n}" for name, n in names.items())
