"""Load what the first page shows before anyone visits."""

from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED
from app.session.models import ready_tokenizer
from app.session.reference import ModelReference, first_reference
from engine.public.catalogue import PUBLIC
from engine.shipped.catalogue import SHIPPED

_WORD = "안녕하세요"


def load_first() -> None:
    """Load the tokenizers of the first page, and encode a word with each: the structures built for that are cached."""
    first = first_reference()
    if not first.is_shipped:
        return  # the server starts with a model that is trained or loaded
    names = [*(SHIPPED + name for name in FIRST_SHIPPED), *(PUBLIC + name for name in FIRST_PUBLIC)]
    for reference in dict.fromkeys([first, *map(ModelReference, names)]):
        if active := ready_tokenizer(reference, None):
            active.model.encode(_WORD)
