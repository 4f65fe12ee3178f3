"""What every tokenizer answers, whatever trained it or whichever file it came from.

`Tokenizer` is asked for by name everywhere; nobody asks which class it is. What only some tokenizers have is a view,
and None with all others:

    if tokenizer.probabilities is not None:         # Thunder-Tok, Unigram, imported Unigram files
        tokenizer.probabilities.lattice("한 줄").entropy

Inherit from `Tokenizer` to make a new kind: name, vocabulary size and the four methods without a body are enough.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from engine.atomic_file import write_whole
from engine.config import TrainingSettings
from engine.corpus.normalize import given_offsets
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError
from engine.merge_settings import MergeSettings

if TYPE_CHECKING:
    import pandas as pd  # a third of a second, which most commands do not need

    from engine.lattice.lattice import Lattice
    from engine.lattice.vocabulary import Vocabulary
    from engine.merge_history import MergeHistory
    from engine.pruning_rounds import Round, RoundReport


class Encoding(NamedTuple):
    """A text as tokens.

    Attributes
    ----------
    ids : token ids, in order.
    spans : for each the UTF-8 byte offsets (begin, end) of the text that it stands for; they tile the text. A token
        that stands for nothing in it, such as a space that was put before the text, has an empty span.
    """

    ids: list[int]
    spans: list[tuple[int, int]]


class EncodedBatch(NamedTuple):
    """Many lines as tokens, in flat arrays.

    Attributes
    ----------
    ids : int32[n_tokens], the tokens of all lines one after the other.
    size : int64[n_tokens], the UTF-8 bytes of the text that each stands for; they tile the lines.
    line_ptr : int64[n_lines + 1], where the tokens of each line begin.
    """

    ids: np.ndarray
    size: np.ndarray
    line_ptr: np.ndarray


def encoding_as_given(encoding: Encoding, text: str, form: str) -> Encoding:
    """An encoding whose spans are offsets in the normalised text, with offsets in `text_of_spans(text, form)`."""
    offsets = given_offsets(text, form)
    if offsets is None:
        return encoding
    return Encoding(encoding.ids, [(int(offsets[begin]), int(offsets[end])) for begin, end in encoding.spans])


def batch_as_given(batch: EncodedBatch, lines: Sequence[str], form: str) -> EncodedBatch:
    """The same of many lines."""
    offsets = given_offsets("".join(lines), form)
    return batch if offsets is None else batch._replace(size=np.diff(offsets[np.cumsum(batch.size)], prepend=0))


class TrainingText(NamedTuple):
    """The text that a tokenizer was trained on, in figures.

    Attributes
    ----------
    n_words : white-space separated words.
    n_tokens : tokens that the finished tokenizer cuts it into; of a unigram model the expected number.
    n_units : distinct sentences, or pre-tokens; None where that was not kept.
    fingerprint : SHA-256 (hex) of the normalised text; empty where that was not kept.
    """

    n_words: int
    n_tokens: float
    n_units: int | None = None
    fingerprint: str = ""


class Tokenizer(Protocol):
    """What pages, measures, exports and commands ask of a tokenizer.

    Attributes
    ----------
    normalization : form that a text is brought into first: `none`, `nfc`, `nfd` or `jamo`. Spans are offsets in that
        form, but of `jamo` in the text as it was given, see `engine.corpus.normalize.text_of_spans`. A normaliser of an
        imported file is not named here: with it spans refer to the text as it was given.
    pretokenizer : no token crosses its boundaries; None: there is none, or it is a chain of steps of an imported file.
    unknown_id : id of the token for what the vocabulary cannot write; None: there is none.
    special_tokens : ids of the tokens that text becomes only where that is allowed, by their text.
    unsupported : what an imported file asks for and is not done here, each with its place in the file.
    sought : texts that the steps of an imported file look for, and the sources of its patterns.
    settings : what it was trained with, or what encoding goes by; None where nothing says.
    training_text : figures of the text that it was trained on; None where they are not known.
    tokenizer_json : parts of a tokenizer.json (model, pretokenizers, decoder, normalizer) that cuts text the same, of a
        file that holds less; None where there is none.
    """

    normalization: str = "none"
    pretokenizer: Pretokenizer | None = None
    unknown_id: int | None = None
    special_tokens: Mapping[str, int] = {}
    unsupported: tuple[str, ...] = ()
    sought: tuple[str, ...] = ()
    settings: TrainingSettings | MergeSettings | None = None
    training_text: TrainingText | None = None
    tokenizer_json: Mapping[str, Any] | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the algorithm, as people write it."""
        ...

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """Number of ids; they go from 0 to vocab_size - 1."""
        ...

    @abstractmethod
    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans of a text.

        Parameters
        ----------
        text : any text.
        allow_special : whether a special token's literal text becomes that token. By default it stays text.
        """
        ...

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; bytes that do not make a character as `<0xEC>`, never U+FFFD."""
        ...

    @abstractmethod
    def token_label(self, token_id: int) -> str:
        """A token as its file format writes it: `##ble`, `est</w>`, `<0xEC>`; InputError where there is no such id."""
        ...

    @abstractmethod
    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a token, without marks; empty for special tokens. InputError where there is no such id."""
        ...

    def encode_lines(self, lines: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Every line as `encode` encodes it; on so many threads where the tokenizer can."""
        line_ptr = np.zeros(len(lines) + 1, dtype=np.int64)
        ids: list[int] = []
        sizes: list[int] = []
        for number, line in enumerate(lines):
            encoding = self.encode(line)
            ids += encoding.ids
            sizes += [end - begin for begin, end in encoding.spans]
            line_ptr[number + 1] = len(ids)
        return EncodedBatch(np.array(ids, dtype=np.int32), np.array(sizes, dtype=np.int64), line_ptr)

    def fewest_tokens(self, lines: Sequence[str]) -> np.ndarray | None:
        """The fewest tokens of the vocabulary that each line could be (int64[n_lines]), whatever `encode` chooses.

        No token crosses a pre-token's boundary. None where text may become the unknown token: with that, fewest says
        nothing.
        """
        return None

    def statistics(self) -> Mapping[str, np.ndarray]:
        """What is known of every token: a name, and an array [vocab_size] in the order of the ids.

        `log_prob` (nats), `p` (eq. 5), `be` (nats) and `score` are float64, NaN where a token has none. `merge` (number
        of the merge that made it, from 1), `frequency` (in the training text, of a merge when it was made) and `rank`
        are int64, -1 where a token has none. Only what there is, is there.
        """
        return {}

    def file_parts(self) -> Iterator[bytes]:
        """The content of its model file, a part at a time: a large model is never in memory twice.

        Raises
        ------
        InputError : it came from a file of another program, which can be copied.
        """
        raise InputError("tokenizer.imported", name=self.name)

    def to_bytes(self) -> bytes:
        """The content of its model file; raises as `file_parts` does."""
        return b"".join(self.file_parts())

    def save(self, path: str | Path) -> str:
        """Write the model file, whole or not at all; returns the SHA-256 of its bytes (hex).

        Raises
        ------
        InputError : the file cannot be written, or see `file_parts`.
        """
        digest = hashlib.sha256()

        def parts() -> Iterator[bytes]:
            for part in self.file_parts():
                digest.update(part)
                yield part

        write_whole(path, parts())
        return digest.hexdigest()

    @property
    def probabilities(self) -> "LatticeTokenizer | None":
        """The tokenizer as one whose tokens have probabilities."""
        return None

    @property
    def pruning(self) -> "PrunedTokenizer | None":
        """The tokenizer as one that was made by pruning, with the history of its rounds."""
        return None

    @property
    def merges(self) -> "MergedTokenizer | None":
        """The tokenizer as one that was made by merges, with their history."""
        return None

    @property
    def longest_match(self) -> "MatchingTokenizer | None":
        """The tokenizer as one that takes the longest token from the left (WordPiece)."""
        return None

    def byte_ranks(self) -> Mapping[bytes, int] | None:
        """Ids by bytes, where pairs of tokens merge in the order of the ids of what they make (tiktoken); else None.

        Raises
        ------
        InputError : two tokens have the same bytes.
        """
        return None


class LatticeTokenizer(Tokenizer, Protocol):
    """A tokenizer whose tokens have probabilities: it takes the most probable segmentation of all."""

    def lattice(
        self,
        text: str,
        *,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> "Lattice":
        """All segmentations of one line; see Lattice for what can be asked of them and for the what-ifs."""
        ...


class PrunedTokenizer(LatticeTokenizer, Protocol):
    """A tokenizer whose vocabulary was pruned round by round.

    Rows number all tokens of the seed vocabulary (0..255 the bytes, then in order of their bytes); ids number the
    tokens of the final one.

    Attributes
    ----------
    pretokenizer : no token crosses its boundaries.
    settings : what it was trained with.
    blob, ptr : uint8[n], int64[n_rows + 1], the bytes of all rows one after the other, and where each begins.
    died_in_round : int16[n_rows], the round at whose end the token was removed, -1 while alive.
    ids : int32[n_rows], -1 for removed tokens.
    history : the numbers of every round, for the tokens alive in it.
    first_round : the first whose tokens it holds; of those before it a compact model has the reports only.
    corpus_units, corpus_words, corpus_fingerprint : sentences, words and SHA-256 of the text it was trained on.
    """

    pretokenizer: Pretokenizer
    settings: TrainingSettings
    blob: np.ndarray
    ptr: np.ndarray
    died_in_round: np.ndarray
    ids: np.ndarray
    history: "list[Round]"
    first_round: int
    corpus_units: int
    corpus_words: int
    corpus_fingerprint: str

    @property
    def tokens(self) -> list[bytes]:
        """Bytes of every row."""
        ...

    @property
    def rounds(self) -> "list[RoundReport]":
        """Reports of all rounds; 0 is the seed vocabulary."""
        ...

    @property
    def last_round(self) -> int:
        """Number of the final round."""
        ...

    @property
    def kept_rounds(self) -> range:
        """Numbers of the rounds whose tokens it holds."""
        ...

    def round_number(self, number: int | None) -> int:
        """`number`, or the last round for None; InputError where there is none or its tokens are not held."""
        ...

    def alive_rows(self, number: int | None = None) -> np.ndarray:
        """Rows (int64, ascending) of the tokens that are in the vocabulary of a round."""
        ...

    def scores(self, number: int | None = None) -> np.ndarray:
        """What a round ranked its tokens by (float64, in the order of `alive_rows`)."""
        ...

    def vocabulary(self, number: int | None = None) -> "Vocabulary":
        """Vocabulary of a round, ready for inference; its token k is row `alive_rows(number)[k]`."""
        ...

    def round_table(self, number: int | None = None, include_dead: bool = False) -> "pd.DataFrame":
        """Tokens of a round with their statistics, one row a token, by descending score."""
        ...

    def segment(self, text: str, round: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Best segmentation in any round: rows (int64[n]) and ends in the UTF-8 bytes of the normalised text."""
        ...

    def lattice(
        self,
        text: str,
        round: int | None = None,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> "Lattice":
        """All segmentations of one line in a round."""
        ...


class MergedTokenizer(Tokenizer, Protocol):
    """A tokenizer whose vocabulary was made by merges.

    Attributes
    ----------
    pretokenizer : no token crosses its boundaries.
    settings : what it was trained with.
    history : the merges in order.
    n_first : tokens before the first merge; merge k (from 0) makes the token `n_first + k`.
    n_symbols : tokens of the training corpus before the first merge.
    n_words : white-space separated words of the training corpus.
    """

    pretokenizer: Pretokenizer
    settings: MergeSettings
    history: "MergeHistory"
    n_first: int
    n_symbols: int
    n_words: int

    @property
    def n_merges(self) -> int:
        """Number of merges."""
        ...

    @property
    def forms(self) -> Sequence[str] | None:
        """The characters of the alphabet by their form in a word (see engine.merges.alphabet); None for bytes."""
        ...

    def table(self) -> "pd.DataFrame":
        """One row a merge, in order."""
        ...

    def encode_after(self, n_merges: int, text: str) -> Encoding:
        """The text with the first so many merges only; InputError where there are fewer."""
        ...

    def at(self, n_merges: int) -> "MergedTokenizer":
        """The tokenizer as it was after so many merges; InputError where there are fewer."""
        ...


class MatchingTokenizer(Tokenizer, Protocol):
    """A tokenizer that takes the longest token that fits, from the left.

    Attributes
    ----------
    pretokenizer : cuts the text into words.
    settings : the marks, the unknown token, the longest word.
    """

    pretokenizer: Pretokenizer
    settings: MergeSettings


def require_probabilities(tokenizer: Tokenizer) -> LatticeTokenizer:
    """The tokenizer as one with probabilities; InputError where it has none."""
    if tokenizer.probabilities is None:
        raise InputError("tokenizer.no_probabilities", name=tokenizer.name)
    return tokenizer.probabilities


def require_pruning(tokenizer: Tokenizer) -> PrunedTokenizer:
    """The tokenizer as one with pruning rounds; InputError where it has none."""
    if tokenizer.pruning is None:
        raise InputError("tokenizer.no_rounds", name=tokenizer.name)
    return tokenizer.pruning
