"""A vocabulary with its statistics, a row per token."""

import math

from engine.errors import InputError
from engine.tokenizer import PrunedTokenizer, Tokenizer, require_pruning

# Statistics of a token besides its text and id, and the columns sorted from the smallest value up.
COLUMNS = ("score", "p", "be", "log_prob", "frequency", "merge", "rank")
_ASCENDING = ("id", "token", "merge", "rank")

TokenRow = dict[str, str | int | float | None]


def token_rows(
    tokenizer: Tokenizer, number: int | None = None, include_dead: bool = False, sort: str | None = None
) -> list[TokenRow]:
    """The tokens, each with those statistics that the tokenizer has (see `Tokenizer.statistics`).

    Parameters
    ----------
    number : round of a model that was pruned; None: the last.
    include_dead : whether to add tokens pruned earlier, with the statistics of their last round and a null id.
    sort : a column; by default the score of a model that was pruned, else the id.

    Raises
    ------
    InputError : the tokenizer has no rounds or no such column, or the round does not exist.
    """
    if tokenizer.pruning is not None or number is not None or include_dead:
        rows = _rows_of_round(require_pruning(tokenizer), number, include_dead)
    else:
        rows = _rows(tokenizer)
    return _sorted(tokenizer, rows, sort or ("score" if tokenizer.pruning is not None else "id"))


def _rows_of_round(model: PrunedTokenizer, number: int | None, include_dead: bool) -> list[TokenRow]:
    """One row per token of the round, in order of the model's rows."""
    number = model.round_number(number)
    table = model.round_table(number, include_dead).sort_values("row")
    # A token that is removed later is still alive in this round.
    died = table["died_in_round"].where((table["died_in_round"] >= 0) & (table["died_in_round"] < number))
    return [
        {
            "token": record.token,
            "id": int(record.id) if record.id >= 0 else None,
            "log_prob": record.log_prob,
            "p": record.p,
            "be": record.be,
            "score": record.score,
            "died_in_round": int(end) if end == end else None,
        }
        for record, end in zip(table.itertuples(), died, strict=True)
    ]


def _rows(tokenizer: Tokenizer) -> list[TokenRow]:
    """One row per token, by id."""
    columns = {name: values.tolist() for name, values in tokenizer.statistics().items()}
    return [
        {
            "token": tokenizer.token_label(token_id),
            "id": token_id,
            **{name: _known(values[token_id]) for name, values in columns.items()},
        }
        for token_id in range(tokenizer.vocab_size)
    ]


def _known(value: int | float) -> int | float | None:
    """The value, or None if the token does not have it."""
    is_missing = math.isnan(value) if isinstance(value, float) else value < 0
    return None if is_missing else value


def _sorted(tokenizer: Tokenizer, rows: list[TokenRow], name: str) -> list[TokenRow]:
    """The rows sorted stably by a column, those without a value last."""
    if name not in rows[0]:
        known = [column for column in ("id", "token", *COLUMNS) if column in rows[0]]
        raise InputError("tokens.sort", tokenizer=tokenizer.name, column=name, choices=", ".join(known))
    known_rows = [row for row in rows if row[name] is not None]
    known_rows.sort(key=lambda row: row[name], reverse=name not in _ASCENDING)  # type: ignore[arg-type, return-value]
    return known_rows + [row for row in rows if row[name] is None]
