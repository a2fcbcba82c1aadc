"""What each column of a table is to somebody who looks for a person in it.

    identifier  says who somebody is by itself: a number of one's own, a name, an address
    quasi       may be known of a person, and finds it together with others
    sensitive   is what nobody should learn about a person
    other       is none of these, such as a column with one value

Guessed from names and values, with the reason, and overruled by the user. Of guesses only
`identifier` has consequences: such a column is never asked about, so it is never released. What is
released of all others is counted alike: what is sensitive today may be known tomorrow.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .values import DATE, numbers_of

FEWEST = 20  # people below whom nothing is told from values being different
FEWEST_NUMBERS = 50  # the same for whole numbers: ages of 20 people often differ
OWN = 0.9  # share of different values from which they are one's own
NAMED = 0.02  # the same where the column is called a name, a number, an address
LOOKED_AT = 200  # values that are compared with a pattern

IDENTIFIERS = (
    "name surname lastname firstname forename fullname vorname nachname nom prenom nombre email "
    "mail phone telephone telefon mobile handy fax ssn nhs mrn iban passport address adresse "
    "street strasse id uuid guid pid patid username login account konto url ip cookie imei"
)
QUASIS = (
    "age alter sex gender geschlecht birth born birthday dob geburtsdatum zip zipcode postcode "
    "postal plz city town ort county region state country nationality citizenship native race "
    "ethnicity marital married family education school degree occupation profession job employer "
    "workclass language admission discharge date height weight children"
)
SENSITIVES = (
    "diagnosis diagnose disease illness icd hiv disorder medication drug therapy treatment result "
    "income salary wage pay debt credit religion faith party politics vote orientation union "
    "conviction crime offence disability addiction pregnancy"
)
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}")
PHONE = re.compile(r"\+\d[\d ()/-]{6,}|0\d[\d ()/-]{7,}")
URL = re.compile(r"https?://\S+|\d{1,3}(\.\d{1,3}){3}")


class Role(StrEnum):
    """What a column is."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    OTHER = "other"


SHOWN = {
    Role.IDENTIFIER: "direct identifier",
    Role.QUASI: "quasi-identifier",
    Role.SENSITIVE: "sensitive",
    Role.OTHER: "other",
}


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """What a column is, and why: `said` by the user, or guessed.

    Attributes:
        column: its name.
        role: what it is to somebody who looks for a person.
        reason: why, in words.
        said: by the user; else it was guessed.
    """

    column: str
    role: Role
    reason: str
    said: bool = False

    @property
    def shown(self) -> str:
        """The role as people call it."""
        return SHOWN[self.role]


def guess_roles(
    columns: Sequence[str],
    values: Sequence[Sequence[str]],
    people: int,
    said: Mapping[str, str],
    missing: str,
) -> tuple[JudgedColumn, ...]:
    """Say what each column is.

    Args:
        columns: their names.
        values: the texts that occur in each.
        people: rows of the table.
        said: the roles that the user gives, by the column's name.
        missing: what an empty cell is called.
    """
    return tuple(
        JudgedColumn(name, Role(said[name]), "as you said", said=True)
        if name in said
        else JudgedColumn(name, *_guess(name, [text for text in texts if text != missing], people))
        for name, texts in zip(columns, values, strict=True)
    )


def _guess(name: str, texts: Sequence[str], people: int) -> tuple[Role, str]:
    words = {word.lower() for word in WORDS.findall(name)}
    many, some = len(texts), texts[:: max(1, len(texts) // LOOKED_AT)]
    for what, pattern in (("e-mail addresses", EMAIL), ("numbers to call", PHONE), ("URLs", URL)):
        if many >= FEWEST and all(map(pattern.fullmatch, some)):
            return Role.IDENTIFIER, f"its values are {what}"
    if words & set(IDENTIFIERS.split()) and many >= max(FEWEST, NAMED * people):
        return Role.IDENTIFIER, f"it is called {name!r} and has {many:,} different values"
    if many >= max(FEWEST, OWN * people) and _codes(some, many):
        of = "every value is" if many >= people else f"{many:,} values of {people:,} people are"
        return Role.IDENTIFIER, f"{of} somebody's own"
    if many <= 1:
        return Role.OTHER, "it has one value only"
    for role, known in ((Role.SENSITIVE, SENSITIVES), (Role.QUASI, QUASIS)):
        if hints := sorted(words & set(known.split())):
            return role, f"it is called {hints[0]!r}"
    return Role.QUASI, "somebody may know it"


def _codes(some: Sequence[str], many: int) -> bool:
    """Whether values are names or codes and not measurements, which may differ as well."""
    if all(map(DATE.fullmatch, some)):
        return False
    numbers = numbers_of(some)
    if numbers is None:
        return True
    if many < FEWEST_NUMBERS or any(number % 1 for number in numbers):
        return False
    lengths = {len(text) for text in some}
    return len(lengths) == 1 or max(numbers) - min(numbers) < 2 * many  # fixed, or counted up
