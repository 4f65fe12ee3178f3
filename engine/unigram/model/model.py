"""A trained vocabulary with the history of all its rounds."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import regex

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import CutLines
from engine.corpus.normalize import denormalize, given_offsets, normalize, normalize_token, normalized
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError
from engine.lattice.lattice import VocabularyLattice
from engine.lattice.vocabulary import Vocabulary
from engine.pretokenization import get_pretokenizer
from engine.progress import Progress
from engine.pruning_rounds import Round
from engine.pruning_scores import BE, P, pruning_score
from engine.tokenizer import EncodedBatch, Encoding, PrunedTokenizer, TrainingText, batch_as_given, encoding_as_given
from engine.unigram.model.levels import level_of
from engine.unigram.model.writer import model_parts
from engine.vocabulary.fewest import fewest_of_bytes

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second to load, and most commands do not need it


def assign_ids(died_in_round: np.ndarray, log_prob: np.ndarray, n_special: int) -> np.ndarray:
    """Ids of all rows (int32, -1 if removed), after those of the special tokens: bytes first, the rest by descending
    log probability, with ties by bytes."""
    ids = np.full(died_in_round.size, -1, dtype=np.int32)
    alive = np.flatnonzero(died_in_round == -1)
    order = np.lexsort((alive[N_BYTES:], -log_prob[N_BYTES:]))
    ids[:N_BYTES] = n_special + np.arange(N_BYTES)
    ids[alive[N_BYTES:][order]] = n_special + N_BYTES + np.arange(order.size)
    return ids


def token_label(token: bytes) -> str:
    """Text of a token, or its bytes as `<0xEC>` if they are not whole characters."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in token)


class Model(PrunedTokenizer):
    """A trained Thunder-Tok or Unigram LM tokenizer; see PrunedTokenizer for its attributes.

    Parameters
    ----------
    pretokenizer : None: the one named in the settings.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        blob: np.ndarray,
        ptr: np.ndarray,
        died_in_round: np.ndarray,
        ids: np.ndarray,
        rounds: list[Round],
        corpus_units: int,
        corpus_words: int,
        corpus_fingerprint: str,
        pretokenizer: Pretokenizer | None = None,
        first_round: int = 0,
    ) -> None:
        self.settings = settings
        self.normalization = settings.normalization
        self.special_tokens = {text: i for i, text in enumerate(settings.special_tokens)}
        self.blob = blob
        self.ptr = ptr
        self.died_in_round = died_in_round
        self.ids = ids
        self.history = rounds
        self.corpus_units = corpus_units
        self.corpus_words = corpus_words
        self.corpus_fingerprint = corpus_fingerprint
        self.first_round = first_round
        self.pretokenizer = pretokenizer or get_pretokenizer(settings.pretokenizer)
        report = rounds[-1].report
        n_tokens = report.n_tokens if report else float("nan")
        self.training_text = TrainingText(corpus_words, n_tokens, corpus_units, corpus_fingerprint)
        # The caches live as long as the model; a page looks at a few rounds only.
        self._cached_vocabulary = lru_cache(maxsize=4)(self._build_vocabulary)
        self._cached_rows = lru_cache(maxsize=4)(self._find_alive_rows)

    @property
    def pruning(self) -> PrunedTokenizer:
        """This model."""
        return self

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks."""
        return model_parts(self)

    def statistics(self) -> Mapping[str, np.ndarray]:
        """log_prob, p, be and score of each token in the final round; NaN for special tokens."""
        numbers = self._numbers(self.last_round)
        columns = {}
        for name in ("log_prob", "p", "be", "score"):
            columns[name] = np.full(self.vocab_size, np.nan)
            columns[name][self.ids[numbers["row"]]] = numbers[name]
        return columns

    @property
    def rounds(self) -> list[Progress]:
        """Reports of all rounds."""
        return [entry.report for entry in self.history if entry.report is not None]

    @property
    def last_round(self) -> int:
        """Number of the final round."""
        return len(self.history) - 1

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "Thunder-Tok" if self.settings.algorithm == "thunder-tok" else "Unigram"

    @cached_property
    def vocab_size(self) -> int:
        """Size of the final vocabulary, including special tokens."""
        return int((self.ids >= 0).sum()) + len(self.settings.special_tokens)

    @cached_property
    def tokens(self) -> list[bytes]:
        """Token bytes of every row."""
        return self._tokens_of(np.arange(self.died_in_round.size))

    def _tokens_of(self, rows: np.ndarray) -> list[bytes]:
        data = self.blob.tobytes()
        return [data[a:b] for a, b in zip(self.ptr[rows].tolist(), self.ptr[rows + 1].tolist(), strict=True)]

    def round_number(self, number: int | None) -> int:
        """`number`, or the last round for None; InputError if the round does not exist or its tokens are not stored."""
        if number is None:
            return self.last_round
        if not 0 <= number <= self.last_round:
            raise InputError("model.round", number=number, first=self.first_round, last=self.last_round)
        if number < self.first_round:
            raise InputError("model.early_round", number=number, first=self.first_round, last=self.last_round)
        return number

    @property
    def kept_rounds(self) -> range:
        """Numbers of the rounds whose tokens are stored."""
        return range(self.first_round, self.last_round + 1)

    def alive_rows(self, number: int | None = None) -> np.ndarray:
        """Rows (int64, ascending) of the tokens in the vocabulary of a round."""
        return self._cached_rows(self.round_number(number))

    def _find_alive_rows(self, number: int) -> np.ndarray:
        return np.flatnonzero((self.died_in_round == -1) | (self.died_in_round >= number))

    def scores(self, number: int | None = None) -> np.ndarray:
        """The scores by which a round ranked its tokens (float64, in the order of `alive_rows`)."""
        entry = self.history[self.round_number(number)]
        if entry.score is not None:
            return entry.score
        known = {P: entry.sentence_prob, BE: entry.branching_entropy}
        return pruning_score(self.settings.score).values(known)

    def vocabulary(self, number: int | None = None) -> Vocabulary:
        """Vocabulary of a round, for inference; its token k is row `alive_rows(number)[k]`."""
        return self._cached_vocabulary(self.round_number(number))

    def _build_vocabulary(self, number: int) -> Vocabulary:
        tokens = self._tokens_of(self.alive_rows(number))
        return Vocabulary(tokens, self.history[number].log_prob, self.pretokenizer, self.settings.partial_characters)

    def round_table(self, number: int | None = None, include_dead: bool = False) -> "pd.DataFrame":
        """Tokens of a round with their statistics, one row per token, by descending score.

        Columns: row, token (label), id (in the final vocabulary, -1: removed), log_prob, p (eq. 5), be (nats), score,
        level, n_chars, n_bytes, died_in_round (-1: in the final vocabulary). `include_dead` adds tokens removed before
        the round, with the statistics of their last round.
        """
        import pandas as pd

        number = self.round_number(number)
        parts = [self._numbers(number)]
        if include_dead:
            parts += [
                part[self.died_in_round[part["row"]] == earlier]
                for earlier in range(self.first_round, number)
                for part in [self._numbers(earlier)]
            ]
        table = pd.concat(parts) if len(parts) > 1 else parts[0]
        tokens = self._tokens_of(table["row"].to_numpy())
        labels = [token_label(token) for token in tokens]
        table.insert(1, "token", labels)
        table.insert(2, "id", self.ids[table["row"]])
        table["level"] = [level_of(token) for token in tokens]
        table["n_chars"] = [len(token.decode(errors="ignore")) for token in tokens]
        table["n_bytes"] = [len(token) for token in tokens]
        table["died_in_round"] = self.died_in_round[table["row"]]
        return table.sort_values(["score", "row"], ascending=[False, True], ignore_index=True)

    def _numbers(self, number: int) -> "pd.DataFrame":
        import pandas as pd

        entry = self.history[number]
        p, be = entry.sentence_prob, entry.branching_entropy
        return pd.DataFrame(
            {"row": self.alive_rows(number), "log_prob": entry.log_prob, "p": p, "be": be, "score": self.scores(number)}
        )

    def lattice(
        self,
        text: str,
        round: int | None = None,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> VocabularyLattice:
        """All segmentations of one line in a round; see Lattice for `forbid`, `add` and `force`."""
        ids, form = self.ids[self.alive_rows(round)], self.normalization
        forbid = [normalize_token(token, form) for token in forbid]
        add = [(normalize_token(token, form), log_prob) for token, log_prob in add]
        lattice = VocabularyLattice(self.vocabulary(round), normalize(text, form), forbid, add, force, ids)
        offsets = given_offsets(text, form)
        if offsets is not None:
            lattice.offsets = offsets[lattice.offsets]
        return lattice

    def segment(self, text: str, round: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Best segmentation in a round: rows (int64[n]) and end offsets in the UTF-8 bytes of the normalised text."""
        numbers, ends = self.vocabulary(round).encode(normalize(text, self.settings.normalization))
        return self.alive_rows(round)[numbers], ends

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans of the best segmentation; the spans tile the (normalised) text.

        Parameters
        ----------
        text : any text; line ends are ordinary characters.
        allow_special : whether the text of a special token becomes that token. By default it stays text.
        """
        form = self.normalization
        return encoding_as_given(self._encode_normalized(normalize(text, form), allow_special), text, form)

    def _encode_normalized(self, text: str, allow_special: bool) -> Encoding:
        special = self.settings.special_tokens
        if not (allow_special and special):
            return self._encode_text(text, 0)
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        longest_first = sorted(special, key=len, reverse=True)
        at = 0
        for piece in regex.split("(" + "|".join(map(regex.escape, longest_first)) + ")", text):
            size = len(piece.encode())
            if piece in special:
                part = Encoding([special.index(piece)], [(at, at + size)])
            else:
                part = self._encode_text(piece, at)
            ids += part.ids
            spans += part.spans
            at += size
        return Encoding(ids, spans)

    def encode_lines(self, lines: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode many lines at once; the result does not depend on `threads`."""
        numbers, ptr, cut = self.vocabulary().encode_lines(normalized(lines, self.normalization), threads)
        batch = EncodedBatch(self.ids[self.alive_rows()][numbers], self.vocabulary().sizes[numbers], ptr, cut)
        return batch_as_given(batch, lines, self.normalization)

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray:
        """Minimum number of tokens per line (int64[n_lines]) under the final vocabulary."""
        text = normalized(lines, self.normalization)
        return fewest_of_bytes(self.vocabulary().tokens, self.pretokenizer, text, cut)

    def _encode_text(self, text: str, offset: int) -> Encoding:
        numbers, ends = self.vocabulary().encode(text)
        ids = self.ids[self.alive_rows()[numbers]].tolist()
        stops = (ends + offset).tolist()
        return Encoding(ids, list(zip([offset, *stops[:-1]], stops, strict=True)) if stops else [])

    @cached_property
    def _pieces(self) -> list[bytes]:
        """The bytes of every token by its id; of a special token, its text."""
        rows = np.flatnonzero(self.ids >= 0)
        special = [text.encode() for text in self.settings.special_tokens]
        return special + self._tokens_of(rows[np.argsort(self.ids[rows])])

    def _piece(self, token_id: int) -> bytes:
        if not 0 <= token_id < self.vocab_size:
            raise InputError("token.no_id", token_id=token_id, last=self.vocab_size - 1)
        return self._pieces[token_id]

    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a token; empty for a special token."""
        piece = self._piece(token_id)
        return b"" if token_id < len(self.special_tokens) else piece

    def token_label(self, token_id: int) -> str:
        """Text of a token, or its bytes as `<0xEC>` if they are not whole characters."""
        return token_label(self._piece(token_id))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids, including special tokens; invalid UTF-8 bytes as `<0xEC>`."""
        return denormalize(b"".join(map(self._piece, ids)).decode(errors="hex_tokens"), self.normalization)
