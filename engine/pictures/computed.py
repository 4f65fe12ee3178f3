"""Pictures of what the engine computes, for the command line and for notebooks: tokens, a lattice, tokens per word."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import InputError
from engine.lattice.lattice import Lattice
from engine.pictures.bars import CountBar, bars
from engine.pictures.lattice import CandidateBox, lattice
from engine.pictures.strip import Chip, ChipRow, strip
from engine.tokenizer import Tokenizer

WIDTH = 760
_MOST_TOKENS, _MOST_CHARACTERS = 5_000, 400
_LEAST_SHARE = 1e-3
_MOST_CANDIDATES = 400


def tokens_picture(tokenizer: Tokenizer, lines: Sequence[Sequence[int]], name: str, theme: str = "auto") -> str:
    """The tokens of every line in boxes, the first row under the tokenizer's `name`.

    Parameters
    ----------
    lines : ids, as `encode` gives them.

    Raises
    ------
    InputError : there are more than 5,000 tokens.
    """
    n_tokens = sum(map(len, lines))
    if n_tokens > _MOST_TOKENS:
        raise InputError("picture.tokens", most=_MOST_TOKENS, number=n_tokens)
    rows = [
        ChipRow("" if number else name, [_chip(tokenizer, token) for token in ids])
        for number, ids in enumerate(lines or [[]])
    ]
    text = "\n".join(tokenizer.decode(ids) for ids in lines)
    return strip(rows, WIDTH, f"{name}: {n_tokens:,} tokens", text, theme)


def _chip(tokenizer: Tokenizer, token: int) -> Chip:
    data = tokenizer.token_bytes(token)
    kind = "unknown" if token == tokenizer.unknown_id else "" if data else "special"
    is_partial = data.decode(errors="ignore").encode() != data
    return Chip(tokenizer.token_label(token), "fallback" if is_partial else kind)


def lattice_picture(found: Lattice, theme: str = "auto") -> str:
    """The best path, and the other candidates with a marginal of at least 0.001, the 400 likeliest of them.

    Raises
    ------
    InputError : the text is longer than 400 characters.
    """
    if found.n > _MOST_CHARACTERS:
        raise InputError("picture.characters", most=_MOST_CHARACTERS, number=found.n)
    shares = found.marginal.clip(0, 1)
    likeliest = shares.argsort(kind="stable")[::-1][:_MOST_CANDIDATES].tolist()
    shown = sorted({*(arc for arc in likeliest if shares[arc] >= _LEAST_SHARE), *found.best_path})
    boxes = [
        CandidateBox(
            found.labels[arc], int(found.begin[arc]), int(found.end[arc]), float(shares[arc]), bool(found.best[arc])
        )
        for arc in shown
    ]
    best = "|".join(found.labels[arc] for arc in found.best_path)
    about = f"Best: {best}. Entropy {found.entropy:.3f} nats."
    return lattice(list(found.text), boxes, WIDTH, f"Lattice of {found.text}", about, theme)


def fertility_picture(rows: Sequence[Mapping[str, Any]], theme: str = "auto") -> str:
    """A bar for every row of `fertility_rows` that has words, with its interval."""
    several = len({row["file"] for row in rows}) > 1
    drawn = [
        CountBar(row["model"], row["fertility"], row["file"] if several else "", shown=_with_interval(row))
        for row in rows
        if row["fertility"] is not None
    ]
    return bars(drawn, WIDTH, "Tokens per word", "Brackets: 95 % intervals.", theme)


def _with_interval(row: Mapping[str, Any]) -> str:
    value, low, high = (row[name] for name in ("fertility", "fertility_low", "fertility_high"))
    return f"{value:.2f}" if low is None else f"{value:.2f} ({low:.2f} to {high:.2f})"
