"""The sentences of the page that replays a run (the theatre), in a language.

The table [theatre] of a language file holds these sentences.
"""

from ..languages.language import Language, english


def theatre_sentences(language: Language | None) -> Language:
    """Return a language with the sentences of the theatre: the page that replays a run.

    The method `say` of the result returns a sentence by its name. language: the language; None:
    English.
    """
    return (language or english()).part("theatre")
