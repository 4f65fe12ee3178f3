"""Errors of the engine as a page shows them, in any language, without Streamlit."""

from engine.errors import InputError


def error_text(error: InputError, language: str) -> str:
    text = error.text(language)
    return text if language == "ko" else _sentence(text)


def _sentence(message: str) -> str:
    """Capitalise a command line message, which begins in lower case; a leading file name stays as it is."""
    first = message.partition(" ")[0].rstrip(",")
    return message[:1].upper() + message[1:] if first.isalpha() else message
