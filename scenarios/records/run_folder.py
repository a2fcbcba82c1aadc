"""Run folders: all data about one run, written to disk.

    scenario.toml         as resolved: number of people, features, and the seed that was used
    transcript.jsonl.gz   all messages, and the parties that saw them (transcripts.py)
    result.json           `Outcome.written()`, with the version number of its schema
    release.csv           the release: its columns, and `count`; absent without a release
    versions.json         the versions of veilmix, Python and libraries
    seal.json             the hashes of these files, signed if there is a signer (folder_seal.py)

A folder is written under a temporary name, `.partial-...`, and renamed when all of it is on the
disk: a folder with a run's name is complete. An abandoned partial folder is removed by a later run.
The transcript holds the answers of every single person, so only its owner may read the folder (mode
0700).
"""

from __future__ import annotations

import errno
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...crypto.identity import Identity
from ...errors import NO_ROOM, StorageError
from ...roles.compute.garbage_collection import uncollected
from ..lab.scoring.outcome import Outcome
from ..lab.scoring.result import WrittenRelease
from ..schema.dump import dump
from ..serialization.atomic_file import sync_folder
from ..serialization.csv_text import csv_text
from ..serialization.json_text import pretty
from ..serialization.record import plain
from ..serialization.transcripts import encode
from .folder_seal import SEAL, hash_of, seal_of
from .result_file import PARTIAL, RELEASE, RESULT, SCENARIO, TRANSCRIPT, VERSIONS, Run, read

__all__ = [
    "Run",
    "contents",
    "default_name",
    "folders",
    "read",
    "save",
    "store",
    "unwritable",
    "versions",
]

STALE = 3600  # seconds; an older partial folder counts as abandoned, and is removed
LIBRARIES = (
    *("click", "cryptography", "highspy", "msgspec", "numpy", "pynacl", "rich", "scipy"),
    "trio",
)


def save(
    outcome: Outcome,
    parent: str | os.PathLike[str],
    name: str | None = None,
    recorder: Identity | None = None,
    transcript: Callable[[], bytes] | None = None,
) -> Path:
    """Write a run folder into `parent` and return its path.

    Args:
        outcome: the run.
        parent: the folder that receives the run folder.
        name: the folder's name; None: `<scenario>-<seed, four digits>`, or without a seed the first
            8 hexadecimal digits of the digest. If the name is taken, -2, -3, ... is added, so that
            a run never replaces another.
        recorder: the identity that signs the folder; None: unsigned.
        transcript: returns the transcript's bytes, encoded earlier (transcript_writer.py); None:
            the transcript is encoded now.

    Raises:
        StorageError: the folder cannot be written; then no file is left.
    """
    with uncollected(outcome.users):
        files = contents(outcome, recorder, transcript)
        return store(files, parent, name or default_name(outcome))


def store(files: Iterable[tuple[str, bytes]], parent: str | os.PathLike[str], name: str) -> Path:
    """Write a folder with the given files into `parent`, entirely or not at all; return its path.

    files: name and content of each file. name: the name of the folder.
    """
    parent = Path(parent)
    with _storage_errors(parent):
        parent.mkdir(parents=True, exist_ok=True)
        sweep(parent)
        partial = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=parent))
        try:
            for file, data in files:
                _write(partial / file, data)
            _sync(partial)
            folder = _rename(partial, parent, name)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        _sync(parent)
    return folder


def default_name(outcome: Outcome) -> str:
    """Return the folder name of a run: scenario's name, and its seed or else part of a digest."""
    mark = outcome.digest[:8] if outcome.seed is None else f"{outcome.seed:04d}"
    return f"{outcome.scenario.scenario.name}-{mark}"


def contents(
    outcome: Outcome,
    recorder: Identity | None = None,
    transcript: Callable[[], bytes] | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a run folder as (name, bytes); the last is the seal of the whole folder.

    recorder: the identity that signs; None: unsigned. transcript: returns the transcript's bytes;
    None: the transcript is encoded now.
    """
    file_hashes = {}
    for name, data in _files(outcome, transcript or partial(_transcript, outcome)):
        file_hashes[name] = hash_of(data)
        yield name, data
    yield SEAL, seal_of(file_hashes, recorder)


def _transcript(outcome: Outcome) -> bytes:
    """Return the bytes of the transcript file of a run."""
    return encode(outcome.transcript, outcome.users, outcome.sizes)


def _files(outcome: Outcome, transcript: Callable[[], bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a run folder as (name, bytes), without the seal.

    transcript: returns the bytes of the transcript file.
    """
    about = replace(outcome.scenario.scenario, seed=outcome.seed, repeat=1)
    yield SCENARIO, dump(replace(outcome.scenario, scenario=about)).encode()
    yield TRANSCRIPT, transcript()
    result = outcome.written()
    yield RESULT, pretty(plain(result)).encode()
    if result.release is not None:
        yield RELEASE, release_csv(result.release).encode()
    yield VERSIONS, pretty(versions()).encode()


def release_csv(release: WrittenRelease) -> str:
    """Return a release as CSV: a line for each combination of values, with its number of people."""
    header = list(release.columns)
    count = "count"
    while count in header:
        count += "_"
    return csv_text([[*header, count], *release.counts])


def versions() -> dict[str, Any]:
    """Return the versions of veilmix, Python, platform, libraries and cipher that made a run."""
    from importlib import metadata

    from ...crypto.multibuffer import engine_name
    from ...version import __version__

    installed = {}
    for library in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            installed[library] = metadata.version(library)
    return {
        "veilmix": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "dependencies": installed,
        "cipher": engine_name(),
    }


def unwritable(parent: str | os.PathLike[str]) -> StorageError | None:
    """Return the error that would prevent writing into a folder; None if it seems writable."""
    parent = Path(parent)
    ancestor = Path(parent).absolute()
    while not os.path.lexists(ancestor):
        ancestor = ancestor.parent
    if not ancestor.is_dir():
        return _not_a_folder(parent, ancestor)
    if not os.access(ancestor, os.W_OK | os.X_OK):
        return StorageError(
            f"{parent}: no permission to write in {ancestor}; name another folder with --out, "
            "or use --no-save"
        )
    return None


def sweep(parent: str | os.PathLike[str]) -> None:
    """Remove partial folders, left by runs that were killed an hour ago or earlier."""
    parent = Path(parent)
    for remains in parent.glob(f"{PARTIAL}*"):
        with suppress(OSError):
            if time.time() - remains.stat().st_mtime > STALE:
                shutil.rmtree(remains, ignore_errors=True)


def folders(parent: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the run folders in a folder, oldest first."""
    parent = Path(parent)
    if not parent.is_dir():
        return ()
    runs = [
        (path.stat().st_mtime, path.name)
        for path in parent.iterdir()
        if not path.name.startswith(PARTIAL) and (path / RESULT).is_file()
    ]
    return tuple(name for _, name in sorted(runs))


@contextmanager
def _storage_errors(parent: Path) -> Iterator[None]:
    """Turn an error of the operating system inside this block into a StorageError with advice.

    parent: the folder that was being written, for the message.
    """
    try:
        yield
    except (FileExistsError, NotADirectoryError) as bad:
        raise _not_a_folder(parent, Path(bad.filename or parent)) from None
    except OSError as bad:
        why = bad.strerror or str(bad)
        todo = "name another folder with --out"
        if bad.errno in NO_ROOM:
            todo = "make room, or name a folder on another disk with --out"
        raise StorageError(f"{parent}: nothing could be saved in it: {why}; {todo}") from None


def _not_a_folder(parent: Path, ancestor: Path) -> StorageError:
    """Return the error that `ancestor`, a part of the path `parent`, is not a folder."""
    return StorageError(f"{parent}: {ancestor} is not a folder; name another folder with --out")


def _write(path: Path, data: bytes) -> None:
    """Write a file, and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Write a folder's list of files to the disk, if its file system can do that."""
    with suppress(OSError):
        sync_folder(folder)


def _rename(partial: Path, parent: Path, name: str) -> Path:
    """Rename a complete partial folder to `name`, or to the next free name; return the new path.

    partial: the folder to rename. parent: the folder that holds it.
    """
    number = 1
    while True:
        folder = parent / (name if number == 1 else f"{name}-{number}")
        number += 1
        if os.path.lexists(folder):
            continue
        try:
            return partial.rename(folder)
        except OSError as taken:  # another process has just taken the name
            if taken.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
