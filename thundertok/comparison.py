"""Several models on several texts: a table, a picture, a table for a paper."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.measure.fertility_table import fertility_rows
from engine.measure.words import AUTO
from engine.report.figures import fertility_figure
from engine.report.table import latex
from thundertok.corpora import Texts, as_texts
from thundertok.inputs import Models, as_models
from thundertok.showing import SvgPicture, html_table, text_table

if TYPE_CHECKING:
    import pandas as pd

_IN_PAPER = ("model", "file", "vocab_size", "fertility", "fertility_low", "fertility_high", "characters_per_token")
_COLUMNS = (*_IN_PAPER, "best")


class FertilityComparison:
    """Tokens per word of every model on every text, each compared with the best of its text.

    Attributes
    ----------
    rows : what `to_frame` holds.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = rows

    def to_frame(self) -> "pd.DataFrame":
        """All measures, those of the command `fertility`: see docs/command-line.md."""
        import pandas as pd

        return pd.DataFrame(self.rows)

    def plot(self) -> SvgPicture:
        """Tokens per word with their intervals; InputError where there are no words."""
        return SvgPicture(fertility_figure(self.rows))

    def to_latex(self, columns: Sequence[str] = _IN_PAPER, caption: str = "") -> str:
        """A `tabular` of the package booktabs, the best of every text in bold; with a caption, in a `table`.

        Parameters
        ----------
        columns : of `to_frame`; an interval, `fertility_low` and `fertility_high`, becomes one column.
        """
        table = self.to_frame()
        bold = table[["best"]].rename(columns={"best": "fertility"}).astype(bool)
        return latex(table[list(columns)], bold=bold if "fertility" in columns else None, caption=caption)

    def _cells(self) -> list[list[object]]:
        return [[row[name] for name in _COLUMNS] for row in self.rows]

    def __repr__(self) -> str:
        return text_table(_COLUMNS, self._cells())

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_() + html_table(_COLUMNS, self._cells())


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
