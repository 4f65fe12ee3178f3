"""What an error of the engine says, in either language, without Streamlit.

The English sentence is the error's own message. The Korean one stands in the catalogue under the error's code,
`error.pattern.invalid` say, and quotes the same values; phrases of ours among these stand under `error.what`.
"""

from collections.abc import Mapping

from app.texts.catalogue import catalogue, fill
from engine.errors import InputError


def error_text(error: InputError, language: str) -> str:
    """The sentence for an error; user text in it is not escaped."""
    texts = catalogue().get(f"error.{error.code}", {})
    if language in texts:
        values = {name: _translated(name, value, language) for name, value in error.values.items()}
        return fill(texts[language], values)
    return _sentence(str(error))


def _translated(name: str, value: object, language: str) -> object:
    if isinstance(value, InputError):
        return error_text(value, language)
    if name == "what":
        phrase: Mapping[str, str] = catalogue().get(f"error.what.{value}", {})
        return phrase.get(language, value)
    return value


def _sentence(message: str) -> str:
    """A message of the command line, which begins in lower case, as a sentence; names of files stay as they are."""
    first = message.partition(" ")[0].rstrip(",")
    return message[:1].upper() + message[1:] if first.isalpha() else message
