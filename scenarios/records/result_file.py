"""Reading a run folder, strictly: what is not exactly as it was written is an error, with its line.

A value that was changed and still fits the schema is read; verify.py finds it.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ...errors import StorageError
from ...protocol.transcript import Transcript
from ..schema.model import Scenario
from ..schema.shape import examine
from ..scoring.outcome import SCHEMA
from ..serialization.transcripts import damaged, decode

SCENARIO, TRANSCRIPT, RESULT, RELEASE, VERSIONS = (
    "scenario.toml",
    "transcript.jsonl.gz",
    "result.json",
    "release.csv",
    "versions.json",
)
PARTIAL = ".partial-"  # before the name of a folder that is not whole


class Proof(msgspec.Struct, forbid_unknown_fields=True):
    """`certificate` of a decision."""

    rule: str
    k: int
    n: int
    people: int
    thresholds: list[float]
    pivot: int | None
    c: float | None
    proof: dict[str, Any] | None = None


class BlankRule(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `blank` of a decision: a value-level rule."""

    feature: str
    values: list[str]
    cover: int
    rate: float


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    """`decision` of result.json."""

    k: int
    max_exposure: float
    kept: list[str]
    suppressed: list[str]
    bound: float
    certificate: Proof
    blank: list[BlankRule] = []


class Released(msgspec.Struct, forbid_unknown_fields=True):
    """`release` of result.json."""

    columns: list[str]
    counts: list[list[str | int]]


class Exposed(msgspec.Struct, forbid_unknown_fields=True):
    """`exposure` of result.json."""

    true: float
    promised: float
    worst_case: float | None


class Guessed(msgspec.Struct, forbid_unknown_fields=True):
    """How sure a coalition is of something true: before it saw anything, and now."""

    before: float
    now: float


class Learnt(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `coalitions` of result.json."""

    parties: list[str]
    linked: int
    cells_certain: int
    bits_per_person: float
    exact: bool = True
    bits_are: str = ""
    method: str = "exact"
    error: float = 0.0
    rows_guessed: float | None = None
    rows_guessed_before: float | None = None
    cells_guessed: float | None = None
    cells_guessed_before: float | None = None
    worst_row: Guessed | None = None
    worst_value: Guessed | None = None
    anonymity_sets: list[list[int]] = []


class Reported(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `features` of `local`: an estimate, with what is known of it."""

    feature: str
    reports: int
    outside: int
    values: list[str]
    unbiased: list[float]
    standard_error: list[float]
    low_95: list[float]
    high_95: list[float]
    projected: list[float]
    truth: list[float]
    error: dict[str, float]


class Noise(msgspec.Struct, forbid_unknown_fields=True):
    """`local` of result.json: a run of the program `randomized`."""

    mechanism: str
    rule: str
    epsilon: dict[str, float | str]
    features: list[Reported]
    joint: Reported | None
    error: dict[str, float]
    privacy: dict[str, Any]
    reports_omitted: int


class Counted(msgspec.Struct, forbid_unknown_fields=True):
    """`union` or `intersection` of `incidence`."""

    estimate: float
    low: float
    high: float
    truth: int | None


class Incidence(msgspec.Struct, forbid_unknown_fields=True):
    """`incidence` of result.json: a run that counts in how many sets elements are."""

    owners: int
    positions: int
    left_out: int
    outside: int
    rule: str
    epsilon: dict[str, float | str]
    eta: float
    method: str
    beta: float
    psi: list[int]
    estimate: list[float]
    low: list[float]
    high: list[float]
    truth: list[int] | None
    union: Counted
    intersection: Counted
    error: dict[str, float | None]
    note: str
    information: float
    information_error: float


class Attacked(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `attacks` of `reidentification`."""

    knows: list[str]
    sees: list[str]
    found: float
    standard_error: float
    bayes_error: float
    certain: int
    bits: float
    bits_standard_error: float


class Chances(msgspec.Struct, forbid_unknown_fields=True):
    """The prosecutor or the journalist of `risk`."""

    largest: float
    mean: float
    above: float


class Risks(msgspec.Struct, forbid_unknown_fields=True):
    """`risk` of `reidentification`."""

    k: int
    prosecutor: Chances
    journalist: Chances
    marketer: float


class Told(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `reports` of `reidentification`: the PIE of a report."""

    feature: str
    pie: float
    standard_error: float
    sharp: float
    exact: float
    attained: bool
    unit: str


class Found(msgspec.Struct, forbid_unknown_fields=True):
    """`reidentification` of result.json: who is found in the release."""

    people: int
    population: int
    attacks: list[Attacked]
    risk: Risks | None
    reports: list[Told]


class Achieved(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `attacks` of result.json."""

    attack: str
    parties: list[str]
    unit: str
    value: float
    of: float


class Alarmed(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `alarms` of result.json."""

    party: str
    round: int
    cause: str


class Union(msgspec.Struct, forbid_unknown_fields=True):
    """`union` of `ledger`: people exposed by all releases together."""

    k: int
    people: int
    at_least: int
    at_most: int
    true: int | None


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """`ledger` of result.json."""

    sessions: int
    refused: str | None
    warnings: list[str]
    releases: list[list[str]]
    union: Union | None


class Result(msgspec.Struct, forbid_unknown_fields=True):
    """result.json, schema 1."""

    schema: int
    scenario: str
    seed: int | None
    mode: str
    users: int
    features: list[str]
    marginals: dict[str, dict[str, int]]
    decision: Decided | None
    release: Released | None
    exposure: Exposed
    coalitions: list[Learnt]
    refused: dict[str, int]
    burned: str | None
    digest: str
    local: Noise | None = None
    incidence: Incidence | None = None
    rounds: list[dict[str, Any]] = []
    blanks: dict[str, Any] | None = None
    peers: dict[str, Any] | None = None
    reidentification: Found | None = None
    attacks: list[Achieved] = []
    alarms: list[Alarmed] = []
    ledger: Kept | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read back.

    result: the plain data of result.json. transcript: None for an ideal run, in which nothing was
    sent. sizes: values of each column. release: the text of release.csv, None if there is none.
    """

    folder: Path
    scenario: Scenario
    result: Mapping[str, Any]
    transcript: Transcript | None
    sizes: tuple[int, ...]
    release: str | None
    versions: Mapping[str, Any]


def read(folder: Path) -> Run:
    """Read a run folder. Raises StorageError that names file and line for all that is not whole."""
    folder = Path(folder)
    if not folder.is_dir():
        raise StorageError(f"{folder}: no such run folder")
    if folder.name.startswith(PARTIAL):
        raise StorageError(f"{folder}: a run that was stopped while it was written; run it again")
    scenario = _scenario(folder / SCENARIO)
    result = _result(folder / RESULT)
    transcript, sizes = decode(_there(folder / TRANSCRIPT))
    if (transcript is None) != (result["mode"] == "ideal"):
        why = f"result.json says mode {result['mode']}, and the transcript is of the other one"
        raise damaged(folder / TRANSCRIPT, 1, why)
    release = None if result["release"] is None else _text(folder / RELEASE)
    made_with = _json(folder / VERSIONS)
    if not isinstance(made_with, dict):
        raise damaged(folder / VERSIONS, 1, "a table is expected")
    return Run(folder, scenario, result, transcript, sizes, release, made_with)


def _there(path: Path) -> Path:
    if not path.is_file():
        raise StorageError(
            f"{path}: missing, so this is no whole run folder; copy it anew, or run the scenario "
            "again"
        )
    return path


def _text(path: Path) -> str:
    try:
        return _there(path).read_bytes().decode()
    except UnicodeDecodeError as bad:
        line = bad.object.count(b"\n", 0, bad.start) + 1
        raise damaged(path, line, f"not UTF-8: byte 0x{bad.object[bad.start]:02x}") from None
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror}") from None


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except json.JSONDecodeError as bad:
        raise damaged(path, bad.lineno, f"not JSON: {bad.msg}") from None
    except RecursionError:
        raise damaged(path, 1, "lists nested too deeply") from None


def _result(path: Path) -> dict[str, Any]:
    """Read result.json, strictly: every key of the schema and no other, each of its kind."""
    plain = _json(path)
    try:
        read = msgspec.convert(plain, Result)
    except msgspec.ValidationError as bad:
        raise damaged(path, _line(path, str(bad)), str(bad)) from None
    if read.schema != SCHEMA:
        raise StorageError(
            f"{path}:{_line(path, '$.schema')}: schema {read.schema}; this version of veilmix "
            f"reads schema {SCHEMA}: run the scenario again, or use the version in versions.json"
        )
    result: dict[str, Any] = plain
    return result


def _line(path: Path, message: str) -> int:
    """Find the line of the key that a message of msgspec ends with (`... - at `$.users``)."""
    place = re.search(r"\$\.(\w+)", message)
    text = _text(path)
    key = re.search(rf'^\s*"{place[1]}"\s*:', text, re.MULTILINE) if place else None
    return text.count("\n", 0, key.start()) + 1 + key[0].count("\n") if key else 1


def _scenario(path: Path) -> Scenario:
    """Read the scenario of a run by its shape: the people it names may be gone by now."""
    try:
        scenario, problems = examine(tomllib.loads(_text(path)))
    except ValueError as bad:  # TOMLDecodeError, or a number of thousands of digits
        place = re.search(r"line (\d+)", str(bad))
        raise damaged(path, int(place[1]) if place else 1, f"not TOML: {bad}") from None
    if problems:
        raise damaged(path, 1, problems[0].line())
    return scenario
