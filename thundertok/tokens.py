"""A text as tokens."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.report.figures import strip_figure
from engine.tokenizer import Encoding, Tokenizer
from thundertok.showing import SvgPicture, showable, tokens_line

if TYPE_CHECKING:
    import pandas as pd


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

    def to_frame(self) -> "pd.DataFrame":
        """A row per token: `token`, `id`, and where its bytes `begin` and `end`."""
        import pandas as pd

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
