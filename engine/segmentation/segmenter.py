"""Methods that cut text without spaces, by name; and BPE confined to their boundaries."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np

from engine.boundaries.language_model import DEFAULT_ORDER, DEFAULT_RULE, CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_LAMBDA, DEFAULT_TOTAL, UtilityMatcher
from engine.errors import InputError, require_choice
from engine.merge_settings import MergeSettings
from engine.merges.bpe import Bpe
from engine.merges.trainer import MergeTrainer, toy_pretokens
from engine.segmentation.scoring import f1_sums, score_segmentation
from engine.tokenizer import Tokenizer

METHODS = ("none", "pmi-entropy", "entropy-only", "lm-entropy")

Cutter = Callable[[str], list[int]]


class BoundaryTraining(NamedTuple):
    """Text to learn boundaries from.

    Attributes
    ----------
    lines : without white space.
    known : the words of lines with spaces; the recall of all others is R_oov.
    """

    lines: tuple[str, ...]
    known: frozenset[str]


def read_training(lines: Sequence[str]) -> BoundaryTraining:
    """Lines of a text to learn boundaries from.

    >>> read_training(["가 가", "다라"])
    BoundaryTraining(lines=('가가', '다라'), known=frozenset({'가'}))
    """
    known = frozenset(word for line in lines if " " in line for word in line.split())
    return BoundaryTraining(tuple("".join(line.split()) for line in lines), known)


def learn_boundaries(
    method: str,
    lines: Sequence[str],
    lam: float = DEFAULT_LAMBDA,
    total: str = DEFAULT_TOTAL,
    edge_counts: bool = True,
    order: int = DEFAULT_ORDER,
    rule: str = DEFAULT_RULE,
) -> Cutter:
    """A function from a text to the ends of its pieces.

    Parameters
    ----------
    method : one of METHODS; `none` leaves a line whole.
    lines : training text for the counts.
    lam, total, edge_counts : of the utility; see UtilityMatcher and Ngrams.
    order, rule : of the language model; see CharacterModel.

    Raises
    ------
    InputError : the method is unknown, there is no text, or a setting is out of range.
    """
    require_choice("method", method, METHODS)
    if method == "none":
        return lambda text: [len(text)] if text else []
    ngrams = Ngrams(lines, 6, edge_counts)
    if method == "lm-entropy":
        model = CharacterModel(ngrams, order)
        return lambda text: entropy_cuts(model.entropies(text), rule)
    return UtilityMatcher(ngrams, float("inf") if method == "entropy-only" else lam, total).cut


def pieces(text: str, ends: Sequence[int]) -> list[str]:
    """The text between the ends."""
    return [text[a:b] for a, b in pairwise([0, *ends])]


def train_inside(lines: Sequence[str], cut: Cutter, vocab_size: int) -> Bpe:
    """Character BPE whose merges never cross a boundary.

    `vocab_size` is a maximum: training stops if no pair is left; the model has the actual size.
    """
    counts = Counter(piece for line in lines if line for piece in pieces(line, cut(line)))
    if not counts:
        raise InputError("corpus.empty")
    settings = MergeSettings(algorithm="bpe", vocab_size=vocab_size, pretokenizer="none")
    trainer = MergeTrainer(toy_pretokens(counts), settings)
    for _ in trainer.rounds():
        pass
    return cast(Bpe, trainer.model())


class CutTexts(NamedTuple):
    """Texts cut into words.

    Attributes
    ----------
    words : by text.
    vocab_size : of the BPE that cut further inside the pieces; None without.
    """

    words: list[list[str]]
    vocab_size: int | None


def cut_texts(
    texts: Sequence[str], cut: Cutter, train: Sequence[str], vocab_size: int | None = None, is_cut_first: bool = True
) -> CutTexts:
    """Texts without spaces, cut by a method or by BPE trained inside its boundaries.

    Parameters
    ----------
    train, vocab_size : as in `train_inside`; without a size there is no BPE.
    is_cut_first : whether to apply BPE inside the pieces; else to the whole text.
    """
    if vocab_size is None:
        return CutTexts([pieces(text, cut(text)) for text in texts], None)
    model = train_inside(train, cut, vocab_size)
    ends = cut if is_cut_first else lambda text: [len(text)] if text else []
    return CutTexts([bpe_words(model, text, ends(text)) for text in texts], model.vocab_size)


def bpe_words(model: Bpe, text: str, ends: Sequence[int]) -> list[str]:
    """The BPE tokens of a text cut into pieces first; an unknown character is a word of its own."""
    words: list[str] = []
    for piece in pieces(text, ends):
        data = piece.encode()
        words += [data[begin:end].decode() for begin, end in model.encode(piece).spans]
    return words


def token_words(tokenizer: Tokenizer, text: str) -> list[str]:
    """The tokens of a text as words; tokens that share a character are joined. The tokenizer must not normalize.

    If an imported tokenizer drops the whole text, the text is one word.

    >>> from engine.public.load import load_public
    >>> token_words(load_public("gpt2"), "tokens가나")
    ['t', 'ok', 'ens', '가', '나']
    """
    data = text.encode()
    ends = {end for _, end in tokenizer.encode(text).spans if end == len(data) or data[end] & 0xC0 != 0x80}
    bounds = sorted({0, *ends, len(data)})
    return [data[begin:end].decode() for begin, end in pairwise(bounds)]


# Methods, with lambda if they have one.
TRIED = (
    ("none", 0.0),
    ("entropy-only", 0.0),
    *(("pmi-entropy", lam) for lam in (0.0, 1.0, 4.0, 15.0)),
    ("lm-entropy", 0.0),
)


class MethodScores(NamedTuple):
    """How well a method finds the words of a gold text.

    Attributes
    ----------
    method : one of engine.segmentation.segmenter.METHODS.
    lam : NaN if the method has none.
    bpe : whether BPE cut further inside the method's pieces.
    precision, recall, f1 : of words, with both ends correct.
    boundary_f1 : of boundaries between characters.
    vocab_size : of the BPE; None without.
    oov_recall : of words not in the training text; NaN if its words are unknown.
    f1_sums : int64[n_lines, 2], what each line adds to the two sums of F1.
    """

    method: str
    lam: float
    bpe: bool
    precision: float
    recall: float
    f1: float
    boundary_f1: float
    vocab_size: int | None
    oov_recall: float
    f1_sums: np.ndarray


def method_scores(
    gold: Sequence[Sequence[str]],
    train: Sequence[str],
    total: str,
    edges: bool,
    order: int,
    rule: str,
    size: int,
    known: Collection[str] = (),
) -> Iterator[MethodScores]:
    """Scores of every method, alone and with BPE inside its pieces.

    Parameters as in `learn_boundaries`, `cut_texts` and `score_segmentation`.
    """
    texts = ["".join(words) for words in gold]

    for method, lam in TRIED:
        cut = learn_boundaries(method, train, lam, total, edges, order, rule)
        shown = lam if method == "pmi-entropy" else float("nan")
        for most in (size,) if method == "none" else (None, size):
            words, vocab_size = cut_texts(texts, cut, train, most)
            found = score_segmentation(gold, words, known)
            shares = (found.precision, found.recall, found.f1, found.boundary_f1)
            yield MethodScores(
                method, shown, most is not None, *shares, vocab_size, found.oov_recall, f1_sums(gold, words)
            )
