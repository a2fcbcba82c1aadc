"""Every guard has its killer: remove each in turn, weaken each, and a test named for it must fail.

    python tools/mutants.py [NAME...]     all, or those whose names contain one of these
    python tools/mutants.py --weaker all  with all weakenings; else with a fixed part, one of SHARE
    python tools/mutants.py --removals part   with one of REMOVED of the removals, as CI does
    python tools/mutants.py --unchanged skip  the named tests are not tried without any change: for
                                              CI, whose suite has all of them
    python tools/mutants.py --narrow      besides, write the first test that noticed in each row;
                                          what its tests miss is tried with more (`widened`)

The rows are those of the rooms' `guards.toml` (guard_table.py), the weakenings are derived from
them (weakenings.py). A part is that of the names whose hash SHARE or REMOVED divides: the same
every time, on every machine. With all weakenings, those of which a row says that no test can
notice are tried as well: its own tests must pass.

A row names one test where it can, or files: then the first test that fails is looked for, which
takes longer. Nothing in the checkout is touched but the rows that `--narrow` writes: each mutant is
tried in a copy of a process (forked_tests.py). Exit code 1 where no test notices, where a guard is
not found, or where a test that is named fails without any change.
"""

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import forked_tests
from forked_tests import Job, JobResult
from guard_table import ROOMS, ROOT, Mutant, guards, mutants, narrowed, widened

SHARE, REMOVED = 40, 8  # of so many weakenings and removals one is in the fixed part
OVER_NETWORKS = "tests/roles/"  # where tests have a case for each network (tests/roles/conftest.py)
IN_MEMORY = ("-m", "not tls")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a mutant: the first test that failed, or what is wrong.

    Attributes:
        mutant: the guard that was removed or weaker.
        killer: the test that noticed; empty: none did.
        wrong: what is wrong; empty: nothing.
        seconds: that it took.
    """

    mutant: Mutant
    killer: str = ""
    wrong: str = ""
    seconds: float = 0.0


def is_in_part(mutant: Mutant) -> bool:
    """Whether a mutant is in the fixed part of the removals, or of the weakenings."""
    digest = hashlib.sha256(mutant.name.encode()).digest()
    return int.from_bytes(digest[:8], "big") % (SHARE if mutant.kind else REMOVED) == 0


def chosen(names: Sequence[str], weaker: str, removals: str = "all") -> list[Mutant]:
    """Return the mutants whose names contain one of these, all if there are none.

    weaker, removals: `all`, or `part` for the fixed part. A weakening that means the same as its
    guard is tried with all others alone.
    """
    return [
        mutant
        for mutant in mutants(list(guards()))
        if ((weaker if mutant.kind else removals) == "all" or is_in_part(mutant))
        and (weaker == "all" or mutant.kind not in mutant.guard.same)
        and (not names or any(part in mutant.name for part in names))
    ]


def judged(
    tried: Sequence[Mutant], many: int, *, unchanged: bool = True
) -> Iterator[Verdict | str]:
    """Yield the verdict on each of these mutants, as it is found; so many are tried at a time.

    A text is what is wrong with the tests that are named. unchanged: whether these are tried
    without any change too.
    """
    forked_tests.prepare()
    jobs = list[Job[Mutant | None]]()
    named = {test for mutant in tried for test in mutant.tests if unchanged}
    for over in (True, False):  # networks, or none
        chosen = {test for test in named if test.startswith(OVER_NETWORKS) is over}
        jobs.extend(Job(None, tests, options=_options(tests)) for tests in _parts(chosen, many))
    for mutant in tried:
        changed = {ROOT / mutant.guard.path: mutant.source}
        jobs.append(Job(mutant, mutant.tests, changed, _options(mutant.tests)))
    for result in forked_tests.runs(jobs, many, ROOT):
        yield _judgement(result)


def judged_widely(tried: Sequence[Mutant], many: int) -> Iterator[Verdict | str]:
    """Yield verdicts as `judged` does; a mutant that its tests miss is tried with more tests."""
    rows, missed = list(guards()), list[Mutant]()
    for judgement in judged(tried, many):
        if isinstance(judgement, Verdict) and judgement.wrong and not judgement.killer:
            missed.append(widened(judgement.mutant, rows))
        else:
            yield judgement
    yield from judged(missed, many)


def _options(tests: Collection[str]) -> tuple[str, ...]:
    """Return options of pytest: what parties say over one network they say over all."""
    return IN_MEMORY if all(test.startswith(OVER_NETWORKS) for test in tests) else ()


def _parts(tests: Collection[str], many: int) -> Iterator[list[str]]:
    """Cut tests into so many parts, those of a file together; a file stands for all its tests."""
    whole = {test for test in tests if "::" not in test}
    left = whole | {test for test in tests if test.partition("::")[0] not in whole}
    files = sorted({test.partition("::")[0] for test in left})
    for part in range(many):
        mine = set(files[part::many])
        if named := sorted(test for test in left if test.partition("::")[0] in mine):
            yield named


def _judgement(result: JobResult[Mutant | None]) -> Verdict | str:
    """Return what follows from a test that failed, or from none."""
    mutant = result.name
    if mutant is None:
        failure = f"{result.failed} fails though no guard is changed" if result.failed else ""
        return result.wrong or failure
    wrong = result.wrong
    if not wrong and mutant.kind in mutant.guard.same:
        wrong = f"{result.failed} notices it, though its row says why none can"
        wrong = wrong if result.failed else ""
    elif not wrong and result.failed is None:
        wrong = f"{mutant.guard.path} so changed, and no test fails"
    if wrong:
        wrong = f"{mutant.name}: {wrong}"
    return Verdict(mutant, result.failed or "", wrong, result.seconds)


def narrow(killers: Mapping[str, str]) -> None:
    """Write the tables of all rooms with the tests that noticed."""
    for room in ROOMS:
        path = ROOT / room / "guards.toml"
        path.write_text(narrowed(path.read_text("utf-8"), killers), "utf-8")


def main() -> int:
    """Try all guards, or those with the names given."""
    parser = argparse.ArgumentParser(description="Remove, weaken each guard; a test must notice.")
    parser.add_argument("names", nargs="*", help="parts of names; none: all guards")
    parser.add_argument("--weaker", choices=("part", "all"), default="part")
    parser.add_argument("--removals", choices=("part", "all"), default="all")
    parser.add_argument("--unchanged", choices=("try", "skip"), default="try")
    parser.add_argument("--at-a-time", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--narrow", action="store_true", help="write the tests that noticed")
    given = parser.parse_args()
    try:
        tried = chosen(given.names, given.weaker, given.removals)
    except ValueError as wrong:
        print(wrong)
        return 1
    start, wrongs, verdicts = time.monotonic(), 0, list[Verdict]()
    judge = judged_widely if given.narrow else partial(judged, unchanged=given.unchanged == "try")
    for judgement in judge(tried, given.at_a_time):
        line = judgement if isinstance(judgement, str) else judgement.wrong
        if line:
            print(line, flush=True)
            wrongs += 1
        elif isinstance(judgement, Verdict):
            verdicts.append(judgement)
    if given.narrow:
        narrow({verdict.mutant.name: verdict.killer for verdict in verdicts if verdict.killer})
    slowest = max(verdicts, key=lambda verdict: verdict.seconds, default=None)
    if slowest:
        print(f"slowest: {slowest.mutant.name}, {slowest.seconds:.1f} s of CPU ({slowest.killer})")
    took, used = time.monotonic() - start, sum(os.times()[:4])
    weakened = sum(bool(mutant.kind) for mutant in tried)
    print(
        f"{len(tried) - weakened} guards removed and {weakened} weakened, one at a time; "
        f"{wrongs} amiss; {took:.0f} s, {used:.0f} s of CPU"
    )
    return 1 if wrongs or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
