"""Statements on deviations in a run: the first lines of every output on it.

Figures on coalitions assume parties that follow the protocol and pool their views. After a
deviation, a successful attack or a justified alarm they are no statement of safety. Every output
prints the lines of `deviations` first. If there are lines, `NOT_BY_WATCHING` replaces each
sentence of safety that is computed from views.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..catalogue.attack import BYSTANDER, PEER, USER
from ..catalogue.registry import ATTACKS
from ..programs.interface import Effect, Raised
from ..programs.topology import topology_of
from ..schema.model import Fault, Scenario
from ..wording import plural

NOT_BY_WATCHING = (
    "no statement on who must be trusted: figures on coalitions assume parties that follow the "
    "protocol, and here that did not hold"
)
LEAVES = frozenset({"absent", "late"})  # users send no ballot, or send it too late
POOLS = frozenset({"collude"})  # the effect is computed from pooled views itself


def deviations(
    scenario: Scenario, attacks: Sequence[Effect], alarms: Sequence[Raised]
) -> tuple[str, ...]:
    """Return the lines that precede all figures of a run; () for an honest run.

    Args:
        scenario: the played scenario, with its faults.
        attacks: measured effects; none before the end of a run.
        alarms: the alarms on the board.
    """
    findings = _effects(attacks), _members(scenario), _faults(scenario, attacks), _alarms(alarms)
    return tuple(line for lines in findings for line in lines)


def _members(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each deviation of coalition members that the scenario sets."""
    if scenario.deviation:
        from ..catalogue.deviations import deviation_of

        for entry in scenario.deviation:
            yield f"a member did not follow the protocol ({deviation_of(entry)})"


def _effects(attacks: Sequence[Effect]) -> Iterator[str]:
    """Yield a line for each attack with an effect, and each attack that a party played in vain."""
    for effect in attacks:
        if effect.attack in POOLS or not (effect.value or _deviates(effect.attack)):
            continue
        parties = " + ".join(effect.parties) or "a party"
        did = (
            f"{parties} did not follow the protocol"
            if _deviates(effect.attack)
            else "a design error"
        )
        yield f"{did} ({effect.attack}): {effect.value:g} of {effect.of:g} {effect.unit}"


def _faults(scenario: Scenario, attacks: Sequence[Effect]) -> Iterator[str]:
    """Yield a line for each fault of the scenario without a measured effect."""
    measured = {effect.attack for effect in attacks}
    for fault in scenario.fault:
        if fault.attack not in measured and _deviates(fault.attack):
            yield f"{_names(scenario, fault)} did not follow the protocol ({fault.attack})"


def _deviates(attack: str) -> bool:
    """Whether an attack breaks a rule by more than silence."""
    known_attack = ATTACKS.get(attack)
    return known_attack is not None and known_attack.by != BYSTANDER and attack not in LEAVES


def _names(scenario: Scenario, fault: Fault) -> str:
    """Return the names of the parties of a fault."""
    if fault.by is not None:
        return fault.by
    role = ATTACKS[fault.attack].by
    if role not in (USER, PEER):
        return f"the {role}"
    singular, several = topology_of(scenario).member
    return plural(fault.users, singular, several) if fault.users is not None else several


def _alarms(alarms: Sequence[Raised]) -> Iterator[str]:
    """Yield a line for each cause of alarms that the board bears out."""
    causes = Counter(alarm.cause for alarm in alarms if alarm.borne_out)
    for cause, times in causes.items():
        yield f"the board bears out {plural(times, 'alarm')} about {cause}"
