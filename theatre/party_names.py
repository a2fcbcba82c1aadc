"""The names of parties on the page: `shuffler-1` is `Mischer 1` on a German page.

Forms in the table [theatre]: `party-` for a label, `the-` for the subject of a sentence. Addresses
and data keep the names of the protocol.
"""

from typing import Literal

from ..languages.language import Language


def party_name(party: str, language: Language, form: Literal["party", "the"] = "party") -> str:
    """Return the name of a party in a language."""
    role, _, number = party.partition("-")
    return language.say(f"{form}-{role}", number=number)


def capitalized(party: str, language: Language) -> str:
    """Return a party at the beginning of a sentence: Shuffler-1, The curator."""
    name = party_name(party, language, "the")
    return f"{name[0].upper()}{name[1:]}"
