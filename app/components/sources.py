"""The scripts and style sheets of the components, which a browser loads once.

Streamlit sends a component's script again with every change of its data. So what it is given is one line that imports
the script from an address which names its content, and the script brings the style sheet and the labels.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from app.server.http.headers import ANCESTORS_VARIABLE
from app.server.request import base_path
from app.texts.catalogue import LANGUAGES, catalogue, template
from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION
from engine.report.references import PAPER, PROGRAM, bibtex
from engine.report.size import DEFAULT_LETTERS, LETTERS, ONE_COLUMN, TWO_COLUMNS, WIDTHS

# By the name of a component, scripts that it shares with others; with their style sheets they go in front of its own.
SHARED = {
    "browser": ("dom", "term_tips"),
    "cut_board": ("dom", "grid", "controls"),
    "cuts": ("dom",),
    "focus": (),
    "kwic": ("dom",),
    "lattice": ("dom", "grid", "board"),
    "live_text": ("dom",),
    "menu": ("dom",),
    "progress": (),
    "scrubber": ("dom", "controls"),
    "share": ("dom", "picture"),
    "stepper": ("dom", "grid", "controls"),
    "strip": ("dom", "grid", "board"),
    "utf8_board": ("dom",),
    "viterbi": ("dom", "grid", "controls"),
}


def _below(prefix: str, *others: str) -> dict[str, str]:
    """By its last name, every key of the catalogue right below the prefix but `others`, which are no labels."""
    names = {key.removeprefix(f"{prefix}.") for key in catalogue() if key.startswith(f"{prefix}.")} - {*others}
    return {name: f"{prefix}.{name}" for name in sorted(names) if "." not in name}


# By their names, the texts that Streamlit has in English only.
STREAMLIT = {key.removeprefix("streamlit."): key for key in catalogue() if key.startswith("streamlit.")}


_CONTROLS = _below("stepper", "stage", "mark_chosen", "mark_new", "mark_gone", "mark_tie", "pick", "keys")
_SHARE_OTHERS = ("method_bootstrap", "method_count", "method_delta", "method_made", "readme")

_MENU = {key.removeprefix("frame."): key for key in catalogue() if re.match(r"frame\.(menu|entry|page|view)\b", key)}

# The keys of the labels of each component that draws, by their names.
LABELS: Mapping[str, Mapping[str, str]] = {
    "cut_board": _CONTROLS | _below("boundaries.board"),
    "cuts": _below("lessons.cuts"),
    "kwic": _below("scores.kwic.label"),
    "lattice": _below("lattice.view"),
    "live_text": _below("frame.live"),
    "menu": _MENU,
    "scrubber": _CONTROLS | {"place": "rounds.place", "position": "rounds.position"},
    "share": _below("share", *_SHARE_OTHERS) | {"embed_note": "alone.embed_note", "command_note": "command.note"},
    "stepper": _below("stepper"),
    "strip": _below("strips", "byte_note", "korean_only", "note", "other_text", "part"),
    "utf8_board": _below("learn_bytes.board"),
    "viterbi": _below("lattice.steps", "caption"),
}

# What is the same in every run.
_CONSTANTS: Mapping[str, Mapping[str, object]] = {
    "share": {
        "columns": [ONE_COLUMN, TWO_COLUMNS],
        "sizes": {
            "width": {"low": WIDTHS[0], "high": WIDTHS[1], "usual": TWO_COLUMNS},
            "letters": {"low": LETTERS[0], "high": LETTERS[1], "usual": DEFAULT_LETTERS},
        },
        "variable": ANCESTORS_VARIABLE,
        "citation": bibtex((PROGRAM, PAPER)),
    }
}

_COLOURS = (
    f".root {{ --blue: {BLUE}; --vermillion: {VERMILLION}; --green: {GREEN}; --ochre: {OCHRE}; --pink: {PINK}; }}"
)
_FOLDER = Path(__file__).resolve().parent
_A_YEAR = {"Cache-Control": "public, max-age=31536000, immutable"}


def script(*names: str) -> str:
    """These scripts as one JavaScript module, in this order."""
    return "\n".join((_FOLDER / "scripts" / f"{name}.js").read_text(encoding="utf-8") for name in names)


def style(*names: str) -> str:
    """The colours, and the style sheets of these scripts, where they have one, in this order."""
    sheets = (_FOLDER / "styles" / f"{name}.css" for name in names)
    return "\n".join([_COLOURS, *(sheet.read_text(encoding="utf-8") for sheet in sheets if sheet.exists())])


@cache
def module(name: str) -> str:
    """What the browser loads for a component: its scripts, and `prepare`, which adds all but the data."""
    css = json.dumps(style("base", *SHARED[name], name))
    known = (STREAMLIT if name == "browser" else LABELS.get(name, {})).items()
    labels = {code: {label: template(key, code) for label, key in known} for code in LANGUAGES}
    return f"""{script(*SHARED[name], name)}
const sheet = new CSSStyleSheet();
sheet.replaceSync({css});
const known = {json.dumps(labels)};
const constants = {json.dumps(_CONSTANTS.get(name, {}))};
export function prepare(given) {{
  const place = given.parentElement.getRootNode();
  if (!place.adoptedStyleSheets.includes(sheet)) place.adoptedStyleSheets.push(sheet);
  const data = given.data && JSON.parse(new TextDecoder().decode(given.data));
  const labels = data && {{ ...known[data.ui_lang], ...data.labels }};
  return {{ ...given, data: data && {{ ...constants, ...data, labels }} }};
}}
"""


@cache
def address(name: str) -> str:
    """Where a component's module is, relative to every page."""
    return f"components/{hashlib.sha256(module(name).encode()).hexdigest()[:16]}/{name}.js"


def loader(name: str) -> str:
    """The script that Streamlit sends: every page is in the folder of the server's address."""
    return f"""const drawn = await import(new URL("{address(name)}", location));
export default (given) => drawn.default(drawn.prepare(given));
"""


def script_routes() -> list[BaseRoute]:
    return [Route(f"{base_path()}/components/{{version}}/{{name}}.js", _module)]


def _module(request: Request) -> Response:
    name, path = request.path_params["name"], request.url.path
    if name not in SHARED or not path.endswith(f"/{address(name)}"):
        return PlainTextResponse("Not Found", 404)
    return Response(module(name), media_type="text/javascript", headers=_A_YEAR)
