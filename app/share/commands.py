"""The current view as commands to copy to the command line."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from app.session.models import ActiveTokenizer
from app.session.stored_texts import held_texts
from app.texts.commands import encode_commands, file_names, lattice_command, train_command
from app.texts.i18n import t


def render_commands(commands: Sequence[str]) -> None:
    """The commands, in an expander."""
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


def search_commands(make: Callable[..., str], active: ActiveTokenizer, options: Mapping[str, object]) -> list[str]:
    """Commands that search a model's text: `make` is `concordance_command` or `collocates_command`."""
    text = held_texts().get(active.text.id, active.text)  # a pasted text has a name here but not on the command line
    names = file_names([text])
    (model,), commands = model_commands([active], names)
    return [*commands, make(text, model, options, names)]
