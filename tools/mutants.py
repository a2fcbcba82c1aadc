"""Every guard has its killer: remove each in turn, and a test named for it must fail.

    python tools/mutants.py [NAME...]     all guards, or those whose names contain one of these
    python tools/mutants.py --narrow      besides, write the first test that noticed in each row

A room's guards are in its `guards.toml`, beside them, one table a guard:

    [name]
    file = "board.py"       in the room
    is = '''...'''          the guard, as it stands there, exactly once
    becomes = '''...'''     what stands there when it is removed
    tests = ["tests/..."]   one of these then fails

or, where another guard refuses all that this one does, so that no message shows its absence:

    repeats = "..."         which, and why; it is not removed

A row names one test where it can, or files: then the first test that fails is looked for, which
takes longer. Nothing in the checkout is touched but the rows that `--narrow` writes: each guard is
removed in a copy of a process (forked_tests.py). Exit code 1 where no test notices, where a guard
is not found, or where a test that is named fails without any removal.
"""

import argparse
import json
import os
import re
import sys
import time
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import forked_tests
from forked_tests import Job, JobResult

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("crypto", "protocol", "roles", "machines", "poll", "theatre")
ROW = re.compile(r"^\[([a-z0-9-]+)\]$", re.MULTILINE)
TESTS = re.compile(r"^tests = \[.*?\]$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Guard:
    """One row: what stands where, what stands there without it, and which tests notice.

    Attributes:
        name: of the row.
        path: of the file, from the root.
        text: what stands there.
        becomes: what stands there without the guard.
        tests: which notice.
        repeats: why no test can notice, where another guard refuses all that this one does.
    """

    name: str
    path: Path
    text: str
    becomes: str
    tests: tuple[str, ...]
    repeats: str = ""

    def removed(self, source: str) -> str:
        """Give a file's source without the guard; ValueError unless it is there exactly once."""
        times = source.count(self.text)
        if times != 1:
            raise ValueError(f"{self.name}: its text stands {times} times in {self.path}; 1 is due")
        return source.replace(self.text, self.becomes)


def guards(root: Path = ROOT) -> Iterator[Guard]:
    """Yield the guards of all rooms, in the order of their tables."""
    for room in ROOMS:
        table = tomllib.loads((root / room / "guards.toml").read_text("utf-8"))
        for name, row in table.items():
            path = Path(room, row["file"])
            becomes, tests = row.get("becomes", ""), tuple(row.get("tests", ()))
            yield Guard(name, path, row["is"], becomes, tests, row.get("repeats", ""))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of removing a guard: the first test that failed, or what is wrong.

    Attributes:
        guard: that was removed.
        killer: the test that noticed; empty: none did.
        wrong: what is wrong; empty: nothing.
        seconds: that it took.
    """

    guard: Guard
    killer: str = ""
    wrong: str = ""
    seconds: float = 0.0


def judged(chosen: Sequence[Guard], many: int) -> Iterator[Verdict | str]:
    """Yield what came of each of these guards, as it is found; so many are tried at a time.

    A text stands for what is wrong with the tests that are named.
    """
    forked_tests.prepare()
    jobs, lost = list[Job[Guard | None]](), list[str]()
    for tests in _parts({test for guard in chosen for test in guard.tests}, many):
        jobs.append(Job(None, tests))
    for guard in chosen:
        path = ROOT / guard.path
        try:
            changed = guard.removed(path.read_text("utf-8"))
        except ValueError as wrong:
            lost.append(str(wrong))
        else:
            jobs.append(Job(guard, guard.tests, {path: changed}))
    yield from lost
    for done in forked_tests.runs(jobs, many, ROOT):
        yield _judgement(done)


def _parts(tests: Collection[str], many: int) -> Iterator[list[str]]:
    """Cut tests into so many parts, those of a file together; a file is said once for all of it."""
    whole = {test for test in tests if "::" not in test}
    left = whole | {test for test in tests if test.partition("::")[0] not in whole}
    files = sorted({test.partition("::")[0] for test in left})
    for part in range(many):
        mine = set(files[part::many])
        if named := sorted(test for test in left if test.partition("::")[0] in mine):
            yield named


def _judgement(done: JobResult[Guard | None]) -> Verdict | str:
    """What it means that these tests failed, or did not."""
    guard = done.name
    if guard is None:
        said = f"{done.failed} fails though no guard is removed" if done.failed else ""
        return done.wrong or said
    if done.wrong or done.failed is None:
        wrong = done.wrong or f"{guard.path} without it, and no test fails"
        return Verdict(guard, wrong=f"{guard.name}: {wrong}", seconds=done.seconds)
    return Verdict(guard, done.failed, seconds=done.seconds)


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
    named = [
        guard for guard in guards() if not given.names or any(n in guard.name for n in given.names)
    ]
    chosen = [guard for guard in named if not guard.repeats]
    start, wrong, judgements = time.monotonic(), 0, list[Verdict]()
    for judgement in judged(chosen, given.at_a_time):
        line = judgement if isinstance(judgement, str) else judgement.wrong
        if line:
            print(line, flush=True)
            wrong += 1
        elif isinstance(judgement, Verdict):
            judgements.append(judgement)
    if given.narrow:
        narrow({judgement.guard.name: judgement.killer for judgement in judgements})
    slowest = max(judgements, key=lambda judgement: judgement.seconds, default=None)
    if slowest:
        print(f"slowest: {slowest.guard.name}, {slowest.seconds:.1f} s of CPU ({slowest.killer})")
    took, used = time.monotonic() - start, sum(os.times()[:4])
    print(f"{len(chosen)} guards removed in turn; {wrong} amiss; {took:.0f} s, {used:.0f} s of CPU")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
