"""The result of the page's six steps: the released table, its score, the page to sign."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..analysis.scoring import TableScore
from ..errors import DataError
from ..installation import missing
from ..own_data.advise import Advised
from ..own_data.earlier_advice import check_reached
from ..own_data.export import Row, write
from ..own_data.release import judge_advised
from ..own_data.release_record import ReleasedFile
from ..own_data.score_record import ScoredTable
from ..report import table as sign_page
from ..report.write import html
from ..scenarios.lab.ledger.account import Account
from ..scenarios.serialization.csv_text import csv_text
from ..scenarios.serialization.json_text import pretty
from ..scenarios.serialization.record import plain
from ..temporary_files import private_folder
from .choices import UserChoices
from .options import Files, advise_arguments, written_name
from .release import ReleasePreview, release_part
from .search import roles_of
from .table import MISSING, OpenedFile, Progress
from .wording import CommandWords, PageVoice, Text, english

WRITTEN = {"figure": "advise_figure", "scenario": "advise_write"}
FORMATS = (("csv", "CSV", ""), ("xlsx", "Excel", "openpyxl"), ("parquet", "Parquet", "duckdb"))


@dataclass(frozen=True, eq=False)
class ReleaseResult:
    """A released table, its score and its files.

    Attributes:
        advised: the advice that led to this table.
        release: the released rows, with their measures.
        score: the score of the released table.
        record: the score as a record, to be saved and signed.
        account: the account of the ledger, which records all releases of these people; None: no
            ledger.
        files: format -> the table as bytes, for the formats requested so far.
    """

    advised: Advised
    release: ReleasePreview
    score: TableScore
    record: ScoredTable
    account: Account | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    def file(self, form: str) -> bytes:
        """Return the bytes of the table as a file; DataError if the format cannot hold the table.

        form: `csv`, `xlsx` or `parquet`.
        """
        if form not in self.files:
            self.files[form] = file_of(self.release.columns, self.release.rows, form)
        return self.files[form]

    @cached_property
    def saved_score(self) -> str:
        """The score of the released table as JSON, the input of `veilmix report`."""
        return pretty(plain(self.record))

    @cached_property
    def page(self) -> str:
        """The page to sign, as HTML.

        Raises LocalError, with the package to install, if Jinja is missing.
        """
        return html(sign_page.page(self.record))


def make_result(
    advised: Advised,
    release: ReleasePreview,
    path: Path,
    choices: UserChoices,
    words: CommandWords,
    progress: Progress,
) -> ReleaseResult:
    """Return the released table with its score.

    Args:
        advised: the advice that led to this table.
        release: the released rows, with their measures.
        path: the path of the open file.
        choices: the settings that the user chose.
        words: the functions that word the output of the command line.
        progress: reports a stage.

    Raises:
        DataError: the table cannot be released. RoundBurned: a ledger forbids the release.
    """
    account = judge_advised(
        advised, Path(choices.ledger).expanduser() if choices.ledger else None, choices.person
    )
    names, columns = Files.named_after(choices), release.columns
    check_reached(advised, choices.like and names.table)
    csv = file_of(columns, release.rows, "csv")
    file = ReleasedFile(names.table, sha256(csv).hexdigest(), len(release.rows), tuple(columns))
    arguments = advise_arguments(choices, names)
    about = (advised, release.table, roles_of(choices), path, choices.reading())
    score, record = words.record(*about, arguments, file, progress)
    return ReleaseResult(advised, release, score, record, account, {"csv": csv})


def file_of(columns: Sequence[str], rows: Sequence[Row], form: str) -> bytes:
    """Return the bytes of a table as a file; DataError if the format cannot hold the table.

    form: `csv`, `xlsx` or `parquet`.
    """
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
    """Return the part of the page's state on the result, with the score's text and the files."""
    stem = opened.source.content.path.stem
    return {
        **release_part(result.release, opened, choices, voice),
        "status": "ready",
        "final": True,
        "sha256": sha256(result.file("csv")).hexdigest(),
        "input_sha256": opened.source.digest,
        "hash_note": voice.say("said-hash"),
        "formats": [
            [form, label, not library or find_spec(library) is not None]
            for form, label, library in FORMATS
        ],
        "warnings": [*_warnings(result, voice), *_unwritten(result, choices, words)],
        "score": words.score(
            result.score, f"{stem}-released.csv", (MISSING,), result.release.table
        ),
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


def _warnings(result: ReleaseResult, voice: PageVoice) -> Iterator[Text]:
    """Yield the warnings about a release: suppressed rows or cells, no ledger of releases."""
    if result.advised.suppressed:
        yield voice.say("said-rows-out-warning")
    if result.advised.cells is not None:
        yield voice.say("said-cells-warning")
    if result.account is None:
        yield voice.say("said-no-ledger")
    else:
        yield from map(english, result.account.warnings)
