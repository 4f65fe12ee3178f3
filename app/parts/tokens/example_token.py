"""The sentence that the rounds segment, and the token that a page shows before one is chosen."""

from app.parts.tables.rounds import RoundRange, example_in, sentence_rounds
from app.parts.tables.tokens import find_rows
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.cached import cached_catalogue, cached_examples
from app.server.remember import remember
from app.session.models import ActiveModel
from app.texts.presets import ROUNDS_SENTENCE
from engine.errors import InputError

MAX_SENTENCE = 120
SENTENCE = url_text("sentence", "rounds.sentence", ROUNDS_SENTENCE)


def current_sentence() -> str:
    return SENTENCE.value.encode("utf-8", "ignore").decode()[:MAX_SENTENCE]


def segmented(active: ActiveModel, sentence: str) -> tuple[list[str], list[RoundRange]]:
    """`sentence_rounds` of a sentence; InputError if the model cannot take it."""
    return remember("rounds.sentence", (active.sha256, sentence), lambda: sentence_rounds(active.model, sentence))


def example_row(active: ActiveModel, is_removed: bool = True) -> int:
    """Row of one of the model's examples.

    Parameters
    ----------
    is_removed : rather of the token of the session's sentence that was removed last, if any was.
    """
    sentence = current_sentence()
    try:
        found = example_in(active.model, segmented(active, sentence)[1]) if sentence and is_removed else None
    except InputError:  # said where the sentence is
        found = None
    if found is not None:
        return found
    catalogue = cached_catalogue(active)
    examples = cached_examples(active)
    return int(find_rows(catalogue, examples[0])[0] if examples else catalogue["n_chars"].argmax())
