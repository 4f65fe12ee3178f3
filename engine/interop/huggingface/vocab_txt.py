"""BERT's vocab.txt: one token per line, its id is the line number; nothing else is in the file."""

from collections.abc import Sequence

import regex

from engine.errors import InputError, ModelFileError
from engine.interop.format import Encode, our_encoder, require_different
from engine.interop.huggingface.exporter import encoders as json_encoders
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.importer import tokenizer_of
from engine.interop.imported.tokenizer import Imported
from engine.interop.json_fields import utf8_text
from engine.tokenizer import MatchingTokenizer, Tokenizer

MAX_FILE_BYTES = 16 << 20
WORDPIECE = "WordPiece"  # name of any such tokenizer
_MAX_WORD_CHARS = 100  # as in BERT's programs; longer words are unknown

_GUESSED = "pre-tokenization: not in the file; as BERT, {}"

# Special tokens of BERT's programs.
_OF_LETTERS = "vocabulary: of Hangul letters, syllables are unknown; decompose the text first (NFD), as for KR-BERT"
_FEWEST_LETTERS = 24  # of the 67 that NFD takes modern syllables apart to

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def to_vocab_txt(tokenizer: Tokenizer) -> bytes:
    """The tokens of a WordPiece vocabulary, one per line, in order of ids.

    The file does not contain pre-tokenization or normalization. BERT's programs cut words at white space and
    punctuation; they encode identically only if the model's pre-tokenizer cuts the same.

    Raises
    ------
    InputError : the tokenizer is not WordPiece, two tokens have the same label, or a token cannot be on one line.
    """
    if tokenizer.longest_match is None and tokenizer.name != WORDPIECE:
        raise InputError("export.vocab_txt", name=tokenizer.name)
    labels = [tokenizer.token_label(token_id) for token_id in range(tokenizer.vocab_size)]
    require_different(labels)
    for token_id, label in enumerate(labels):
        # Readers strip trailing white space and split at any line break.
        if label != label.rstrip() or len(label.splitlines()) != 1:
            raise InputError("export.vocab_txt_space", token_id=token_id, label=label)
    return "".join(f"{label}\n" for label in labels).encode()


def vocab_txt_labels(data: bytes) -> list[str]:
    """The entries of the file by id, checked.

    Raises
    ------
    ModelFileError : the file is not a vocab.txt.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError("vocab_txt.size", size=len(data), most=MAX_FILE_BYTES)
    labels = [line.rstrip() for line in utf8_text(data).removesuffix("\n").split("\n")]
    seen: dict[str, int] = {}
    for number, label in enumerate(labels, start=1):
        if not label or "\0" in label:
            raise ModelFileError("vocab_txt.line", number=number)
        if seen.setdefault(label, number) != number:
            raise ModelFileError("vocab_txt.repeated", first=seen[label], number=number, label=label[:80])
    return labels


def from_vocab_txt(data: bytes, lowercase: bool | None = None) -> Imported:
    """The WordPiece tokenizer with the tokens of the file.

    The file does not say how text is cleaned and cut: at white space, punctuation and ideographs, as by BERT's programs
    (`BertNormalizer` and `BertPreTokenizer` of `tokenizers`).

    Parameters
    ----------
    data : content of the file.
    lowercase : lower case without accents, as in "uncased" models. None: if the vocabulary has a to z, nothing that has
        a lower case but its special tokens, and no Hangul syllable (taking accents away takes syllables apart).

    Raises
    ------
    ModelFileError : the file is not a vocab.txt, or lacks the unknown token.
    """
    labels = vocab_txt_labels(data)
    unknown = next((label for label in ("[UNK]", "<unk>") if label in labels), None)
    if unknown is None:
        raise ModelFileError("vocab_txt.unknown")
    special = [label for label in labels if label in _SPECIAL or label == unknown]
    ids = {label: i for i, label in enumerate(labels)}
    uncased = _is_uncased(labels, special) if lowercase is None else lowercase
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": uncased,
    }
    model = {
        "type": "WordPiece",
        "unk_token": unknown,
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": _MAX_WORD_CHARS,
        "vocab": ids,
    }
    parts = {
        "model": model,
        "pretokenizers": [{"type": "BertPreTokenizer"}],
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "normalizer": normalizer,
    }
    unsupported = [] if lowercase is not None else [_GUESSED.format("uncased" if uncased else "cased")]
    if not uncased and _is_of_letters(labels):
        unsupported.append(_OF_LETTERS)
    return tokenizer_of(parts, {label: ids[label] for label in special}, unsupported)


def _is_of_letters(labels: list[str]) -> bool:
    text = "".join(labels)
    return len(set(regex.findall("[ᄀ-ᇿ]", text))) >= _FEWEST_LETTERS and not regex.search("[가-힣]", text)


def _is_uncased(labels: list[str], special: list[str]) -> bool:
    text = "\n".join(label for label in labels if label not in special and not label.startswith(("[", "<")))
    return bool(regex.search("[a-z]", text)) and text.lower() == text and not regex.search("[가-힣]", text)


def suits(tokenizer: Tokenizer) -> bool:
    """WordPiece, wherever it came from."""
    return tokenizer.longest_match is not None or tokenizer.name == WORDPIECE


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """A token a line."""
    return to_vocab_txt(tokenizer)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """As BERT's programs read it."""
    return from_vocab_txt(data)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """Pre-token by pre-token, as the file does not say how text is cut; of what is imported, cut as by BERT."""
    if tokenizer.longest_match is None:
        return json_encoders(tokenizer, to_tokenizer_json(from_vocab_txt(data)))
    return [(our_encoder(tokenizer), _encoder(tokenizer.longest_match, data))]


def _encoder(tokenizer: MatchingTokenizer, data: bytes) -> Encode:
    import tokenizers

    vocabulary = {label: i for i, label in enumerate(data.decode().removesuffix("\n").split("\n"))}
    model = tokenizers.models.WordPiece(
        vocabulary, unk_token=tokenizer.settings.unknown, max_input_chars_per_word=1 << 30
    )

    def encode(texts: Sequence[str]) -> list[list[int]]:
        words = ((word.strip() for word in tokenizer.pretokenizer.split(text)) for text in texts)
        return [[token.id for word in line if word for token in model.tokenize(word)] for line in words]

    return encode
