"""`veilmix doctor`: check this installation (versions, cipher, threads, folders), and its speed."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from time import perf_counter

import click

from ...installation import advice, in_checkout, installing, library, requirements
from ...presentation.text_blocks import Grid
from ..run_lookup import HOME
from ..text.layout import format_option, lay_out, page, say, write_csv, write_json

PYTHON = (3, 11)
PINS = Path(__file__).parent.parent.parent / "requirements" / "core.txt"
SEALS = 400  # messages that each thread encrypts in the measurement of two threads
# smallest accepted speed-up by two threads; below it a core is busy, or a library holds Python's
# lock
PARALLEL = 1.4
EXTRAS = {  # extra (a group of optional libraries) -> the features that need it
    "report": "pages and figures",
    "web": "veilmix theatre --live",
    "data": "Parquet files",
    "teach": "lessons",
    "cluster": "sweeps on many computers",
    "fast": "sealing several times as fast",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of the installation: a row of the output.

    Attributes:
        subject: the thing that is checked, such as a library.
        result: the finding, such as a version.
        state: ok, note (veilmix works without it), or FAIL (exit code 2).
        advice: the remedy; empty if no remedy is needed.
    """

    subject: str
    result: str
    state: str
    advice: str = ""


@click.command("doctor")
@format_option
@click.pass_context
def command(ctx: click.Context, form: str) -> None:
    """Check this installation. Exit code 2 if a fault would prevent veilmix from running."""
    findings = [finding for look in LOOKS for finding in look()]
    rows = [
        (finding.subject, finding.result, finding.state, finding.advice) for finding in findings
    ]
    grid = Grid(("what", "found", "state", "advice"), rows)
    if form == "json":
        keys = grid.headings
        write_json([dict(zip(keys, row, strict=True)) for row in rows])
    elif form == "csv":
        write_csv(grid)
    else:
        lay_out(page(), Grid(("", "found", "", ""), rows))
        bad = sum(finding.state == "FAIL" for finding in findings)
        say(page(), f"\n{bad} to mend" if bad else "\nveilmix is ready")
    if any(finding.state == "FAIL" for finding in findings):
        ctx.exit(2)


def system() -> Iterator[Finding]:
    """Yield findings on the version of veilmix, on Python and on the platform."""
    from ...version import __version__

    yield Finding("veilmix", __version__, "ok")
    fit = sys.version_info >= PYTHON
    min_version = ".".join(map(str, PYTHON))
    advice = "" if fit else f"Python {min_version} or newer is needed"
    yield Finding("python", platform.python_version(), "ok" if fit else "FAIL", advice)
    yield Finding("platform", platform.platform(), "ok")


def facilities() -> Iterator[Finding]:
    """Yield a finding for each facility that this operating system lacks, such as `fork`.

    The advice of the finding says how veilmix works without the facility.
    """
    from ...systems import FACILITIES

    absent = [facility for facility in FACILITIES if not facility.is_available]
    if not absent:
        yield Finding("system", "no facility is missing", "ok")
    for facility in absent:
        yield Finding("system", f"no {facility.name}", "note", facility.without)


def libraries() -> Iterator[Finding]:
    """Yield a finding for each needed library: missing, or its version and the tested version."""
    from ...scenarios.records.run_folder import LIBRARIES

    pinned_versions = pins()
    for name in LIBRARIES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding(name, "missing", "FAIL", _mend(name))
            continue
        tested = pinned_versions.get(name, (version,))
        if version in tested:
            yield Finding(name, version, "ok")
        else:
            pin = tested[-1]
            command = _mend(f"{name}=={pin}")
            yield Finding(name, version, "note", f"tested with {pin}; to install that: {command}")


def _mend(requirement: str) -> str:
    """Return the command that installs a needed library, in a checkout or elsewhere."""
    return advice("core") if in_checkout() else installing([requirement])


def pins() -> dict[str, tuple[str, ...]]:
    """Return the versions of each library with which this checkout is tested, by its name.

    A library may have several versions, for different versions of Python; the last is for the
    newest. Empty outside a checkout.
    """
    pinned: dict[str, tuple[str, ...]] = {}
    with suppress(OSError):
        for line in PINS.read_text("utf-8").splitlines():
            if pin := re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)", line):
                pinned[pin[1].lower()] = (*pinned.get(pin[1].lower(), ()), pin[2])
    return pinned


def extras() -> Iterator[Finding]:
    """Yield a finding for each extra (a group of optional libraries): its versions, or missing."""
    for name, purpose in EXTRAS.items():
        try:
            versions = [
                f"{distribution} {metadata.version(distribution)}"
                for distribution in map(library, requirements(name))
            ]
        except metadata.PackageNotFoundError:
            yield Finding(
                f"extra: {name}", "not installed", "note", f"for {purpose}: {advice(name)}"
            )
        else:
            yield Finding(f"extra: {name}", ", ".join(versions), "ok")


def cipher() -> Iterator[Finding]:
    """Yield a finding: the cipher implementation that encrypts many onion layers at a time."""
    from ...crypto.multibuffer import engine_name

    yield Finding("cipher", engine_name(), "ok")


def threads() -> Iterator[Finding]:
    """Yield a finding: whether two threads encrypt faster than one on this machine."""
    cores = os.cpu_count() or 1
    gain = speed_up()
    if cores == 1:
        yield Finding("threads", "1 core", "note", "cryptography uses every core there is")
        return
    measured = f"{cores} cores; two threads seal {gain:.2f} times as fast as one"
    fit = gain >= PARALLEL
    advice = "" if fit else "another program is busy, or the library holds Python's lock"
    yield Finding("threads", measured, "ok" if fit else "note", advice)


def speed_up() -> float:
    """Return how many times as fast two threads encrypt as a single thread: the best of three."""
    work = sealing()
    work()
    with ThreadPoolExecutor(2) as pool:
        return max(2 * _seconds(work) / _seconds(lambda: _both(pool, work)) for _ in range(3))


def sealing() -> Callable[[], None]:
    """Return a function that encrypts `SEALS` messages, the work that `speed_up` measures."""
    from ...crypto.entropy import OSEntropy
    from ...crypto.layer import seal_layer
    from ...crypto.suites import suite

    scheme = suite()
    public, context = scheme.keypair(OSEntropy()).public, bytes(32)

    def work() -> None:
        """Encrypt `SEALS` messages of 200 bytes, a layer each."""
        entropy = OSEntropy()
        for _ in range(SEALS):
            seal_layer(scheme, public, bytes(200), context, entropy)

    return work


def _both(pool: ThreadPoolExecutor, work: Callable[[], None]) -> None:
    """Run the same work in two threads at once, and wait for both, to measure the speed-up."""
    for future in [pool.submit(work), pool.submit(work)]:
        future.result()


def _seconds(work: Callable[[], None]) -> float:
    """Return the seconds that the work takes."""
    begun = perf_counter()
    work()
    return perf_counter() - begun


def terminal() -> Iterator[Finding]:
    """Yield a finding: whether stdout is encoded as UTF-8, which can show all values."""
    encoding = (sys.stdout.encoding or "unknown").lower()
    fit = encoding.replace("-", "") == "utf8"
    advice = "" if fit else "values that it has no sign for are shown as ?; set PYTHONUTF8=1"
    yield Finding("terminal", encoding, "ok" if fit else "note", advice)


def folders() -> Iterator[Finding]:
    """Yield findings on the folder of runs and the folder for large batches: writable or not."""
    from ...scenarios.records.run_folder import unwritable

    wrong = unwritable(HOME)
    where = str(HOME.absolute())
    yield Finding("run folders", where, "FAIL" if wrong else "ok", str(wrong) if wrong else "")
    yield _scratch()


def _scratch() -> Finding:
    """Return the finding on the folder for batches beyond the memory, with its free space."""
    import shutil

    from ...number_text import size
    from ...roles.compute.spool import FOLDER, folder

    where = folder()
    remedy = f"name another folder for large batches: {FOLDER}=FOLDER"
    try:
        detail = f"{where}, {size(shutil.disk_usage(where).free)} free"
    except OSError as bad:
        return Finding("large batches", str(where), "note", f"{bad.strerror}; {remedy}")
    fit = os.access(where, os.W_OK)
    return Finding("large batches", detail, "ok" if fit else "note", "" if fit else remedy)


LOOKS = (system, facilities, libraries, extras, cipher, threads, terminal, folders)
