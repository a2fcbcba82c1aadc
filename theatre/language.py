"""The theatre's sentences in a language, from its table [theatre]."""

from ..languages.language import Language, english


def theatre_sentences(language: Language | None) -> Language:
    """Return a language with the sentences of the theatre to `say`; None: English."""
    return (language or english()).part("theatre")
