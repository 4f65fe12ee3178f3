"""The one menu of all Share buttons, and what it cannot read off the page: file names, commands.

Any element with `data-share`, in a component or not, opens the menu, which acts in the browser. What only the server
knows is in the page, in `data-facts`; a table comes from the page's own button for it. For print the picture is laid
out anew in the browser; the server makes the PDF and the package of it (app.share.routes).

A page needs nothing of this: files of `app.parts.data_table` say their names, and models that are ready make
themselves known with `note_models`. One that has a command of its own, or several files, says so with `share`.
"""

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from app import VERSION
from app.components.component import draw
from app.session import state
from app.session.figure import figure_alone
from app.session.models import ActiveTokenizer
from app.session.own_texts import held_texts
from app.share.packages import PackedModel, PackedTable, ViewPackage, new_package
from app.texts.commands import encode_commands, file_names, lattice_command, train_command
from app.texts.corpora import Text
from app.texts.i18n import t


def render_commands(commands: Sequence[str]) -> None:
    with st.expander(t("command.heading"), icon=":material/terminal:"):
        st.code("\n".join(commands), language="bash", wrap_lines=True)
        st.caption(t("command.note"))


def model_commands(
    shown: Sequence[ActiveTokenizer], names: Mapping[str, Sequence[str]] | None = None
) -> tuple[list[str], list[str]]:
    """Names of these models in a command, and the commands that train those trained here.

    Parameters
    ----------
    names : of the visitor's own texts, as from `app.texts.commands.file_names`.
    """
    models, commands = [], []
    for number, active in enumerate(shown, start=1):
        models.append(str(active.reference) if active.reference.is_named else f"{number}.tok")
        if not active.reference.is_file and active.source is not None:
            commands.append(train_command(active.source, active.reference.settings, models[-1], names))
    return models, commands


def strip_commands(shown: Sequence[ActiveTokenizer], text: str) -> list[str]:
    """Commands that print the tokens of a text under these models."""
    models, commands = model_commands(shown)
    return commands + encode_commands(models, text)


def lattice_commands(active: ActiveTokenizer, text: str, number: int | None) -> list[str]:
    """Commands that print the lattice of a text in a round; None if the model has no rounds."""
    (model,), commands = model_commands([active])
    return [*commands, lattice_command(model, text, number)]


def search_commands(
    make: Callable[..., str], text: Text, active: ActiveTokenizer, options: Mapping[str, object]
) -> list[str]:
    """Commands that search a text: `make` is `concordance_command` or `collocates_command`."""
    text = held_texts().get(text.id, text)  # a pasted text has a name here but not on the command line
    names = file_names([text])
    (model,), commands = model_commands([active], names)
    return [*commands, make(text, model, options, names)]


_MOST, _LONGEST = 3, 60  # models in the name of a file, and characters for them: a name has 255 bytes
_DIGITS = 8  # of a fingerprint


def share_button() -> None:
    if not figure_alone():
        st.html(f'<button type="button" data-share aria-haspopup="dialog">{html.escape(t("share.title"))}</button>')


def share(*, commands: Sequence[str] = (), data: str = "") -> None:
    """What the menu of the main picture offers, where it is not the default; once per run.

    Parameters
    ----------
    commands : make the picture; by default those that train its models.
    data : name of its file of numbers; by default the next one on the page.
    """
    view_package().commands = list(commands)
    _tell({"commands": list(commands)} if commands else {}, {"data": _class(f"csv.{data}")} if data else {})


def begin_page(page: str, language: str) -> None:
    """Begin a run of the page: nothing is known of its models and files."""
    st.session_state.pop(state.SHARED_MODELS, None)
    view_package().begin(page, language)


def view_package() -> ViewPackage:
    """What the current view can hand out; one per session."""
    if state.PACKAGE not in st.session_state:
        st.session_state[state.PACKAGE] = new_package()
    package: ViewPackage = st.session_state[state.PACKAGE]
    return package


def note_models(shown: Sequence[ActiveTokenizer | str], *, by_default: bool = False) -> None:
    if not (by_default and _noted()):
        st.session_state[state.SHARED_MODELS] = list(shown)
        view_package().models = list(map(_packed, shown))


def _packed(shown: ActiveTokenizer | str) -> PackedModel:
    if isinstance(shown, str):
        return PackedModel(shown, "", "", "")
    return PackedModel(shown.name, str(shown.reference), shown.sha256, shown.fingerprint)


def tell_file(
    key: str,
    of: str,
    make: Callable[[], pd.DataFrame],
    heads: Mapping[str, str] | None = None,
    bold: pd.DataFrame | None = None,
    helps: Mapping[str, str] | None = None,
    interval: str = "bootstrap",
    folded: str = "",
) -> None:
    """Say which button of the page makes a file, and its `origin_name`; the rest is as in `PackedTable`.

    Parameters
    ----------
    folded : key of the closed line that has the button once it is opened.
    """
    _, trained = model_commands([one for one in _noted() if not isinstance(one, str)])
    name = key.partition(".")[2]
    view_package().tables[_class(key)] = PackedTable(name, make, heads or {}, bold, trained, helps or {}, interval)
    _tell(
        {"csv": _class(key), "of": of},
        {"folded": _class(folded)} if folded else {},
        {"trained": trained} if trained else {},
    )


def origin_name(models: Sequence[ActiveTokenizer], fingerprints: Sequence[str]) -> str:
    """Models, texts by the beginnings of their fingerprints, and the version, for the name of a file.

    Parameters
    ----------
    models : those that the numbers come from; by default those on the page.
    """
    titles = list(dict.fromkeys(one if isinstance(one, str) else one.title for one in models or _noted()))
    named = _some([re.sub(r"[^\w.+]+", "-", title).strip("-.") for title in titles])[:_LONGEST]
    texts = _some([one[:_DIGITS] for one in dict.fromkeys(fingerprints) if one])
    return "_".join(part for part in (named, texts, f"v{VERSION}") if part)


def _noted() -> list[ActiveTokenizer | str]:
    return list(st.session_state.get(state.SHARED_MODELS, []))


def _some(parts: Sequence[str]) -> str:
    rest = len(parts) - _MOST
    return "-".join(parts[:_MOST]) + (f"-and-{rest}" if rest > 0 else "")


def _class(key: str) -> str:
    """The class that Streamlit gives an element of this key."""
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key)


def _tell(*facts: dict[str, object]) -> None:
    if not figure_alone():
        told = json.dumps({name: value for one in facts for name, value in one.items()})
        st.html(f'<span data-facts="{html.escape(told)}"></span>')


def share_menu(page: str, of: str, is_embeddable: bool, package: str) -> None:
    """Mount the menu.

    Parameters
    ----------
    page : its name, with which the names of files begin.
    of : the rest of the names where a picture has no data.
    is_embeddable : whether another page can show the main picture in a frame.
    package : the token of the session's package.
    """
    draw("share", "share_menu", {"page": page, "of": of, "is_embeddable": is_embeddable, "package": package})
