"""Claims as text: for the command, the page, and docs/papers.md."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from engine.evidence.claims import (
    AGREES,
    NOT_MEASURED,
    PAPER_SIZE,
    SOURCES,
    VERDICTS,
    Claim,
    Exhibit,
    exhibits,
    facts,
    is_interval,
    usual_size,
)
from engine.messages import FOLDER, fill, read_texts
from engine.public.catalogue import PUBLIC_TOKENIZERS

_NO_WORD = re.compile(r"\W+")
_PARTS = re.compile(r"(, | − )")  # of the name of a number that decides
_PAIRS = ("within", "near")  # rules for which two numbers are the ends of a range


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return read_texts(FOLDER / "papers.toml")


def text(key: str, language: str) -> str:
    """A text of the page Papers, `claim.t3_least`; empty if there is none."""
    texts = _texts().get(f"papers.{key}", {})
    return texts.get(language, texts.get("en", ""))


def number_text(value: float, digits: int | None = None) -> str:
    """A number with `digits` decimal places, by default with four significant figures; integers in full."""
    if isinstance(value, int) and digits is None:
        shown = f"{value:,}"
    elif digits is not None:
        shown = f"{value:,.{digits}f}"
    else:
        shown = f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return shown.replace("-", "−") if "e" not in shown else shown


def value_text(value: Any, rule: str = "") -> str:
    """A printed or measured value in one line; empty for none, and for tables of tables."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, str):
        return value.replace(" ", "␣") if value != value.strip() else value
    if isinstance(value, Mapping):
        if any(isinstance(one, Mapping) for one in value.values()):
            return ""
        return ", ".join(
            f"{value_text(name)}{' ' if isinstance(one, int | float) else ': '}{value_text(one)}"
            for name, one in value.items()
        )
    if is_interval(value):
        return value_text(value[0]) if value[1] is None else _interval_text(*value)
    if rule in _PAIRS and len(value) == 2:
        return " – ".join(map(value_text, value))
    if all(type(one) is int for one in value):  # ids
        return ", ".join(map(str, value))
    has_words = any(isinstance(one, str) for one in value)
    joint = ", " if not has_words else " < " if rule == "order" else " | "
    return joint.join(map(value_text, value))


def _held_text(ours: Mapping[str, bool], language: str, longest: int) -> str:
    """For how many tokenizers, or readings of what the source leaves open, a claim holds; and the fewer: for which it
    does or does not."""
    is_public = ours.keys() <= PUBLIC_TOKENIZERS.keys()
    holds, fails = ([name for name, one in ours.items() if one == wanted] for wanted in (True, False))
    shown = text(f"held.{'tokenizers' if is_public else 'readings'}", language)
    shown = fill(shown, {"n": len(holds), "all": len(ours)})
    fewer, sign = (fails, "✗ ") if len(fails) < len(holds) else (holds, "✓ ")
    titles = "; ".join(PUBLIC_TOKENIZERS[name].title.partition(",")[0] if is_public else name for name in fewer)
    return f"{shown} ({sign}{titles})" if titles and len(shown) + len(titles) < longest - 5 else shown


def _interval_text(value: float, low: float, high: float, unit: str = "") -> str:
    return f"{number_text(value)}{unit} ({number_text(low)} – {number_text(high)})"


def ours_text(claim: Claim, language: str, longest: int = sys.maxsize) -> str:
    """Our number in one line; of several with intervals the one that decides. What does not fit is left out."""
    if claim.rule == "holds_for" and claim.ours:
        return _held_text(claim.ours, language, longest)
    one = claim.decided_by
    if one is None or not one.has_interval:
        ours = claim.ours
        if isinstance(ours, Mapping):
            ours = {_named_parts(name, language): value for name, value in ours.items()}
        shown = value_text(ours, claim.rule)
        return shown + claim.unit if shown else ""
    name = _named_parts(one.name, language)
    shown = _interval_text(one.value, one.low, one.high, claim.unit)
    return f"{name}: {shown}" if name and len(name) + len(shown) < longest else shown


def _named_parts(name: str, language: str) -> str:
    return "".join(named(part, language) for part in _PARTS.split(name))


def named(name: str, language: str) -> str:
    """The name of a text, a row or a column, translated if it is a word."""
    return text(f"name.{_NO_WORD.sub('_', name).strip('_')}", language) or name


def live_address(exhibit: Exhibit) -> str:
    """The page that shows the exhibit, with its parameters, relative to the app; empty if none does."""
    if not exhibit.live:
        return ""
    params = {name: value for name, value in exhibit.live.items() if name != "page"}
    return exhibit.live["page"] + (f"?{urlencode(params, quote_via=quote)}" if params else "")


def counts(source: str, size: int | None = None) -> dict[str, int]:
    """Number of claims of a source by verdict, of its own slips (`slip`), and of exhibits with a live view (`live`)."""
    found = exhibits(source, size)
    claims = [claim for exhibit in found for claim in exhibit.claims]
    return {
        **{verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS},
        "slip": sum(claim.is_slip for claim in claims),
        "live": sum(bool(exhibit.live) for exhibit in found),
    }


def rows(sources: Sequence[str], size: int | None, language: str, as_text: bool = False) -> Iterator[dict[str, Any]]:
    """Every claim of the sources, in order; an exhibit without claims is one row, shown only by its page.

    Parameters
    ----------
    as_text : values in a line each, ours with the interval that decides.
    """
    for source in sources:
        for exhibit in exhibits(source, size):
            about = {
                "source": source,
                "exhibit": text(f"exhibit.{exhibit.id}", language),
                "live": live_address(exhibit),
            }
            for claim in exhibit.claims:
                values = {"printed": claim.printed, "correction": claim.correction, "ours": claim.ours}
                if as_text:
                    values = {name: value_text(value, claim.rule) for name, value in values.items()}
                    values["ours"] = ours_text(claim, language)
                one = claim.decided_by
                yield {
                    **about,
                    "place": claim.place,
                    "claim": claim.id,
                    "says": text(f"claim.{claim.id}", language),
                    **values,
                    "unit": claim.unit,
                    "low": one.low if one and one.has_interval else None,
                    "high": one.high if one and one.has_interval else None,
                    "decided_by": one.name if one else "",
                    "rule": claim.rule,
                    "verdict": claim.verdict,
                    "slip": claim.is_slip,
                    "why": reason(claim, language),
                    "evidence": claim.evidence,
                }
            if not exhibit.claims:
                empty = "" if as_text else None
                yield {
                    **about,
                    "place": exhibit.place,
                    **dict.fromkeys(("claim", "says", "unit", "decided_by", "rule", "verdict"), ""),
                    **dict.fromkeys(("printed", "correction", "ours"), empty),
                    **dict.fromkeys(("low", "high")),
                    "slip": False,
                    "why": text(f"note.{exhibit.id}", language),
                    "evidence": exhibit.evidence,
                }


def reason(claim: Claim, language: str) -> str:
    """Why the claim does not agree; empty if it does."""
    if claim.verdict == AGREES:
        return ""
    of_rule = f"because.{'holds_for' if claim.rule == 'holds_for' else claim.verdict}"
    if claim.verdict == NOT_MEASURED and claim.rule:
        return text(of_rule, language)
    return text(f"why.{claim.id}", language) or text(of_rule, language)


def document(size: int | None = None) -> str:
    """docs/papers.md: every claim of the sources and its place, in English."""
    lines = [
        "# The sources' claims, and where they are",
        "",
        "Made by `python -m engine papers --markdown > docs/papers.md` from `assets/papers` (what the sources print) "
        "and `assets/evidence` (what was measured, with the command and the commit that made it); a test says when it "
        f"is old. Where a claim has several sizes, ours is of {PAPER_SIZE:,} tokens, beyond the papers of "
        f"{usual_size('beyond'):,}. The last column is the page that shows "
        "it, as a link inside the app.",
    ]
    for source in SOURCES:
        about = facts(source)
        number = counts(source, size)
        authors = f"{about.authors}. " if about.authors else ""
        year = f" ({about.year})" if about.year else ""
        told = ", ".join(f"{number[name]} {text(f'column.{name}', 'en')}" for name in (*VERDICTS, "slip"))
        lines += [
            "",
            f"## {text(f'source.{source}', 'en')}",
            "",
            f"{authors}*{about.title}*{year}. {told}.",
            "",
            "| place | claim | source | ours | verdict | why | live |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in rows((source,), size, "en", as_text=True):
            verdict = text(f"verdict.{row['verdict']}", "en") if row["verdict"] else "shown"
            correction = f" (correct: {row['correction']})" if row["correction"] else ""
            cells = (
                row["place"],
                row["says"] or row["exhibit"],
                row["printed"] + correction,
                row["ours"],
                f"{verdict}, {text('slip', 'en')}" if row["slip"] else verdict,
                row["why"],
                f"`{row['live']}`" if row["live"] else "",
            )
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
