"""A round of pruning: who stayed, who was removed."""

from typing import TYPE_CHECKING

from engine.progress import Progress
from engine.tokenizer import PrunedTokenizer
from thundertok.lattices import TextLattice
from thundertok.showing import html_table, showable

if TYPE_CHECKING:
    import pandas as pd

_N_SHOWN = 8
_COLUMNS = ["token", "id", "log_prob", "p", "be", "score", "level", "died_in_round"]


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

    def to_frame(self) -> "pd.DataFrame":
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

    def removed(self) -> "pd.DataFrame":
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
        parts = {"stayed": stayed.tail(_N_SHOWN), "removed": removed.head(_N_SHOWN)}
        rows = [
            (what, row.token, row.p, row.be, row.score) for what, part in parts.items() for row in part.itertuples()
        ]
        return report + html_table(("", "token", "P", "BE", "score"), rows)
