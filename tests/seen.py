"""What stands on a page, as plain lines: of texts, tables, figures, components and controls, whatever drew them."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup, Dataframe, Metric, Multiselect, Table, Widget

# Escapes of characters that Markdown would take for marks; addresses of its links.
_UNSEEN = re.compile(r"\\(?=[^\w\s])|(?<=\])\([^)]*\)")
# Nobody sees these fields; the frame of every page carries them.
_CARRIED = ("lang", "model", "check")


def seen(app: AppTest) -> str:
    """All of it; a control is `label: value`, a cell of a table `column: value`, a part of a figure `name: value`."""
    return "\n".join(_UNSEEN.sub("", line) for node in app._tree for line in _lines(node))


def component_data(node: Any) -> dict[str, Any]:
    """What a component was given; the tokens of a strip, which are sent in columns, each by itself."""
    data: dict[str, Any] = json.loads(node.proto.bytes)
    for row in data.get("rows", ()):
        if "some" in row:
            columns, few = row["tokens"], row.pop("some")
            row["tokens"] = [dict(zip(columns, token, strict=True)) for token in zip(*columns.values(), strict=True)]
            for name, values in few.items():
                for number, value in values.items():
                    row["tokens"][int(number)][name] = value
    return data


def _lines(node: Any) -> Iterator[str]:
    proto, key = getattr(node, "proto", None), getattr(node, "key", None)
    if key in _CARRIED or proto is None:
        return
    if isinstance(node, Table | Dataframe):
        for index, row in zip(node.value.index, node.value.to_dict("records"), strict=True):
            yield f"{index}, " + ", ".join(f"{name}: {value}" for name, value in row.items())
    elif isinstance(node, ButtonGroup | Multiselect):
        chosen = node.formatted_values if isinstance(node, ButtonGroup) else node.values
        yield f"{node.label}: {', '.join(str(one) for one in chosen)}"
    elif isinstance(node, Metric):
        yield f"{node.label}: {node.value}"
    elif node.type == "bidi_component":
        yield from _parts(component_data(node))
    elif node.type == "plotly_chart":
        yield from _parts(json.loads(proto.spec))
    elif isinstance(node, Widget):
        yield f"{getattr(node, 'label', '')}: {getattr(node, 'value', '')}"
    else:
        for _, value in proto.ListFields() if hasattr(proto, "ListFields") else ():
            # The address of a figure alone repeats what the page's own says.
            if isinstance(value, str) and "&embed=true" not in value:
                yield value


def _parts(value: Any, name: str = "") -> Iterator[str]:
    """A figure's values by their names; lists of plain values in one line."""
    value = _unpacked(value)
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _parts(part, key)
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        for part in value:
            yield from _parts(part, name)
    else:
        yield f"{name}: {value}"


def _unpacked(value: Any) -> Any:
    """Numbers as Plotly packs them; other values as they are."""
    if not isinstance(value, dict) or "bdata" not in value:
        return value
    return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).round(6).tolist()


def marked_round(app: AppTest, life: dict[str, Any]) -> int:
    """The round whose line a style rule of the page shows in a figure of tokens' lives."""
    (style,) = [one.proto.body for one in app.get("html") if ".barlayer" in one.proto.body]
    place = re.search(r"\.barlayer \.trace:last-child \.point:nth-of-type\((\d+)\)", style)
    assert place is not None
    rounds = _unpacked([trace for trace in life["data"] if trace["type"] == "bar"][-1]["x"])
    return int(rounds[int(place[1]) - 1])
