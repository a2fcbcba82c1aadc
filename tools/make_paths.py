"""Draw promise against bits for `hierarchical`: docs/images/paths-census.png, and a table.

    python tools/make_paths.py            the picture, of census (a quarter of an hour)
    python tools/make_paths.py --table    the cases of decision 57 (an hour)

Three paths: whole levels and chosen groups as `veilmix run` asks them, without messages; and the
best path of safe questions, found by trying every set of groups that can be asked for. Promised is
what can be promised of all columns together. Bits are at least what the asked groups tell of who
has which row, by the most even table (analysis/contingency/maximum_entropy.py), masks left out.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from PIL import Image
from veilmix.analysis import drawing
from veilmix.analysis.composition.group_counts import GroupCounts, with_parts
from veilmix.analysis.composition.known_groups import GroupKnowledge
from veilmix.analysis.contingency.frechet import Margin
from veilmix.analysis.contingency.maximum_entropy import bits_at_least
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.populations.build import population
from veilmix.scenarios.schema.model import Expect

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "paths-census.png"
COLOURS = 64  # of the palette
CENSUS = ("census", 10, 0.01)
CASES = (
    CENSUS,
    *(("hair-eye", k, most) for k, most in ((3, 0.05), (5, 0.1), (10, 0.2))),
    *(("admissions", k, most) for k, most in ((5, 0.01), (30, 0.02), (60, 0.1))),
    *(("titanic", k, most) for k, most in ((3, 0.01), (5, 0.01), (5, 0.02), (5, 0.05))),
)

Group = tuple[int, ...]
State = tuple[Group, ...]  # the largest groups that were asked for
Path_ = tuple[State, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A table, and what is promised of it.

    Attributes:
        table: people per cell, an axis for each column.
        k: people in the smallest crowd wanted.
        most: people who may be in a smaller one.
        kept: what was worked out of a state, by its name and the state.
    """

    table: Any
    k: int
    most: int
    kept: dict[Any, Any] = field(default_factory=dict)

    def counted(self, group: Group) -> Any:
        """The counts of some columns."""
        others = tuple(a for a in range(self.table.ndim) if a not in group)
        return self.table.sum(axis=others)

    def known(self, state: State) -> GroupKnowledge:
        """What is known in a state, all values by name."""
        singles = tuple(self.counted((j,)) for j in range(self.table.ndim))
        asked = {}
        for group in state:
            said = tuple(tuple(range(self.table.shape[j])) for j in group)
            counts = np.pad(self.counted(group), [(0, 1)] * len(group))
            asked[group] = GroupCounts(group, said, counts)
        return GroupKnowledge(self.k, singles, with_parts(asked))

    def promised(self, state: State) -> int:
        """People exposed at most in a release of all columns."""
        key = ("promised", state)
        if key not in self.kept:
            self.kept[key] = self.known(state).promise(range(self.table.ndim)).people
        return int(self.kept[key])

    def bits(self, state: State) -> float:
        """Bits of all people, at least."""
        key = ("bits", state)
        if key not in self.kept:
            groups = [*state, *((j,) for j in range(self.table.ndim))]
            margins = [Margin(group, self.counted(group)) for group in groups]
            self.kept[key] = bits_at_least(self.table.shape, margins)
        return float(self.kept[key])

    def next(self, state: State) -> list[State]:
        """The states after one safe question."""
        if ("next", state) not in self.kept:
            known, d = self.known(state), self.table.ndim
            said = {j: tuple(range(size)) for j, size in enumerate(self.table.shape)}
            states = []
            for size in range(2, d + 1):
                for group in combinations(range(d), size):
                    new = not any(set(group) <= set(before) for before in state)
                    if new and known.meets(group, self.most, said):
                        states.append(largest((*state, group)))
            self.kept["next", state] = states
        return list(self.kept["next", state])


def largest(groups: Sequence[Group]) -> State:
    """The groups that are no part of another."""
    return tuple(sorted({g for g in groups if not any(set(g) < set(o) for o in groups)}))


def best_path(case: Case, until: float) -> Path_:
    """The path with the least area under the promise, from no bits to so many.

    Below the target nothing counts: a promise is as good as it has to be.
    """

    @cache
    def least(state: State) -> tuple[float, Path_]:
        promised = max(case.promised(state), case.most)
        here = case.bits(state)
        best = (promised * max(until - here, 0.0), (state,))
        if case.promised(state) <= case.most or here >= until:
            return best
        for after in case.next(state):
            area, path = least(after)
            area += promised * (min(case.bits(after), until) - here)
            if area < best[0] - 1e-6:
                best = (area, (state, *path))
        return best

    return least(())[1]


def area(case: Case, path: Path_, until: float) -> float:
    """The area under the promise along a path."""
    ends = [min(case.bits(state), until) for state in path[1:]] + [until]
    return sum(
        max(case.promised(state), case.most) * (end - min(case.bits(state), until))
        for state, end in zip(path, ends, strict=True)
    )


def above(case: Case, path: Path_, other: Path_) -> list[tuple[int, int]]:
    """Where a path promises more than another at the same bits: both promises."""
    points = []
    for state in other:
        bits = case.bits(state)
        mine = min(case.promised(point) for point in path if case.bits(point) <= bits + 1e-6)
        if mine > max(case.promised(state), case.most):
            points.append((mine, case.promised(state)))
    return points


def asked(name: str, k: int, most: float, ask: str) -> Path_:
    """The states that a run goes through."""
    terms = {"policy.kind": "hierarchical", "policy.ask": ask}
    terms |= {"policy.k": k, "policy.max_exposure": most}
    outcome = run(change(replace(load(name), expect=Expect()), terms), 1, "ideal")
    columns = {column: place for place, column in enumerate(outcome.schema.names)}
    groups: list[Group] = []
    states: list[State] = [()]
    for record in outcome.findings.rounds[1:]:
        groups += [tuple(columns[column] for column in group) for group in record.groups]
        states.append(largest(groups))
    return tuple(states)


def case_of(name: str, k: int, most: float) -> Case:
    """The people of a scenario that is shipped, as a table."""
    scenario = load(name)
    people = population(scenario.population, scenario.feature, 1)
    table = np.zeros([len(texts) for texts in people.values], dtype=np.int64)
    np.add.at(table, tuple(np.asarray(people.codes).T), 1)
    return Case(table, k, int(most * len(people.codes) + 1e-9))


def told(case: Case, path: Path_) -> str:
    """A path in words: promise at bits beyond those of single columns."""
    start = case.bits(())
    return ", ".join(f"{case.promised(s):,} at {case.bits(s) - start:,.0f}" for s in path)


def picture() -> None:
    """Draw the three paths of census."""
    case = case_of(*CENSUS)
    paths = {"whole levels": asked(*CENSUS, "levels"), "chosen groups": asked(*CENSUS, "best")}
    until = max(case.bits(state) for path in paths.values() for state in path)
    paths["best path of safe groups"] = best_path(case, until)
    n, shown = int(case.table.sum()), {}
    for name, path in paths.items():
        print(f"{name}: {told(case, path)}; area {area(case, path, until):,.0f}", flush=True)
        bits = [case.bits(state) / n for state in path]
        shown[name] = ([*bits, until / n], [*map(case.promised, path), case.promised(path[-1])])
    with drawing.house_style():
        figure, (ax,) = drawing.new(7.2, 4.4)
        looks = (drawing.GREY, "-", "s"), (drawing.BLUE, "-", "o"), (drawing.VERMILION, ":", "x")
        for (name, (bits, people)), (colour, style, mark) in zip(shown.items(), looks, strict=True):
            line = {"color": colour, "linestyle": style, "label": name}
            ax.step(bits, people, where="post", **line)
            ax.plot(bits[:-1], people[:-1], mark, color=colour, fillstyle="none")
        ax.axhline(case.most, color=drawing.BLACK, linewidth=0.8, linestyle=(0, (1, 2)))
        ax.annotate("target, 1 %", (bits[0], case.most), (0, 4), textcoords="offset points")
        ax.set_xlabel("bits a person, told to the curator (at least)")
        ax.set_ylabel("people exposed at most, all columns released")
        ax.set_ylim(0, None)
        ax.set_title("Census, k = 10: promise against what the curator learns")
        ax.legend()
    drawing.save(figure, PICTURE)
    with Image.open(PICTURE) as drawn:
        drawn.convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)


def table() -> None:
    """Print the cases of decision 57 as a table."""
    for name, k, most in CASES:
        case = case_of(name, k, most)
        levels, chosen = asked(name, k, most, "levels"), asked(name, k, most, "best")
        until = max(case.bits(state) for state in levels)
        whole = max(case.promised(()), case.most) * (until - case.bits(())) or 1.0
        paths = levels, chosen, best_path(case, until)
        areas = (f"{area(case, path, until) / whole:.2f}" for path in paths)
        over = "; ".join(f"{mine} for {theirs}" for mine, theirs in above(case, chosen, levels))
        ends = f"{case.promised(levels[-1]):,}", f"{case.promised(chosen[-1]):,}"
        line = f"{name}, {k}, {100 * most:g} %", *ends, *areas, over or "-"
        print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    table() if "--table" in sys.argv else picture()
