"""A language: a file of sentences, found by their keys.

    NAME.toml               NAME: a language tag in lower case, such as `de`
    language = "Deutsch"    the name of the language, in the language
    direction = "ltr"       or "rtl"; the attribute `dir` of pages
    decimal = ","           between whole and fraction
    thousands = "."         between groups of three digits
    plural = "one"          a rule of `PLURALS`: the form of a sentence with a count `n`
    [sentences]             of phones and of the projector page (the wall); other tables: `PARTS`
    join = "Mitmachen"
    people = { one = "1 Person", other = "{n} Personen" }
    [theatre]               of the theatre, the page that shows a run
    [workbench]             of the page for a table of the user's own

A sentence that a file lacks is shown in English. Phones receive the sentences as JSON and choose
forms by `Intl.PluralRules` (poll/static/sentences.js).
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ..strict_text import from_toml

FOLDER = Path(__file__).parent
ENGLISH = "en"
BLANK = re.compile(r"\{(\w+)\}")  # a placeholder in a sentence, such as {people}
RANGE = re.compile(r"([a-z]{1,8})(?:-[a-z0-9-]+)?(?:;q=([01](?:\.\d{0,3})?))?")
# characters of the header `accept-language` that are read; the rest is ignored
LONGEST_HEADER = 1_000
Form = str | dict[str, str]
# names of the tables of sentences in a language's file
PARTS = ("sentences", "theatre", "lessons", "cards", "workbench")

# Rule -> the form of a sentence for a whole number, as https://www.unicode.org/cldr/ defines it.
PLURALS: Mapping[str, Callable[[int], str]] = {
    "one": lambda n: "one" if n == 1 else "other",  # English, German, Dutch, Turkish
    "zero-one": lambda n: "one" if n in (0, 1) else "other",  # French
    "none": lambda _: "other",  # Japanese, Chinese
}


class Language(Struct, frozen=True, forbid_unknown_fields=True):
    """A language with its sentences for phones, pages and lessons.

    Attributes:
        language: the name of the language, in the language.
        direction: direction of its script.
        decimal: the sign between whole and fraction.
        thousands: the sign between groups of three digits.
        plural: name of a rule of `PLURALS`, which chooses a sentence's form by a count.
        sentences: key -> sentence of phones, and of the page that a class sees on a projector; a
            sentence with a count has several forms.
        theatre: sentences of the theatre, a page that shows a run.
        lessons: sentences of lessons.
        cards: sentences of role cards.
        workbench: sentences of the page for a table of the user's own.
        tag: the language tag, such as `de`, for the attribute `lang` of pages.
    """

    language: str
    direction: Literal["ltr", "rtl"]
    decimal: str
    thousands: str
    plural: Literal["one", "zero-one", "none"]
    sentences: dict[str, Form]
    theatre: dict[str, Form] = {}
    lessons: dict[str, Form] = {}
    cards: dict[str, Form] = {}
    workbench: dict[str, Form] = {}
    tag: str = ""

    def part(self, name: Literal["theatre", "lessons", "cards", "workbench"]) -> "Language":
        """Return a copy of this language in which `say` looks up the sentences of another page.

        name: the field with these sentences, such as `theatre`.
        """
        return msgspec.structs.replace(self, sentences=getattr(self, name))

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with its placeholders filled in; KeyError for an unknown key.

        values: placeholder -> its value. Whole numbers are grouped in threes. The value of `n`, a
        count, also chooses the form of the sentence.
        """
        form = self.sentences[key]
        if not isinstance(form, str):
            n = values["n"]
            chosen = PLURALS[self.plural](n) if isinstance(n, int) else "other"
            form = form.get(chosen, form["other"])
        return BLANK.sub(lambda blank: self._written(values[blank[1]]), form)

    def _written(self, value: object) -> str:
        """Return the value for a placeholder as text; whole numbers are grouped."""
        return self.count(value) if isinstance(value, int) else str(value)

    def count(self, number: int) -> str:
        """Return a whole number as text in groups of three digits."""
        return f"{number:,}".replace(",", self.thousands)

    def percent(self, share: float) -> str:
        """Return a share as a percentage with one decimal, with the language's decimal sign."""
        return f"{100 * share:.1f} %".replace(".", self.decimal)

    def number(self, value: float) -> str:
        """Return a number as text, as short as Python's `g` format, with the decimal sign."""
        return f"{value:g}".replace(".", self.decimal)

    @property
    def data(self) -> bytes:
        """The sentences as JSON, for the script of a page."""
        return msgspec.json.encode(self.sentences)


@cache
def languages(folder: Path = FOLDER) -> Mapping[str, Language]:
    """Return all languages by their tags; a missing sentence is filled in from English.

    folder: the folder with the TOML files of the languages.
    """
    english = _read(folder / f"{ENGLISH}.toml")
    read = {path.stem: _read(path) for path in sorted(folder.glob("*.toml"))}
    return {
        tag: msgspec.structs.replace(
            language,
            tag=tag,
            **{part: getattr(english, part) | getattr(language, part) for part in PARTS},
        )
        for tag, language in read.items()
    }


def english() -> Language:
    """Return English, the language that fills in missing sentences."""
    return languages()[ENGLISH]


def language_of(tag: str | None, accepted: str = "") -> Language:
    """Return the language in which a page is shown.

    Args:
        tag: the tag of the language that the teacher has chosen; None: the browser's preference
            decides.
        accepted: the browser's header `accept-language`.
    """
    languages_by_tag = languages()
    if tag is not None:
        return languages_by_tag[tag]
    best, weight = ENGLISH, 0.0
    for part in accepted[:LONGEST_HEADER].lower().replace(" ", "").split(","):
        match = RANGE.fullmatch(part)
        if match is None or match[1] not in languages_by_tag:
            continue
        quality = 1.0 if match[2] is None else float(match[2])
        if quality > weight:  # the first of equal weights wins
            best, weight = match[1], quality
    return languages_by_tag[best]


def _read(path: Path) -> Language:
    """Return the language with the sentences of a TOML file."""
    return from_toml(path.read_bytes(), Language)
