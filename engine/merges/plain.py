"""Tokenizers trained by counting: whole words, characters, UTF-8 bytes."""

from collections.abc import Sequence

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import count_pretokens
from engine.corpus.normalize import normalize
from engine.errors import InputError
from engine.merges.characters import Characters, Utf8Bytes, train_characters
from engine.merges.words import WordTokenizer, train_words
from engine.pretokenization import pretokenizer_for


def plain_tokenizer(
    lines: Sequence[str], settings: TrainingSettings
) -> tuple[WordTokenizer | Characters | Utf8Bytes, tuple[int, int], int]:
    """The tokenizer, its feasible vocabulary sizes, and the number of tokens in the corpus.

    The vocabulary of words or characters is smaller than `vocab_size` if the corpus has fewer; the one of bytes always
    has 256 tokens.

    Raises
    ------
    InputError : there is no text, or the settings have special tokens, which these tokenizers do not support.
    """
    if settings.special_tokens:
        raise InputError("plain.specials", algorithm=settings.algorithm)
    text = [normalize(line, settings.normalization) for line in lines]
    # Characters and bytes do not depend on the pre-tokens; whole lines are cheapest.
    pretokenizer = pretokenizer_for(settings.pretokenizer if settings.algorithm == "words" else "none", text)
    pretokens = count_pretokens(text, pretokenizer)
    n_characters = int((pretokens.count * (pretokens.ptr[1:] - pretokens.ptr[:-1])).sum())
    if not n_characters:
        raise InputError("corpus.empty")
    if settings.algorithm == "bytes":
        return Utf8Bytes(), (N_BYTES, N_BYTES), sum(len(line.encode()) for line in text)
    if settings.algorithm == "characters":
        every = len(set().union(*text)) + 1
        characters = train_characters(pretokens, settings.vocab_size, settings.normalization)
        return characters, (2, every), n_characters
    every = train_words(pretokens, 2_000_000, pretokenizer, settings.normalization).vocab_size
    words = train_words(pretokens, settings.vocab_size, pretokenizer, settings.normalization)
    return words, (2, every), int(pretokens.count.sum())
