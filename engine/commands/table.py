"""A result as text: a line a row, tabs between the columns."""

from collections.abc import Iterable, Mapping, Sequence


def table_lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> list[str]:
    """The names of the columns, then the rows."""
    return ["\t".join(columns), *("\t".join(_cell(row[name]) for name in columns) for row in rows)]


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
