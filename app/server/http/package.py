"""The files of a package: data, command, inputs, versions, method and what to cite, beside the pictures."""

import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

import pandas as pd

from app import VERSION
from app.server.http.page_head import view_title
from app.server.packages import TEXT_SHA256, PackedTable, ViewPackage
from app.texts.catalogue import translate
from app.texts.glossary import GLOSSARY
from app.texts.methods import method_terms
from app.texts.plain import unmarked
from engine.interop.spreadsheet import csv_bytes
from engine.report.references import PAPER, PROGRAM, bibtex, cited_keys, source_keys
from engine.report.table import latex, markdown

_LIBRARIES = ("numpy", "numba", "pandas", "plotly", "regex", "splintr-rs", "streamlit", "typst")
# What to cite for intervals, by how they are made, and for tests.
_SOURCES = {"bootstrap": ("efron1993", "holm1979"), "delta": ("katz1978", "holm1979"), "count": ("rao1948", "holm1979")}


def package_files(package: ViewPackage, data: str, pictures: Mapping[str, bytes]) -> dict[str, bytes]:
    """All files by name.

    Parameters
    ----------
    data : class of the table that belongs to the picture; if the view has no such table, there are no data.
    """
    table = package.tables.get(data)
    made = table.make() if table else pd.DataFrame()
    commands = package.commands or (table.commands if table else ())
    has_intervals = any(str(name).endswith(("low", "high")) for name in made)
    interval = table.interval if table and has_intervals else ""
    helps = {table.heads[name]: text for name, text in table.helps.items() if name in made} if table else {}
    files = {
        **pictures,
        **(_data_files(table, made) if table else {}),
        "manifest.json": _manifest(package, made).encode(),
        "method.md": _method(package, helps, interval).encode(),
        "references.bib": bibtex([*_keys(package, interval), *cited_keys(" ".join(helps.values()))]).encode(),
        "README.md": _readme(package).encode(),
    }
    return files | ({"command.sh": "".join(f"{line}\n" for line in commands).encode()} if commands else {})


def _data_files(table: PackedTable, made: pd.DataFrame) -> dict[str, bytes]:
    shown = made[[name for name in table.heads if name in made] or list(made)]
    return {
        f"data/{table.name}.csv": csv_bytes(made),
        f"data/{table.name}.tex": latex(shown, table.heads, table.bold).encode(),
        f"data/{table.name}.md": markdown(shown, table.heads, table.bold).encode(),
    }


def _manifest(package: ViewPackage, made: pd.DataFrame) -> str:
    texts = [one for cell in made.get(TEXT_SHA256, ()) for one in str(cell).split()]
    facts = {
        "program": "Thunder-Tok Explorer",
        "version": VERSION,
        "page": package.page,
        "view": package.view,
        "language": package.language,
        "models": [model._asdict() for model in package.models],
        "texts_sha256": list(dict.fromkeys(texts)),
        "python": platform.python_version(),
        "libraries": dict(_versions(_LIBRARIES)),
    }
    return json.dumps(facts, ensure_ascii=False, indent=2) + "\n"


def _versions(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _terms(package: ViewPackage) -> tuple[str, ...]:
    return method_terms(package.page, package.view)


def _method(package: ViewPackage, helps: Mapping[str, str], interval: str) -> str:
    language = package.language
    paragraphs = [f"# {view_title(package.page, package.view, language)}"]
    paragraphs.append(translate("share.method_made", language, version=VERSION))
    for term in _terms(package):
        about = GLOSSARY[term]
        said = unmarked(translate(f"glossary.{term}.text", language))
        source = translate("glossary.source", language, source=about.source)
        formula = f"\n\n$${about.formula}$$" if about.formula else ""
        paragraphs.append(f"**{translate(f'glossary.{term}.name', language)}**: {said} {source}{formula}")
    paragraphs += [f"**{name}**: {unmarked(text)}" for name, text in helps.items()]
    if interval:
        paragraphs.append(translate(f"share.method_{interval}", language))
    return "\n\n".join(paragraphs) + "\n"


def _keys(package: ViewPackage, interval: str) -> list[str]:
    sources = [key for term in _terms(package) for key in source_keys(GLOSSARY[term].source)]
    return [PROGRAM, PAPER, *sources, *_SOURCES.get(interval, ())]


def _readme(package: ViewPackage) -> str:
    title = view_title(package.page, package.view, package.language)
    return f"# {title}\n\n{translate('share.readme', package.language)}\n"
