"""The planned runs of a sweep: each combination of swept values (a point) `repeats` times.

The seed of repetition i, counted from 0, is 63 bits of numpy's SeedSequence(seed, spawn_key=(i,)).
Seeds of different repetitions are independent. All points have THE SAME SEEDS (common random
numbers), so that points differ by the swept values and not by chance. A sweep that is extended
keeps the runs it has. If scenario.seed itself is swept, its values are the seeds. Without a seed,
randomness is the system's. No run is played here: `veilmix check` uses the plan too.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ....errors import ParameterError, ScenarioError, StorageError
from ....protocol.wire.parties import shuffler
from ...lab.validation.check import swept
from ...lab.validation.load import change, plain
from ...populations.facts import ScenarioFacts
from ...programs.interface import Mode
from ...schema.keys import place
from ...schema.model import MAX_SHUFFLERS, Expect, Scenario
from ...schema.problems import as_found
from ...serialization.content import content_of
from .sweep_file import SweepLine, Value

SEED = "scenario.seed"
# Hexadecimal digits of a sweep's mark, the hash by which a file of runs is recognized as belonging
# to the sweep.
MARK = 16

Axes = Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class SweepJob:
    """A run of a sweep that is to be played: a scenario with one combination of swept values.

    Attributes:
        scenario: the scenario to be played.
        key: swept scenario key (dotted path) -> its value in this run.
        number: the number of the repetition with these values, from 1.
        seed: the seed of the run; None: system randomness.
        mode: `real` sends every message, `ideal` sends no message.
        worst_case_nodes: nodes of each search tree for the table with the worst exposure; 0: no
            search.
        mark: the mark of the sweep, a hash of its inputs but swept keys and seeds.
    """

    scenario: Scenario
    key: dict[str, Value]
    number: int
    seed: int | None
    mode: Mode
    worst_case_nodes: int
    mark: str

    def line(self, result: dict[str, object], error: str | None = None) -> SweepLine:
        """Return the line of the sweep's file for this run.

        result: as in result.json; empty after a crash. error: the reason of a crash.
        """
        from ....version import __version__

        return SweepLine(
            key=self.key,
            number=self.number,
            seed=self.seed,
            version=__version__,
            scenario=self.mark,
            result=result,
            error=error,
        )


def axes(scenario: Scenario, overrides: Axes) -> dict[str, tuple[Value, ...]]:
    """Return the axes of a sweep (scenario key -> its values): the scenario's, with `overrides`.

    An axis in `overrides` replaces the scenario's axis. Axes with several values come first. Raises
    ScenarioError with every mistake in `overrides`.
    """
    wrong = list(swept(replace(scenario, sweep=dict(overrides)), ScenarioFacts()))
    if wrong:
        messages = (problem.message.removeprefix(f"{problem.path[1]}: ") for problem in wrong)
        raise ScenarioError(
            [
                f"--set {problem.path[1]}: {message}"
                for problem, message in zip(wrong, messages, strict=True)
            ]
        )
    merged = {
        key: tuple(dict.fromkeys(values)) for key, values in {**scenario.sweep, **overrides}.items()
    }
    return dict(sorted(merged.items(), key=lambda axis: len(axis[1]) < 2))


def plan(
    scenario: Scenario,
    along: Axes,
    repeats: int = 1,
    seed: int | None = None,
    mode: Mode = "real",
    worst_case_nodes: int = 0,
) -> tuple[SweepJob, ...]:
    """Return all runs of a sweep, after validating each combination of swept values.

    Args:
        scenario: the scenario that is swept.
        along: the axes of the sweep: scenario key -> its values.
        repeats: the runs of each combination of values.
        seed: the seed of which the runs' seeds are derived; None: the scenario's.
        mode: `real` sends every message, `ideal` sends no message.
        worst_case_nodes: nodes of each search tree for the table with the worst exposure; 0: no
            search.

    Raises:
        ScenarioError: every mistake in a combination.
    """
    if SEED in along and repeats > 1:
        raise ParameterError(
            f"--repeats: found {repeats}, and {SEED} is swept: each of its values is a repetition"
        )
    base = replace(scenario, sweep={}, expect=Expect())
    mark = mark_of(base, along, mode)
    seed = base.scenario.seed if seed is None else seed
    points, wrong = _points(base, along)
    if wrong:
        raise ScenarioError(wrong)
    return tuple(
        SweepJob(at, key, i, _seed(key, seed, i), mode, worst_case_nodes, mark)
        for i in range(1, repeats + 1)
        for key, at in points
    )


def _points(
    base: Scenario, sweep_axes: Axes
) -> tuple[list[tuple[dict[str, Value], Scenario]], list[str]]:
    """Return the valid combinations of swept values, each with its scenario, and all mistakes.

    base: the scenario that is swept. sweep_axes: scenario key -> its values.
    """
    points, wrong = [], dict[str, None]()
    for values in product(*sweep_axes.values()):
        key = dict(zip(sweep_axes, values, strict=True))
        try:
            points.append((key, change(_with_all(base, key), key)))
        except ScenarioError as bad:
            point_text = ", ".join(f"{name} = {as_found(value)}" for name, value in key.items())
            wrong.update(dict.fromkeys(f"where {point_text}: {line}" for line in bad.problems))
    return points, list(wrong)


def _with_all(base: Scenario, key: Mapping[str, Value]) -> Scenario:
    """Return the scenario without the coalitions that name a shuffler which a swept run lacks.

    base: the scenario. key: the swept values, of which `mix.shufflers` is read. No score is lost,
    because the coalitions of the remaining parties are scored in any case.
    """
    m = key.get("mix.shufflers")
    if not isinstance(m, int):
        return base
    shufflers = {shuffler(hop) for hop in range(1, m + 1)}
    absent = {shuffler(hop) for hop in range(1, MAX_SHUFFLERS + 1)} - shufflers
    coalitions = tuple(
        coalition for coalition in base.coalition if not absent.intersection(coalition.parties)
    )
    return replace(base, coalition=coalitions)


def _seed(key: Mapping[str, Value], seed: int | None, number: int) -> int | None:
    """Return the seed of a repetition; None for system randomness.

    key: the swept values, which may have the seed. seed: the seed of the sweep. number: the number
    of the repetition, from 1.
    """
    if SEED in key:
        return int(key[SEED])
    if seed is None:
        return None
    from numpy import uint64
    from numpy.random import SeedSequence

    state = SeedSequence(seed, spawn_key=(number - 1,)).generate_state(1, uint64)
    return int(state[0]) >> 1


def mark_of(base: Scenario, along: Axes, mode: Mode) -> str:
    """Return the mark of a sweep: a hash of all its inputs but swept keys, seeds and titles.

    base: the scenario. along: the axes: scenario key -> its values. mode: `real` or `ideal`.
    """
    data = plain(base)
    for key in ("title", "seed", "repeat"):
        data["scenario"].pop(key, None)
    source = Path(base.population.source)
    if not base.population.builtin:
        try:
            data["population"]["source"] = content_of(source).sha256
        except OSError as bad:
            raise StorageError(f"{source}: cannot be read: {bad.strerror}") from None
    for key_path in filter(None, map(place, along)):
        holder: Any = data
        for part in key_path[:-1]:
            holder = holder[part]
        holder.pop(key_path[-1], None)
    text = msgspec.json.encode([data, sorted(along), mode], order="sorted")
    return hashlib.sha256(text).hexdigest()[:MARK]
