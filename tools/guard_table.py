"""The guards of each room, as its `guards.toml` lists them, and the weaker forms of each.

A table is one row per guard:

    [name]
    file = "board.py"       in the room
    is = '''...'''          the guard, as it stands there, exactly once
    becomes = '''...'''     the text in its place if it is removed
    tests = ["tests/..."]   one of these then fails
    other."kind" = '''..''' the text in its place if it is weaker in a way that weakenings.py does
                            not derive
    weaker."kind" = [...]   tests that notice one weakening, where `tests` do not, whatever their
                            parameters are
    same."kind" = "..."     why no test can notice a weakening: it means the same

or, where another guard refuses everything that this one refuses, so that no test notices:

    repeats = "..."         the other guard, and the reason; this one is not changed
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import weakenings

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (
    *("crypto", "protocol", "roles", "machines", "poll", "theatre", "lessons"),
    *("scenarios/deployment", "tools"),  # readers of saved sessions
)
ROW = re.compile(r"^\[([a-z0-9-]+)\]$", re.MULTILINE)
TESTS = r"^{} = \[.*?\]$"


@dataclass(frozen=True, slots=True)
class Guard:
    """A row.

    Attributes:
        name: of the row.
        path: of the file, from the root.
        text: of the guard.
        becomes: the text in its place if it is removed.
        tests: that notice the removal.
        repeats: the reason if no test can notice it.
        other: texts in its place that are weaker, by kind.
        weaker: tests that notice a weakening, by kind.
        same: reasons for which no test can notice a weakening, by kind.
    """

    name: str
    path: Path
    text: str
    becomes: str
    tests: tuple[str, ...]
    repeats: str = ""
    other: Mapping[str, str] = field(default_factory=dict)
    weaker: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)

    def removed(self, source: str) -> str:
        """Return a source without the guard; ValueError unless it is there exactly once."""
        return self._replaced(source, self.becomes)

    def weakened(self, source: str) -> dict[str, str]:
        """Return the sources in which the guard is weaker, by kind."""
        if self.repeats:
            return {}
        given = {kind: self._replaced(source, text) for kind, text in self.other.items()}
        return given | weakenings.weakenings(source, self.text, self.becomes, parameters())

    def _replaced(self, source: str, text: str) -> str:
        times = source.count(self.text)
        if times != 1:
            raise ValueError(f"{self.name}: its text stands {times} times in {self.path}; 1 is due")
        return source.replace(self.text, text)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file in which one guard is removed or weaker.

    Attributes:
        guard: the row.
        kind: of the weakening; empty: the guard is removed.
        source: of the file.
    """

    guard: Guard
    kind: str
    source: str

    @property
    def name(self) -> str:
        """Of the row, with the kind behind it."""
        return f"{self.guard.name}: {self.kind}" if self.kind else self.guard.name

    @property
    def tests(self) -> tuple[str, ...]:
        """Those of which one has to fail: of a weaker guard, those of the row with all cases."""
        if not self.kind:
            return self.guard.tests
        cases = tuple(dict.fromkeys(test.partition("[")[0] for test in self.guard.tests))
        return self.guard.weaker.get(self.kind, cases)


def guards(root: Path = ROOT) -> Iterator[Guard]:
    """Yield the guards of all rooms, in the order of their tables."""
    for room in ROOMS:
        table = tomllib.loads((root / room / "guards.toml").read_text("utf-8"))
        for name, row in table.items():
            yield Guard(
                name,
                Path(room, row["file"]),
                row["is"],
                row.get("becomes", ""),
                tuple(row.get("tests", ())),
                row.get("repeats", ""),
                row.get("other", {}),
                {kind: tuple(tests) for kind, tests in row.get("weaker", {}).items()},
                row.get("same", {}),
            )


@cache
def parameters() -> dict[str, list[tuple[str, str]]]:
    """Return the parameters of the functions of all rooms."""
    return weakenings.annotated([path for room in ROOMS for path in (ROOT / room).rglob("*.py")])


def mutants(rows: Iterable[Guard], root: Path = ROOT) -> Iterator[Mutant]:
    """Yield each guard removed, then all weaker forms; a form that two rows share comes once.

    ValueError if a guard is not where its row says.
    """
    removals, seen = list[Mutant](), set[str]()
    for guard in rows:
        if not guard.repeats:
            source = (root / guard.path).read_text("utf-8")
            removals.append(Mutant(guard, "", guard.removed(source)))
    seen |= {f"{each.guard.path} {weakenings.bare(each.source)}" for each in removals}
    yield from removals
    for guard in [each.guard for each in removals]:
        source = (root / guard.path).read_text("utf-8")
        for kind, changed in guard.weakened(source).items():
            place = f"{guard.path} {weakenings.bare(changed)}"
            if place not in seen:
                seen.add(place)
                yield Mutant(guard, kind, changed)


def widened(mutant: Mutant, rows: Iterable[Guard]) -> Mutant:
    """Return a mutant with more tests: its own, those of all rows of its file, then their files."""
    guard = mutant.guard
    beside = [test for row in rows if row.path == guard.path for test in row.tests]
    files = [test.partition("::")[0] for test in (*mutant.tests, *beside)]
    tests = tuple(dict.fromkeys((*mutant.tests, *beside, *files)))
    if mutant.kind:
        return replace(mutant, guard=replace(guard, weaker={mutant.kind: tests}))
    return replace(mutant, guard=replace(guard, tests=tests))


def narrowed(table: str, killers: Mapping[str, str]) -> str:
    """Return the text of a table in which rows name the one test that noticed.

    A weaker form gets a line of its own where another test noticed it than the row then names.

    killers: by the name of the mutant.
    """
    rows, before = ROW.split(table), tomllib.loads(table)
    for place in range(1, len(rows), 2):
        name = rows[place]
        tests = [killers[name]] if name in killers else before[name].get("tests", [])
        named = {test.partition("[")[0] for test in tests}
        for mutant, killer in killers.items():
            row, _, kind = mutant.partition(": ")
            if row == name:
                key = f'weaker."{kind}"' if kind else "tests"
                has_tests = not named.isdisjoint(killer.partition(end)[0] for end in ("[", "::"))
                rows[place + 1] = _with_test(rows[place + 1], key, killer, needed=not has_tests)
        rows[place] = f"[{name}]"
    return "".join(rows)


def _with_test(row: str, key: str, test: str, *, needed: bool) -> str:
    """Return a row in which a key names one test; needed: the key is added if it is missing."""
    line = f"{key} = {json.dumps([test], ensure_ascii=False)}"
    replaced, times = _line_of(key).subn(lambda _: line, row, count=1)
    if times or not needed:
        return replaced
    return _line_of("tests").sub(lambda tests: f"{tests[0]}\n{line}", row, count=1)


def _line_of(key: str) -> re.Pattern[str]:
    return re.compile(TESTS.format(re.escape(key)), re.MULTILINE | re.DOTALL)
