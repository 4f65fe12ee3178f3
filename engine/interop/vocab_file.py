"""The `.vocab` file beside a SentencePiece `.model`: per line a piece, a tab and its score. For people to read."""

import numpy as np

from engine.errors import InputError, ModelFileError
from engine.interop.sentencepiece.exporter import pieces_of
from engine.interop.sentencepiece.proto import NORMAL, ModelPiece
from engine.tokenizer import Tokenizer


def suits(tokenizer: Tokenizer) -> bool:
    """What has scores; a score of the merges here does not count."""
    return tokenizer.pruning is not None or _scores(tokenizer) is not None


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """A line for each piece, in order of ids; one that suits.

    Characters that would break a line (tab, line feed, carriage return) are written as bytes, `<0x0A>`.
    """
    return "".join(f"{one_line(piece.text)}\t{piece.score!r}\n" for piece in _pieces(tokenizer)).encode()


def reread(tokenizer: Tokenizer, data: bytes) -> tuple[str, int, int]:
    """Whether every line reads back as it was written."""
    written = [(one_line(text), score) for text, score, _ in _pieces(tokenizer)]
    found = read_vocab(data)
    return "read back", len(found), sum(one != line for one, line in zip(written, found, strict=True))


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """Refused: such a file does not say all that its `.model` does."""
    raise ModelFileError("import.vocab")


def _pieces(tokenizer: Tokenizer) -> list[ModelPiece]:
    if tokenizer.pruning is not None:
        return pieces_of(tokenizer.pruning)
    scores = _scores(tokenizer)
    assert scores is not None  # one that suits
    return [ModelPiece(tokenizer.token_label(token_id), score, NORMAL) for token_id, score in enumerate(scores)]


def _scores(tokenizer: Tokenizer) -> list[float] | None:
    """Scores by id as an imported file has them, 0 where a token has none; None where there are no scores."""
    statistics = {} if tokenizer.merges is not None else tokenizer.statistics()
    scores = statistics.get("log_prob", statistics.get("score"))
    return None if scores is None else np.nan_to_num(scores).tolist()


def one_line(text: str) -> str:
    """The text as written in a `.vocab` file."""
    return text.replace("\t", "<0x09>").replace("\n", "<0x0A>").replace("\r", "<0x0D>")


def read_vocab(data: bytes) -> list[tuple[str, float]]:
    """Pieces and scores of a `.vocab` file; InputError if a line is not a piece, a tab and a number."""
    pieces = []
    for number, line in enumerate(data.decode(errors="replace").rstrip("\n").split("\n"), 1):
        text, _, score = line.rpartition("\t")
        try:
            pieces.append((text, float(score)))
        except ValueError:
            raise InputError("vocab_file.line", number=number) from None
    return pieces
