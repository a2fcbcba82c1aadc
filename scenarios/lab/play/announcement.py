"""The policy and the rules of message transport in a scenario's announcement."""

from ....protocol.wire.announcement import AnnouncedPolicy, Flaw, Rules
from ...attacks.catalogue.registry import GUARDS
from ...programs.registry import program_of
from ...schema.model import Scenario


def announced_policy(scenario: Scenario) -> AnnouncedPolicy:
    """Return the announced policy of a scenario, as its release program defines it."""
    return program_of(scenario).policy(scenario)


def announced_rules(scenario: Scenario) -> Rules:
    """Return the announced rules of message transport."""
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
        verified=mix.kind == "verified",
        flaws=design_flaws(scenario),
        rows=scenario.population.rows or 1,
    )


def design_flaws(scenario: Scenario) -> tuple[Flaw, ...]:
    """Return the design errors of a scenario: countermeasures announced as switched off.

    They are in the order in which the announcement's encoding lists them.
    """
    left_out = {guard.flaw for guard in GUARDS.values() if guard.flaw and not guard.is_on(scenario)}
    return tuple(flaw for flaw in Flaw if flaw.value in left_out)
