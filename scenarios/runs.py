"""Run folders: everything there is to know about one run, on disk.

    scenario.toml         as resolved: number of people, features, and the seed that was used
    transcript.jsonl.gz   what happened and who saw it (transcripts.py)
    result.json           `Outcome.result()`, schema 1
    release.csv           the release: its columns, and `count`; no such file if there was none
    versions.json         what it was made with

A folder is written under a temporary name, `.partial-...`, and renamed when all of it is on the
disk: what has a run's name is whole. A partial one that nobody finished is removed by a later run.
The transcript says what every single person answered: the folder is its owner's alone (mode 0700).
"""

import csv
import errno
import io
import json
import os
import platform
import re
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ..errors import StorageError
from ..protocol.transcript import Transcript
from .dump import dump
from .model import Population, Scenario
from .outcome import SCHEMA, Outcome
from .plainjson import pretty
from .structure import examine
from .transcripts import damaged, decode, encode

SCENARIO, TRANSCRIPT, RESULT, RELEASE, VERSIONS = (
    "scenario.toml",
    "transcript.jsonl.gz",
    "result.json",
    "release.csv",
    "versions.json",
)
PARTIAL = ".partial-"
STALE = 3600  # seconds: no folder takes an hour to write
LIBRARIES = ("click", "cryptography", "msgspec", "numpy", "pynacl", "rich", "scipy", "trio")


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    """`decision` of result.json."""

    k: int
    max_exposure: float
    kept: list[str]
    suppressed: list[str]
    bound: float
    certificate: dict[str, Any]


class Released(msgspec.Struct, forbid_unknown_fields=True):
    """`release` of result.json."""

    columns: list[str]
    counts: list[list[str | int]]


class Exposed(msgspec.Struct, forbid_unknown_fields=True):
    """`exposure` of result.json."""

    true: float
    promised: float
    worst_case: float | None


class Learnt(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of `coalitions` of result.json."""

    parties: list[str]
    linked: int
    cells_certain: int
    bits_per_person: float


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


def save(outcome: Outcome, parent: Path, name: str | None = None) -> Path:
    """Write a run folder into `parent` and return it. Raises StorageError; then nothing is left.

    name: `<scenario>-<seed, four digits>`, or without a seed the first 8 signs of the digest. If
    the name is taken, -2, -3, ... is added: a run never replaces another.
    """
    parent = Path(parent)
    with _told(parent):
        parent.mkdir(parents=True, exist_ok=True)
        sweep(parent)
        partial = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=parent))
        try:
            for file, data in contents(outcome):
                _write(partial / file, data)
            _sync(partial)
            folder = _rename(partial, parent, name or default_name(outcome))
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        _sync(parent)
    return folder


def default_name(outcome: Outcome) -> str:
    """Name the folder of a run."""
    mark = outcome.digest[:8] if outcome.seed is None else f"{outcome.seed:04d}"
    return f"{outcome.scenario.scenario.name}-{mark}"


def contents(outcome: Outcome) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a run folder, each with its bytes."""
    about = replace(outcome.scenario.scenario, seed=outcome.seed, repeat=1)
    yield (
        SCENARIO,
        dump(replace(outcome.scenario, scenario=about, population=_asked(outcome))).encode(),
    )
    yield TRANSCRIPT, encode(outcome.transcript, outcome.users, outcome.sizes)
    result = outcome.result()
    yield RESULT, pretty(result).encode()
    if result["release"] is not None:
        yield RELEASE, release_csv(result["release"]).encode()
    yield VERSIONS, pretty(versions()).encode()


def _asked(outcome: Outcome) -> Population:
    """The people of a run: in the statistical setting, how many were asked in either round."""
    people = outcome.scenario.population
    if people.setting == "fixed" or people.users is None:
        return people
    return replace(people, round2_users=outcome.users - people.users)


def release_csv(release: Mapping[str, Any]) -> str:
    """Write a release as CSV: a line for each combination that occurs, and its people."""
    header = list(release["columns"])
    count = "count"
    while count in header:
        count += "_"
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[*header, count], *release["counts"]])
    return out.getvalue()


def versions() -> dict[str, Any]:
    """Say what this process is made of."""
    from .. import __version__

    found = {}
    for library in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found[library] = metadata.version(library)
    return {
        "veilmix": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "dependencies": found,
    }


def unwritable(parent: Path) -> StorageError | None:
    """Say before a run whether its folder could be written; None if it seems so."""
    there = Path(parent).absolute()
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        return _not_a_folder(parent, there)
    if not os.access(there, os.W_OK | os.X_OK):
        return StorageError(
            f"{parent}: no permission to write in {there}; name another folder with --out, "
            "or use --no-save"
        )
    return None


def sweep(parent: Path) -> None:
    """Remove what runs that were killed an hour ago or earlier have left behind."""
    for left in parent.glob(f"{PARTIAL}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > STALE:
                shutil.rmtree(left, ignore_errors=True)


def folders(parent: Path) -> tuple[str, ...]:
    """Name the run folders in a folder, oldest first."""
    if not parent.is_dir():
        return ()
    found = [
        (path.stat().st_mtime, path.name)
        for path in parent.iterdir()
        if not path.name.startswith(PARTIAL) and (path / RESULT).is_file()
    ]
    return tuple(name for _, name in sorted(found))


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
    except tomllib.TOMLDecodeError as bad:
        place = re.search(r"line (\d+)", str(bad))
        raise damaged(path, int(place[1]) if place else 1, f"not TOML: {bad}") from None
    if problems:
        raise damaged(path, 1, problems[0].line())
    return scenario


@contextmanager
def _told(parent: Path) -> Iterator[None]:
    """Turn what the system says into one StorageError that says what to do."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as bad:
        raise _not_a_folder(parent, Path(bad.filename or parent)) from None
    except OSError as bad:
        why = bad.strerror or str(bad)
        todo = "name another folder with --out"
        if bad.errno in (errno.ENOSPC, errno.EDQUOT):
            todo = "make room, or name a folder on another disk with --out"
        raise StorageError(f"{parent}: the run could not be saved: {why}; {todo}") from None


def _not_a_folder(parent: Path, there: Path) -> StorageError:
    return StorageError(f"{parent}: {there} is not a folder; name another folder with --out")


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Have the folder's entries on the disk, where a system can do that for folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _rename(partial: Path, parent: Path, name: str) -> Path:
    """Give the whole folder its name, or the next one that is free."""
    number = 1
    while True:
        folder = parent / (name if number == 1 else f"{name}-{number}")
        number += 1
        if os.path.lexists(folder):
            continue
        try:
            return partial.rename(folder)
        except OSError as taken:  # somebody was faster
            if taken.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
