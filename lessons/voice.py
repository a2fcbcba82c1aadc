"""The sentences of a lesson in a language, with the numbers of its table filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..languages.language import Language
from .lesson import Lesson, NumberGuess
from .tables import Number, Table, table_of

OF_A_LESSON = re.compile(r"l(\d+)-(.+)")
# names of the sentences with answers, which are not sent to phones
FOR_TEACHERS = re.compile(r"(?:answer-\d+|guess-answer|drag-answer)")


def format_number(value: Number, language: Language, *, share: bool = False) -> str:
    """Return a number as text in groups of three digits, a share as a percentage.

    The signs between groups and before decimals are those of the language.
    """
    digits = f"{round(100 * value, 4) if share else value:,.10g}"
    point, group = language.decimal, "," if language.decimal == "." else "."
    text = digits.translate({ord(","): group, ord("."): point})
    return f"{text} %" if share else text


@dataclass(frozen=True, slots=True)
class Voice:
    """The sentences of one lesson in one language, with numbers filled in.

    Attributes:
        lesson: the record of the lesson.
        table: the numbers of the lesson.
        language: the language; its `say` looks up the sentences of lessons.
    """

    lesson: Lesson
    table: Table
    language: Language

    @classmethod
    def in_language(cls, lesson: Lesson, language: Language) -> "Voice":
        """Return the sentences of a lesson in a language."""
        return cls(lesson, table_of(lesson.number), language.part("lessons"))

    def common(self, key: str, **values: object) -> str:
        """Return a sentence that all lessons share, with the numbers of this lesson filled in."""
        return self.language.say(key, **{**self.facts, **values})

    def say(self, name: str, **values: object) -> str:
        """Return a sentence of this lesson by its name, such as `title`, with numbers filled in."""
        return self.common(self.lesson.key(name), **values)

    @property
    def facts(self) -> Mapping[str, str]:
        """The texts for all placeholders of sentences: numbers of the table, and the answer."""
        facts = {
            name: format_number(value, self.language, share=name.endswith("share"))
            for name, value in self.table.facts.items()
        }
        return facts | {"truth": self.value(self.table.truth), "number": str(self.lesson.number)}

    def number(self, value: Number) -> str:
        """Return a number as text: as a percentage if the guess of the lesson is a share."""
        guess = self.lesson.guess
        share = isinstance(guess, NumberGuess) and guess.share
        return format_number(value, self.language, share=share)

    def value(self, value: Number) -> str:
        """Return a guess as text: a number with its unit, or the chosen answer."""
        if isinstance(self.lesson.guess, NumberGuess):
            key = self.lesson.key("value")
            return self.language.say(key, n=value, value=self.number(value))
        return self.language.say(self.lesson.key(f"choice-{value}"))

    @property
    def terms(self) -> str:
        """A sentence with the lesson's minutes, the age of pupils, and what is needed."""
        lesson = self.lesson
        return self.common("terms", minutes=lesson.minutes, age=lesson.age, needs=self.say("needs"))

    @property
    def texts(self) -> dict[str, object]:
        """The sentences, by key, that the scripts of a lesson's page show, without the answers."""
        sentences: dict[str, object] = {}
        for key, form in self.language.sentences.items():
            match = OF_A_LESSON.fullmatch(key)
            ours = match is None or int(match[1]) == self.lesson.number
            if ours and not (match and FOR_TEACHERS.fullmatch(match[2])):
                sentences[key] = form
        return sentences
