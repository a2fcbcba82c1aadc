"""What is known of owners and their sets before anybody is asked, and what contradicts it."""

from pathlib import Path as Folder

from ...errors import DataError
from ..schema.model import Incidence, Scenario
from ..schema.problems import Problem, did_you_mean, listed, problem, quoted
from .facts import Facts

USERS, SOURCE = ("population", "users"), ("population", "source")
POSITIONS = ("incidence", "positions")


def people(scenario: Scenario, base: Folder) -> tuple[Facts, list[Problem]]:
    """Say how many owners there are, and which pieces they say; every contradiction."""
    from . import sets

    source = scenario.population.source
    if source != sets.SOURCE and scenario.population.builtin:
        message = f"{source} holds no sets; {sets.SOURCE} or a CSV file is accepted"
        return Facts(), [problem(SOURCE, message)]
    if source == sets.SOURCE:
        owners, positions, problems = _generated(scenario)
    else:
        try:
            owners, positions, problems = _held(scenario, base)
        except DataError as bad:
            return Facts(), [problem(SOURCE, str(bad))]
    if problems:
        return Facts(), problems
    if not 1 <= owners <= sets.MOST_OWNERS:
        message = f"{owners:,} owners; at most {sets.MOST_OWNERS} are accepted"
        return Facts(), [problem(USERS, message)]
    if positions > sets.MOST_POSITIONS:
        message = f"{positions:,} elements; at most {sets.MOST_POSITIONS:,} are accepted"
        return Facts(), [problem(SOURCE, message)]
    return Facts(owners, sets.piece_names(positions), asked=owners), []


def _generated(scenario: Scenario) -> tuple[int, int, list[Problem]]:
    users, positions = scenario.population.users, scenario.incidence.positions
    problems = []
    if users is None:
        message = f"missing; {scenario.population.source} is generated, so say how many owners"
        problems.append(problem(USERS, message))
    if positions is None:
        message = "missing; sets are generated, so say how many elements they are about"
        problems.append(problem(POSITIONS, message))
    elif users is not None and positions <= users:
        message = f"found {positions}; {users} owners need {users + 1} or more"
        problems.append(problem(POSITIONS, message))
    if scenario.incidence.owners:
        message = "generated owners have no names; say in population.users how many"
        problems.append(problem(("incidence", "owners"), message))
    if scenario.population.columns:
        problems.append(problem(("population", "columns"), "generated sets have no columns"))
    return users or 0, positions or 0, problems


def _held(scenario: Scenario, base: Folder) -> tuple[int, int, list[Problem]]:
    """What a file holds. Raises DataError where it cannot be read."""
    from msgspec.structs import replace

    from .sets import ELEMENT, OWNER, from_file

    section, wanted = scenario.population, scenario.incidence
    problems = [
        problem(
            ("population", "columns", name),
            f"a file of sets has the columns {OWNER} and {ELEMENT}"
            + did_you_mean(name, (OWNER, ELEMENT)),
        )
        for name in section.columns
        if name not in (OWNER, ELEMENT)
    ]
    seen = from_file(replace(scenario, incidence=Incidence()), base)
    for i, name in enumerate(wanted.owners):
        if name not in seen.sessions:
            message = f"no owner is called {quoted(name)}; the file has {listed(seen.sessions)}"
            hint = did_you_mean(name, seen.sessions)
            problems.append(problem(("incidence", "owners", i), message + hint))
        elif name in wanted.owners[:i]:
            message = f"{quoted(name)} occurs twice; once is enough"
            problems.append(problem(("incidence", "owners", i), message))
    there = len(wanted.owners or seen.sessions)
    elements = len(seen.devices)
    if section.users is not None and section.users > there:
        message = f"found {section.users:,}; there are only {there:,} owners"
        problems.append(problem(USERS, message))
    if wanted.positions is not None and wanted.positions < elements:
        message = f"found {wanted.positions:,}; the file has {elements:,} elements"
        problems.append(problem(POSITIONS, message))
    return section.users or there, wanted.positions or elements, problems
