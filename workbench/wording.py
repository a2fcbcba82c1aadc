"""Texts of the state: sentences of a language, lines of the command line, tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..analysis.scoring import TableScore
from ..languages.language import Language
from ..scenarios.populations.people import SourceTable
from ..scenarios.tables.advise import Advised
from ..scenarios.tables.score_record import ScoredTable
from ..scenarios.wording import Grid, percent, visible

Text = dict[str, str]
ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class CommandWords:
    """The words of the command line, which the command hands over.

    Attributes:
        advice: the output of `veilmix advise`; of the advice and the name of the file.
        advice_steps, advice_choices: its tables.
        advice_lines: its lines on known columns, rows and costs.
        searched: its line on the search.
        score: the output of `veilmix score`; of a score, a name, texts of missing cells, a table.
        record: the score of a released table, and its record for the page to sign; of the advice,
            the table, roles, the path of the file, its description, the arguments of the command,
            the written file, and the progress.
        help: the help of each option, by its name.
    """

    advice: Callable[[Advised, str], str]
    advice_steps: Callable[[Advised], Grid]
    advice_choices: Callable[[Advised], Grid]
    advice_lines: Callable[[Advised], list[str]]
    searched: Callable[[Advised], str]
    score: Callable[[TableScore, str, Sequence[str], SourceTable], str]
    record: Callable[..., tuple[TableScore, ScoredTable]]
    help: Mapping[str, str] = field(default_factory=dict)


def english(text: str) -> Text:
    """Return a text of the command line. Characters that would control a screen are escaped."""
    return {"text": visible(text), "lang": ENGLISH}


@dataclass(frozen=True, slots=True)
class PageVoice:
    """The sentences of the page in a language.

    Attributes:
        language: with the sentences of the page.
        tag: of the language.
    """

    language: Language
    tag: str

    @classmethod
    def in_language(cls, language: Language) -> "PageVoice":
        """Return the voice of a language."""
        return cls(language.part("workbench"), language.tag)

    def say(self, key: str, **values: object) -> Text:
        """Return a sentence of `[workbench]`."""
        return {"text": visible(self.language.say(key, **values)), "lang": self.tag}

    def plain(self, text: str) -> Text:
        """Return a text without words: a number, a name."""
        return {"text": visible(text), "lang": self.tag}

    def share(self, people: int, n: int) -> str:
        """Write a share of people, with their number."""
        return f"{self.percent(people / n)} ({self.language.count(people)})"

    def percent(self, share: float) -> str:
        """Write a share; 0 only if it is 0, and 100 only if it is 1."""
        return percent(share).replace(".", self.language.decimal)

    def count(self, number: int) -> str:
        """Write a whole number in groups of three digits."""
        return self.language.count(number)

    def label(self, name: str) -> Text:
        """Return the label of an option, or its name on a command line."""
        key = "option-" + name.replace("_", "-")
        if key in self.language.sentences:
            return self.say(key)
        return english(name.replace("_", " "))


def grid(table: Grid) -> dict[str, Any]:
    """Return a table of the command line for the page."""
    return {
        "headings": list(table.headings),
        "rows": [[visible(str(cell)) for cell in row] for row in table.rows],
        "right": list(table.right),
        "lang": ENGLISH,
    }
