"""The role of each column of a table for an attacker that wants to identify a person.

    identifier  identifies a person by itself: a personal number, a name, an address
    text        free text, which may contain any identifier
    quasi       quasi-identifier: an attacker may know it, and with other columns it identifies
    sensitive   an attacker should not learn it about a person
    weight      a sampling weight: the number of people of a population that a row represents
    other       has no such role, such as a column with one value

Roles are guessed from names (column_words.toml) and values, with a reason. The user can overrule a
guess. Texts that stand for missing are ignored. Columns with the role `identifier`, `text` or
`weight` are never requested, so they are never released.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...deprecated import keeps_old
from ...protocol.wire.coarsening import NUMBER
from .column_words import WEAK, cut, kinds, own_number, shared
from .values import DATE, KIND_SHARE, UNKNOWN, numbers_of

FEWEST = 20  # with fewer different values a column is not taken for an identifier
# With fewer different whole numbers, a column is not taken for an identifier, because even the ages
# of 20 people often differ.
FEWEST_NUMBERS = 50
# codes identify people if their number of different values is at least this share of the rows
IDENTIFYING_SHARE = 0.9
# A column called a name, a number or an address identifies people if this share of its rows have
# different values.
NAMED = 0.02
LOOKED_AT = 200  # most values of a column that are compared with patterns of dates, codes, ...
# numbers with more rows per different value are not taken for numbers of a register
ROWS_OF_KEY = 20
# a column with a larger share of numbers that end in 0 holds measurements, not register numbers
ROUND = 0.3
TEXT_WORDS = 4  # a cell with at least this number of words is free text
HEAVIEST = 700  # kilograms; a column of weights with larger numbers does not hold body weights
# for free text, at least this share of rows has different texts, and this share of texts is long
OFTEN_TEXT = 0.5

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}")
PHONE = re.compile(r"\+\d[\d ()/-]{6,}|0\d[\d ()/-]{7,}")
URL = re.compile(r"https?://\S+|\d{1,3}(\.\d{1,3}){3}")


class ColumnRole(StrEnum):
    """The role of a column for an attacker that wants to identify a person.

    identifier: identifies a person by itself. text: may contain any identifier. quasi: identifies a
    person with other columns. sensitive: should stay secret. weight: a sampling weight. other: no
    such role.
    """

    IDENTIFIER = "identifier"
    TEXT = "text"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    WEIGHT = "weight"
    OTHER = "other"


NEVER = frozenset(
    (ColumnRole.IDENTIFIER, ColumnRole.TEXT, ColumnRole.WEIGHT)
)  # roles of columns that are never released
KEY = re.compile(r"[A-Za-z]{0,3}[-_/ ]?(\d{4,})")
YEARS = range(1850, 2101)
ROLE_LABELS = {
    ColumnRole.IDENTIFIER: "direct identifier",
    ColumnRole.TEXT: "free text",
    ColumnRole.QUASI: "quasi-identifier",
    ColumnRole.SENSITIVE: "sensitive",
    ColumnRole.WEIGHT: "sampling weight",
    ColumnRole.OTHER: "other",
}


@keeps_old(said="is_stated", shown="label")
@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """The role of a column for an attacker, and its reason: given by the user, or guessed.

    Attributes:
        column: the name of the column.
        role: the use of the column for an attacker that wants to identify a person.
        reason: the reason for the role, in words.
        is_stated: whether the user gave the role; else it was guessed.
    """

    column: str
    role: ColumnRole
    reason: str
    is_stated: bool = False

    @property
    def label(self) -> str:
        """The name of the role for messages."""
        return ROLE_LABELS[self.role]


def guess_roles(
    columns: Sequence[str],
    values: Sequence[Sequence[str]],
    people: int,
    stated_roles: Mapping[str, str],
    missing: str,
) -> tuple[JudgedColumn, ...]:
    """Return the role of each column for an attacker: the user's, or a guess.

    Args:
        columns: the names of the columns.
        values: the different texts of each column.
        people: the number of rows.
        stated_roles: the roles that the user gives, by the column's name.
        missing: the value of an empty cell.
    """
    return tuple(
        JudgedColumn(name, ColumnRole(stated_roles[name]), "as you said", is_stated=True)
        if name in stated_roles
        else _judged(name, texts, people, missing)
        for name, texts in zip(columns, values, strict=True)
    )


def says_who(name: str) -> bool:
    """Whether a column's name is usual for a number that identifies a person."""
    words = cut(name)
    return (own_number(words) or kinds()["person"].first_match(words)) is not None


def may_be_shared(name: str) -> bool:
    """Whether a column's name suggests values that several people may share: names, addresses."""
    words = cut(name)
    return own_number(words) is None and shared(words) is not None


def key_like(texts: Sequence[str], rows: int) -> bool:
    """Whether values look like numbers of a register (such as case numbers), not quantities.

    They do if they are many, each in few rows, with at least four digits after at most three
    letters. Moreover, few end in 0, and they are spread evenly. texts: the different values. rows:
    the number of rows.
    """
    if len(texts) < FEWEST_NUMBERS or rows > ROWS_OF_KEY * len(texts):
        return False
    sample = _sample(texts)
    matches = [match for match in map(KEY.fullmatch, sample) if match]
    if len(matches) < len(sample) or all(map(DATE.fullmatch, sample)):
        return False
    numbers = sorted(int(match[1]) for match in matches)
    ends = sum(number % 10 == 0 for number in numbers)
    low, high, text_count = numbers[0], numbers[-1], len(numbers)
    if low == high or ends > ROUND * text_count or (low in YEARS and high in YEARS):
        return False
    uneven = max(
        abs((x - low) / (high - low) - i / (text_count - 1)) for i, x in enumerate(numbers)
    )
    return bool(uneven <= 1.4 / text_count**0.5 + 0.02)


def _judged(name: str, texts: Sequence[str], people: int, missing: str) -> JudgedColumn:
    """Return a column's guessed role and its reason; texts that mean missing are ignored.

    texts: the different values. people: the number of rows. missing: the value of an empty cell.
    """
    known_texts = [text for text in texts if text != missing and text.casefold() not in UNKNOWN]
    unknown_texts = [text for text in texts if text != missing and text.casefold() in UNKNOWN]
    role, reason = _guess(name, known_texts, people)
    if unknown_texts and known_texts:
        reason += f"; {', '.join(map(repr, unknown_texts[:3]))} left aside, as for missing"
    return JudgedColumn(name, role, reason)


def _sample(texts: Sequence[str]) -> Sequence[str]:
    """Return about 200 of the texts, evenly spread."""
    return texts[:: max(1, len(texts) // LOOKED_AT)]


def _guess(name: str, texts: Sequence[str], people: int) -> tuple[ColumnRole, str]:
    """Return the guessed role of a column and the reason, by the first rule that fits.

    name: the name of the column. texts: its different values. people: the number of rows.
    """
    # The first rule that fits decides. Identifiers and texts come first, because a missed
    # identifier would be released. Values of a small column differ by chance, so these rules need
    # many values. If no rule fits, the role is quasi: it is safe to assume that an attacker knows
    # the column.
    words, text_count, sample = cut(name), len(texts), _sample(texts)
    for kind_text, pattern in (
        ("e-mail addresses", EMAIL),
        ("numbers to call", PHONE),
        ("URLs", URL),
    ):
        if text_count >= FEWEST and all(map(pattern.fullmatch, sample)):
            return ColumnRole.IDENTIFIER, f"its values are {kind_text}"
    if word := _weighing(words, texts):
        return ColumnRole.WEIGHT, f"it is called {word!r} and has numbers above 0"
    if text_count >= max(FEWEST, NAMED * people) and (word := _identifying(words)):
        return (
            ColumnRole.IDENTIFIER,
            f"it is called {word!r} and has {text_count:,} different values",
        )
    if reason := _free_text(sample, text_count, people):
        return ColumnRole.TEXT, reason
    if text_count >= max(FEWEST, IDENTIFYING_SHARE * people) and _codes(sample, text_count):
        share_text = (
            "every value is"
            if text_count >= people
            else f"{text_count:,} values of {people:,} people are"
        )
        return ColumnRole.IDENTIFIER, f"{share_text} different"
    if text_count >= FEWEST and kinds()["person"].first_match(words) and _digits(sample):
        return (
            ColumnRole.IDENTIFIER,
            f"it is called {name!r} and has {text_count:,} different codes",
        )
    if text_count <= 1:
        return ColumnRole.OTHER, "it has one value only" if text_count else "it has no value"
    for role in (ColumnRole.SENSITIVE, ColumnRole.QUASI):
        if word := kinds()[role].first_match(words):
            return role, f"it is called {word!r}"
    if key_like(texts, people):
        return (
            ColumnRole.IDENTIFIER,
            f"{text_count:,} numbers as of a register, whose size means nothing",
        )
    return ColumnRole.QUASI, "an attacker may know it"


def _weighing(words: list[str], texts: Sequence[str]) -> str | None:
    """Return the word of a column's name that marks sampling weights; None if they are no weights.

    words: the words of the name. texts: the different values.
    """
    numbers = numbers_of(texts)
    if numbers is None or len(numbers) < 2 or min(numbers) <= 0:
        return None
    if word := kinds()["weight"].first_match(words):
        return word
    # A word such as "weight" may also mean a body weight. So it marks sampling weights only if some
    # number is above any body weight, and half of the numbers have fractions.
    word = kinds()["weighing"].first_match(words)
    fractions = sum(number % 1 > 0 for number in numbers)
    if max(numbers) > HEAVIEST and fractions >= len(numbers) / 2 and len(words) == 1:
        return word
    return None


def _identifying(words: list[str]) -> str | None:
    """Return the word of a name that marks a personal number, a name or an address, or None.

    words: the words of the column's name.
    """
    identifying = own_number(words) or shared(words)
    if identifying in WEAK and any(
        kinds()[kind].first_match(words) for kind in ("quasi", "sensitive")
    ):
        return None  # a name such as "ward id" or "drug name" identifies a thing, not a person
    return identifying


def _free_text(sample: Sequence[str], text_count: int, people: int) -> str | None:
    """Return the reason why values are free text; None if they are not.

    sample: a sample of the different values. text_count: their number. people: the number of rows.
    """
    if text_count < FEWEST:
        return None
    spaced = [text for text in sample if text.count(" ") >= TEXT_WORDS - 1]
    if text_count >= OFTEN_TEXT * people and len(spaced) >= OFTEN_TEXT * len(sample):
        return "long texts, most of them in one row only"
    for kind_text, pattern in (("an e-mail address", EMAIL), ("a number to call", PHONE)):
        if any(map(pattern.search, spaced)):
            return f"texts of several words, one with {kind_text}"
    return None


def _digits(sample: Collection[str]) -> bool:
    """Whether each value contains a digit, as codes do. sample: a sample of the values."""
    return all(any(map(str.isdigit, text)) for text in sample)


def _codes(sample: Sequence[str], text_count: int) -> bool:
    """Whether values are names or codes, and not measurements, which may all differ as well.

    sample: a sample of the different values. text_count: their number.
    """
    if all(map(DATE.fullmatch, sample)):
        return False
    pointed = [text.replace(",", ".", 1) for text in sample]
    numbers = [float(text) for text in pointed if NUMBER.fullmatch(text)]
    if len(numbers) < KIND_SHARE * len(sample):
        return True
    if text_count < FEWEST_NUMBERS or any(number % 1 for number in numbers):
        return False
    lengths = {len(text) for text in sample}
    return (
        len(lengths) == 1 or max(numbers) - min(numbers) < 2 * text_count
    )  # true for codes of fixed length and for consecutive numbers
