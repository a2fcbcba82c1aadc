"""A record that trips us up: damaged, or a fault of ours? What verify.py finds decides.

Reading a run folder finds what is not as it was written, line by line (recorded.py). A line that is
well-formed and says what cannot be is found where it is used, as an error of any kind: a post that
the phases do not allow, a value that nobody was asked about. If a check of the run fails, the
folder is to blame and is named; if all hold, the error is ours and surfaces.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import LocalError, StorageError
from ..records.result_file import TRANSCRIPT, Run
from .checks import verify


@contextmanager
def diagnose_record(run: Run) -> Iterator[None]:
    """StorageError for what goes wrong in here, if this run does not verify."""
    try:
        yield
    except (LocalError, OSError):
        raise
    except Exception as bad:
        failed = [check for check in verify(run, again=False) if check.ok is False]
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
    """Say which version recorded a run, and which one reads it."""
    from ... import __version__

    return f"recorded by veilmix {run.versions.get('veilmix', '?')}, read by {__version__}"
