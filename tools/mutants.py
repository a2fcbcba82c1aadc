"""Every guard has its killer: remove each in turn, and a test named for it must fail.

    python tools/mutants.py [NAME...]     all guards, or those whose names contain one of these
    python tools/mutants.py --narrow      besides, write the first test that noticed in each row

A room's guards are in its `guards.toml`, beside them, one table a guard:

    [name]
    file = "board.py"       in the room
    is = '''...'''          the guard, as it stands there, exactly once
    becomes = '''...'''     what stands there when it is removed
    tests = ["tests/..."]   one of these then fails

A row names one test where it can, or files: then the first test that fails is looked for, which
takes longer. Nothing in the checkout is touched but the rows that `--narrow` writes: each guard is
removed in a copy. Exit code 1 where no test notices, where a guard is not found, or where a test
that is named fails without any removal.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("crypto", "protocol", "roles")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "_build", "notebooks", "docs", "*.png")
ROW = re.compile(r"^\[([a-z0-9-]+)\]$", re.MULTILINE)
TESTS = re.compile(r"^tests = \[.*?\]$", re.MULTILINE | re.DOTALL)
KILLER = re.compile(r"^FAILED (\S+(?: [^-]\S*)*)", re.MULTILINE)
PASSED, FAILED = 0, 1  # exit codes of pytest; any other says that it could not run


@dataclass(frozen=True, slots=True)
class Guard:
    """One row: what stands where, what stands there without it, and which tests notice."""

    name: str
    path: Path
    text: str
    becomes: str
    tests: tuple[str, ...]

    def removed(self, source: str) -> str:
        """Give a file's source without the guard; ValueError unless it is there exactly once."""
        found = source.count(self.text)
        if found != 1:
            raise ValueError(f"{self.name}: its text stands {found} times in {self.path}; 1 is due")
        return source.replace(self.text, self.becomes)


def guards(root: Path = ROOT) -> Iterator[Guard]:
    """Yield the guards of all rooms, in the order of their tables."""
    for room in ROOMS:
        table = tomllib.loads((root / room / "guards.toml").read_text("utf-8"))
        for name, row in table.items():
            path = Path(room, row["file"])
            yield Guard(name, path, row["is"], row["becomes"], tuple(row["tests"]))


class Copy:
    """A copy of the checkout in which one guard at a time is removed."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "veilmix"
        self._touched = 0
        shutil.copytree(ROOT, self.root, ignore=LEFT_OUT, symlinks=True)
        shutil.copytree(ROOT / "docs", self.root / "docs", ignore=LEFT_OUT)
        self._settings = {"PYTHONPATH": str(folder), "PYTHONPYCACHEPREFIX": str(folder / "cache")}

    def failed(self, tests: Sequence[str]) -> str | None:
        """The first of these tests that fails here, None if all pass; RuntimeError if none runs."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--no-header"]
        ran = subprocess.run(
            [*command, "-p", "no:cacheprovider", *tests],
            cwd=self.root,
            env={**os.environ, "CI": "1", **self._settings},
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode not in (PASSED, FAILED):
            raise RuntimeError(f"the tests do not run: {ran.stdout[-800:]}{ran.stderr[-800:]}")
        if ran.returncode == PASSED:
            return None
        said = KILLER.search(ran.stdout)
        return said[1] if said else tests[0]

    def killer(self, guard: Guard) -> str | None:
        """The first test that fails without a guard; None if all pass."""
        path = self.root / guard.path
        source = path.read_text("utf-8")
        try:
            self._write(path, guard.removed(source))
            return self.failed(guard.tests)
        finally:
            self._write(path, source)

    def _write(self, path: Path, source: str) -> None:
        """Write a file, each time as of a later moment: what was compiled before is then old."""
        path.write_text(source, "utf-8")
        self._touched += 2
        now = path.stat().st_mtime + self._touched
        os.utime(path, (now, now))


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of removing a guard: the first test that failed, or what is wrong."""

    guard: Guard
    killer: str = ""
    wrong: str = ""


def judged(chosen: Sequence[Guard], many: int) -> Iterator[Judged | str]:
    """Yield what came of each of these guards, as it is found; so many are tried at a time.

    A text stands for what is wrong with the tests that are named.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(many) as pool:
        copies: Queue[Copy] = Queue()
        for number in range(many):
            copies.put(Copy(Path(folder, str(number))))

        def judge(guard: Guard) -> Judged:
            copy = copies.get()
            try:
                if killer := copy.killer(guard):
                    return Judged(guard, killer)
            except (ValueError, RuntimeError) as wrong:
                return Judged(guard, wrong=f"{guard.name}: {wrong}")
            finally:
                copies.put(copy)
            return Judged(guard, wrong=f"{guard.name}: {guard.path} without it, and no test fails")

        whole = copies.get()
        named = sorted({test for guard in chosen for test in guard.tests})
        if amiss := whole.failed(named):
            yield f"{amiss} fails though no guard is removed"
        copies.put(whole)
        yield from pool.map(judge, chosen)


def narrowed(table: str, killers: Mapping[str, str]) -> str:
    """The text of a table in which each row names the one test that noticed, where one is known."""
    rows = ROW.split(table)
    for place in range(1, len(rows), 2):
        killer = killers.get(rows[place])
        if killer:
            said = json.dumps([killer], ensure_ascii=False)
            rows[place + 1] = TESTS.sub(lambda _, said=said: f"tests = {said}", rows[place + 1], 1)
        rows[place] = f"[{rows[place]}]"
    return "".join(rows)


def narrow(killers: Mapping[str, str]) -> None:
    """Write the tables of all rooms so."""
    for room in ROOMS:
        path = ROOT / room / "guards.toml"
        path.write_text(narrowed(path.read_text("utf-8"), killers), "utf-8")


def main() -> int:
    """Try all guards, or those that are named."""
    parser = argparse.ArgumentParser(description="Remove each guard; a test must notice.")
    parser.add_argument("names", nargs="*", help="parts of names; none: all guards")
    parser.add_argument("--at-a-time", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--narrow", action="store_true", help="write the tests that noticed")
    given = parser.parse_args()
    chosen = [one for one in guards() if not given.names or any(n in one.name for n in given.names)]
    wrong, killers = 0, dict[str, str]()
    for found in judged(chosen, given.at_a_time):
        line = found if isinstance(found, str) else found.wrong
        if line:
            print(line, flush=True)
            wrong += 1
        elif isinstance(found, Judged):
            killers[found.guard.name] = found.killer
    if given.narrow:
        narrow(killers)
    print(f"{len(chosen)} guards removed in turn; {wrong} amiss")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
