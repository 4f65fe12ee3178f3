"""A page with one component and data made by hand: `?show=lattice`, `strip`, `viterbi` or `stepper`."""

import streamlit as st

from app.components.data import (
    Arc,
    Frame,
    LatticeData,
    Place,
    StripRow,
    StripToken,
    ViterbiCandidate,
    ViterbiCell,
    ViterbiData,
)
from app.components.pictures import lattice, token_strip
from app.components.players import stepper, viterbi_stepper
from app.components.sources import LABELS, script_routes

HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"
TEMPLATES = {
    "count": "{shown} of {total}",
    "place": "{index} of {last}",
    "say_fill": "cell {position}: {token} with {total}",
    "say_tie": "cell {position}: {token} with {total}, a tie",
    "say_none": "cell {position}: nothing",
    "say_trace": "back over {token} to {position}",
    "say_end": "{size} tokens, {total}",
    "mark": "≠",
}


def labels(component: str) -> dict[str, str]:
    """Labels that name themselves."""
    return {name: TEMPLATES.get(name, name.replace("_", " ")) for name in LABELS[component]}


# begin, end, label, marginal, on the best path
ARCS = [
    (0, 2, "나무", 0.2, False),
    (0, 3, "나무에", 0.8, True),
    (2, 3, "에", 0.2, False),
    (3, 5, " 꽃", 0.3, False),
    (3, 6, " 꽃이", 0.7, True),
    (5, 6, "이", 0.3, False),
    (6, 11, " 피었다.", 1.0, True),
    (6, 8, " 피", 0.0004, False),
    (8, 11, HOSTILE, 0.00002, False),
    (11, 12, " ", 1.0, True),
    (12, 13, "<0xEB><0xB7><0x81>", 1.0, True),
]


def lattice_data(selected: int | None) -> LatticeData:
    """A sentence with a runner-up, which has the fewest tokens, a fallback and a hostile token."""
    text = "나무에 꽃이 피었다. 뷁"
    arcs: list[Arc] = [
        {
            "b": b,
            "e": e,
            "label": label,
            "m": m,
            "lp": -7.25,
            "be": None if label[0] == "<" else 1.5,
            "id": 300 + index,
            "best": best,
            "fallback": label.startswith("<0x"),
        }
        for index, (b, e, label, m, best) in enumerate(ARCS)
    ]
    return {
        "chars": list(text),
        "arcs": arcs,
        "selected": selected,
        "runner": [0, 2, 4, 6, 9, 10],
        "fewest": [0, 2, 4, 6, 9, 10],
        "min_marginal": 0.0,
        "unit": "nat",
        "lang": "ko",
    }


def long_data(selected: int | None) -> LatticeData:
    """A token that crosses everything, so that lines must tear it."""
    text = "가나다라마바사아자차카타파하" * 5
    n = len(text)
    spans = [(0, n), *((at, at + 2) for at in range(0, n, 2))]
    arcs: list[Arc] = [
        {
            "b": b,
            "e": e,
            "label": text[b:e],
            "m": 0.5,
            "lp": -3.0,
            "be": 1.0,
            "id": index,
            "best": index > 0,
            "fallback": False,
        }
        for index, (b, e) in enumerate(spans)
    ]
    return {
        "chars": list(text),
        "arcs": arcs,
        "selected": selected,
        "runner": None,
        "min_marginal": 0.0,
        "unit": "bit",
        "lang": "ko",
    }


def token(label: str, b: int, e: int, is_ringed: bool = False) -> StripToken:
    """A token of a strip; bytes where the label says so."""
    is_hex = label.startswith("<0x")
    return {"label": label, "b": b, "e": e, "hex": is_hex, "ringed": is_ringed, "id": 7, "kind": ""}


def strip_rows() -> list[StripRow]:
    """Two tokenizers and a layer over the characters of 새 <b>."""
    return [
        {
            "name": "words",
            "note": "2 tokens",
            "tokens": [token("새", 0, 1, is_ringed=True), {**token(" <b>", 1, 5), "token_class": "morpheme"}],
        },
        {
            "name": "bytes in parts",
            "note": "4 tokens",
            "tokens": [token("<0xEC><0x83>", 0, 1), token("<0x88>", 0, 1), token(" <b", 1, 4), token(">", 4, 5)],
        },
        {
            "name": "characters",
            "note": "",
            "kind": "characters",
            "tokens": [token(c, i, i + 1) for i, c in enumerate("새 <b>")],
        },
        {
            "name": "morphemes",
            "note": "",
            "kind": "morphemes",
            "tokens": [
                {**token("새", 0, 1), "tag": "MM", "about": "determiner", "part": "stem"},
                {**token("<b>", 2, 5), "tag": "SL+<i>", "about": "<i>", "part": "both", "kind": "corrected"},
            ],
        },
    ]


def viterbi_data() -> ViterbiData:
    """Two equally good ways over 가나다: 가나|다 and 가|나다."""
    arcs = [(0, 1, "가", -2.0), (0, 2, "가나", -3.0), (1, 2, "나", -2.0), (1, 3, "나다", -3.0), (2, 3, "다", -2.0)]
    best = [0.0, -2.0, -3.0, -5.0]
    winners = {1: 0, 2: 1, 3: 3}

    def candidate(arc: int) -> ViterbiCandidate:
        b, e, _, log_prob = arcs[arc]
        total = best[b] + log_prob
        is_winner = winners[e] == arc
        is_tie = total == best[e] and not is_winner
        return {"arc": arc, "before": best[b], "total": total, "winner": is_winner, "tie": is_tie}

    steps: list[ViterbiCell] = [
        {"end": end, "best": best[end], "candidates": [candidate(arc) for arc in range(5) if arcs[arc][1] == end]}
        for end in (1, 2, 3)
    ]
    return {
        "chars": list("가나다"),
        "arcs": [{"b": b, "e": e, "label": label} for b, e, label, _ in arcs],
        "steps": steps,
        "path": [0, 3],
        "unit": "nat",
        "lang": "ko",
    }


def frames() -> list[Frame]:
    """One frame with every kind of block, one after it, and one with hostile text."""
    return [
        {
            "title": "Count",
            "note": "Pairs are counted.",
            "blocks": [
                {
                    "kind": "table",
                    "caption": "Pairs",
                    "columns": ["pair", "count"],
                    "rows": [["e s", 9], ["l o", -7.5]],
                    "marks": [{"row": 0, "column": None, "mark": "chosen"}],
                },
                {
                    "kind": "tokens",
                    "rows": [
                        {"label": "×5", "tokens": [{"text": "l"}, {"text": "o", "mark": "new"}, {"text": "<0xEC>"}]}
                    ],
                },
                {"kind": "bars", "max": 10, "bars": [{"label": "e s", "value": 9, "text": "9", "mark": "chosen"}]},
                {"kind": "text", "text": "first line\nsecond line"},
            ],
        },
        {"title": "Merge", "note": "The most frequent pair becomes one.", "blocks": []},
        {"title": "End", "note": HOSTILE, "blocks": [{"kind": "text", "text": HOSTILE}]},
    ]


def keep(picked: int | Place) -> None:
    """What the callback gets is drawn in the same run."""
    st.session_state["kept"] = st.session_state["picked"] = picked


def show_page() -> None:
    """The component that the address names."""
    st.set_page_config(page_title="components", layout="wide")
    st.title("Demo")
    st.session_state["lang"] = "en"
    show = st.query_params.get("show", "lattice")
    if show in ("lattice", "long"):
        make = lattice_data if show == "lattice" else long_data
        lattice("demo", make(st.session_state.get("kept")), keep, labels("lattice"))
        st.text(f"picked {st.session_state.pop('picked', None)}, kept {st.session_state.get('kept')}")
    elif show == "strip":
        token_strip(
            "demo",
            strip_rows(),
            keep,
            labels=labels("strip"),
            chars=list("새 <b>"),
            selected=st.session_state.get("kept"),
            lang="ko",
        )
        place = st.session_state.pop("picked", None)
        st.text(f"picked {place and tuple(place)}")
    elif show == "viterbi":
        viterbi_stepper("demo", viterbi_data(), labels=labels("viterbi"))
    else:
        stepper("demo", frames(), labels=labels("stepper"), lang="ko")


if __name__ == "__main__":
    show_page()
else:
    app = st.App(__file__, routes=script_routes())
