"""Search for the run folder that a user names: by its path, or by its name in ./runs."""

from pathlib import Path

from ..errors import StorageError

HOME = Path("runs")  # the folder of run folders, below the current folder
MAX_NAMES = 12  # most runs that an error message lists


def played(named: str) -> Path | None:
    """Return the run folder that a path or a name in ./runs denotes; None if it is missing."""
    return next((path for path in (Path(named), HOME / named) if path.is_dir()), None)


def folder(named: str) -> Path:
    """Return the run folder that a path or a name in ./runs denotes.

    Raises StorageError if it is missing, with the existing runs in the message.
    """
    if path := played(named):
        return path
    from ..scenarios.records.run_folder import folders
    from ..scenarios.schema.problems import did_you_mean

    names = folders(HOME)
    if not names:
        hint = f"; there are none in {HOME}/ yet: `veilmix run blood-type` makes one"
    else:
        latest = [str(HOME / name) for name in names[-MAX_NAMES:]]
        more = f", ... ({len(names)} in all)" if len(names) > MAX_NAMES else ""
        near = did_you_mean(Path(named).name, names)
        hint = f"{near}; in {HOME}/ there are\n  " + "\n  ".join(latest) + more
    raise StorageError(f"{named}: no such run{hint}")
