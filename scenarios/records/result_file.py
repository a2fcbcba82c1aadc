"""Reading a run folder, strictly: what is not exactly as it was written is an error, with its line.

A value that was changed and still fits the schema is read; verify.py finds it.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from ...errors import StorageError
from ...protocol.transcript import Transcript
from ..schema.model import Scenario
from ..schema.shape import examine
from ..scoring.result import READ, SCHEMA, Result, current, result_type
from ..serialization.transcripts import damaged, decode
from .folder_seal import FolderSeal, hashes, read_seal

SCENARIO, TRANSCRIPT, RESULT, RELEASE, VERSIONS = (
    "scenario.toml",
    "transcript.jsonl.gz",
    "result.json",
    "release.csv",
    "versions.json",
)
FILES = (SCENARIO, TRANSCRIPT, RESULT, RELEASE, VERSIONS)
PARTIAL = ".partial-"  # before the name of a folder that is not whole


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read back.

    Attributes:
        folder: that was read.
        scenario: that was played.
        result: what result.json says.
        transcript: None for an ideal run, in which nothing was sent.
        sizes: values of each column.
        release: the text of release.csv, None if there is none.
        versions: of veilmix, Python and libraries.
        seal: what the files were when they were written; None if that is not there.
        files: the hash of each, as it is.
    """

    folder: Path
    scenario: Scenario
    result: Result
    transcript: Transcript | None
    sizes: tuple[int, ...]
    release: str | None
    versions: Mapping[str, Any]
    seal: FolderSeal | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def read(folder: str | PathLike[str]) -> Run:
    """Read a run folder. Raises StorageError that names file and line for all that is not whole."""
    folder = Path(folder)
    if not folder.is_dir():
        raise StorageError(f"{folder}: no such run folder")
    if folder.name.startswith(PARTIAL):
        raise StorageError(f"{folder}: a run that was stopped while it was written; run it again")
    scenario = _scenario(folder / SCENARIO)
    result = _result(folder / RESULT, scenario.policy.kind)
    transcript, sizes = decode(_there(folder / TRANSCRIPT))
    if (transcript is None) != (result.mode == "ideal"):
        why = f"result.json says mode {result.mode}, and the transcript is of the other one"
        raise damaged(folder / TRANSCRIPT, 1, why)
    release = None if result.release is None else _text(folder / RELEASE)
    made_with = _json(folder / VERSIONS)
    if not isinstance(made_with, dict):
        raise damaged(folder / VERSIONS, 1, "a table is expected")
    seal, there = read_seal(folder), hashes(folder, FILES)
    return Run(folder, scenario, result, transcript, sizes, release, made_with, seal, there)


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


def _result(path: Path, policy: str) -> Result:
    """Read result.json, strictly: every key of the schema and no other, each of its kind.

    policy: the kind of the scenario's; what another program finds is not accepted.
    """
    plain = _json(path)
    other = plain.get("schema", SCHEMA) if isinstance(plain, dict) else SCHEMA
    if isinstance(other, int) and other not in READ:  # first: what else is odd follows from it
        raise StorageError(
            f"{path}:{_line(path, '$.schema')}: schema {other}; this version of veilmix "
            f"reads schema {SCHEMA}: run the scenario again, or use the version in versions.json"
        )
    try:
        plain = current(plain) if isinstance(plain, dict) else plain
        return msgspec.convert(plain, result_type(policy))
    except msgspec.ValidationError as bad:
        raise damaged(path, _line(path, str(bad)), str(bad)) from None


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
