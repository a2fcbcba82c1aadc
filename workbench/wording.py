"""The texts of the page's state: sentences of a language, and output of the command line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..analysis.scoring import TableScore
from ..languages.language import Language
from ..number_text import percent
from ..own_data.advise import Advised
from ..own_data.read_table import Reading
from ..own_data.score_record import ScoredTable
from ..presentation.text_blocks import Grid, Line
from ..presentation.wording import visible
from ..scenarios.populations.people import SourceTable

Text = dict[str, str]
ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The output of a command that the page has run.

    Attributes:
        text: the output as the command line prints it.
        printed: the same output as lines and tables.
        warnings: the warnings, a line for each.
        error: the error that ended the command; None: the command succeeded.
    """

    text: str
    printed: tuple[Line | Grid, ...]
    warnings: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class CommandWords:
    """The functions of the command line that word its output, so that the page says the same.

    Attributes:
        advice: returns the output of `veilmix advise`, from the advice and the name of the file.
        advice_steps, advice_choices: return the tables in that output: the advised level of each
            column, and the best coarsenings (a level for each column) of the search.
        advice_lines: returns the lines in that output on known columns, rows and costs.
        searched: returns the line in that output on the search.
        score: returns the output of `veilmix score`, from a score, the name of the file, the texts
            of missing cells, and the table.
        record: returns the score of a released table, and its record for the page to sign. Its
            arguments: the advice, the table, the roles, the path of the file, its description, the
            arguments of the command, the written file, and a function that receives the progress.
        run: runs `veilmix score` or `veilmix counts`, with the given arguments, and a function that
            receives the progress.
        advice_record: returns the output of `veilmix advise --format json`, from the advice and the
            name of the file.
        advice_figure: writes the figure of `veilmix advise`, from the advice, to a path.
        scenario: returns the scenario that `veilmix advise --write` writes, from the advice, the
            path of the data, their description, and the folder of the scenario. Raises DataError if
            the advice cannot be written as a scenario.
        help: command and option, such as `score --figure` -> the help of the option.
    """

    advice: Callable[[Advised, str], str]
    advice_steps: Callable[[Advised], Grid]
    advice_choices: Callable[[Advised], Grid]
    advice_lines: Callable[[Advised], list[str]]
    searched: Callable[[Advised], str]
    score: Callable[[TableScore, str, Sequence[str], SourceTable], str]
    record: Callable[..., tuple[TableScore, ScoredTable]]
    run: Callable[[Sequence[str], Callable[[str], None]], CommandOutput]
    advice_record: Callable[[Advised, str], str]
    advice_figure: Callable[[Advised, Path], None]
    scenario: Callable[[Advised, Path, Reading, Path], str]
    help: Mapping[str, str] = field(default_factory=dict)


def english(text: str) -> Text:
    """Return an English text of the command line, with its language tag.

    Characters that would control a screen are escaped.
    """
    return {"text": visible(text), "lang": ENGLISH}


@dataclass(frozen=True, slots=True)
class PageVoice:
    """The sentences of the page in a language.

    Attributes:
        language: the language, with the sentences of the page.
        tag: the tag of the language, such as `de`.
    """

    language: Language
    tag: str

    @classmethod
    def in_language(cls, language: Language) -> "PageVoice":
        """Return the page's sentences in a language."""
        return cls(language.part("workbench"), language.tag)

    def say(self, key: str, **values: object) -> Text:
        """Return a sentence of the page, with the tag of its language.

        key: the name of the sentence in the table [workbench]. values: values for its placeholders.
        """
        return {"text": visible(self.language.say(key, **values)), "lang": self.tag}

    def plain(self, text: str) -> Text:
        """Return a text that needs no translation, such as a number, with the language's tag."""
        return {"text": visible(text), "lang": self.tag}

    def share(self, people: int, n: int) -> str:
        """Return a share of people as text: the percentage, and the number of people.

        n: the number of all people.
        """
        return f"{self.percent(people / n)} ({self.language.count(people)})"

    def percent(self, share: float) -> str:
        """Return a share as a percentage; 0 % only if it is 0, and 100 % only if it is 1."""
        return percent(share).replace(".", self.language.decimal)

    def count(self, number: int) -> str:
        """Return a whole number as text, in groups of three digits."""
        return self.language.count(number)

    def label(self, name: str) -> Text:
        """Return the label of an option in the page's language; else the option's name."""
        key = "option-" + name.replace("_", "-")
        if key in self.language.sentences:
            return self.say(key)
        return english(name.replace("_", " "))


def grid(table: Grid) -> dict[str, Any]:
    """Return a table of the command line's output in the form that the page receives."""
    return {
        "headings": list(table.headings),
        "rows": [[visible(str(cell)) for cell in row] for row in table.rows],
        "right": list(table.right),
        "lang": ENGLISH,
    }


def block(printed: Line | Grid) -> dict[str, Any]:
    """Return a line or table of the command line's output in the form that the page receives."""
    if isinstance(printed, Line):
        return {"line": english(printed.text.strip()), "style": printed.style}
    return {"grid": grid(printed)}
