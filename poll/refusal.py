"""The refusal of a web request, in a sentence for the person with that phone."""

from ..languages.language import Language, english


class Unwelcome(Exception):
    """The error that a web request is refused, with HTTP status and reason.

    Args:
        status: the HTTP status.
        key: name of the sentence that says why (language.py); "": the value `words` is the
            sentence, in English, for a computer that mixes.
        values: the sentence's placeholders.
    """

    def __init__(self, status: int, key: str = "", **values: object) -> None:
        """Keep the status and the reason; arguments as of the class."""
        super().__init__(status, key)
        self.status = status
        self._key = key
        self._values = values

    def say(self, language: Language) -> str:
        """Return the reason in a language."""
        return language.say(self._key, **self._values) if self._key else str(self._values["words"])

    def __str__(self) -> str:
        """Return the reason in English."""
        return self.say(english())
