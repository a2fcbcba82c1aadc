"""Checks of keys that only policies for sets read, or that these policies do not read."""

from collections.abc import Iterator

from ...populations.facts import ScenarioFacts
from ...schema.kinds import SETS
from ...schema.model import Scenario
from ...schema.problems import Problem, problem, quoted
from ..people_source import SetPopulation
from ..registry import capability


def unread(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Report keys that only one kind of policy reads, under another."""
    kind = scenario.policy.kind
    if capability(scenario, SetPopulation):
        if scenario.feature:
            message = f'kind = "{kind}" asks owners for their sets; leave [[feature]] out'
            yield problem(("feature",), message)
        if scenario.attacker.knows:
            message = f'kind = "{kind}" has no features; leave knows out'
            yield problem(("attacker", "knows"), message)
        return
    for key, usual in (("owners", ()), ("positions", None), ("method", "em"), ("beta", 0.1)):
        if getattr(scenario.incidence, key) != usual:
            message = f'only policy.kind = "{SETS}" reads {key}; kind is {quoted(kind)}'
            yield problem(("incidence", key), message)
