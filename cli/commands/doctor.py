"""`veilmix doctor`: is this installation fit to run veilmix, and how fast?"""

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
from ..found import HOME
from ..text.layout import Grid, format_option, lay_out, page, say, write_csv, write_json

PYTHON = (3, 11)
PINS = Path(__file__).parent.parent.parent / "requirements" / "core.txt"
SEALS = 400  # messages a thread, to see whether threads seal at the same time
PARALLEL = 1.4  # times one thread: less is one core, or one that neighbours use
EXTRAS = {  # what they are for
    "report": "pages and figures",
    "web": "veilmix theatre --live",
    "data": "Parquet files",
    "teach": "lessons",
    "cluster": "sweeps on many computers",
    "fast": "sealing several times as fast",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        what: the thing.
        found: what there is of it.
        state: ok, note (works all the same), or FAIL (exit code 2).
        advice: what to do; empty where there is nothing.
    """

    what: str
    found: str
    state: str
    advice: str = ""


@click.command("doctor")
@format_option
@click.pass_context
def command(ctx: click.Context, form: str) -> None:
    """Check this installation. Exit code 2 if something would keep veilmix from running."""
    findings = [finding for look in LOOKS for finding in look()]
    rows = [(finding.what, finding.found, finding.state, finding.advice) for finding in findings]
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
    """Python, platform, cores."""
    from ... import __version__

    yield Finding("veilmix", __version__, "ok")
    fit = sys.version_info >= PYTHON
    wanted = ".".join(map(str, PYTHON))
    advice = "" if fit else f"Python {wanted} or newer is needed"
    yield Finding("python", platform.python_version(), "ok" if fit else "FAIL", advice)
    yield Finding("platform", platform.platform(), "ok")


def facilities() -> Iterator[Finding]:
    """The facilities that this system does not have, and what happens instead."""
    from ...systems import FACILITIES

    absent = [facility for facility in FACILITIES if not facility.here]
    if not absent:
        yield Finding("system", "no facility is missing", "ok")
    for facility in absent:
        yield Finding("system", f"no {facility.name}", "note", facility.without)


def libraries() -> Iterator[Finding]:
    """Each library against its pin; without the pins, whether it is there."""
    from ...scenarios.records.run_folder import LIBRARIES

    wanted = pins()
    for name in LIBRARIES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding(name, "missing", "FAIL", _mend(name))
            continue
        tested = wanted.get(name, (version,))
        if version in tested:
            yield Finding(name, version, "ok")
        else:
            pin = tested[-1]
            command = _mend(f"{name}=={pin}")
            yield Finding(name, version, "note", f"tested with {pin}; to install that: {command}")


def _mend(wanted: str) -> str:
    """A command that installs a library of the core."""
    return advice("core") if in_checkout() else installing([wanted])


def pins() -> dict[str, tuple[str, ...]]:
    """The versions this checkout is tested with; none where there is no checkout.

    A library may have several, each for some versions of Python; the last is for the newest.
    """
    pinned: dict[str, tuple[str, ...]] = {}
    with suppress(OSError):
        for line in PINS.read_text("utf-8").splitlines():
            if pin := re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)", line):
                pinned[pin[1].lower()] = (*pinned.get(pin[1].lower(), ()), pin[2])
    return pinned


def extras() -> Iterator[Finding]:
    """What can be added."""
    for name, what in EXTRAS.items():
        try:
            versions = [
                f"{distribution} {metadata.version(distribution)}"
                for distribution in map(library, requirements(name))
            ]
        except metadata.PackageNotFoundError:
            yield Finding(f"extra: {name}", "not installed", "note", f"for {what}: {advice(name)}")
        else:
            yield Finding(f"extra: {name}", ", ".join(versions), "ok")


def cipher() -> Iterator[Finding]:
    """With what many layers are sealed."""
    from ...crypto.multibuffer import engine_name

    yield Finding("cipher", engine_name(), "ok")


def threads() -> Iterator[Finding]:
    """Whether two threads seal at the same time."""
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
    """How many times as much two threads seal as one does, the best of three."""
    work = sealing()
    work()
    with ThreadPoolExecutor(2) as pool:
        return max(2 * _seconds(work) / _seconds(lambda: _both(pool, work)) for _ in range(3))


def sealing() -> Callable[[], None]:
    """Give the work of sealing some hundred messages, as a user does."""
    from ...crypto.entropy import SystemEntropy
    from ...crypto.layer import seal_layer
    from ...crypto.suites import suite

    scheme = suite()
    public, context = scheme.keypair(SystemEntropy()).public, bytes(32)

    def work() -> None:
        entropy = SystemEntropy()
        for _ in range(SEALS):
            seal_layer(scheme, public, bytes(200), context, entropy)

    return work


def _both(pool: ThreadPoolExecutor, work: Callable[[], None]) -> None:
    for future in [pool.submit(work), pool.submit(work)]:
        future.result()


def _seconds(work: Callable[[], None]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def terminal() -> Iterator[Finding]:
    """Encoding of stdout."""
    encoding = (sys.stdout.encoding or "unknown").lower()
    fit = encoding.replace("-", "") == "utf8"
    advice = "" if fit else "values that it has no sign for are shown as ?; set PYTHONUTF8=1"
    yield Finding("terminal", encoding, "ok" if fit else "note", advice)


def folders() -> Iterator[Finding]:
    """Whether runs can be kept here."""
    from ...scenarios.records.run_folder import unwritable

    wrong = unwritable(HOME)
    where = str(HOME.absolute())
    yield Finding("run folders", where, "FAIL" if wrong else "ok", str(wrong) if wrong else "")
    yield _scratch()


def _scratch() -> Finding:
    """Whether there is room for batches that are larger than memory keeps."""
    import shutil

    from ...roles.spool import FOLDER, folder
    from ...scenarios.wording import size

    where = folder()
    other = f"name another folder for large batches: {FOLDER}=FOLDER"
    try:
        detail = f"{where}, {size(shutil.disk_usage(where).free)} free"
    except OSError as bad:
        return Finding("large batches", str(where), "note", f"{bad.strerror}; {other}")
    fit = os.access(where, os.W_OK)
    return Finding("large batches", detail, "ok" if fit else "note", "" if fit else other)


LOOKS = (system, facilities, libraries, extras, cipher, threads, terminal, folders)
