"""The result: the released table, its score, the page to sign; and its part of the state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..analysis.exposure.cells import cells_of
from ..analysis.scoring import TableScore
from ..analysis.scoring.parts import ScoredPart
from ..errors import DataError
from ..installation import missing
from ..report import table as sign_page
from ..report.write import html
from ..scenarios.ledger.account import Account
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.serialization.csv_text import csv_text
from ..scenarios.serialization.json_text import pretty
from ..scenarios.serialization.record import plain
from ..scenarios.tables.advise import Advised
from ..scenarios.tables.advised_table import released_rows, released_table
from ..scenarios.tables.earlier_advice import check_reached
from ..scenarios.tables.export import Row, write
from ..scenarios.tables.release import judge_advised
from ..scenarios.tables.release_record import ReleasedFile
from ..scenarios.tables.score_record import ScoredTable, SensitiveColumn
from ..scenarios.tables.sensitive_targets import MissedTargets, Targets
from ..temporary_files import private_folder
from .choices import UserChoices
from .options import Files, advise_arguments, written_name
from .search import roles_of
from .table import MISSING, PREVIEW, WIDEST, OpenedFile, Progress
from .wording import CommandWords, PageVoice, Text, english

WRITTEN = {"figure": "advise_figure", "scenario": "advise_write"}
TINY = 1e-9  # a difference of rounding
FORMATS = (("csv", "CSV", ""), ("xlsx", "Excel", "openpyxl"), ("parquet", "Parquet", "duckdb"))


@dataclass(frozen=True, eq=False)
class ReleaseResult:
    """A released table, its score and its files.

    Attributes:
        advised: the advice.
        columns, rows: of the released table, as they are written.
        table: the released table, as it is scored.
        score: of the released table.
        record: the same as a record.
        account: of a ledger, if one is named.
        files: bytes that were asked for, by format.
    """

    advised: Advised
    columns: Sequence[str]
    rows: Sequence[Row]
    table: SourceTable
    score: TableScore
    record: ScoredTable
    account: Account | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def known_part(self) -> ScoredPart:
        """The columns that the target counts as known, together."""
        score = self.score
        return score.joint if self.advised.known == "all" or score.quasi is None else score.quasi

    @property
    def below(self) -> int:
        """The released people in a crowd smaller than k."""
        return self.known_part.crowds.users_below(self.advised.k)

    def file(self, form: str) -> bytes:
        """Return the table as a file. form: `csv`, `xlsx` or `parquet`. Raises DataError."""
        if form not in self.files:
            self.files[form] = file_of(self.columns, self.rows, form)
        return self.files[form]

    @cached_property
    def saved_score(self) -> str:
        """The score as JSON, for `veilmix report`."""
        return pretty(plain(self.record))

    @cached_property
    def page(self) -> str:
        """The page to sign. LocalError, with the package to install, if Jinja is missing."""
        return html(sign_page.page(dict(plain(self.record))))


def make_result(
    advised: Advised, path: Path, choices: UserChoices, words: CommandWords, progress: Progress
) -> ReleaseResult:
    """Score the released table. Raises DataError; RoundBurned if a ledger forbids it."""
    account = judge_advised(
        advised, Path(choices.ledger).expanduser() if choices.ledger else None, choices.person
    )
    table = released_table(advised)
    columns, rows = released_rows(advised)
    names = Files.named_after(choices)
    check_reached(advised, choices.like and names.table)
    csv = file_of(columns, rows, "csv")
    file = ReleasedFile(names.table, sha256(csv).hexdigest(), len(rows), tuple(columns))
    arguments = advise_arguments(choices, names)
    about = (advised, table, roles_of(choices), path, choices.reading())
    score, record = words.record(*about, arguments, file, progress)
    return ReleaseResult(advised, columns, rows, table, score, record, account, {"csv": csv})


def file_of(columns: Sequence[str], rows: Sequence[Row], form: str) -> bytes:
    """Return a table as a file. form: `csv`, `xlsx` or `parquet`. Raises DataError."""
    if form == "csv":
        return csv_text([columns, *rows]).encode()
    with private_folder("the released table") as folder:
        path = folder / f"released.{form}"
        write(path, columns, rows)
        return path.read_bytes()


def result_part(
    result: ReleaseResult,
    opened: OpenedFile,
    choices: UserChoices,
    words: CommandWords,
    voice: PageVoice,
) -> dict[str, Any]:
    """Return the part on the result."""
    whole, stem = opened.whole, opened.source.content.path.stem
    below = result.below
    before = voice.say("said-shape", rows=len(whole.codes), columns=len(whole.columns))
    after = voice.say("said-shape", rows=len(result.rows), columns=len(result.columns))
    met = below <= result.score.most
    headline = "said-nobody" if not below else "said-few" if met else "said-many"
    return {
        "headline": voice.say(headline, n=below, k=choices.k),
        "summary": after["text"],
        "before": {
            "caption": before,
            "preview": {
                "names": list(whole.columns),
                "rows": [list(row) for row in opened.preview],
            },
        },
        "after": {
            "caption": after,
            "preview": {
                "names": list(result.columns),
                "rows": [[str(cell)[:WIDEST] for cell in row] for row in result.rows[:PREVIEW]],
            },
        },
        "measures": list(_measures(result, choices, voice)),
        "sha256": sha256(result.file("csv")).hexdigest(),
        "input_sha256": opened.source.digest,
        "hash_note": voice.say("said-hash"),
        "formats": [
            [form, label, not library or find_spec(library) is not None]
            for form, label, library in FORMATS
        ],
        "warnings": [*_warnings(result, voice), *_unwritten(result, choices, words)],
        "score": words.score(result.score, f"{stem}-released.csv", (MISSING,), result.table),
        "names": {
            "table": f"{stem}-released.csv",
            "sign": f"{stem}-to-sign.html",
            "score": f"{stem}-score.json",
            "session": f"{stem}-session.toml",
            "advice": f"{stem}-advice.json",
            **{name: written_name(option, choices) for name, option in WRITTEN.items()},
        },
        "risks": None,
    }


def _unwritten(result: ReleaseResult, choices: UserChoices, words: CommandWords) -> Iterator[Text]:
    """Yield the reasons why a figure or a scenario that the user wants cannot be written."""
    if choices.advise_figure is not None and find_spec("matplotlib") is None:
        yield english(missing("report", "drawing"))
    if choices.advise_write is not None:
        try:
            words.scenario(result.advised, Path(choices.data), choices.reading(), Path())
        except DataError as why:
            yield english(str(why))


def _measures(
    result: ReleaseResult, choices: UserChoices, voice: PageVoice
) -> Iterator[dict[str, Any]]:
    """Yield the measures of the release, each with the asked and the found number."""
    below, n = result.below, result.score.n
    met, most = below <= result.score.most, voice.share(result.score.most, n)
    smallest = result.known_part.crowds.smallest
    yield _measure(
        voice.plain(voice.count(smallest)),
        voice.say("said-smallest"),
        voice.say("said-smallest-meaning"),
        voice.say("said-few", n=below, k=choices.k)
        if met and smallest < choices.k
        else voice.say("said-asked", asked=f"k = {choices.k}"),
        "unmet" if not met else "met" if smallest >= choices.k else "unasked",
    )
    yield _measure(
        voice.plain(voice.share(below, n)),
        voice.say("said-below-label", k=choices.k),
        voice.say("said-below-meaning"),
        voice.say("said-asked-most", asked=most),
        "met" if met else "unmet",
    )
    for column in result.record.sensitive:
        yield from _sensitive(column, result, choices, voice)


def _sensitive(
    column: SensitiveColumn, result: ReleaseResult, choices: UserChoices, voice: PageVoice
) -> Iterator[dict[str, Any]]:
    """Yield l, entropy-l if a limit was asked, and t of a sensitive column."""
    name = column.column
    wanted_l, wanted_t = choices.l.get(name), choices.t.get(name)
    met_l = wanted_l is None or column.diversity >= wanted_l
    met_t = wanted_t is None or column.closeness <= wanted_t + TINY
    yield _measure(
        voice.plain(voice.count(column.diversity)),
        voice.say("said-l", column=name),
        voice.say("said-l-one" if column.diversity == 1 else "said-l-meaning"),
        _asked_text(wanted_l, "l", voice)
        if met_l
        else _missed_text(result, name, ("l", Targets(l=wanted_l)), voice),
        _verdict(wanted_l, met=met_l),
    )
    if (wanted := choices.entropy_l.get(name)) is not None:
        met = column.entropy_diversity >= wanted - TINY
        yield _measure(
            voice.plain(_decimals(column.entropy_diversity, 2, voice)),
            voice.say("said-entropy-l", column=name),
            voice.say("said-entropy-l-meaning"),
            _asked_text(wanted, "entropy-l", voice)
            if met
            else _missed_text(result, name, ("entropy-l", Targets(entropy_l=wanted)), voice),
            _verdict(wanted, met=met),
        )
    yield _measure(
        voice.plain(_decimals(column.closeness, 3, voice)),
        voice.say("said-t", column=name),
        voice.say("said-t-meaning"),
        _asked_text(wanted_t, "t", voice)
        if met_t
        else _missed_text(
            result, name, ("t", Targets(t=wanted_t, nominal=name in choices.nominal)), voice
        ),
        _verdict(wanted_t, met=met_t),
    )


def _decimals(number: float, digits: int, voice: PageVoice) -> str:
    return f"{number:.{digits}f}".replace(".", voice.language.decimal)


def _missed_text(
    result: ReleaseResult, column: str, asked: tuple[str, Targets], voice: PageVoice
) -> Text:
    """Return a target that is missed, with the share of people in crowds that miss the target.

    asked: name and target.
    """
    name, target = asked
    people = people_who_miss(result.table, column, target)
    number = next(n for n in (target.l, target.entropy_l, target.t) if n is not None)
    return voice.say(
        "said-asked-missed",
        asked=f"{name} = {voice.language.number(number)}",
        share=voice.share(people, result.table.n),
    )


def people_who_miss(table: SourceTable, column: str, target: Targets) -> int:
    """Count the people in crowds, by quasi-identifiers, that miss a target of a column."""
    quasi = {judged.column for judged in table.judged if judged.role is ColumnRole.QUASI}
    known = [j for j, name in enumerate(table.columns) if name in quasi]
    classes = cells_of(table.codes, known) if known else np.zeros(len(table.codes), np.int64)
    try:
        return MissedTargets(table, {column: target}, 1, MISSING).people(classes)
    except DataError:  # all people together miss the target
        return table.n


def _asked_text(wanted: float | None, name: str, voice: PageVoice) -> Text:
    if wanted is None:
        return voice.say("said-not-asked")
    return voice.say("said-asked", asked=f"{name} = {voice.language.number(wanted)}")


def _verdict(wanted: float | None, *, met: bool) -> str:
    return "unasked" if wanted is None else "met" if met else "unmet"


def _measure(
    headline: Text, label: Text, meaning: Text, asked: Text, verdict: str
) -> dict[str, Any]:
    return {
        "headline": headline,
        "label": label,
        "meaning": meaning,
        "asked": asked,
        "verdict": verdict,
    }


def _warnings(result: ReleaseResult, voice: PageVoice) -> Iterator[Text]:
    if result.advised.suppressed:
        yield voice.say("said-rows-out-warning")
    if result.advised.cells is not None:
        yield voice.say("said-cells-warning")
    if result.account is None:
        yield voice.say("said-no-ledger")
    else:
        yield from map(english, result.account.warnings)
