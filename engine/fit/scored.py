"""New tokens of a Unigram vocabulary: learned from a text by EM, or listed."""

import dataclasses
from abc import abstractmethod
from collections.abc import Collection, Sequence

import numpy as np
import regex

from engine.config import TrainingSettings
from engine.corpus.arrays import assemble_corpus, find_lines
from engine.corpus.pretokens.pretokenize import text_of
from engine.errors import InputError, require_between
from engine.fit.editable import MOST_NEW, TextEditable
from engine.fit.listed import ListedTokens, check_count, check_listed
from engine.pretokenization import get_pretokenizer
from engine.unigram.train.extension import Estimated, Extension, OldScores, substrings_to_try
from engine.unigram.train.seed import alphabet_of
from engine.unigram.train.trainer import LOG_PROB_GRID
from engine.vocabulary.trie import build_trie

KEEP, ALL = SCORES = ("keep", "all")

# A new token is letters, digits or other signs, with the space before them, or white space, as SentencePiece learns.
_WHOLE = regex.compile(r" ?(?:[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]+)|\s+")
# EM begins with so many substrings: with eight for every token to add, and these.
_TRIED, _TRIED_AT_LEAST = 8, 20_000
# Old tokens may have so many bytes; learned ones have the limit of training.
_MOST_BYTES = 255


class ScoredEditable(TextEditable):
    """A Unigram tokenizer, with its file."""

    @abstractmethod
    def scores(self) -> tuple[dict[str, float], set[str], float, float]:
        """Scores of what text may become, all texts of tokens, the lowest score and that of an unknown character."""


def learn_tokens(
    editable: ScoredEditable, lines: list[str], n: int, min_count: int, how: str, threads: int
) -> Estimated:
    """Up to n new tokens of the lines, the most useful first, with their scores and those of the old ones.

    Words are looked at one by one: no new token crosses a space, and old ones that do are not reckoned with.

    Parameters
    ----------
    min_count : occurrences that a new token needs.
    how : KEEP or ALL, see `Extension.best`.

    Raises
    ------
    InputError : n is too large, or `how` is something else.
    """
    require_between("new_tokens", n, 0, MOST_NEW)
    if how not in SCORES:
        raise InputError("fit.scores", given=how, choices=" or ".join(SCORES))
    of_text, taken, least, unknown = editable.scores()
    mark = editable.mark
    of_text = {text.replace(mark, " "): score for text, score in of_text.items()}
    lattice = (build_trie(list(of_text), np.arange(len(of_text), dtype=np.int32)), np.array(list(of_text.values())))
    old = OldScores(of_text, {text.replace(mark, " ") for text in taken}, *lattice, least, unknown)
    text = find_lines("\n".join(editable.normalized(lines)).replace(mark, " "))
    if n == 0 or not text.begin.size:
        return Estimated({}, {})
    corpus = assemble_corpus(text, get_pretokenizer("whitespace"), "pretoken", threads)
    settings = TrainingSettings(
        algorithm="unigram",
        vocab_size=_MOST_BYTES + 1,
        seed_vocabulary="ngrams",
        context="pretoken",
        membership="occurrence",
        min_count=min_count,
    )
    tried = substrings_to_try(corpus, settings, old, _TRIED * n + _TRIED_AT_LEAST, threads)
    letters = set(text_of(alphabet_of(corpus.pretokens.chars)))
    tokens = [token for token in tried if _WHOLE.fullmatch(token) and token not in old.taken]
    tokens += [token for token in of_text if len(token) > 1 and letters.issuperset(token)]
    settings = dataclasses.replace(settings, seed_vocabulary="bpe", min_count=1, max_token_bytes=_MOST_BYTES)
    found = Extension(corpus, settings, threads, tokens).best(old, n, min_count, how == KEEP)
    return Estimated(*({text.replace(" ", mark): score for text, score in part.items()} for part in found))


def list_tokens(
    editable: ScoredEditable, tokens: Sequence[str], lost: Collection[str] = ()
) -> tuple[dict[str, float], ListedTokens]:
    """The scores of the tokens of a list, and what became of its lines.

    A token is a little more probable than what it is cut into today, the more the longer it is, so that of two that
    begin together the longer is reached. So text is cut differently only where it has been cut into just these pieces,
    or where a token would be below the lowest score, from which that of unknown characters follows, and is raised.

    Parameters
    ----------
    tokens : of lines 1, 2, ...; a token that follows a space begins with it.
    lost : tokens of which is known that they are not reached.

    Raises
    ------
    InputError : the list is too long.
    """
    check_count(tokens)
    _, taken, least, unknown = editable.scores()
    log_prob = np.nan_to_num(editable.tokenizer.statistics()["log_prob"], nan=unknown)
    scores: dict[str, float] = {}
    listed = ListedTokens([], {}, {})
    for line, token in enumerate(tokens, start=1):
        try:
            check_listed(editable, token)
            text = editable.listed_text(token)
            if text in taken:
                raise InputError("fit.token_known", token=token)
            if text in scores:
                raise InputError("fit.token_repeated", token=token)
            if token in lost:
                raise InputError("fit.token_lost", token=token)
            listed.texts[editable.tokenizer.vocab_size + len(scores)] = token
            scores[text] = max(least, float(log_prob[editable.spell(text)].sum()) + (2 * len(text) - 1) / LOG_PROB_GRID)
        except InputError as error:
            listed.left_out[line] = error
    return scores, listed
