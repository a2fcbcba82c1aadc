"""The sessions that benchmarks play: generated people, shipped scenarios, and their casts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from veilmix.crypto.entropy import OSEntropy
from veilmix.roles.cast import Cast
from veilmix.scenarios.lab.play.announcement import announced_policy, announced_rules
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import change, load, resolve
from veilmix.scenarios.populations import population
from veilmix.scenarios.programs.curated.rules import decision_rule
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.schema.model import Scenario

SEED = 3


def generated(people: int, levels: tuple[int, ...], policy: str, more: str = "") -> str:
    """Return the file of a scenario of Zipf-distributed people.

    levels: of each feature. policy: its lines. more: further tables.
    """
    features = "".join(
        f'[[feature]]\nname = "f{i}"\nlevels = {many}\n' for i, many in enumerate(levels)
    )
    return (
        '[scenario]\nname = "people"\nseed = 1\n[population]\nsource = "builtin:zipf"\n'
        f"users = {people}\n{features}{more}[policy]\n{policy}"
    )


def plain_cast(scenario: Scenario, seed: int | None = None, **changes: Any) -> Cast:
    """Return the cast of two rounds, with one shuffler and system randomness.

    seed: of the people. changes: to fields of the cast.
    """
    crowd = population(scenario.population, scenario.feature, seed)
    fields: dict[str, Any] = {
        "title": "benchmark",
        "schema": crowd.schema,
        "policy": announced_policy(scenario),
        "rules": announced_rules(scenario),
        "suite": "sealedbox",
        "shufflers": 1,
        "people": crowd.n,
        "row": crowd.row,
        "decide": decision_rule(scenario.policy),
        "entropy": OSEntropy(),
    }
    return Cast(**fields | changes)


def census(people: int) -> Cast:
    """Return the cast of the census, of so many people at most."""
    cast = plain_cast(load("census"))
    return replace(cast, people=min(people, cast.people))


def seeded_casts(name: str, changes: Mapping[str, Any], seed: int = SEED) -> Callable[[], Cast]:
    """Return a function that makes the seeded cast of a shipped scenario, a new one each time."""
    scenario = change(load(name), dict(changes)) if changes else load(name)
    crowd = samples(scenario, seed)
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)

    def cast() -> Cast:
        faults = draw_faults(scenario, crowd.people.n, seed)
        return cast_of(SessionPlan.from_scenario(scenario, crowd, faults), seed)

    return cast
