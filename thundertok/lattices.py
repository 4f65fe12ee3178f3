"""All segmentations of a text."""

import pandas as pd

from engine.errors import InputError
from engine.lattice.fields import lattice_fields
from engine.lattice.lattice import Lattice
from engine.report.figures import lattice_figure
from thundertok.showing import SvgPicture, html_table, showable, text_table, tokens_line

_N_SHOWN = 3


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
        table = pd.DataFrame(lattice_fields(self.lattice)["arcs"], columns=names)
        return table.assign(token=[*map(showable, table["token"])], id=table["id"].astype("Int64"))

    def picture(self) -> SvgPicture:
        """The candidates over their characters, the best path marked; InputError beyond 2,000 characters."""
        return SvgPicture(lattice_figure(self.lattice))

    def __repr__(self) -> str:
        paths = text_table(("segmentation", "log P", "posterior"), self._nbest(_N_SHOWN))
        about = f"{self.lattice.begin.size:,} candidates, entropy {self.entropy:.4f} nats"
        return f"{showable(self.lattice.text)}: {about}\n{paths}"

    def _repr_html_(self) -> str | None:
        """The picture and the best segmentations; None, so that the text is shown, if the text is too long for one."""
        try:
            picture = self.picture()
        except InputError:
            return None
        return picture._repr_html_() + html_table(("segmentation", "log P", "posterior"), self._nbest(_N_SHOWN))
