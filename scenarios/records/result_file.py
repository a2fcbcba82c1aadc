"""The strict reader of a run folder: each difference from the form that veilmix writes is an error.

Values that were changed and still fit the schema are accepted here; verification/ detects them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from ...deprecated import keeps_old
from ...errors import StorageError
from ...protocol.knowledge.transcript import Transcript
from ...strict_text import (
    Unreadable,
    converted,
    decoded,
    from_json,
    from_toml,
    line_of,
)
from ..lab.scoring.result import Result, result_type
from ..lab.scoring.result_schemas import READ, SCHEMA, current
from ..lab.scoring.run_scores import SavedResult, contradictions
from ..schema.model import Scenario
from ..schema.shape import examine
from ..serialization.transcripts import damaged, decode
from .folder_seal import FolderSeal, hashes, read_seal

SCENARIO, TRANSCRIPT, RESULT, RELEASE, VERSIONS = (
    "scenario.toml",
    "transcript.jsonl.gz",
    "result.json",
    "release.csv",
    "versions.json",
)
T = TypeVar("T")
FILES = (SCENARIO, TRANSCRIPT, RESULT, RELEASE, VERSIONS)
PARTIAL = ".partial-"  # prefix of the name of an incomplete folder


@keeps_old(kept="released_columns")
@dataclass(frozen=True, slots=True, repr=False)
class Run(SavedResult):
    """A run folder, read back, with the figures of its outcome that `SavedResult` lists.

    Attributes:
        folder: the path that was read.
        scenario: the scenario of the run.
        result: the content of result.json.
        transcript: the recorded messages; None for an ideal run, which sends no messages.
        sizes: the number of values of each column.
        release_text: the text of release.csv; None without a release.
        versions: the versions of veilmix, Python and libraries.
        seal: the hashes of the files as written; None without a seal.
        files: the present hash of each file.
    """

    folder: Path
    scenario: Scenario
    result: Result
    transcript: Transcript | None
    sizes: tuple[int, ...]
    release_text: str | None
    versions: Mapping[str, Any]
    seal: FolderSeal | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def read(folder: str | PathLike[str]) -> Run:
    """Return a run from its folder.

    Raises StorageError, with file and line, if a file is damaged.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise StorageError(f"{folder}: no such run folder")
    if folder.name.startswith(PARTIAL):
        raise StorageError(
            f"{folder}: an incomplete folder: writing was stopped; run the scenario again"
        )
    scenario = _scenario(folder / SCENARIO)
    result = _result(folder / RESULT, scenario.policy.kind)
    transcript, sizes = decode(_existing_file(folder / TRANSCRIPT))
    if (transcript is None) != (result.mode == "ideal"):
        why = (
            f"result.json says mode {result.mode}, but the transcript is of a run in the other mode"
        )
        raise damaged(folder / TRANSCRIPT, 1, why)
    release = None if result.release is None else _read(folder / RELEASE, decoded)
    made_with = _read(folder / VERSIONS, partial(from_json, kind=dict[str, Any]))
    seal, file_hashes = read_seal(folder), hashes(folder, FILES)
    return Run(folder, scenario, result, transcript, sizes, release, made_with, seal, file_hashes)


def _existing_file(path: Path) -> Path:
    """Return the path of a run folder's file; StorageError if the file is missing."""
    if not path.is_file():
        raise StorageError(
            f"{path}: missing, so the run folder is incomplete; copy it anew, or run the scenario "
            "again"
        )
    return path


def _read(path: Path, decode: Callable[[bytes], T]) -> T:
    """Return the decoded content of a file; StorageError if the file is missing or damaged.

    decode: turns the file's bytes into its content.
    """
    try:
        data = _existing_file(path).read_bytes()
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror}") from None
    return _accepted(path, partial(decode, data))


def _accepted(path: Path, parse: Callable[[], T]) -> T:
    """Return the result of a parser; its error becomes a StorageError with file and line.

    path: the file that is parsed. parse: returns the content, or raises Unreadable.
    """
    try:
        return parse()
    except Unreadable as bad:
        raise damaged(path, bad.line, bad.why) from None


def _result(path: Path, policy: str) -> Result:
    """Return the content of result.json, with exactly the keys and types of its schema.

    policy: the scenario's kind of policy, which decides the accepted type of `findings`: the part
    of result.json that differs by release program.
    """
    text = _read(path, decoded)
    plain = _accepted(path, partial(from_json, text, dict[str, Any]))
    schema_version = plain.get("schema", SCHEMA)
    # The version is checked first, because another version causes misleading errors about single
    # keys.
    if isinstance(schema_version, int) and schema_version not in READ:
        raise StorageError(
            f"{path}:{line_of(text, 'schema')}: schema {schema_version}; this version of veilmix "
            f"reads schema {SCHEMA}: run the scenario again, or use the version in versions.json"
        )
    kind = result_type(policy)
    result: Result = _accepted(path, lambda: converted(current(plain), kind, text))
    for place, why in contradictions(result):
        raise damaged(path, line_of(text, place), f"{place}: {why}")
    return result


def _scenario(path: Path) -> Scenario:
    """Return the scenario of a run, with only its form checked.

    The source of its people is not read, because the file may be gone by now.
    """
    scenario, problems = examine(_read(path, from_toml))
    if problems:
        raise damaged(path, 1, problems[0].line())
    return scenario
