"""A Dask cluster of processes that a test can kill.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml). Where there is no
Dask, tests that import it are skipped.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

distributed = pytest.importorskip("distributed", reason="extra: cluster")
DASK = (sys.executable, "-m", "dask")


def scheduler(started: Any, folder: Path, *workers: str) -> tuple[Any, str]:
    """Start a scheduler, and a worker with each of these resources; returns it and its address."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = ("--port", "0", "--host", "127.0.0.1", "--no-dashboard")
    run = started(*DASK, "scheduler", *common, *here, **quiet)
    for resources in workers:
        given = ("--resources", resources) if resources else ()
        flags = ("--nthreads", "1", "--no-dashboard", *given)
        started(*DASK, "worker", *common, *flags, **quiet)
    with distributed.Client(
        scheduler_file=str(file), timeout=3_600, set_as_default=False
    ) as client:
        client.wait_for_workers(len(workers)) if workers else None
        return run, client.scheduler.address
