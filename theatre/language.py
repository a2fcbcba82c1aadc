"""The sentences of the page that replays a run (the theatre), in a language.

They are in the table [theatre] of a language file.
"""

from ..languages.language import Language, english


def theatre_sentences(language: Language | None) -> Language:
    """Return a language with the theatre's sentences, which its method `say` finds.

    The theatre is the page that replays a run.

    language: the language; None: English.
    """
    return (language or english()).part("theatre")
