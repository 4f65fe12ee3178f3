"""Loading and training models, and what can be asked of one."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from engine.config import TrainingSettings, chosen_settings, unused_settings
from engine.errors import InputError
from engine.interop.exports import export_tokenizer
from engine.lattice.lattice import Lattice
from engine.machine.atomic_file import write_whole
from engine.machine.threads import usable_threads
from engine.measure.token_table import token_rows
from engine.model_files import load_tokenizer, require_ranks
from engine.progress import Progress
from engine.report.figures import lattice_figure, strip_figure
from engine.tokenizer import Encoding, PrunedTokenizer, Tokenizer, require_probabilities, require_pruning
from engine.training import train as train_tokenizer
from thundertok.corpora import Corpus, as_lines, checked
from thundertok.showing import SvgPicture, html_table, showable, text_table, tokens_line

_N_SHOWN_PATHS = 3


@checked
class TextLattice:
    """All segmentations of one line with their probabilities.

    Attributes
    ----------
    lattice : the engine's object, which also samples, forbids and counts (`help(engine.Lattice)`).

    Examples
    --------
    >>> from thundertok import train
    >>> model = train(["가나 다라", "가나 마바", "가나 다라 마바"], vocab_size=260)
    >>> lattice = model.lattice("가나")
    >>> lattice.best
    ['가나']
    >>> model.lattice("가나", forbid=["가나"]).best
    ['<0xEA><0xB0><0x80>', '<0xEB><0x82><0x98>']
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice

    @property
    def best(self) -> list[str]:
        """Tokens of the most probable segmentation."""
        return [self.lattice.labels[arc] for arc in self.lattice.best_path]

    @property
    def entropy(self) -> float:
        """Entropy over all segmentations, nats."""
        return self.lattice.entropy

    @property
    def log_z(self) -> float:
        """Log of the probability of the text, the sum over all segmentations, nats."""
        return self.lattice.log_z

    def nbest(self, k: int = 10) -> pd.DataFrame:
        """The k most probable segmentations: `tokens`, `log_prob` (nats) and `posterior`, P(segmentation | text)."""
        return pd.DataFrame(self._nbest(k), columns=["tokens", "log_prob", "posterior"])

    def _nbest(self, k: int) -> list[tuple[str, float, float]]:
        labels = self.lattice.labels
        return [
            (tokens_line(labels[arc] for arc in path.arcs), path.log_prob, path.posterior)
            for path in self.lattice.nbest(k)
        ]

    def to_frame(self) -> pd.DataFrame:
        """A row per candidate: `begin` and `end` (characters), `token`, `id`, `log_prob` (nats), `marginal`, `best`."""
        names = ["begin", "end", "token", "id", "log_prob", "marginal", "best"]
        table = pd.DataFrame(self.lattice.fields()["arcs"], columns=names)
        return table.assign(token=[*map(showable, table["token"])], id=table["id"].astype("Int64"))

    def picture(self) -> SvgPicture:
        """The candidates over their characters, the best path marked; InputError beyond 2,000 characters."""
        return SvgPicture(lattice_figure(self.lattice))

    def __repr__(self) -> str:
        paths = text_table(("segmentation", "log P", "posterior"), self._nbest(_N_SHOWN_PATHS))
        about = f"{self.lattice.begin.size:,} candidates, entropy {self.entropy:.4f} nats"
        return f"{showable(self.lattice.text)}: {about}\n{paths}"

    def _repr_html_(self) -> str | None:
        """The picture and the best segmentations; None, so that the text is shown, if the text is too long for one."""
        try:
            picture = self.picture()
        except InputError:
            return None
        return picture._repr_html_() + html_table(("segmentation", "log P", "posterior"), self._nbest(_N_SHOWN_PATHS))


_N_SHOWN_ROUNDS = 8
_COLUMNS = ["token", "id", "log_prob", "p", "be", "score", "level", "died_in_round"]


@checked
class PruningRound:
    """One round of a model that was pruned; round 0 is the seed vocabulary.

    Attributes
    ----------
    number : of the round.
    report : its size, objective and threshold (`engine.progress.Progress`).

    Examples
    --------
    >>> from thundertok import train
    >>> model = train(["가나 다라", "가나 마바", "가나 다라 마바"], vocab_size=258)
    >>> model.rounds[0]
    round 0: 269 tokens, 10 removed, objective 7.2487 nats
    >>> model.rounds[0].removed()["token"].tolist()[:2]
    ['다라', '마바']
    """

    def __init__(self, model: PrunedTokenizer, number: int) -> None:
        self.number = number
        self.report: Progress = model.rounds[number]
        self._model = model

    def to_frame(self) -> pd.DataFrame:
        """Its tokens with their statistics, the highest score first.

        Columns: token, id (in the final vocabulary, or none), log_prob, p (eq. 5), be (nats), score, level,
        died_in_round (none if still there at the end), and removed: whether this round removed it.

        Raises
        ------
        InputError : a compact model has no tokens of this round.
        """
        table = self._model.round_table(self.number)[_COLUMNS]
        for name in ("id", "died_in_round"):
            table[name] = table[name].astype("Int64").mask(table[name] < 0)
        table["token"] = table["token"].map(showable)
        return table.assign(removed=(table["died_in_round"] == self.number).fillna(False).astype(bool))

    def removed(self) -> pd.DataFrame:
        """The tokens that this round removed, the closest to staying first; raises as `to_frame` does."""
        table = self.to_frame()
        return table[table["removed"]].reset_index(drop=True)

    def lattice(self, text: str) -> TextLattice:
        """All segmentations of one line with this round's vocabulary; raises as `to_frame` does."""
        return TextLattice(self._model.lattice(text, self.number))

    def __repr__(self) -> str:
        one = self.report
        return (
            f"round {one.number}: {one.vocab_size:,} tokens, {one.n_removed:,} removed, "
            f"objective {one.objective:.4f} nats"
        )

    def _repr_html_(self) -> str:
        """The report, and the tokens on both sides of the threshold."""
        names = ("round", "tokens", "removed", "objective (nats)", "threshold")
        one = self.report
        report = html_table(names, [(one.number, one.vocab_size, one.n_removed, one.objective, one.threshold)])
        if self.number not in self._model.kept_rounds or not one.n_removed:
            return report
        table, removed = self.to_frame(), self.removed()
        stayed = table[~table["removed"] & (table["score"] > 0)]  # bytes stay whatever their score is
        parts = {"stayed": stayed.tail(_N_SHOWN_ROUNDS), "removed": removed.head(_N_SHOWN_ROUNDS)}
        rows = [
            (what, row.token, row.p, row.be, row.score) for what, part in parts.items() for row in part.itertuples()
        ]
        return report + html_table(("", "token", "P", "BE", "score"), rows)


@checked
class TokenizedText:
    """The tokens of a text, in order.

    Attributes
    ----------
    text : what was encoded.
    ids : of the tokens.
    spans : UTF-8 byte offsets (begin, end) of each; they tile the text.
    tokens : as the tokenizer's file writes them: `##ble`, `est</w>`, `<0xEC>`.

    Examples
    --------
    >>> from thundertok import load
    >>> text = load("public:gpt2").encode("한 token")
    >>> text
    <0xED><0x95>|<0x9C>| token  (3 tokens)
    >>> text.ids, len(text)
    ([47991, 250, 11241], 3)
    """

    def __init__(self, tokenizer: Tokenizer, text: str, encoding: Encoding, name: str) -> None:
        self.text = text
        self.ids, self.spans = encoding
        self.tokens = [tokenizer.token_label(token) for token in self.ids]
        self._tokenizer, self._name = tokenizer, name

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __repr__(self) -> str:
        return f"{tokens_line(self.tokens)}  ({len(self):,} token{'s' * (len(self) != 1)})"

    def to_frame(self) -> pd.DataFrame:
        """A row per token: `token`, `id`, and where its bytes `begin` and `end`."""
        begin, end = ([span[side] for span in self.spans] for side in (0, 1))
        return pd.DataFrame({"token": [*map(showable, self.tokens)], "id": self.ids, "begin": begin, "end": end})

    def picture(self) -> SvgPicture:
        """The tokens in boxes; InputError if there are none, or more than 2,000."""
        return SvgPicture(strip_figure({self._name: self._tokenizer}, [self.ids]))

    def _repr_html_(self) -> str | None:
        """The picture; None, so that the text is shown, where there are too many tokens for one."""
        try:
            return self.picture()._repr_html_()
        except InputError:
            return None


_N_SHOWN = 40
_BEST_FIRST = ("score", "merge", "log_prob", "rank", "id")


@checked
class LoadedModel:
    """A tokenizer with the name that it was loaded or trained under.

    Attributes
    ----------
    tokenizer : the engine's object.
    reference : what it was loaded by, or its algorithm and size.
    """

    def __init__(self, tokenizer: Tokenizer, reference: str = "") -> None:
        self.tokenizer = tokenizer
        self.reference = reference or f"{tokenizer.name} {tokenizer.vocab_size:,}"

    @property
    def vocab_size(self) -> int:
        """Number of tokens."""
        return self.tokenizer.vocab_size

    def encode(self, text: str, allow_special: bool = False) -> TokenizedText:
        """The tokens of a text.

        Parameters
        ----------
        allow_special : whether the text of a special token becomes that token. By default it stays text.

        Examples
        --------
        >>> from thundertok import load
        >>> load("public:gpt2").encode("tokenizers").tokens
        ['token', 'izers']
        """
        return TokenizedText(self.tokenizer, text, self.tokenizer.encode(text, allow_special), self.reference)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; bytes that are no text appear as `<0xEC>`."""
        return self.tokenizer.decode(list(ids))

    def lattice(
        self,
        text: str,
        number: int | None = None,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> TextLattice:
        """All segmentations of one line, in round `number` (default: the last).

        Parameters
        ----------
        forbid, add, force : what if a token were not there, or another were (with its log probability, nats), or a span
            of characters had to be one token?

        Raises
        ------
        InputError : the tokens have no probabilities, there is no such round, or see `engine.Lattice`.
        """
        model = require_probabilities(self.tokenizer)
        if number is None:
            return TextLattice(model.lattice(text, forbid=forbid, add=add, force=force))
        return TextLattice(require_pruning(model).lattice(text, number, forbid, add, force))

    @property
    def rounds(self) -> list[PruningRound]:
        """The pruning rounds, 0 first; InputError if there were none."""
        model = require_pruning(self.tokenizer)
        return [PruningRound(model, number) for number in range(len(model.rounds))]

    def tokens(self, number: int | None = None, include_dead: bool = False, sort: str | None = None) -> pd.DataFrame:
        """The vocabulary with its statistics, a row per token: those of the command `tokens`, and its arguments.

        Invisible characters in `token` are written as their bytes, `<0x1B>`; `model.tokenizer.token_bytes(id)` has the
        bytes of any token.
        """
        table = pd.DataFrame(token_rows(self.tokenizer, number, include_dead, sort))
        table["token"] = table["token"].map(showable)
        for name in ("id", "died_in_round"):
            if name in table:
                table[name] = table[name].astype("Int64")
        return table

    def save(self, path: str | Path) -> str:
        """Write the model file, which `load` and every `--model` take; returns its SHA-256.

        Raises
        ------
        InputError : the file cannot be written, or the tokenizer was imported.
        """
        return self.tokenizer.save(path)

    def export(self, target: str, path: str | Path, sample: Sequence[str] = ()) -> str:
        """Write a file of another program (`hf`, `sentencepiece`, `vocab`, `tiktoken`, `subword-nmt`, `tsv`).

        Returns a sentence about the check: the other program encodes `sample` and 5,000 odd lines with the file.

        Raises
        ------
        InputError : the format cannot hold this tokenizer, a line differs, or the other program is not installed.
        """
        made = export_tokenizer(self.tokenizer, target, sample)
        write_whole(path, made.data)
        return f"{made.report.checked_lines:,} lines checked with {made.report.library}, none differs"

    def _facts(self) -> list[tuple[str, object]]:
        facts: list[tuple[str, object]] = [("algorithm", self.tokenizer.name), ("tokens", self.vocab_size)]
        settings = self.tokenizer.settings
        if settings is not None:
            facts.append(("pre-tokenizer", settings.pretokenizer))
        if self.tokenizer.pruning is not None:
            facts.append(("rounds", len(self.tokenizer.pruning.rounds)))
        if self.tokenizer.merges is not None:
            facts.append(("merges", self.tokenizer.merges.n_merges))
        return facts

    def __repr__(self) -> str:
        (_, algorithm), *rest = self._facts()
        parts = (f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in rest)
        return showable(f"{self.reference}: {algorithm}, {', '.join(parts)}")

    def _repr_html_(self) -> str:
        """The facts, and the tokens that come first, of several characters."""
        rows = token_rows(self.tokenizer)
        sort = next(name for name in _BEST_FIRST if name in rows[0])
        ids = [row["id"] for row in token_rows(self.tokenizer, sort=sort) if row["id"] is not None]
        first = (int(k) for k in ids if len(self.tokenizer.token_bytes(int(k)).decode(errors="ignore").strip()) > 1)
        shown = [k for _, k in zip(range(_N_SHOWN), first, strict=False)]
        facts = html_table(("", self.reference), self._facts())
        strip = SvgPicture(strip_figure({"first tokens": self.tokenizer}, [shown]))._repr_html_() if shown else ""
        return facts + strip


ModelLike: TypeAlias = LoadedModel | Tokenizer | str | Path
Models: TypeAlias = ModelLike | Iterable[ModelLike] | Mapping[str, ModelLike]


def load(reference: str | Path, pattern: str | None = None) -> LoadedModel:
    """A tokenizer by its reference, as `--model` of the command line takes it.

    Warns of every part of another program's file that is not supported, `model.tokenizer.unsupported`: its ids may
    differ from those of that program.

    Parameters
    ----------
    reference : `shipped:thunder-tok-32k`, `public:llama3` (`thunder-tok models` lists both), `hub:Qwen/Qwen3-8B`, or a
        file: one trained here (`run.tok`), tokenizer.json, SentencePiece `.model`, vocab.txt, tiktoken ranks,
        subword-nmt codes.
    pattern : what tiktoken ranks cut text by, which their file does not say.

    Raises
    ------
    InputError : there is none of that name, its package is not installed (`[public]`), or the file cannot be read; or
        only ranks need a `pattern`.

    Examples
    --------
    >>> load("shipped:byte-bpe-32k")
    shipped:byte-bpe-32k: Byte-level BPE, 32,000 tokens, pre-tokenizer gpt2, 31,744 merges
    >>> load("public:gpt5000")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    engine.errors.InputError: there is no public tokenizer 'gpt5000'; choose one of: ...
    """
    require_ranks([reference], pattern)
    tokenizer = load_tokenizer(reference, pattern)
    for part in tokenizer.unsupported:
        warnings.warn(showable(f"{reference}: {part}"), stacklevel=2)
    return LoadedModel(tokenizer, str(reference))


def train(
    corpus: Corpus,
    vocab_size: int = 8000,
    algorithm: str = "thunder-tok",
    *,
    column: str | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    threads: int | None = None,
    **settings: Any,
) -> LoadedModel:
    """Train a tokenizer.

    Parameters
    ----------
    corpus : lines, a file, or several files (`"news.txt"`, `["news.txt", "reviews.csv"]`, `Path("news.txt")`).
    algorithm : `thunder-tok`, `unigram`, `bpe`, `byte-bpe`, `superbpe`, `wordpiece`, `words`, `characters` or `bytes`.
    column : of the text, if a file is a table of several.
    encoding : of the files; None: find it out, of Unicode and Korean ones.
    preset : `thunder-tok` or `fewest-tokens`, as on the command line.
    threads : default: as many as there are cores, at most 8; the result does not depend on it.
    settings : any other of `engine.TrainingSettings`, such as `score="be"` or `pretokenizer="gpt2"`.

    Raises
    ------
    InputError : a setting is out of range, the text is too short for the size, or a file cannot be read.

    Examples
    --------
    >>> train(["low low lower newest"], vocab_size=16, algorithm="bpe").encode("lowest")
    low|e|s|t</w>  (4 tokens)
    """
    chosen = settings_for(algorithm, preset, vocab_size=vocab_size, **settings)
    n_threads = usable_threads() if threads is None else threads
    tokenizer = train_tokenizer(as_lines(corpus, column, encoding), chosen, n_threads)
    return LoadedModel(tokenizer, f"{algorithm} {tokenizer.vocab_size:,}")


def settings_for(algorithm: str, preset: str | None, **changes: Any) -> TrainingSettings:
    """As `chosen_settings`, with a warning that names those that the algorithm does not use."""
    settings = chosen_settings(algorithm, preset, **changes)
    note_vain(algorithm, *unused_settings(settings), stacklevel=5)
    return settings


def note_vain(case: str, *arguments: str, stacklevel: int = 4) -> None:
    """Warn of arguments that a `checked` function, which calls this, was given in vain."""
    if arguments:
        warnings.warn(f"{case} does not use {', '.join(arguments)}", stacklevel=stacklevel)


def as_model(given: ModelLike) -> LoadedModel:
    """The model; a reference or a path is loaded, with the errors of `load`."""
    if isinstance(given, LoadedModel):
        return given
    return load(given) if isinstance(given, str | Path) else LoadedModel(given)


def as_models(given: Models) -> dict[str, Tokenizer]:
    """Tokenizers by name: that of a mapping, else their reference; the second of one name is `name (2)`."""
    if isinstance(given, Mapping) and given:
        return {name: as_model(one).tokenizer for name, one in given.items()}
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    found: dict[str, Tokenizer] = {}
    for model in map(as_model, several):
        found[_unused(model.reference, found)] = model.tokenizer
    if not found:
        raise InputError("models.none")
    return found


def _unused(name: str, taken: Mapping[str, object]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found
