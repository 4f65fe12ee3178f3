"""The interface of all tokenizers, trained here or imported.

Callers never check the class of a `Tokenizer`. Features that only some tokenizers have are views, None for the others:

    if tokenizer.probabilities is not None:         # Thunder-Tok, Unigram, imported Unigram files
        tokenizer.probabilities.lattice("한 줄").entropy

To add a tokenizer, subclass `Tokenizer` and implement its abstract members.
"""

import codecs
import hashlib
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from engine.config import TrainingSettings
from engine.corpus.arrays import CutLines
from engine.corpus.normalize import given_offsets
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError
from engine.machine.atomic_file import write_whole
from engine.merge_settings import MergeSettings

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second to load, and most commands do not need it

    from engine.lattice.lattice import Lattice
    from engine.lattice.vocabulary import Vocabulary
    from engine.merge_history import MergeHistory
    from engine.progress import Progress
    from engine.pruning_rounds import Round


# Bytes of no character, whatever follows; called for each of a million, the handler takes seconds.
_CUT = re.compile(rb"(?:[\x80-\xc1\xf5-\xff]++|[\xc2-\xdf](?![\x80-\xbf])|[\xe0-\xf4][\x80-\xbf]?(?![\x80-\xbf]))*+")


def _hex_tokens(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    rest = _CUT.match(error.object, error.end)
    end = rest.end() if rest else error.end
    return f"<0x{error.object[error.start : end].hex('>').upper().replace('>', '><0x')}>", end


codecs.register_error("hex_tokens", _hex_tokens)  # bytes of a cut character as `<0xEC>`


class Encoding(NamedTuple):
    """The tokens of a text.

    Attributes
    ----------
    ids : token ids, in order.
    spans : UTF-8 byte offsets (begin, end) of each token; they tile the text. A token without text, such as a space
        added before it, has an empty span.
    """

    ids: list[int]
    spans: list[tuple[int, int]]


class MergeStep(NamedTuple):
    """The tokens of a word after a merge.

    Attributes
    ----------
    number : of the merge, from 1 in the order learned; 0 before the first.
    encoding : the tokens; spans are offsets in the whole text.
    """

    number: int
    encoding: Encoding


class EncodedBatch(NamedTuple):
    """The tokens of many lines, in flat arrays.

    Attributes
    ----------
    ids : int32[n_tokens], the tokens of all lines, concatenated.
    size : int32 or int64[n_tokens], length of each token's text in UTF-8 bytes; they tile the lines.
    line_ptr : int64[n_lines + 1], offsets of the lines in `ids`.
    cut : the lines in the tokenizer's normal form cut into pre-tokens, if it encodes them so.
    """

    ids: np.ndarray
    size: np.ndarray
    line_ptr: np.ndarray
    cut: CutLines | None = None


def encoding_as_given(encoding: Encoding, text: str, form: str) -> Encoding:
    """Convert spans from offsets in the normalised text to offsets in `text_of_spans(text, form)`."""
    offsets = given_offsets(text, form)
    if offsets is None:
        return encoding
    return Encoding(encoding.ids, [(int(offsets[begin]), int(offsets[end])) for begin, end in encoding.spans])


def batch_as_given(batch: EncodedBatch, lines: Sequence[str], form: str) -> EncodedBatch:
    """`encoding_as_given` for many lines."""
    offsets = given_offsets("".join(lines), form)
    return batch if offsets is None else batch._replace(size=np.diff(offsets[np.cumsum(batch.size)], prepend=0))


class TrainingText(NamedTuple):
    """Statistics of the training corpus.

    Attributes
    ----------
    n_words : white-space-separated words.
    n_tokens : tokens under the final vocabulary (expected number for a unigram model).
    n_units : distinct sentences, or pre-tokens; None if not recorded.
    fingerprint : SHA-256 (hex) of the normalised text; empty if not recorded.
    """

    n_words: int
    n_tokens: float
    n_units: int | None = None
    fingerprint: str = ""


@runtime_checkable
class Tokenizer(Protocol):
    """The interface that pages, metrics, exports and commands use.

    Attributes
    ----------
    normalization : applied to the text first: `none`, `nfc`, `nfd` or `jamo`. Spans are offsets in the normalised text,
        except with `jamo` (see `engine.corpus.normalize.text_of_spans`) and with the normaliser of an imported file,
        which is not named here: there they are offsets in the original text.
    pretokenizer : no token crosses its boundaries; None if there is none, or an imported file has its own steps.
    unknown_id : id of the unknown token, or None.
    special_tokens : ids by text; text becomes one of these tokens only if the caller allows it.
    unsupported : features of an imported file that are not supported, each with its location in the file.
    sought : literals that the steps of an imported file search for, and the sources of its patterns.
    settings : used for training, or for encoding; None if unknown.
    training_text : statistics of the training corpus; None if unknown.
    tokenizer_json : for an imported file that lacks them, the parts (model, pretokenizers, decoder, normalizer) of a
        tokenizer.json that segments text identically; else None.
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
        """Display name of the algorithm."""

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """Number of ids, which run from 0 to vocab_size - 1."""

    @abstractmethod
    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans of a text.

        Parameters
        ----------
        text : any text.
        allow_special : whether the text of a special token becomes that token. By default it stays text.
        """

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; bytes that are not valid UTF-8 appear as `<0xEC>`, never as U+FFFD."""

    @abstractmethod
    def token_label(self, token_id: int) -> str:
        """A token as its file format writes it: `##ble`, `est</w>`, `<0xEC>`; InputError for an invalid id."""

    @abstractmethod
    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a token, without marks; empty for special tokens. InputError for an invalid id."""

    def encode_lines(self, lines: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode many lines; `threads` is used only by tokenizers that support it."""
        line_ptr = np.zeros(len(lines) + 1, dtype=np.int64)
        ids: list[int] = []
        sizes: list[int] = []
        for number, line in enumerate(lines):
            encoding = self.encode(line)
            ids += encoding.ids
            sizes += [end - begin for begin, end in encoding.spans]
            line_ptr[number + 1] = len(ids)
        return EncodedBatch(np.array(ids, dtype=np.int32), np.array(sizes, dtype=np.int64), line_ptr)

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray | None:
        """Minimum number of tokens per line (int64[n_lines]) over all segmentations within pre-token boundaries.

        None if the tokenizer has an unknown token, which would make the minimum meaningless. `cut`, of the batch of
        these lines, saves cutting them again.
        """
        return None

    def statistics(self) -> Mapping[str, np.ndarray]:
        """Token statistics by name, each an array [vocab_size] in id order; only those that are available.

        `log_prob` (nats), `p` (eq. 5), `be` (nats) and `score` are float64, NaN if undefined for a token. `merge`
        (number of the merge that created it, from 1), `frequency` (in the training corpus; of a merge, when it was
        made) and `rank` are int64, -1 if undefined.
        """
        return {}

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks, so that a large model is never in memory twice.

        Raises
        ------
        InputError : the tokenizer was imported; copy the original file instead.
        """
        raise InputError("tokenizer.imported", name=self.name)

    def to_bytes(self) -> bytes:
        """The content of the model file; raises as `file_parts` does."""
        return b"".join(self.file_parts())

    def save(self, path: str | Path) -> str:
        """Write the model file atomically; returns its SHA-256 (hex).

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
        """This tokenizer if its tokens have probabilities."""
        return None

    @property
    def pruning(self) -> "PrunedTokenizer | None":
        """This tokenizer if it was trained by pruning, with the history of its rounds."""
        return None

    @property
    def merges(self) -> "MergedTokenizer | None":
        """This tokenizer if it was trained by merges, with their history."""
        return None

    @property
    def longest_match(self) -> "MatchingTokenizer | None":
        """This tokenizer if it uses greedy longest match (WordPiece)."""
        return None

    def merge_steps(self, text: str) -> list[list[MergeStep]] | None:
        """For every pre-token its symbols, then its tokens after each merge; None if this tokenizer does not merge."""
        return None

    def byte_ranks(self) -> Mapping[bytes, int] | None:
        """Ids by bytes if tokens merge in the order of the resulting ids (tiktoken); else None.

        Raises
        ------
        InputError : two tokens have the same bytes.
        """
        return None


class LatticeTokenizer(Tokenizer, Protocol):
    """A tokenizer whose tokens have probabilities; it chooses the most probable segmentation."""

    @property
    def probabilities(self) -> "LatticeTokenizer":
        """This tokenizer."""
        return self

    def lattice(
        self,
        text: str,
        *,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> "Lattice":
        """All segmentations of one line; see Lattice for the queries and for `forbid`, `add` and `force`."""


class PrunedTokenizer(LatticeTokenizer, Protocol):
    """A tokenizer whose vocabulary was pruned round by round.

    Rows number the tokens of the seed vocabulary (0..255 are the bytes, the rest is sorted by bytes); ids number the
    tokens of the final vocabulary.

    Attributes
    ----------
    pretokenizer : no token crosses its boundaries.
    settings : used for training.
    blob, ptr : uint8[n], int64[n_rows + 1], the bytes of all rows, concatenated, and the offset of each row.
    died_in_round : int16[n_rows], the round at whose end the token was removed; -1 if still alive.
    ids : int32[n_rows], -1 for removed tokens.
    history : statistics of every round, for the tokens alive in it.
    first_round : the first round whose tokens are stored; a compact model has only reports and histograms of earlier
        ones.
    corpus_units, corpus_words, corpus_fingerprint : sentences, words and SHA-256 of the training corpus.
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
        """Token bytes of every row."""

    @property
    def rounds(self) -> "list[Progress]":
        """Reports of all rounds; 0 is the seed vocabulary."""

    @property
    def last_round(self) -> int:
        """Number of the final round."""

    @property
    def kept_rounds(self) -> range:
        """Numbers of the rounds whose tokens are stored."""

    def round_number(self, number: int | None) -> int:
        """`number`, or the last round for None; InputError if the round does not exist or its tokens are not stored."""

    def alive_rows(self, number: int | None = None) -> np.ndarray:
        """Rows (int64, ascending) of the tokens in the vocabulary of a round."""

    def scores(self, number: int | None = None) -> np.ndarray:
        """The scores by which a round ranked its tokens (float64, in the order of `alive_rows`)."""

    def vocabulary(self, number: int | None = None) -> "Vocabulary":
        """Vocabulary of a round, for inference; its token k is row `alive_rows(number)[k]`."""

    def round_table(self, number: int | None = None, include_dead: bool = False) -> "pd.DataFrame":
        """Tokens of a round with their statistics, one row per token, by descending score."""

    def segment(self, text: str, round: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Best segmentation in a round: rows (int64[n]) and end offsets in the UTF-8 bytes of the normalised text."""

    def lattice(
        self,
        text: str,
        round: int | None = None,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> "Lattice":
        """All segmentations of one line in a round."""


class MergedTokenizer(Tokenizer, Protocol):
    """A tokenizer whose vocabulary was built by merges.

    Attributes
    ----------
    pretokenizer : no token crosses its boundaries.
    settings : used for training.
    history : the merges in order.
    n_first : size of the vocabulary before the first merge; merge k (from 0) creates the token `n_first + k`.
    n_symbols : tokens in the training corpus before the first merge.
    n_words : white-space-separated words in the training corpus.
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

    @property
    def forms(self) -> Sequence[str] | None:
        """Positional forms of the characters of the alphabet (see engine.merges.alphabet); None for bytes."""

    def table(self) -> "pd.DataFrame":
        """One row per merge, in order."""

    def encode_after(self, n_merges: int, text: str) -> Encoding:
        """Encode with the first `n_merges` merges only; InputError if there are fewer."""

    def at(self, n_merges: int) -> "MergedTokenizer":
        """The tokenizer as it was after `n_merges` merges; InputError if there are fewer."""


class MatchingTokenizer(Tokenizer, Protocol):
    """A tokenizer that uses greedy longest match from the left.

    Attributes
    ----------
    pretokenizer : cuts the text into words.
    settings : the marks, the unknown token, the maximum word length.
    """

    pretokenizer: Pretokenizer
    settings: MergeSettings


def require_probabilities(tokenizer: Tokenizer) -> LatticeTokenizer:
    """The view `probabilities`; InputError if the tokenizer has none."""
    if tokenizer.probabilities is None:
        raise InputError("tokenizer.no_probabilities", name=tokenizer.name)
    return tokenizer.probabilities


def require_pruning(tokenizer: Tokenizer) -> PrunedTokenizer:
    """The view `pruning`; InputError if the tokenizer has none."""
    if tokenizer.pruning is None:
        raise InputError("tokenizer.no_rounds", name=tokenizer.name)
    return tokenizer.pruning
