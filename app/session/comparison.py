"""The tokenizers that everybody teaches, trained on one corpus, to be seen beside each other."""

from dataclasses import replace

from app.session.feasible import feasible_sizes
from app.session.reference import ModelReference
from app.texts.corpora import Text
from engine.config import N_BYTES, TrainingSettings, defaults_of
from engine.corpus.pretokens.presets import PRESETS

# A page shows so many tokenizers at most.
MAX_SHOWN = 6

# The settings that are usual for each. All but Thunder-Tok cut words by themselves, as GPT-2 does; MeCab cuts
# morphemes. BPE inside morphemes starts from bytes: a small vocabulary would hold little more than its characters.
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

# What a first visitor sees beside each other: the same text under ours, under BPE on the same corpus, and under what
# everybody uses.
FIRST_SHIPPED = ("thunder-tok-32k", "byte-bpe-32k")
FIRST_PUBLIC = ("cl100k_base", "o200k_base")

# Byte-level BPE with other policies for digits: GPT-2 keeps runs of digits, these cut them in threes or one by one.
# Threes are counted from the right, as the places of a number are (12|345|678): what is left over, one digit or two,
# comes first. GPT-4's \p{N}{1,3} alone counts from the left.
_DIGITS = {"digits-3": r"(?<!\p{N})\p{N}{1,2}(?=(?:\p{N}{3})+(?!\p{N}))|\p{N}{1,3}", "digits-1": r"\p{N}"}
DIGIT_POLICIES = tuple(_DIGITS)


def _pattern(code: str) -> str:
    return PRESETS["gpt2"].pattern.replace(r" ?\p{N}+", _DIGITS[code])


def digit_policy(pretokenizer: str) -> str | None:
    """Which of DIGIT_POLICIES a pre-tokenizer is."""
    return next((code for code in DIGIT_POLICIES if _pattern(code) == pretokenizer), None)


def taught_settings(code: str, vocab_size: int) -> TrainingSettings:
    """Settings of one of TAUGHT or DIGIT_POLICIES."""
    settings = replace(defaults_of("byte-bpe"), pretokenizer=_pattern(code)) if code in _DIGITS else _SETTINGS[code]
    return replace(settings, vocab_size=N_BYTES if code == "bytes" else vocab_size)


def taught_reference(code: str, source: Text, vocab_size: int) -> ModelReference | None:
    """The model of that algorithm on a corpus, of a feasible size as near as can be; None while the sizes are counted.

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
