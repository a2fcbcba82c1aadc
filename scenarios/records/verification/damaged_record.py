"""Attribution of an error while a record is read: a damaged record, or a fault of veilmix.

Reading a run folder detects lines of a wrong form (result_file.py). A well-formed line with
impossible content, such as a post that its phase does not allow, causes an error only where the
content is used. If a check of the run then fails, the record is damaged, and the error names the
folder. If all checks hold, veilmix is at fault, and the error is raised unchanged.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ....errors import LocalError, StorageError
from ..result_file import TRANSCRIPT, Run
from .checks import verify


@contextmanager
def diagnose_record(run: Run) -> Iterator[None]:
    """Convert an error inside this block to StorageError, if a check of this run fails."""
    try:
        yield
    except (LocalError, OSError):
        raise
    except Exception as bad:
        failed = [check for check in verify(run, wants_replay=False) if check.ok is False]
        if not failed:
            raise
        first = failed[0]
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        raise StorageError(
            f"{run.folder / TRANSCRIPT}: does not hold together: {first.name}: {first.detail}"
            f"{more}. It is damaged, or of another version ({made_with(run)}): copy the run folder "
            f"anew, or run the scenario again; `veilmix verify {run.folder}` makes every check"
        ) from bad


def made_with(run: Run) -> str:
    """Return a clause: the version that recorded a run, and the version that reads it."""
    from ....version import __version__

    return f"recorded by veilmix {run.versions.get('veilmix', '?')}, read by {__version__}"
