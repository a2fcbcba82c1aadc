"""The names of parties on the page: `shuffler-1` is `Mischer 1` on a German page.

A language file has two names of each party in its table [theatre]: `party-NAME` for a label, and
`the-NAME` for use in a sentence, such as "the curator". Addresses and data keep the names of the
protocol.
"""

from typing import Literal

from ..languages.language import Language


def party_name(party: str, language: Language, form: Literal["party", "the"] = "party") -> str:
    """Return the name of a party in a language.

    party: the name in the protocol. form: `party` for a label, `the` for use in a sentence.
    """
    role, _, number = party.partition("-")
    return language.say(f"{form}-{role}", number=number)


def capitalized(party: str, language: Language) -> str:
    """Return a party's name for the beginning of a sentence: Shuffler-1, The curator."""
    name = party_name(party, language, "the")
    return f"{name[0].upper()}{name[1:]}"
