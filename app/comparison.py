"""The tokenizers that everybody teaches, trained on one corpus, to be seen beside each other."""

from app.corpora import Source
from app.feasible import feasible_sizes
from app.reference import ModelReference
from engine.config import N_BYTES, TrainingSettings
from engine.corpus.presets import PRESETS

# A page shows so many tokenizers at most.
MAX_SHOWN = 6

# The settings that are usual for each. All but Thunder-Tok cut words by themselves, as GPT-2 does; MeCab cuts
# morphemes. BPE inside morphemes starts from bytes: a small vocabulary would hold little more than its characters.
_SETTINGS: dict[str, dict[str, str]] = {
    "thunder-tok": {},
    "unigram": {"algorithm": "unigram", "pretokenizer": "gpt2", "score": "ml", "seed_vocabulary": "ngrams"},
    "byte-bpe": {"algorithm": "byte-bpe", "pretokenizer": "gpt2"},
    "bpe": {"algorithm": "bpe", "pretokenizer": "gpt2"},
    "bpe-mecab": {"algorithm": "byte-bpe", "pretokenizer": "mecab"},
    "wordpiece": {"algorithm": "wordpiece", "pretokenizer": "gpt2"},
    "words": {"algorithm": "words", "pretokenizer": "whitespace"},
    "characters": {"algorithm": "characters"},
    "bytes": {"algorithm": "bytes"},
}
TAUGHT = tuple(_SETTINGS)

# Byte-level BPE with other policies for digits: GPT-2 keeps runs of digits, these cut them in threes or one by one.
_DIGITS = {"digits-3": r"\p{N}{1,3}", "digits-1": r"\p{N}"}
DIGIT_POLICIES = tuple(_DIGITS)


def _pattern(code: str) -> str:
    return PRESETS["gpt2"].pattern.replace(r" ?\p{N}+", _DIGITS[code])


def digit_policy(pretokenizer: str) -> str | None:
    """Which of DIGIT_POLICIES a pre-tokenizer is."""
    return next((code for code in DIGIT_POLICIES if _pattern(code) == pretokenizer), None)


def taught_settings(code: str, vocab_size: int) -> TrainingSettings:
    """Settings of one of TAUGHT or DIGIT_POLICIES."""
    is_digits = code in _DIGITS
    values = {"algorithm": "byte-bpe", "pretokenizer": _pattern(code)} if is_digits else _SETTINGS[code]
    return TrainingSettings(vocab_size=N_BYTES if code == "bytes" else vocab_size, **values)  # type: ignore[arg-type]


def taught_reference(code: str, source: Source, vocab_size: int) -> ModelReference | None:
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
