"""Tables of models, computed once for all sessions. Results are shared: never modify them.

The key is the hash of the model file, so the model itself is not hashed (Streamlit skips names with an underscore).
"""

import pandas as pd

from app.parts.tables.composition import composition_table
from app.parts.tables.entropy_line import agreement_table
from app.parts.tables.examples import ScoreRange, score_range
from app.parts.tables.rounds import life_examples, removed_in, rounds_table, token_life, with_pieces
from app.parts.tables.tokens import Extent, round_tokens, score_extents, token_catalogue
from app.parts.tables.twin import Twin, compare
from app.server.shared import shared
from engine.tokenizer import PrunedTokenizer

# A class uses a few models; the table of a round takes some 100 bytes per token.
_MAX_MODELS, _MAX_ROUNDS, _MAX_LIVES = 8, 16, 64
MAX_REMOVED, _N_EXAMPLES = 200, 10


@shared(_MAX_MODELS)
def cached_catalogue(sha256: str, _model: PrunedTokenizer) -> pd.DataFrame:
    return token_catalogue(_model)


@shared(_MAX_ROUNDS)
def cached_round(sha256: str, number: int, _model: PrunedTokenizer) -> pd.DataFrame:
    return round_tokens(_model, number, cached_catalogue(sha256, _model))


@shared(3 * _MAX_ROUNDS)
def cached_range(sha256: str, number: int, column: str, _model: PrunedTokenizer) -> ScoreRange | None:
    return score_range(cached_round(sha256, number, _model), column)


@shared(_MAX_MODELS)
def cached_agreement(sha256: str, _model: PrunedTokenizer) -> pd.DataFrame:
    return agreement_table(_model)


@shared(_MAX_ROUNDS)
def cached_removed(sha256: str, number: int, order: str, _model: PrunedTokenizer) -> pd.DataFrame:
    return with_pieces(_model, removed_in(cached_round(sha256, number, _model), order, MAX_REMOVED), number)


@shared(_MAX_MODELS)
def cached_examples(sha256: str, _model: PrunedTokenizer) -> list[str]:
    return life_examples(_model, cached_catalogue(sha256, _model), _N_EXAMPLES)


@shared(_MAX_LIVES)
def cached_life(sha256: str, row: int, _model: PrunedTokenizer) -> pd.DataFrame:
    return token_life(_model, row)


@shared(_MAX_MODELS)
def cached_extents(sha256: str, _model: PrunedTokenizer) -> dict[str, Extent]:
    return score_extents(_model)


@shared(_MAX_MODELS)
def cached_composition(sha256: str, _model: PrunedTokenizer) -> pd.DataFrame:
    return composition_table(_model, cached_catalogue(sha256, _model))


@shared(_MAX_MODELS)
def cached_rounds(sha256: str, _model: PrunedTokenizer) -> pd.DataFrame:
    return rounds_table(_model)


@shared(_MAX_MODELS)
def cached_comparison(first_sha256: str, second_sha256: str, _first: PrunedTokenizer, _second: PrunedTokenizer) -> Twin:
    return compare(_first, _second, cached_catalogue(first_sha256, _first))
