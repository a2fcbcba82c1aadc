"""Several programs on one scenario, side by side: trust, privacy, utility and cost.

A table has the programs. One that cannot answer the scenario (an open domain, a mechanism for two
values only, ...) is left out, and the comparison says why.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from os import PathLike
from secrets import randbelow
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace as changed

from ...errors import LocalError, ParameterError
from ..programs.registry import program_of, samples
from ..programs.topology import topology_of
from ..programs.two_round.program import TWO_ROUND
from ..schema.model import Scenario
from ..serialization.content import as_read, reading_once
from ..validation.load import loaded, resolve
from .result import Compared, Comparison

if TYPE_CHECKING:
    from .case import Case

Program = Callable[[Any], Iterator[Compared]]
Progress = Callable[[str], None]
STOPPED = "it was stopped before this program was through"


class _Compared(NamedTuple):
    """What came of one program, or why it was left out."""

    programs: tuple[Compared, ...]
    skipped: dict[str, str]


class ComparisonStopped(KeyboardInterrupt):
    """Ctrl-C after some programs were through. found: these; the others are said to be skipped."""

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(f"{len(comparison.programs)} programs compared")
        self.found = comparison


def programs() -> Mapping[str, Program]:
    """Every program that this version can compare, by name, in the order of the tables."""
    from .local import local
    from .mixed import available, mixed
    from .peers import peers
    from .shares import shares
    from .trusted import cells, trusted

    of_the_mix: dict[str, Program] = {name: partial(mixed, program=name) for name in available()}
    rivals: dict[str, Program] = {
        "peers": peers,
        "trusted": trusted,
        "trusted-cells": cells,
        "shares": shares,
        "local": local,
    }
    return of_the_mix | rivals


@reading_once()
def compare(
    scenario: Scenario | str | PathLike[str],
    seed: int | None = None,
    *,
    only: Sequence[str] = (),
    messages: bool | None = None,
    cheating: int = 0,
    progress: Progress = lambda _: None,
    executor: Executor | None = None,
) -> Comparison:
    """Play a scenario by several programs.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped one.
        seed: overrides the scenario's; None leaves it, and without any, randomness is the system's.
        only: names of programs; none: all.
        messages: whether everybody's messages are really sent; None: up to 2,500 people. Otherwise
            counts are those of the ideal functionality, and costs those of samples of 400.
        cheating: runs of every known attack on a person, on at most 400 people; 0: not measured.
        progress: told the name of each program before it is played, or waited for.
        executor: plays programs elsewhere, side by side; None: here, one by one.

    Raises:
        ScenarioError, DataError: the scenario or its data cannot be used.
        ParameterError: no such program, people who are not the same in both rounds, or peers who
            do what only peers can.
        ComparisonStopped: Ctrl-C when at least one program was through.
    """
    table = _chosen(only)
    chosen = _comparable(loaded(scenario))
    told = chosen.scenario.seed if seed is None else seed
    case = _case(chosen, randbelow(1 << 31) if told is None else told, messages)
    case = replace(case, cheating=cheating)
    compared, skipped, stopped = _through(list(table), case, progress, executor)
    comparison = _comparison(case, told, compared, skipped)
    if stopped:
        raise ComparisonStopped(comparison) from stopped
    return comparison


def _through(
    names: Sequence[str], case: "Case", progress: Progress, executor: Executor | None
) -> tuple[list[Compared], dict[str, str], KeyboardInterrupt | None]:
    """What programs came to, why others did not, and Ctrl-C where it came after the first."""
    compared: list[Compared] = []
    skipped: dict[str, str] = {}
    play = as_read(_play)
    played = {name: executor.submit(play, name, case) for name in names} if executor else {}
    for place, name in enumerate(names):
        try:
            progress(name)
            result = _played(name, case, played.get(name))
            compared += result.programs
            skipped |= result.skipped
        except KeyboardInterrupt as stop:
            if not compared:
                raise
            return compared, skipped | dict.fromkeys(names[place:], STOPPED), stop
    return compared, skipped, None


def _played(name: str, case: "Case", elsewhere: "Future[_Compared] | None") -> "_Compared":
    """What came of one program, here or elsewhere; here also where the executor has broken."""
    if elsewhere is not None:
        with suppress(BrokenExecutor):
            return elsewhere.result()
    return _play(name, case)


def _play(name: str, case: "Case") -> "_Compared":
    """Play one program, whole or not at all, in whatever process this is."""
    try:
        return _Compared(tuple(programs()[name](case)), {})
    except LocalError as cannot:
        return _Compared((), {name: str(cannot)})


def _chosen(only: Sequence[str]) -> Mapping[str, Program]:
    """The programs of these names, or all; ParameterError for a name of none."""
    table = programs()
    if unknown := [name for name in only if name not in table]:
        raise ParameterError(f"no program is called {unknown[0]!r}; there are {', '.join(table)}")
    return {name: table[name] for name in dict.fromkeys(only) or table}


def _comparable(scenario: Scenario) -> Scenario:
    """The scenario with central parties; ParameterError for one that programs cannot share."""
    from .peers import central

    if topology_of(scenario).alike:
        scenario = central(scenario)
    if scenario.population.setting != "fixed":
        raise ParameterError(
            f"{scenario.scenario.name}: its rounds ask different people; programs are compared on "
            'the same people: set population.setting = "fixed"'
        )
    if not program_of(scenario).held:
        raise ParameterError(
            f"{scenario.scenario.name}: owners who hold sets have no columns; programs are "
            'compared on people: take another policy.kind than "incidence"'
        )
    return scenario


def _case(scenario: Scenario, seed: int, messages: bool | None) -> "Case":  # noqa: FBT001 - passed on
    """The same people, faults and promise for every program. seed: of all of them."""
    from ..play.presence import draw_faults
    from .case import ALL, Case

    crowd = samples(scenario, seed)
    people = crowd.people
    chosen = resolve(scenario, crowd.first, people.schema.names, crowd.others)
    chosen = changed(chosen, scenario=changed(chosen.scenario, seed=seed))
    if program_of(chosen).compared != TWO_ROUND:  # the rivals promise crowds, whatever it does
        chosen = changed(chosen, policy=changed(chosen.policy, kind="exposure", prefixes=False))
    faults = draw_faults(chosen, people.n, seed)
    return Case(chosen, people, faults, seed, people.n <= ALL if messages is None else messages)


def _comparison(
    case: "Case", seed: int | None, programs: Sequence[Compared], skipped: Mapping[str, str]
) -> Comparison:
    scenario = case.scenario
    return Comparison(
        scenario.scenario.name,
        scenario.scenario.title,
        seed,
        case.people.n,
        case.people.schema.names,
        scenario.policy.k,
        scenario.policy.max_exposure,
        case.messages,
        tuple(programs),
        skipped,
    )
