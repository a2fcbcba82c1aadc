"""What went wrong in a run, to be said first wherever the run is told; and what is not said then.

Figures on coalitions assume parties that follow the protocol and pool their views. In a run in
which a party deviated, an attack achieved anything, or the board bears out an alarm, they are no
statement of safety. So every output asks `deviations`: its lines come first, and if there are any,
`NOT_BY_WATCHING` stands in the place of each sentence of safety that is computed from views.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..catalogue.attack import BYSTANDER, PEER, USER
from ..catalogue.registry import ATTACKS
from ..programs.interface import Effect, Raised
from ..programs.topology import topology_of
from ..schema.model import Fault, Scenario
from ..wording import many

NOT_BY_WATCHING = (
    "no statement on who must be trusted: figures on coalitions assume parties that follow the "
    "protocol, and here that did not hold"
)
LEAVES = frozenset({"absent", "late"})  # attacks of users who send nothing, or nothing in time
POOLS = frozenset({"collude"})  # attacks whose effect is that of pooled views itself


def deviations(
    scenario: Scenario, attacks: Sequence[Effect], alarms: Sequence[Raised]
) -> tuple[str, ...]:
    """Return what a reader of a run must know before any figure of it; () for an honest run.

    Args:
        scenario: that was played, with its faults.
        attacks: what each was measured to achieve; none before a run has ended.
        alarms: those on the board.
    """
    return (*_effects(attacks), *_faults(scenario, attacks), *_alarms(alarms))


def _effects(attacks: Sequence[Effect]) -> Iterator[str]:
    """Attacks that were measured to achieve something, or that a party played in vain."""
    for effect in attacks:
        if effect.attack in POOLS or not (effect.value or _deviates(effect.attack)):
            continue
        who = " + ".join(effect.parties)
        did = f"{who} did not follow the protocol" if _deviates(effect.attack) else "a design error"
        yield f"{did} ({effect.attack}): {effect.value:g} of {effect.of:g} {effect.unit}"


def _faults(scenario: Scenario, attacks: Sequence[Effect]) -> Iterator[str]:
    """The parties that deviate by the scenario, as far as no measured effect names their attack."""
    measured = {effect.attack for effect in attacks}
    for fault in scenario.fault:
        if fault.attack not in measured and _deviates(fault.attack):
            yield f"{_who(scenario, fault)} did not follow the protocol ({fault.attack})"


def _deviates(attack: str) -> bool:
    """Whether a party that plays an attack breaks a rule, and does more than to send nothing."""
    known = ATTACKS.get(attack)
    return known is not None and known.by != BYSTANDER and attack not in LEAVES


def _who(scenario: Scenario, fault: Fault) -> str:
    """The parties of a fault, in words."""
    if fault.by is not None:
        return fault.by
    role = ATTACKS[fault.attack].by
    if role not in (USER, PEER):
        return f"the {role}"
    one, several = topology_of(scenario).member
    return many(fault.users, one, several) if fault.users is not None else several


def _alarms(alarms: Sequence[Raised]) -> Iterator[str]:
    """The complaints that the board bears out, by cause."""
    causes = Counter(alarm.cause for alarm in alarms if alarm.borne_out)
    for cause, times in causes.items():
        yield f"the board bears out {many(times, 'alarm')} about {cause}"
