"""F1 of morpheme boundaries over fertility, the price of fewer tokens; and the scores by part of speech."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.parts.figures.base import HEIGHT, Plot, arrange, broken, marked_up, nothing_to_show
from app.parts.figures.charts import chart, dots, interval, lines, single
from app.parts.figures.lines import BAD_IS_HIGH, NUMBERED_CELLS
from app.parts.figures.styles import GREY, STYLES, Style
from app.texts.catalogue import translate

MAX_TAGS = 16  # in the heat map; the table has all
_NAME_COLUMNS, _TAG_COLUMNS = 8, 16  # of labels
_CLASSES = "NVJE"  # Sejong's tags begin so for nominals, predicates, particles and endings
_BAD_IS_LOW = [(1 - share, colour) for share, colour in reversed(BAD_IS_HIGH)]

# Ratios, because the fertility axis is logarithmic.
_TICKS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20)


def tradeoff_figure(table: pd.DataFrame, points: pd.DataFrame, chosen: Sequence[str], language: str) -> Plot:
    """One mark per tokenizer of a `scores_table`, with its F1 interval, and a line through its `points_table`.

    Unselected ones are grey and share one legend entry.
    """
    at, hover = ("fertility", "f1"), "%{x:.3f}, F1 %{y:.3f}"
    others = translate("morphology.figure.others", language)
    grey = single(table[~table["tokenizer"].isin(chosen)], Style(GREY), others)
    traces = dots(grey, *at, f"%{{text}}<br>{hover}", size=9, text="tokenizer")
    for k, name in enumerate(chosen):
        style, label = STYLES[k % len(STYLES)], marked_up(name)
        path = points[points["tokenizer"] == name]
        if len(path) > 1:
            traces += lines(
                single(path.assign(step=_steps(path, language)), style, label),
                *at,
                f"%{{fullData.name}}<br>%{{text}}<br>{hover}",
                width=1.5,
                size=6,
                dash="solid",
                text="step",
                legendgroup=label,
                showlegend=False,
            )
        traces += dots(
            single(table[table["tokenizer"] == name], style, label),
            *at,
            f"%{{fullData.name}}<br>{hover}",
            size=13,
            error_y=interval("f1", thickness=1.5),
            legendgroup=label,
        )
    title = translate("morphology.figure.title", language)
    axes = {name: {"title": translate(f"morphology.figure.{name}", language)} for name in at}
    ticks = {"type": "log", "tickangle": 0, "tickvals": _TICKS, "ticktext": [f"{tick:g}" for tick in _TICKS]}
    return chart(traces, title, language, 480, empty_height=HEIGHT, xaxis=axes["fertility"] | ticks, yaxis=axes["f1"])


def _steps(path: pd.DataFrame, language: str) -> list[str]:
    """Labels of the points: vocabulary size, and the round it results from."""
    return [
        translate("morphology.figure.size", language, size=row.vocab_size)
        if pd.isna(row.round)
        else translate("morphology.figure.round", language, size=row.vocab_size, number=int(row.round))
        for row in path.itertuples()
    ]


def tags_figure(table: pd.DataFrame, measure: str, title: str, language: str) -> Plot:
    """A heat map of one measure of a `tags_table`: the most frequent parts of speech down by class, tokenizers across.

    The interval of a cell, and of how many it is a share, are in its hover text.
    """
    if table.empty:
        return nothing_to_show(title, language)
    tags = list(dict.fromkeys(table.sort_values("pieces", ascending=False, kind="stable")["tag"]))[:MAX_TAGS]
    tags.sort(key=lambda tag: _CLASSES.find(tag[0]) % (len(_CLASSES) + 1))
    names = list(dict.fromkeys(table["tokenizer"]))
    rows = table.drop_duplicates(["tag", "tokenizer"]).set_index(["tag", "tokenizer"])
    rows = rows.reindex(pd.MultiIndex.from_product([tags, names]))
    values, shape = rows[measure].to_numpy(dtype=float), (len(tags), len(names))
    cells = {
        "type": "heatmap",
        "z": values.reshape(shape),
        "x": ["<br>".join(map(marked_up, broken(name, _NAME_COLUMNS))) for name in names],
        "y": [_tag_label(tag, rows.loc[tag]["name"], language) for tag in tags],
        "text": np.array(["" if np.isnan(value) else f"{value:.0%}" for value in values]).reshape(shape),
        "customdata": np.array(_hover_texts(rows, measure, language)).reshape(shape),
        "colorscale": BAD_IS_HIGH if measure == "cut" else _BAD_IS_LOW,
        "zmin": 0,
        "zmax": 1,
        **NUMBERED_CELLS,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    across, down = {"side": "top", "tickangle": 0}, {"autorange": "reversed"}
    return arrange([cells], title, 150 + 30 * len(tags), margin={"t": 96}, xaxis=across, yaxis=down)


def _tag_label(tag: str, names: pd.Series, language: str) -> str:
    """The tag after its name; after the classes of its parts if it joins some."""
    name = str(names.dropna().iloc[0]) if names.notna().any() else tag
    if "+" in tag:
        classes = [part[0] for part in tag.split("+")]
        known = set(classes) <= set(_CLASSES)
        name = "+".join(translate(f"morphology.tags.class.{one}", language) for one in classes) if known else tag
    label = tag if name == tag else f"{name} {tag}"
    return "<br>".join(map(marked_up, broken(label.replace("·", "· "), _TAG_COLUMNS)))


def _hover_texts(rows: pd.DataFrame, measure: str, language: str) -> list[str]:
    """Of each cell: tokenizer, part of speech, the share with its interval, and of how many."""
    n_of = "boundaries" if measure == "found" else "pieces"
    texts = []
    for tag, tokenizer in rows.index:
        row = rows.loc[(tag, tokenizer)]
        lines = [tokenizer, f"{tag} {row['name']}"]
        if not np.isnan(row[measure]):
            low, high = row[f"{measure}_low"], row[f"{measure}_high"]
            lines.append(f"{row[measure]:.1%}" + ("" if np.isnan(low) else f" ({low:.1%}–{high:.1%})"))
            lines.append(translate(f"morphology.tags.n_{n_of}", language, count=int(row[n_of])))
        texts.append("<br>".join(marked_up(str(line)) for line in lines))
    return texts
