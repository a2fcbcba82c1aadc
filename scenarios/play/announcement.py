"""What the curator announces of a scenario: its policy, and how messages travel."""

from ...protocol.announcement import Policy, Rules
from ..catalogue.flaws import flaws
from ..programs.registry import program_of
from ..schema.model import Scenario


def announced_policy(scenario: Scenario) -> Policy:
    """What the curator announces of a scenario's policy, as its program has it."""
    return program_of(scenario).policy(scenario)


def announced_rules(scenario: Scenario) -> Rules:
    """What the curator announces of how messages travel."""
    mix = scenario.mix
    return Rules(
        deadline=mix.deadline,
        min_batch=mix.min_batch,
        min_dropout=scenario.defence.min_dropout,
        padded=mix.pad,
        salted=mix.salt,
        ordered=mix.order == "sorted",
        lesson=mix.lesson,
        tokens=scenario.defence.tokens,
        challenge=scenario.defence.locks,
        audit=scenario.defence.audit,
        flaws=flaws(scenario),
    )
