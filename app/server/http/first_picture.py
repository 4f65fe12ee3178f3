"""What the HTML of the first page shows before Streamlit has drawn anything: a greeting in tokens, and links.

It is beside Streamlit's root element and covers it. The first strips that are drawn remove it
(app/components/scripts/board.js); assets/styles/first_picture.css hides it where something else comes, or nothing.
"""

import html
import json
from functools import cache

from starlette.requests import Request

from app import ASSETS
from app.server.patches.index_page import index_page
from app.texts.catalogue import translate
from engine.pictures.bars import CountBar, bars
from engine.pictures.palette import DARK, FONT, LIGHT
from engine.public.catalogue import PUBLIC, PUBLIC_TOKENIZERS
from engine.shipped.catalogue import SHIPPED

_ROOT = '<div id="root"></div>'
_STYLE = ASSETS / "styles" / "first_picture.css"
_GREETING = ASSETS / "pictures" / "greeting.json"  # made by research.shipped.pictures
# The app's fonts (app/.streamlit/config.toml), which Streamlit loads as well, later.
_FONTS = {f"./app/static/fonts/NotoSansKR-{name}.woff2": weight for name, weight in (("Regular", 400), ("Bold", 700))}
# The page of each link, by the link's name in the catalogue; Explore has the same.
DOORS = {"why": "lattice", "inside": "rounds", "pays": "cost", "teach": "lessons"}
# Widths of the picture, from the smallest screen; the style sheet chooses one.
_WIDTHS = {"narrow": 358, "middle": 540, "wide": 940}


def has_first_picture(request: Request) -> bool:
    """Whether the address is the plain one: a link with anything but a language means another picture."""
    return set(request.query_params) <= {"lang"}


@cache
def first_page(language: str, asked: str) -> str:
    """Streamlit's page with the picture; `asked` is the language that links keep, or empty."""
    fonts = "".join(f'<link rel="preload" href="{font}" as="font" type="font/woff2" crossorigin>' for font in _FONTS)
    page = index_page().replace("</head>", f"{fonts}<style>{_style()}</style></head>", 1)
    return page.replace(_ROOT, f"{_ROOT}\n{_picture(language, asked)}", 1)


def _style() -> str:
    faces = "".join(
        f"@font-face {{ font-family: 'Noto Sans KR'; font-weight: {weight}; font-display: swap; src: url({font}); }}"
        for font, weight in _FONTS.items()
    )
    pairs = ((name, LIGHT[name], DARK[name]) for name in ("ink", "paper", "faint", "outline"))
    colours = "".join(f"--{name}: light-dark({light}, {dark});" for name, light, dark in pairs)
    own = f"#first-picture {{ {colours} font-family: {FONT}; }}"
    return f"{faces}{own}\n{_STYLE.read_text(encoding='utf-8')}"


def _picture(language: str, asked: str) -> str:
    title, heading = html.escape(translate("explore.title", language)), translate("first.heading", language)
    name, about = (html.escape(translate(key, language)) for key in ("frame.title", "first.about"))
    rows = greeting_bars(language)
    said = " ".join(translate("first.bar", language, text=row.name, count=row.count, name=row.note) for row in rows)
    drawn = "".join(f'<div class="{name}">{bars(rows, width, heading, said)}</div>' for name, width in _WIDTHS.items())
    return (
        f'<main id="first-picture" lang="{language}"><div><h1>{title}</h1>'
        f"<p><strong>{name}</strong>: {about}</p><h2>{html.escape(heading)}</h2>{drawn}"
        f"<nav>{''.join(_door(name, language, asked) for name in DOORS)}</nav></div></main>"
    )


def greeting_bars(language: str) -> list[CountBar]:
    return [_bar(row, language) for row in json.loads(_GREETING.read_text(encoding="utf-8"))]


def _bar(row: dict[str, str | list[str]], language: str) -> CountBar:
    model, tokens = str(row["tokenizer"]), row["tokens"]
    if model.startswith(PUBLIC):
        name = PUBLIC_TOKENIZERS[model.removeprefix(PUBLIC)].title
    else:
        title = translate(f"shipped.{model.removeprefix(SHIPPED)}", language)
        name = translate("first.korean_only", language, name=title)
    return CountBar(str(row["text"]), len(tokens), name, tokens)


def _door(name: str, language: str, asked: str) -> str:
    address = DOORS[name] + (f"?lang={asked}" if asked else "")
    title = html.escape(translate(f"first.door.{name}.title", language))
    about = html.escape(translate(f"first.door.{name}.about", language))
    return f'<a href="./{address}"><strong>{title}</strong><span>{about}</span></a>'
