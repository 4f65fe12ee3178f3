"""The figures of the command line and of notebooks, made of what is measured (`engine.measure`) and read (lattices)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from engine.errors import InputError
from engine.lattice.lattice import Lattice
from engine.pictures.bars import BAR_LETTERS, CountBar, bars
from engine.pictures.dots import DOT_LETTERS, Dot, dots
from engine.pictures.lattice import BOX_LETTERS, CandidateBox, lattice
from engine.pictures.showable import showable
from engine.pictures.strip import CHIP_LETTERS, Chip, ChipRow, strip
from engine.report.figure import Figure
from engine.tokenizer import Tokenizer

_LEAST_MARGINAL = 0.001
_MOST_ROWS, _MOST_TOKENS, _MOST_DOTS = 200, 2000, 30
_LIGHT = "light"
_DIRECTIONS = {
    "+": "more frequent in the first corpus",
    "-": "more frequent in the second corpus",
    "=": "as frequent in both",
}
_ASSOCIATION = {"log_dice": "logDice", "mi": "MI", "mi3": "MI3", "t": "t", "g2": "log-likelihood ratio"}


def fertility_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Tokens per word with intervals, a group of dots per text, of the rows of `fertility_rows`."""
    return _dots(rows, "fertility", "file", "Fertility", "tokens per word, 95% interval")


def robustness_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Share of changed cuts with intervals, a group of dots per text and variant, of the rows of `robustness_rows`."""
    is_one = len({row["file"] for row in rows}) == 1
    grouped = [{**row, "group": row["variant"] if is_one else f"{row['variant']} · {row['file']}"} for row in rows]
    return _dots(grouped, "changed_cuts", "group", "Robustness", "share of cuts that change, 95% interval")


def morphology_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """F1 of morpheme boundaries with intervals, of the rows of `morphology_rows`."""
    return _dots(rows, "f1", "gold", "Morpheme boundaries", "F1 of morpheme boundaries, 95% interval")


def keyness_figure(rows: Sequence[Mapping[str, Any]], unit: str) -> Figure:
    """Log ratios of the first rows with their intervals, those of either direction together.

    Parameters
    ----------
    rows : of the command `keyness`, the most key first.
    unit : the name of the field with the label of a row.
    """
    shown = [
        Dot(row[unit], row["log_ratio"], row["log_ratio_low"], row["log_ratio_high"], group=heading)
        for sign, heading in _DIRECTIONS.items()
        for row in rows[:_MOST_DOTS]
        if row["direction"] == sign
    ]
    return _dots_of(shown, "Keyness", "log ratio (binary), 95% interval")


def collocates_figure(rows: Sequence[Mapping[str, Any]], unit: str, measure: str) -> Figure:
    """A measure of the first rows, with its interval if it has one; arguments as for `keyness_figure`."""
    shown = [
        Dot(row[unit], row[measure], row.get(f"{measure}_low"), row.get(f"{measure}_high")) for row in rows[:_MOST_DOTS]
    ]
    axis = _ASSOCIATION.get(measure, "occurrences in the windows")
    return _dots_of(shown, "Collocates", f"{axis}, 95% interval" if shown and shown[0].low is not None else axis)


def stability_figure(fields: Mapping[str, Any]) -> Figure:
    """How many tokens are kept by how many resamples, of `stability_fields`."""
    n = fields["resamples"]
    kept = Counter(token["kept"] for token in fields["tokens"])
    shown = [CountBar(f"{k} of {n} resamples", kept[k]) for k in sorted(kept, reverse=True)]
    return _bars(shown, "Tokens by the number of resamples that keep them")


def audit_figure(fields: Mapping[str, Any]) -> Figure:
    """The number of tokens of every finding, of `audit_fields`."""
    found = fields["findings"].items()
    shown = [CountBar(name.replace("_", " "), one["count"], f"{one['share']:.2%}") for name, one in found]
    return _bars(shown, f"What an audit of {fields['vocab_size']:,} tokens finds")


def lineage_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """The number of tokens shared with every other vocabulary, of the rows of `lineage_row`."""
    shown = [CountBar(row["against"], row["shared"], f"{row['share']:.2%}") for row in rows]
    return _bars(shown, "Tokens shared with other vocabularies")


def strip_figure(tokenizers: Mapping[str, Tokenizer], ids: Sequence[Sequence[int]]) -> Figure:
    """Tokens as strips, a row for each line and tokenizer.

    Parameters
    ----------
    tokenizers : by the name that is beside the tokens.
    ids : of the tokens; a row each, for one tokenizer after the other as often as there are rows.

    Raises
    ------
    InputError : there are no tokens, or too many for a picture.
    """
    rows = [(name, one, own) for own, (name, one) in zip(ids, cycle(tokenizers.items()), strict=False) if own]
    if not rows or len(rows) > _MOST_ROWS or sum(len(own) for _, _, own in rows) > _MOST_TOKENS:
        raise InputError("report.strip", rows=_MOST_ROWS, tokens=_MOST_TOKENS)
    shown = [ChipRow(name, [_chip(one, token) for token in own]) for name, one, own in rows]
    return Figure(lambda width, theme=_LIGHT: strip(shown, width, theme), CHIP_LETTERS, "Tokens")


def lattice_figure(found: Lattice) -> Figure:
    """Every candidate token over its characters, but for improbable ones.

    Raises
    ------
    InputError : the text is too long for a picture.
    """
    if not 0 < len(found.text) <= _MOST_TOKENS:
        raise InputError("report.lattice", characters=_MOST_TOKENS)
    boxes = [
        CandidateBox(
            found.labels[arc],
            int(found.begin[arc]),
            int(found.end[arc]),
            min(1.0, float(found.marginal[arc])),
            bool(found.best[arc]),
        )
        for arc in range(found.begin.size)
        if found.best[arc] or found.marginal[arc] >= _LEAST_MARGINAL
    ]
    characters = [showable(char) for char in found.text]
    return Figure(lambda width, theme=_LIGHT: lattice(characters, boxes, width, theme), BOX_LETTERS, "Lattice")


def _chip(tokenizer: Tokenizer, token: int) -> Chip:
    data = tokenizer.token_bytes(token)
    kind = "unknown" if token == tokenizer.unknown_id else "" if data else "special"
    is_partial = data.decode(errors="ignore").encode() != data
    return Chip(tokenizer.token_label(token), "fallback" if is_partial else kind)


def _dots(rows: Sequence[Mapping[str, Any]], measure: str, group: str, title: str, axis: str) -> Figure:
    """Those rows that have a value, in groups if there are several."""
    known = [row for row in rows if row[measure] is not None]
    groups = list(dict.fromkeys(str(row[group]) for row in known))
    shown = [
        Dot(
            str(row["model"]),
            row[measure],
            row[f"{measure}_low"],
            row[f"{measure}_high"],
            bool(row["best"]),
            name if len(groups) > 1 else "",
        )
        for name in groups
        for row in known
        if str(row[group]) == name
    ]
    return _dots_of(shown, title, axis)


def _dots_of(shown: Sequence[Dot], title: str, axis: str) -> Figure:
    if not shown:
        raise InputError("report.empty")
    return Figure(lambda width, theme=_LIGHT: dots(shown, width, title, axis, theme), DOT_LETTERS, title)


def _bars(rows: Sequence[CountBar], title: str) -> Figure:
    return Figure(lambda width, theme=_LIGHT: bars(rows, width, title, theme=theme), BAR_LETTERS, title)
