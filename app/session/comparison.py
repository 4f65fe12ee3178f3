"""The common tokenizers taught in lessons, trained on one corpus for comparison."""

from dataclasses import replace

from app.session.reference import ModelReference
from app.session.training import feasible_sizes
from app.texts.corpora import Text
from engine.config import N_BYTES, TrainingSettings, defaults_of
from engine.corpus.normalize import JAMO
from engine.corpus.pretokens.presets import PRESETS

# Maximum number of tokenizers on a page.
MAX_SHOWN = 6

# The usual settings of each. All but Thunder-Tok pre-tokenize words as GPT-2 does; bpe-mecab pre-tokenizes morphemes.
# BPE inside morphemes starts from bytes: a small vocabulary of characters would have room for little else.
_SETTINGS = {
    "thunder-tok": defaults_of("thunder-tok"),
    "unigram": replace(defaults_of("unigram"), pretokenizer="gpt2"),
    "byte-bpe": replace(defaults_of("byte-bpe"), pretokenizer="gpt2"),
    "bpe": replace(defaults_of("bpe"), pretokenizer="gpt2"),
    "bpe-mecab": replace(defaults_of("byte-bpe"), pretokenizer="mecab"),
    "wordpiece": replace(defaults_of("wordpiece"), pretokenizer="gpt2"),
    "words": replace(defaults_of("words"), pretokenizer="whitespace"),
    "characters": defaults_of("characters"),
    "bytes": defaults_of("bytes"),
}
TRAINED_HERE = tuple(_SETTINGS)

# With Thunder-Tok these are the four of the paper's Table 2.
USUAL = ("byte-bpe", "unigram", "bpe-mecab")

# The first comparison a visitor sees: the same text under our model, BPE on the same corpus, and widely used public
# tokenizers.
FIRST_SHIPPED = ("thunder-tok-32k", "byte-bpe-32k")
FIRST_PUBLIC = ("cl100k_base", "o200k_base")

# The same with Hangul as syllables and as jamo, of which a syllable takes two and a half times as many bytes.
LETTERS, LETTERS_SIZE = ("none", JAMO), 4000
_JAMO_BYTES = 80  # of the longest token, in place of 32

# Byte-level BPE with other policies for digits: GPT-2 keeps runs of digits, these split them into threes or one by one.
# Threes are counted from the right, like the places of a number (12|345|678), so the remainder of one or two digits
# comes first. GPT-4's \p{N}{1,3} alone counts from the left.
_DIGITS = {"digits-3": r"(?<!\p{N})\p{N}{1,2}(?=(?:\p{N}{3})+(?!\p{N}))|\p{N}{1,3}", "digits-1": r"\p{N}"}
DIGIT_POLICIES = tuple(_DIGITS)


def _pattern(code: str) -> str:
    return PRESETS["gpt2"].pattern.replace(r" ?\p{N}+", _DIGITS[code])


def digit_policy(pretokenizer: str) -> str | None:
    """The one of DIGIT_POLICIES that a pre-tokenizer implements; None for none."""
    return next((code for code in DIGIT_POLICIES if _pattern(code) == pretokenizer), None)


def taught_settings(code: str, vocab_size: int) -> TrainingSettings:
    """Settings of one of TAUGHT or DIGIT_POLICIES."""
    settings = replace(defaults_of("byte-bpe"), pretokenizer=_pattern(code)) if code in _DIGITS else _SETTINGS[code]
    return replace(settings, vocab_size=N_BYTES if code == "bytes" else vocab_size)


def taught_reference(code: str, source: Text, vocab_size: int) -> ModelReference | None:
    """The model of an algorithm on a corpus, of the nearest feasible size; None until the feasible sizes are known.

    Raises
    ------
    InputError : the corpus cannot be used at all.
    """
    settings = taught_settings(code, vocab_size)
    feasible = feasible_sizes(source, settings)
    if feasible is None:
        return None
    low, high = feasible
    return ModelReference(source.id, taught_settings(code, max(low, min(vocab_size, high))))


def letters_reference(source: Text, algorithm: str, size: int, form: str) -> ModelReference:
    """The model with Hangul in one of LETTERS, of the nearest feasible size.

    Raises
    ------
    InputError : the corpus cannot be used at all.
    """
    settings = replace(taught_settings(algorithm, size), normalization=form)
    if form == JAMO and algorithm in ("thunder-tok", "unigram"):
        settings = replace(settings, max_token_bytes=_JAMO_BYTES)
    low, high = feasible_sizes(source, settings) or (size, size)
    return ModelReference(source.id, replace(settings, vocab_size=max(low, min(size, high))))
