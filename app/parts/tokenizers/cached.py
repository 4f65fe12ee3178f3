"""Tables of models, computed once for all sessions. Results are shared: never modify them."""

import pandas as pd

from app.parts.tables.rounds import life_examples, rounds_table, token_life
from app.parts.tables.tokens import Extent, round_tokens, score_extents, token_catalogue
from app.server.remember import remember
from app.session.models import ActiveModel

# The table of a round takes some 100 bytes per token.
_MAX_ROUNDS, _MAX_LIVES = 16, 64
_N_EXAMPLES = 10


def cached_catalogue(active: ActiveModel) -> pd.DataFrame:
    return remember("catalogue", active.sha256, lambda: token_catalogue(active.model), is_shared=True)


def cached_round(active: ActiveModel, number: int) -> pd.DataFrame:
    key, model = (active.sha256, number), active.model
    return remember(
        "round", key, lambda: round_tokens(model, number, cached_catalogue(active)), _MAX_ROUNDS, is_shared=True
    )


def cached_examples(active: ActiveModel) -> list[str]:
    """Tokens to begin with. A text that the model was not trained on lacks many of its tokens."""

    def made() -> list[str]:
        text = None if active.source is not None or active.lacks_text else "\n".join(active.text.lines())
        model, catalogue = active.model, cached_catalogue(active)
        return life_examples(model, catalogue, _N_EXAMPLES, text) or life_examples(model, catalogue, _N_EXAMPLES)

    return remember("examples", active.sha256, made, is_shared=True)


def cached_life(active: ActiveModel, row: int) -> pd.DataFrame:
    return remember("life", (active.sha256, row), lambda: token_life(active.model, row), _MAX_LIVES, is_shared=True)


def cached_extents(active: ActiveModel) -> dict[str, Extent]:
    return remember("extents", active.sha256, lambda: score_extents(active.model), is_shared=True)


def cached_rounds(active: ActiveModel) -> pd.DataFrame:
    return remember("rounds", active.sha256, lambda: rounds_table(active.model), is_shared=True)
