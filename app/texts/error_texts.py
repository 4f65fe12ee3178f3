"""What an error of the engine says on a page, in any language, without Streamlit."""

from engine.errors import InputError


def error_text(error: InputError, language: str) -> str:
    """The sentence for an error; user text in it is not escaped."""
    text = error.text(language)
    return text if language == "ko" else _sentence(text)


def _sentence(message: str) -> str:
    """A message of the command line, which begins in lower case, as a sentence; names of files stay as they are."""
    first = message.partition(" ")[0].rstrip(",")
    return message[:1].upper() + message[1:] if first.isalpha() else message
