"""A lattice as plain values: what the command line prints and a DataFrame holds."""

from typing import Any

from engine.lattice.lattice import Lattice


def lattice_fields(lattice: Lattice, nbest: int = 0) -> dict[str, Any]:
    """Its arcs, log Z and entropy (nats), and its `nbest` best segmentations.

    `begin` and `end` are characters of the text as the vocabulary sees it, `span` bytes of the text as in `encode`. A
    token outside the final vocabulary has id null; a fallback has id null and the `ids` of its bytes, or of the unknown
    token.
    """
    arcs = []
    for arc in range(lattice.begin.size):
        token_id = int(lattice.ids[arc])
        row: dict[str, object] = {
            "begin": int(lattice.begin[arc]),
            "end": int(lattice.end[arc]),
            "span": lattice.span(arc),
            "token": lattice.labels[arc],
            "id": token_id if token_id >= 0 else None,
            "log_prob": float(lattice.log_prob[arc]),
            "marginal": float(lattice.marginal[arc]),
            "best": bool(lattice.best[arc]),
        }
        if lattice.number[arc] < 0:
            row["ids"] = lattice.written(arc)
        arcs.append(row)
    return {
        "arcs": arcs,
        "log_z": lattice.log_z,
        "entropy": lattice.entropy,
        "nbest": [
            {
                "tokens": [lattice.labels[arc] for arc in path.arcs],
                "log_prob": path.log_prob,
                "posterior": path.posterior,
            }
            for path in (lattice.nbest(nbest) if nbest else [])
        ],
    }
