"""Several release programs on one scenario, side by side: trust, privacy, utility and cost.

A release program is a protocol that makes a release: a kind of policy, or a comparator without a
mix. If it cannot answer the scenario, for example because of an open domain, it is left out. The
comparison names the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from os import PathLike
from secrets import randbelow
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace as changed

from ....deprecated import find
from ....errors import LocalError, ParameterError
from ....protocol.rounds.shares import AGGREGATORS
from ....protocol.wire import parties
from ....roles.compute.backend import results
from ...lab.validation.load import loaded, resolve
from ...programs.capability import AnswerKind
from ...programs.curated.program import ROW
from ...programs.people_source import SetPopulation
from ...programs.registry import PROGRAMS, answers_for, capability, program_of, samples
from ...programs.topology import topology_of
from ...schema.model import Scenario
from ...schema.parties import PartyNames
from ...schema.single_rows import require_single_rows
from ...serialization.content import as_read, reading_once
from .result import REPLACED, Compared, Comparison

if TYPE_CHECKING:
    from .case import Case

Program = Callable[[Any], Iterator[Compared]]
Progress = Callable[[str], None]
READERS = (parties.CURATOR, parties.ANALYST)
RIVAL_READERS: Mapping[str, tuple[str, ...]] = {"peers": (), "local": (parties.ANALYST,)}
STOPPED = "the comparison was stopped before this program was finished"


class _Compared(NamedTuple):
    """The results of a release program, or its name with the reason why it was left out."""

    programs: tuple[Compared, ...]
    skipped: dict[str, str]


class ComparisonStopped(KeyboardInterrupt):
    """The interruption of a comparison by Ctrl-C after some release programs.

    comparison: the comparison of the finished programs; all other programs count as skipped.
    """

    def __init__(self, comparison: Comparison) -> None:
        """Keep the comparison of the finished release programs."""
        super().__init__(f"{len(comparison.programs)} programs compared")
        self.comparison = comparison


def programs() -> Mapping[str, Program]:
    """Return every comparable release program: name -> function, in the order of tables.

    The function takes a `Case` (scenario and people) and yields the program's results.
    """
    from .local import local
    from .mixed import VERIFIED, available, mixed, verified
    from .peers import peers
    from .shares import shares
    from .trusted import cells, trusted

    mixed_programs: dict[str, Program] = {
        name: partial(mixed, program=name) for name in available()
    }
    rivals: dict[str, Program] = {
        VERIFIED: verified,
        "peers": peers,
        "trusted": trusted,
        "trusted-cells": cells,
        "shares": shares,
        "local": local,
    }
    return mixed_programs | rivals


@reading_once()
def compare(
    scenario: Scenario | str | PathLike[str],
    seed: int | None = None,
    *,
    only: Sequence[str] = (),
    messages: bool | None = None,
    cheating: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Comparison:
    """Run several release programs on a scenario, and return their results side by side.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped scenario.
        seed: the seed of all randomness; None: the scenario's seed, or if it has no seed, system
            randomness.
        only: names of programs; empty: all. Programs of the mix have the names of `policy.kind`:
            `exposure` (or the scenario's own kind, if that is `fixed`, `all`, `pairs` or
            `informative`), `histogram`, ...
        messages: whether the messages of all people are really sent; None: up to 2,500 people.
            Otherwise counts are from the ideal functionality, and costs from samples of 400.
        cheating: the number of runs of every known attack on a person, with at most 400 people; 0:
            not measured.
        progress: called with the name of each program before the program is played.
        executor: plays programs in parallel elsewhere; None: here, in turn.

    Raises:
        ScenarioError, DataError: the scenario or its data cannot be used.
        ParameterError: no such program, other people in round 2 than in round 1, or a fault that
            only peers can commit.
        ComparisonStopped: Ctrl-C when at least one program was finished.
    """
    loaded_scenario = loaded(scenario)
    require_single_rows(loaded_scenario, "compare")
    resolved = _comparable(loaded_scenario)
    table = _rows_by_name(only, resolved)
    given_seed = resolved.scenario.seed if seed is None else seed
    case = _case(resolved, randbelow(1 << 31) if given_seed is None else given_seed, messages)
    case = replace(case, cheating=cheating, once=loaded_scenario.mix.submit == "once")
    compared, skipped, stopped = _through(table, case, progress or (lambda _: None), executor)
    comparison = _comparison(case, given_seed, compared, skipped)
    if stopped:
        raise ComparisonStopped(comparison) from stopped
    return comparison


def _through(
    names: Sequence[str], case: Case, progress: Progress, executor: Executor | None
) -> tuple[list[Compared], dict[str, str], KeyboardInterrupt | None]:
    """Run release programs; return the results, the reasons for skipped programs, and the Ctrl-C.

    None stands for the Ctrl-C if there was none. Ctrl-C before the first result is raised.
    names: the programs to run. case: the scenario and its people.
    """
    compared: list[Compared] = []
    skipped: dict[str, str] = {}
    played = results(executor, as_read(partial(_play, case)), names)
    for place, name in enumerate(names):
        try:
            progress(row_name(name, case.scenario))
            result = next(played)
            compared += result.programs
            skipped |= result.skipped
        except KeyboardInterrupt as stop:
            if not compared:
                raise
            stopped_rows = [row_name(row, case.scenario) for row in names[place:]]
            return compared, skipped | dict.fromkeys(stopped_rows, STOPPED), stop
    return compared, skipped, None


def _play(case: Case, name: str) -> _Compared:
    """Return the results of a release program, or the reason why it cannot answer the scenario.

    case: the scenario and its people. name: the name of the program.
    """
    try:
        return _Compared(tuple(programs()[name](case)), {})
    except LocalError as cannot:
        return _Compared((), {name: str(cannot)})


def _rows_by_name(names_given: Sequence[str], scenario: Scenario) -> Sequence[str]:
    """Return the release programs with these names; ParameterError for an unknown name.

    names_given: names of programs; empty: all programs. An earlier name is accepted with a
    warning. scenario: decides the name of the program `exposure` in result tables.
    """
    rows = {row_name(row, scenario): row for row in programs()}
    names = [current_name(name, scenario) for name in names_given]
    for name in names_given:
        if old := find(name, REPLACED):
            old.warn(4)
    if unknown := [name for name in names if name not in rows]:
        raise ParameterError(f"no program is called {unknown[0]!r}; there are {', '.join(rows)}")
    return [rows[name] for name in dict.fromkeys(names) or rows]


def party_names(scenario: Scenario, only: Sequence[str] = ()) -> PartyNames:
    """Return the parties of release programs on a scenario, before any is played.

    Args:
        scenario: the scenario; its comparison has programs with central parties even among peers.
        only: names of programs; empty: all.

    Raises:
        ParameterError: no such program.
    """
    from .mixed import VERIFIED, available, played

    rows, mixed_programs = _rows_by_name(only, scenario), available()
    readers = {reader for row in rows for reader in RIVAL_READERS.get(row, READERS)}
    opened = any(
        row in mixed_programs and answers_for(PROGRAMS[played(row)]) is AnswerKind.OPENED
        for row in rows
    )
    numbered: dict[str, int | None] = {}
    if "shares" in rows:
        numbered["aggregator"] = len(AGGREGATORS)
    if "peers" in rows:
        numbered["peer"] = None  # as many as people, but the people are not drawn yet
    if any(row in mixed_programs or row in ("shares", VERIFIED) for row in rows):
        numbered["shuffler"] = scenario.mix.shufflers
    randomness = (parties.RANDOMNESS,) if opened else ()
    return PartyNames((*sorted(readers), *randomness), numbered)


def row_name(row: str, scenario: Scenario) -> str:
    """Return the name of a release program in result tables.

    The program `exposure` has the name of the kind of policy that it plays: the scenario's own, if
    that is `fixed`, `all`, `pairs` or `informative`. row: the program's usual name.
    """
    from .mixed import exposure_kind

    return exposure_kind(scenario) if row == ROW else row


def current_name(name: str, scenario: Scenario) -> str:
    """Return a release program's name in result tables, also for an earlier name."""
    old = find(name, REPLACED)
    return row_name(old.new, scenario) if old else name


def _comparable(scenario: Scenario) -> Scenario:
    """Return the scenario from which all release programs start: central, with an onion mix.

    Some programs then change the mix. Raises ParameterError if programs cannot be compared on the
    scenario: rounds ask different people, or owners hold sets.
    """
    from .peers import central

    scenario = changed(scenario, mix=changed(scenario.mix, kind="onion", submit="each-round"))
    if topology_of(scenario).is_symmetric:
        scenario = central(scenario)
    if scenario.population.setting != "fixed":
        raise ParameterError(
            f"{scenario.scenario.name}: its rounds ask different people; programs are compared on "
            'the same people: set population.setting = "fixed"'
        )
    if capability(scenario, SetPopulation):
        raise ParameterError(
            f'{scenario.scenario.name}: policy.kind = "incidence" counts sets, and programs are '
            "compared on people with columns: take another policy.kind"
        )
    return scenario


def _case(scenario: Scenario, seed: int, messages: bool | None) -> Case:  # noqa: FBT001 - passed on
    """Return the case for all programs: the same people, faults and promise, by one seed.

    messages: whether the messages of all people are sent; None: up to 2,500 people.
    """
    from ...lab.play.fault_schedule import draw_faults
    from .case import MESSAGE_LIMIT, Case

    crowd = samples(scenario, seed)
    people = crowd.people
    public_copy = resolve(scenario, crowd.first, people.schema.names, crowd.round2_people)
    public_copy = changed(public_copy, scenario=changed(public_copy.scenario, seed=seed))
    # Comparators (protocols without a mix) certify a bound on exposure. If the scenario's release
    # program does not, they get the policy kind `exposure`, which does.
    if program_of(public_copy).compared != ROW:
        public_copy = changed(
            public_copy, policy=changed(public_copy.policy, kind="exposure", prefixes=False)
        )
    faults = draw_faults(public_copy, people.n, seed)
    return Case(
        public_copy,
        people,
        faults,
        seed,
        people.n <= MESSAGE_LIMIT if messages is None else messages,
    )


def _comparison(
    case: Case, seed: int | None, programs: Sequence[Compared], skipped: Mapping[str, str]
) -> Comparison:
    """Return the comparison of these release programs.

    seed: the seed as it is reported; None: system randomness. skipped: program -> reason.
    """
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
