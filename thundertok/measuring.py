"""Measures as functions; each is that of a command, with its definitions and intervals."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from engine.audit.audit import Audit, audit_fields, finding_rows
from engine.audit.audit import audit as audit_tokenizer
from engine.audit.lineage import lineage as compare_order
from engine.audit.lineage import lineage_row
from engine.boundaries.utility import DEFAULT_LAMBDA
from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import installed_analysers
from engine.errors import require_between, require_choice
from engine.machine.threads import usable_threads
from engine.measure import stability as resampling
from engine.measure.corpus_units import corpus_units, line_units
from engine.measure.dispersion import N_PARTS
from engine.measure.encoded import encode_lines
from engine.measure.fertility_table import fertility_rows
from engine.measure.keyness import MIN_COUNT, find_keys
from engine.measure.morphemes.morphology_table import morphology_rows, read_analysis
from engine.measure.robustness import robustness_rows
from engine.measure.variants import RATE, RATED, VARIANTS
from engine.measure.words import AUTO
from engine.report.figures import fertility_figure
from engine.report.table import latex
from engine.segmentation.scoring import Scores, read_gold, score_segmentation
from engine.segmentation.segmenter import cut_texts, learn_boundaries, read_training
from engine.tokenizer import Tokenizer
from engine.training import train as train_tokenizer
from thundertok.corpora import Corpus, Texts, as_lines, as_texts, checked
from thundertok.models import ModelLike, Models, as_model, as_models, note_vain, settings_for
from thundertok.showing import SvgPicture, html_table, showable, text_table, tokens_line

_IN_PAPER = ("model", "file", "vocab_size", "fertility", "fertility_low", "fertility_high", "characters_per_token")
_COMPARISON = (*_IN_PAPER, "best")
_FINDING = ("finding", "tokens", "share", "examples")
_KEPT_COLUMNS = ("token", "id", "kept")
_N_SHOWN = 10


@checked
class AuditReport:
    """The findings of an audit; what each means is in the help of the command `audit`."""

    def __init__(self, tokenizer: Tokenizer, found: Audit) -> None:
        self._tokenizer, self._found = tokenizer, found
        self.fields = audit_fields(tokenizer, found)

    def to_frame(self) -> pd.DataFrame:
        """A row per finding: its number of `tokens`, their `share` of the vocabulary, and `examples`."""
        return pd.DataFrame(self._rows(), columns=list(_FINDING))

    def tokens(self, finding: str) -> pd.DataFrame:
        """All tokens of one finding; InputError if the audit has no such finding."""
        rows = finding_rows(self._tokenizer, self._found, finding)
        table = pd.DataFrame(rows, columns=["id", "token", *(["count"] if self._found.counts is not None else [])])
        return table.assign(token=[showable(str(token)) for token in table["token"]])

    def _rows(self) -> list[tuple[str, int, float, str]]:
        return [
            (name, one["count"], one["share"], tokens_line(row["token"] for row in one["examples"]))
            for name, one in self.fields["findings"].items()
        ]

    def __repr__(self) -> str:
        return text_table(_FINDING, self._rows())

    def _repr_html_(self) -> str:
        return html_table(_FINDING, self._rows())


@checked
class StabilityReport:
    """What resamples of the training text keep.

    Attributes
    ----------
    fertility : mean over the resamples; interval : the central 95 % of them.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.fertility: float = fields["fertility"]
        self.interval: tuple[float, float] = (fields["fertility_low"], fields["fertility_high"])

    def to_frame(self) -> pd.DataFrame:
        """A row per token, the least stable first: how many resamples `kept` it."""
        table = pd.DataFrame(self.fields["tokens"], columns=list(_KEPT_COLUMNS))
        return table.assign(token=[*map(showable, table["token"])])

    def __repr__(self) -> str:
        tokens, n = self.fields["tokens"], self.fields["resamples"]
        always = sum(token["kept"] == n for token in tokens)
        low, high = self.interval
        return (
            f"{n:,} resamples, {len(tokens):,} tokens: {always:,} kept by all, "
            f"fertility {self.fertility:.4f} ({low:.4f} to {high:.4f})"
        )

    def _repr_html_(self) -> str:
        rows = [[token[name] for name in _KEPT_COLUMNS] for token in self.fields["tokens"][:_N_SHOWN]]
        return f"<p>{self!r}</p>" + html_table(_KEPT_COLUMNS, rows)


@checked
class SegmentedText:
    """Lines cut into words.

    Attributes
    ----------
    words : by line.
    scores : against gold, or None.
    """

    def __init__(self, words: Sequence[Sequence[str]], scores: Scores | None = None) -> None:
        self.words, self.scores = words, scores

    def __iter__(self) -> Iterator[Sequence[str]]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        lines = ["  ".join(map(showable, own)) for own in self.words[:_N_SHOWN]]
        lines += [f"... {len(self) - _N_SHOWN:,} more lines"] if len(self) > _N_SHOWN else []
        if self.scores is not None:
            s = self.scores
            lines.append(
                f"words: precision {s.precision:.4f}, recall {s.recall:.4f}, F1 {s.f1:.4f} ({s.n_words:,} gold words)"
            )
        return "\n".join(lines)


@checked
class FertilityComparison:
    """Tokens per word of every model on every text, each compared with the best of its text.

    Attributes
    ----------
    rows : what `to_frame` holds.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = rows

    def to_frame(self) -> pd.DataFrame:
        """All measures, those of the command `fertility`: see docs/command-line.md."""
        return pd.DataFrame(self.rows)

    def plot(self) -> SvgPicture:
        """Tokens per word with their intervals; InputError where there are no words."""
        return SvgPicture(fertility_figure(self.rows))

    def to_latex(self, columns: Sequence[str] = _IN_PAPER, caption: str = "") -> str:
        """A `tabular` of the package booktabs, the best of every text in bold; with a caption, in a `table`.

        Parameters
        ----------
        columns : of `to_frame`; an interval, `fertility_low` and `fertility_high`, becomes one column.

        Raises
        ------
        InputError : there is no such column, or none is named.
        """
        table = self.to_frame()
        for column in columns or [""]:
            require_choice("column", column, list(table.columns))
        bold = table[["best"]].rename(columns={"best": "fertility"}).astype(bool)
        return latex(table[list(columns)], bold=bold if "fertility" in columns else None, caption=caption)

    def _cells(self) -> list[list[object]]:
        return [[row[name] for name in _COMPARISON] for row in self.rows]

    def __repr__(self) -> str:
        return text_table(_COMPARISON, self._cells())

    def _repr_html_(self) -> str:
        has_words = any(row["fertility"] is not None for row in self.rows)
        return (self.plot()._repr_html_() if has_words else "") + html_table(_COMPARISON, self._cells())


def compare(
    models: Models,
    texts: Texts,
    words: str = AUTO,
    *,
    column: str | None = None,
    encoding: str | None = None,
    seed: int = 0,
) -> FertilityComparison:
    """Compare models by their tokens per word, with 95 % bootstrap intervals over lines.

    Parameters
    ----------
    models : references, paths, models, or a mapping of names to them.
    texts : lines, files, or a mapping of names to them.
    words : what a word is: `eojeol` (white-space unit), `characters`, `graphemes`, or `auto`: by the script of a text.
    column : of the text, if a file is a table of several.
    encoding : of the files; None: find it out, of Unicode and Korean ones.
    seed : of the bootstrap.

    Raises
    ------
    InputError : as `load`, or a file cannot be read as text.

    Examples
    --------
    >>> found = compare(["public:gpt2", "public:bert"], ["One small step.", "A giant leap for tokens."])
    >>> found.to_frame()[["model", "tokens", "fertility"]].round(2).values.tolist()
    [['public:gpt2', 10, 1.25], ['public:bert', 11, 1.38]]
    """
    return FertilityComparison(
        fertility_rows(as_models(models).items(), as_texts(texts, column, encoding), words, seed)
    )


def fertility(
    models: Models,
    texts: Texts,
    words: str = AUTO,
    *,
    column: str | None = None,
    encoding: str | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Tokens per word and its relatives, a row for every model on every text; arguments as of `compare`.

    Examples
    --------
    >>> fertility("public:gpt2", ["One small step."])["fertility"].tolist()
    [1.3333333333333333]
    """
    return compare(models, texts, words, column=column, encoding=encoding, seed=seed).to_frame()


def robustness(
    models: Models,
    texts: Texts,
    variants: str | Sequence[str] = VARIANTS,
    *,
    rate: float = RATE,
    column: str | None = None,
    encoding: str | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """What other ways of writing Korean do to the tokens, a row for every variant of every text under every model.

    Parameters
    ----------
    models, texts, column, encoding : as of `compare`.
    variants : of `engine.measure.variants.VARIANTS`.
    rate : share of the eojeols, up to 1, with an error in `typing` and `wrong-spaces`.
    seed : of the errors and the bootstrap.

    Raises
    ------
    InputError : as `load`, a file cannot be read as text, or a variant leaves a text as it is.

    Examples
    --------
    >>> found = robustness("public:gpt2", ["비빔면을 먹었다.", "비가 온다."], ["no-spaces", "jamo"])
    >>> found[["variant", "tokens", "added"]].values.tolist()
    [['no-spaces', 32, 0], ['jamo', 32, 56]]
    """
    require_between("rate", rate, 0, 1)
    kinds = [variants] if isinstance(variants, str) else variants
    rows = robustness_rows(as_models(models).items(), as_texts(texts, column, encoding), kinds, rate, seed)
    if rate != RATE and not set(RATED).intersection(kinds):
        note_vain(f"without {' and '.join(RATED)}", "rate")
    return pd.DataFrame(rows)


def morphology(
    models: Models,
    gold: str | Path,
    text: Corpus | None = None,
    *,
    by: str | None = None,
    column: str | None = None,
    encoding: str | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Token boundaries against morpheme boundaries, a row per model.

    Parameters
    ----------
    gold : a file of eojeols with their morphemes or CoNLL-U; or a program (`mecab`, `kiwi`) that analyses `text`: a
        silver standard, with mistakes of its own.
    by : `tag` or `frequency`: a row per model and part of speech, or band of frequency.

    Raises
    ------
    InputError : as `load`; the program is not installed (`[morphology]`); the file is malformed.
    """
    if by is not None:
        require_choice("grouping", by, ("tag", "frequency"))
    analysis = read_analysis(gold, None if text is None else as_lines(text, column, encoding))
    named = str(gold) if text is None or not isinstance(text, str | Path) else str(text)
    rows = morphology_rows(as_models(models).items(), analysis, named, text is not None, seed)
    if by is not None:
        return pd.DataFrame([{"model": row["model"], **part} for row in rows for part in row[f"by_{by}"]])
    return pd.DataFrame([{name: value for name, value in row.items() if not isinstance(value, list)} for row in rows])


def audit(
    model: ModelLike, text: Corpus | None = None, *, column: str | None = None, encoding: str | None = None
) -> AuditReport:
    """What is wrong in a vocabulary: tokens that no text gives, broken UTF-8, missing syllables, duplicates, junk.

    With a text, also what it never uses and what it only merges away.

    Examples
    --------
    >>> found = audit("public:gpt2")
    >>> found.tokens("broken")["token"].tolist()[:2]
    ['<0xA1>', '<0xA2>']
    """
    tokenizer = as_model(model).tokenizer
    counts = None if text is None else encode_lines(tokenizer, as_lines(text, column, encoding)).counts()
    return AuditReport(tokenizer, audit_tokenizer(tokenizer, counts))


def lineage(model: ModelLike, against: Models) -> pd.DataFrame:
    """What tokens and what order of merges a vocabulary shares with others, a row for each; InputError as `load`.

    Examples
    --------
    >>> lineage("public:llama3", "public:cl100k_base")[["shared", "common_prefix"]].values.tolist()
    [[100256, 100000]]
    """
    tokenizer = as_model(model).tokenizer
    return pd.DataFrame(lineage_row(name, compare_order(tokenizer, one)) for name, one in as_models(against).items())


def stability(
    corpus: Corpus,
    vocab_size: int = 8000,
    algorithm: str = "thunder-tok",
    *,
    resamples: int = resampling.N_RESAMPLES,
    seed: int = 0,
    text: Corpus | None = None,
    column: str | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    **settings: Any,
) -> StabilityReport:
    """Train on bootstrap resamples of the lines: which tokens do they keep, how far does fertility depend on the lines?

    Parameters
    ----------
    corpus, vocab_size, algorithm, preset, settings : as of `train`.
    resamples : how many; resample k of a seed is the same for any number.
    text : what fertility is measured on (default: the lines that a resample leaves out).

    Raises
    ------
    InputError : as `train`; there are fewer than two lines.

    Examples
    --------
    >>> stability(["가나 다라", "가나 마바", "다라 마바", "가나"], vocab_size=259, resamples=3)
    3 resamples, 259 tokens: 258 kept by all, fertility 2.0833 (1.2625 to 3.4000)
    """
    lines = as_lines(corpus, column, encoding)
    chosen = settings_for(algorithm, preset, vocab_size=vocab_size, **settings)
    threads = usable_threads()
    measured = None if text is None else as_lines(text, column, encoding)
    found = list(resampling.resamples(lines, chosen, resamples, seed, measured, threads))
    model = train_tokenizer(lines, chosen, threads)
    return StabilityReport(resampling.stability_fields(resampling.stability(found), model))


def segment(
    text: Corpus,
    method: str = "pmi-entropy",
    *,
    lam: float = DEFAULT_LAMBDA,
    train: Corpus | None = None,
    bpe_vocab_size: int | None = None,
    gold: Corpus | None = None,
) -> SegmentedText:
    """Cut text without spaces into words, by boundaries learned on `train` (default: the text itself).

    White space in the text is taken out first.

    Parameters
    ----------
    method : `pmi-entropy`, `entropy-only`, `lm-entropy` or `none`.
    lam : weight of the entropy against the PMI.
    bpe_vocab_size : train BPE of at most this size inside the boundaries; its tokens are the words.
    gold : the same lines with white space between their words, or a file of morphemes: `scores` compares with it.

    Raises
    ------
    InputError : the method is unknown, there is no text, or the gold lines are others.

    Examples
    --------
    >>> segment(["가나가나다라", "다라가나"], gold=["가나 가나 다라", "다라 가나"])
    가나  가나  다라
    다라  가나
    words: precision 1.0000, recall 1.0000, F1 1.0000 (5 gold words)
    """
    lines = read_training(as_lines(text)).lines
    learned, known = (lines, frozenset[str]()) if train is None else read_training(as_lines(train))
    cut = learn_boundaries(method, learned, lam)
    if lam != DEFAULT_LAMBDA and method != "pmi-entropy":
        note_vain(method, "lam")
    words, _ = cut_texts(lines, cut, learned, bpe_vocab_size)
    if gold is None:
        return SegmentedText(words)
    wanted = [own for own in read_gold(as_lines(gold)).words if own]
    return SegmentedText(words, score_segmentation(wanted, [own for own in words if own], known))


def keyness(
    texts: Texts,
    against: Texts,
    unit: str = "words",
    model: ModelLike | None = None,
    *,
    words: str = AUTO,
    analyser: str | None = None,
    min_count: int = MIN_COUNT,
    n_parts: int = N_PARTS,
    column: str | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Words, tokens or morphemes that are more frequent in one corpus than in another, the most key first.

    Parameters
    ----------
    texts, against : lines, files, or a mapping of names to them; dispersion is over files, or stretches of lines.
    unit : `words`, `morphemes` or `tokens` (of `model`).
    words : what a word is, as in `compare`.
    analyser : of morphemes (default: the first that is installed).
    min_count : least occurrences in both together.
    n_parts : stretches, from 2 to 1,000, of a corpus with fewer files.
    column : of the text, if a file is a table of several.
    encoding : of the files; None: find it out, of Unicode and Korean ones.

    Returns
    -------
    table : a row per type that is frequent enough, with the columns of the command `keyness`: its counts, `g2`,
        `direction` (+ where more frequent in the first), `p_holm`, `log_ratio` with its 95 % interval, dispersion.

    Raises
    ------
    InputError : the texts are the same or empty, tokens without a model, or no analyser is installed (`[morphology]`).

    Examples
    --------
    >>> found = keyness(["soup and rice", "rice and tea"] * 5, ["car and road", "road and sea"] * 5)
    >>> found[["word", "count", "against", "direction"]].head(2).values.tolist()
    [['rice', 10, 0, '+'], ['road', 0, 10, '-']]
    """
    require_between("parts", n_parts, 2, 1000)
    of_unit = {"tokens": ("model", model), "words": ("words", None if words == AUTO else words)}
    of_unit["morphemes"] = ("analyser", analyser)
    vain = [name for of, (name, given) in of_unit.items() if of != unit and given is not None]
    own, other = as_texts(texts, column, encoding), as_texts(against, column, encoding)
    compared = tuple(range(len(own))), tuple(range(len(own), len(own) + len(other)))
    every = [(name, lines) for part in (own, other) for name, lines in part.items()]
    tokenizer = None if model is None or unit != "tokens" else as_model(model).tokenizer
    analyser = analyser or next(iter(installed_analysers()), None)
    units = corpus_units(
        _joined(every),
        [line_units(unit, lines, tokenizer, words, analyser) for _, lines in every],
        tokenizer.vocab_size if tokenizer else 0,
    )
    note_vain(unit, *vain)
    _, rows = find_keys(units, compared, tokenizer, min_count, n_parts=n_parts)
    table = pd.DataFrame([{unit.removesuffix("s"): showable(row["label"]), **row} for row in rows])
    return table.drop(columns=["type", "label"], errors="ignore")


def _joined(texts: Sequence[tuple[str, Sequence[str]]]) -> CorpusFiles:
    """Texts as files of one corpus; two may have one name."""
    ptr = np.cumsum([0, *(len(lines) for _, lines in texts)]).tolist()
    return CorpusFiles(tuple(name for name, _ in texts), tuple(ptr))
