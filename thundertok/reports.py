"""Results with more to them than one table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.audit.audit import Audit
from engine.audit.fields import audit_fields, finding_rows
from engine.segmentation.scoring import Scores
from engine.tokenizer import Tokenizer
from thundertok.showing import html_table, showable, text_table, tokens_line

if TYPE_CHECKING:
    import pandas as pd

_FINDING = ("finding", "tokens", "share", "examples")
_KEPT = ("token", "id", "kept")
_N_SHOWN = 10


class AuditReport:
    """The findings of an audit; what each means is in the help of the command `audit`."""

    def __init__(self, tokenizer: Tokenizer, found: Audit) -> None:
        self._tokenizer, self._found = tokenizer, found
        self.fields = audit_fields(tokenizer, found)

    def to_frame(self) -> "pd.DataFrame":
        """A row per finding: its number of `tokens`, their `share` of the vocabulary, and `examples`."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=list(_FINDING))

    def tokens(self, finding: str) -> "pd.DataFrame":
        """All tokens of one finding; InputError if the audit has no such finding."""
        import pandas as pd

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

    def to_frame(self) -> "pd.DataFrame":
        """A row per token, the least stable first: how many resamples `kept` it."""
        import pandas as pd

        table = pd.DataFrame(self.fields["tokens"], columns=list(_KEPT))
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
        rows = [[token[name] for name in _KEPT] for token in self.fields["tokens"][:_N_SHOWN]]
        return f"<p>{self!r}</p>" + html_table(_KEPT, rows)


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
