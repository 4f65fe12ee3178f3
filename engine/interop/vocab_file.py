"""The `.vocab` file beside a SentencePiece `.model`: per line a piece, a tab and its score. For people to read."""

from engine.errors import InputError
from engine.interop.sentencepiece.proto import ModelPiece


def write_vocab(pieces: list[ModelPiece]) -> bytes:
    """The lines of a `.vocab` file, in order of ids.

    Characters that would break a line (tab, line feed, carriage return) are written as bytes, `<0x0A>`.
    """
    return "".join(f"{one_line(piece.text)}\t{piece.score!r}\n" for piece in pieces).encode()


def one_line(text: str) -> str:
    """The text as written in a `.vocab` file."""
    return text.replace("\t", "<0x09>").replace("\n", "<0x0A>").replace("\r", "<0x0D>")


def read_vocab(data: bytes) -> list[tuple[str, float]]:
    """Pieces and scores of a `.vocab` file.

    Raises
    ------
    InputError : a line is not a piece, a tab and a number.
    """
    pieces = []
    for number, line in enumerate(data.decode(errors="replace").rstrip("\n").split("\n"), 1):
        text, _, score = line.rpartition("\t")
        try:
            pieces.append((text, float(score)))
        except ValueError:
            raise InputError("vocab_file.line", number=number) from None
    return pieces
