"""The errors that a user can cause. Everything else is a defect and is allowed to be a traceback."""


class InputError(ValueError):
    """What was given cannot be used. The message says what was wrong and what to do, in one line.

    Parameters
    ----------
    code : names the sentence where it has translations, `pattern.invalid` say; `values` are what they quote.
    """

    def __init__(self, message: str = "", *, code: str = "", **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


class ModelFileError(InputError):
    """A model file is damaged, of another kind, or from a newer version of the program."""
