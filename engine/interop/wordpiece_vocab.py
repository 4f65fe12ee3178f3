"""vocab.txt, as BERT has it: one token a line, the line number is the id; nothing else is in the file."""

from engine.errors import InputError, ModelFileError
from engine.merges.settings import MergeSettings
from engine.merges.wordpiece import MaxMatch, WordPiece

MAX_FILE_BYTES = 64 << 20


def to_vocab_txt(tokenizer: object) -> bytes:
    """The tokens of a WordPiece vocabulary, one a line, in the order of their ids.

    Pre-tokenization and normalisation are not in such a file. BERT's programs cut words at white space and at
    punctuation; text is encoded as here only where the pre-tokenizer of the model cuts the same.

    Raises
    ------
    InputError : it is no WordPiece, two tokens are written alike, or a token cannot stand on a line.
    """
    if not isinstance(tokenizer, WordPiece | MaxMatch):
        raise InputError("vocab.txt is for WordPiece vocabularies; export this one as tokenizer.json")
    labels = [token.label for token in tokenizer.tokens]
    require_different(labels)
    for token_id, label in enumerate(labels):
        # What reads the file takes the white space off the end of a line, and any line break for its end.
        if label != label.rstrip() or len(label.splitlines()) != 1:
            raise InputError(
                f"the token {token_id} ({label!r}) ends with white space or holds a line break, which a line of "
                "vocab.txt cannot; export tokenizer.json, or train with the pre-tokenizer 'whitespace'"
            )
    return "".join(f"{label}\n" for label in labels).encode()


def require_different(labels: list[str]) -> None:
    """InputError where two tokens are written alike."""
    seen: dict[str, int] = {}
    for token_id, label in enumerate(labels):
        if seen.setdefault(label, token_id) != token_id:
            raise InputError(
                f"the tokens {seen[label]} and {token_id} are both written {label!r}, so a vocabulary file could hold "
                "one of them only; train again without that text, or with another word mark"
            )


def vocab_txt_labels(data: bytes) -> list[str]:
    """The entries of the file by id, checked.

    Raises
    ------
    ModelFileError : it is no such file.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError(f"the file has {len(data):,} bytes; a vocab.txt of up to {MAX_FILE_BYTES:,} can be read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelFileError("the vocabulary is not UTF-8 text; give a vocab.txt with one token a line") from None
    labels = [line.rstrip() for line in text.removesuffix("\n").split("\n")]
    seen: dict[str, int] = {}
    for number, label in enumerate(labels, start=1):
        if not label or "\0" in label:
            raise ModelFileError(f"line {number} of the vocabulary is empty or holds a NUL; each line is one token")
        if seen.setdefault(label, number) != number:
            raise ModelFileError(f"the lines {seen[label]} and {number} of the vocabulary are both {label[:80]!r}")
    return labels


def special_labels(labels: list[str]) -> tuple[str, ...]:
    """Entries that BERT's programs use as special tokens."""
    usual = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    return tuple(label for label in labels if label in usual)


def wordpiece_settings(labels: list[str], pretokenizer: str, normalization: str) -> MergeSettings:
    """Settings for a vocabulary of which the file holds only the tokens."""
    special = special_labels(labels)
    unknown = next((label for label in ("[UNK]", "<unk>") if label in labels), None)
    if unknown is None:
        raise ModelFileError("the vocabulary lacks the unknown token [UNK]; give a vocab.txt of a WordPiece model")
    return MergeSettings(
        algorithm="wordpiece", pretokenizer=pretokenizer, normalization=normalization, special_tokens=special,
        continuing="##", unknown=unknown,
    )  # fmt: skip
