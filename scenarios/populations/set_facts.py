"""The facts about owners and their sets before a run, and the scenario's mistakes about both."""

from pathlib import Path as Folder

from ...errors import DataError
from ..schema.model import IncidenceSection, Scenario
from ..schema.problems import Problem, did_you_mean, listed, problem, quoted
from .facts import ScenarioFacts

USERS, SOURCE = ("population", "users"), ("population", "source")
POSITIONS = ("incidence", "positions")


def people(scenario: Scenario, base: Folder) -> tuple[ScenarioFacts, list[Problem]]:
    """Return the facts about the owners of sets before a run, and the scenario's mistakes.

    The facts are the number of owners and the names of the reported features. A set is a bit vector
    with a bit for each element; each piece of it (up to 4,096 bits) is a feature. base: the folder
    of the scenario file.
    """
    from . import sets

    source = scenario.population.source
    if source != sets.SOURCE and scenario.population.builtin:
        message = f"{source} holds no sets; {sets.SOURCE} or a CSV file is accepted"
        return ScenarioFacts(), [problem(SOURCE, message)]
    if source == sets.SOURCE:
        owners, positions, problems = _generated(scenario)
    else:
        try:
            owners, positions, problems = _file_facts(scenario, base)
        except DataError as bad:
            return ScenarioFacts(), [problem(SOURCE, str(bad))]
    if problems:
        return ScenarioFacts(), problems
    if not 1 <= owners <= sets.MOST_OWNERS:
        message = f"{owners:,} owners; at most {sets.MOST_OWNERS} are accepted"
        return ScenarioFacts(), [problem(USERS, message)]
    if positions > sets.MOST_POSITIONS:
        message = f"{positions:,} elements; at most {sets.MOST_POSITIONS:,} are accepted"
        return ScenarioFacts(), [problem(SOURCE, message)]
    return ScenarioFacts(owners, sets.piece_names(positions), min_round_people=owners), []


def _generated(scenario: Scenario) -> tuple[int, int, list[Problem]]:
    """Return the number of owners and of elements of generated sets, and all mistakes.

    A number that the scenario does not state is returned as 0.
    """
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


def _file_facts(scenario: Scenario, base: Folder) -> tuple[int, int, list[Problem]]:
    """Return the number of owners and of elements in a file of sets, and all mistakes.

    base: the folder of the scenario file. Raises DataError if the file cannot be read.
    """
    from msgspec.structs import replace

    from .sets import ELEMENT, OWNER, from_file

    section, incidence = scenario.population, scenario.incidence
    problems = [
        problem(
            ("population", "columns", name),
            f"a file of sets has the columns {OWNER} and {ELEMENT}"
            + did_you_mean(name, (OWNER, ELEMENT)),
        )
        for name in section.columns
        if name not in (OWNER, ELEMENT)
    ]
    file_sets = from_file(replace(scenario, incidence=IncidenceSection()), base)
    for i, name in enumerate(incidence.owners):
        if name not in file_sets.sessions:
            message = (
                f"no owner is called {quoted(name)}; the file has {listed(file_sets.sessions)}"
            )
            hint = did_you_mean(name, file_sets.sessions)
            problems.append(problem(("incidence", "owners", i), message + hint))
        elif name in incidence.owners[:i]:
            message = f"{quoted(name)} occurs twice; once is enough"
            problems.append(problem(("incidence", "owners", i), message))
    owner_count = len(incidence.owners or file_sets.sessions)
    elements = len(file_sets.devices)
    if section.users is not None and section.users > owner_count:
        message = f"found {section.users:,}; there are only {owner_count:,} owners"
        problems.append(problem(USERS, message))
    if incidence.positions is not None and incidence.positions < elements:
        message = f"found {incidence.positions:,}; the file has {elements:,} elements"
        problems.append(problem(POSITIONS, message))
    return section.users or owner_count, incidence.positions or elements, problems
