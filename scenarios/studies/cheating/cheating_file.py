"""The file `cheating.json` in a run's folder: the study of malicious coalitions in its scenario.

The study plays other runs of the same scenario, with the seeds that it names. The file is no part
of the run, so the folder's seal does not cover the file. Only its owner may read the file.
"""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ....errors import StorageError
from ....strict_text import Unreadable, from_json
from ...programs.capability import AnswerKind
from ...programs.registry import answers_in
from ...schema.model import Scenario
from ...serialization.atomic_file import write_whole
from ...serialization.bounded_file import read_bounded
from ...serialization.json_text import pretty
from ...serialization.record import plain
from ..matrix.attack_plan import mark_of
from .cheating_result import SCHEMA, WHEN, AttackRuns, CheatingStudy

if TYPE_CHECKING:
    from ...records.result_file import Run

CHEATING = "cheating.json"
# bytes; larger files are refused; 10,000 runs of every attack need a quarter of this size
LARGEST = 1 << 26


def read(folder: str | PathLike[str], scenario: Scenario) -> CheatingStudy | None:
    """Return the study in a run's folder; None if the folder has no study.

    scenario: the scenario of the run. Raises StorageError if the study is damaged, has another
    version's schema, or is about another scenario.
    """
    folder = Path(folder)
    path = folder / CHEATING
    if not path.is_file():
        return None
    data = read_bounded(path, LARGEST, "study of cheating coalitions")
    try:
        study = from_json(data, CheatingStudy)
    except Unreadable as bad:
        reason = f"no study of cheating coalitions: {bad.why}"
        raise StorageError(f"{path}:{bad.line}: {reason}; {REMEDY}") from None
    if study.schema != SCHEMA:
        raise StorageError(f"{path}: schema {study.schema}; this version reads {SCHEMA}; {REMEDY}")
    if study.mark != mark_of(scenario):
        raise StorageError(f"{path}: is about another scenario than the run; {REMEDY}")
    for attempt in study.attempts:
        if not _in_order(attempt, study):
            raise StorageError(
                f"{path}: {attempt.attack}: runs are missing or out of order; {REMEDY}"
            )
    return study


REMEDY = "remove it, and `veilmix leak RUN --cheating` plays it again"


def _in_order(attempt: AttackRuns, study: CheatingStudy) -> bool:
    """Whether an attack's runs have the study's seeds, in their order, and possible values."""
    seeds = [shot.seed for shot in attempt.shots]
    return seeds == list(range(study.seed, study.seed + len(seeds))) and all(
        0 <= shot.value <= shot.of and shot.noticed in WHEN for shot in attempt.shots
    )


def save(study: CheatingStudy, folder: str | PathLike[str]) -> Path:
    """Write a study into a run's folder, over an older study; return its path.

    Raises StorageError if the file cannot be written.
    """
    folder = Path(folder)
    path = folder / CHEATING
    write_whole(path, pretty(plain(study)), force=True, private=True)
    return path


def grown(begun: CheatingStudy, older: CheatingStudy | None) -> CheatingStudy:
    """Return a new study that contains the runs of an older study of the same seed and version.

    begun: the new study, before its first run. The larger requested number of runs applies. Attacks
    that the older study lacks begin at the first seed.
    """
    if older is None or older.seed != begun.seed or older.version != begun.version:
        return begun
    older_attempts = {attempt.attack: attempt for attempt in older.attempts}
    kept_attempts = tuple(
        msgspec.structs.replace(attempt, shots=older_attempts[attempt.attack].shots)
        if attempt.attack in older_attempts
        and _have_same_members(attempt, older_attempts[attempt.attack])
        else attempt
        for attempt in begun.attempts
    )
    runs = max(begun.runs, older.runs)
    return msgspec.structs.replace(begun, runs=runs, attempts=kept_attempts)


def _have_same_members(attempt: AttackRuns, second: AttackRuns) -> bool:
    """Whether the same parties and number of people commit two attacks."""
    return (attempt.parties, attempt.friends) == (second.parties, second.friends)


def read_study(run: "Run") -> CheatingStudy | None:
    """Return the study in a run's folder; None without it, or if attacks are not measured."""
    return None if unmeasured(run.scenario) else read(run.folder, run.scenario)


def unmeasured(scenario: Scenario) -> bool:
    """Whether attacks are not measured: people add noise, or the mix proves every step."""
    return answers_in(scenario) is AnswerKind.REPORTS or scenario.mix.kind == "verified"
