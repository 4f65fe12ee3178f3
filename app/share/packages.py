"""What a session can hand out as a package: the figure of its current view with data, command, inputs and method.

The session owns its package; the server knows it by a token as long as the session lives.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakValueDictionary

import pandas as pd

# The last column of every file: SHA-256 of the text that a row's numbers come from, several separated by spaces.
TEXT_SHA256 = "text_sha256"


class PackedTable(NamedTuple):
    """A table of the view.

    Attributes
    ----------
    name : of its files.
    make : the table as the file has it.
    heads : headings by column, in the language of the page.
    bold : bool, for some of the columns.
    commands : train the models that it is about.
    helps : what columns measure, by column.
    interval : how its intervals are made: `bootstrap`, `delta` or `count`.
    """

    name: str
    make: Callable[[], pd.DataFrame]
    heads: Mapping[str, str]
    bold: pd.DataFrame | None
    commands: Sequence[str]
    helps: Mapping[str, str] = MappingProxyType({})
    interval: str = "bootstrap"


class PackedModel(NamedTuple):
    """A model of the view; `training_text` is the SHA-256 of its training text. Empty is what is unknown."""

    title: str
    reference: str
    sha256: str
    training_text: str


@dataclass
class ViewPackage:
    """What belongs to a view, filled in while the page runs."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    page: str = ""
    view: str = ""
    language: str = "en"
    tables: dict[str, PackedTable] = field(default_factory=dict)  # by the class of their button in the page
    models: list[PackedModel] = field(default_factory=list)
    commands: Sequence[str] = ()

    def begin(self, page: str, language: str) -> None:
        self.page, self.view, self.language = page, "", language
        self.tables, self.models, self.commands = {}, [], ()


_packages: WeakValueDictionary[str, ViewPackage] = WeakValueDictionary()


def new_package() -> ViewPackage:
    made = ViewPackage()
    _packages[made.token] = made
    return made


def find_package(token: str) -> ViewPackage | None:
    return _packages.get(token)
