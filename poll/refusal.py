"""The refusal of a web request, with a sentence for the person at the phone that sent it."""

from ..languages.language import Language, english


class Unwelcome(Exception):
    """The error that a web request is refused, with HTTP status and reason.

    Args:
        status: the HTTP status.
        key: name of the sentence that is the reason (language.py). "": the reason is the value
            `words`, in English, for a computer that runs a shuffler.
        values: the values of the sentence's placeholders.
    """

    def __init__(self, status: int, key: str = "", **values: object) -> None:
        """Keep the status and the reason.

        status: the HTTP status. key: the name of the sentence that is the reason; "": the reason is
        `values["words"]`. values: the values of the sentence's placeholders.
        """
        super().__init__(status, key)
        self.status = status
        self._key = key
        self._values = values

    def say(self, language: Language) -> str:
        """Return the reason for the refusal as a sentence in a language."""
        return language.say(self._key, **self._values) if self._key else str(self._values["words"])

    def __str__(self) -> str:
        """Return the reason for the refusal as a sentence in English."""
        return self.say(english())
