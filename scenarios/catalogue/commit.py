"""From [[fault]] and [defence] to the parties of a session: who does what wrong, who watches.

Some attacks need several sessions of the same people: `before` gives those that came first, `after`
the last, which is the one that counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...protocol.board import Board
from ...protocol.history import History
from ...protocol.parties import user
from ...roles.adversary_record import AdversaryRecord
from ...roles.cast import Cast, Guards
from ..populations.samples import Samples
from ..schema.model import Fault as Entry
from ..schema.model import Scenario
from .attack import Sequel
from .deviations import deviating
from .guard import Setting
from .registry import ATTACKS, GUARDS, sybils
from .session import AttackSetup

Faults = Mapping[int, Mapping[int, str]]  # user -> round -> attack

STREAM = 0x6C6F6F6B  # keeps these draws apart from other uses of the seed


def commit(
    scenario: Scenario, cast: Cast, crowd: Samples, faults: Faults, seed: int | None
) -> Cast:
    """Give a session with everything that its parties do wrong, and every guard."""
    import numpy as np

    rng = np.random.default_rng(None if seed is None else [seed, STREAM])
    guards = Guards()
    setting = Setting(scenario, crowd.people.n, frozenset(faults), rng)
    for guard in GUARDS.values():
        if guard.observe is not None:
            guards = guard.observe(guards, setting)
    setup = AttackSetup(scenario, cast, crowd, rng, sybils(scenario))
    _strike(setup, faults)
    for number, entry in enumerate(scenario.fault):
        if how := ATTACKS[entry.attack].commit:
            how(setup, entry, number)
    deviating_people = {entry.by for entry in scenario.deviation}
    guards = _without_accomplices(guards, frozenset(setup.messages) | deviating_people)
    adversary = AdversaryRecord() if scenario.fault else None
    cast = replace(setup.prepared(), guards=guards, adversary=adversary)
    return deviating(scenario, cast)


def _without_accomplices(guards: Guards, accomplices: frozenset[str]) -> Guards:
    """The same guards, but that those who are in it do not look whether their ballots have come."""
    looks = guards.looks or (lambda _: True)
    if not accomplices:
        return guards
    return replace(guards, looks=lambda index: looks(index) and user(index) not in accomplices)


def _strike(setup: AttackSetup, faults: Faults) -> None:
    """Let users commit what they were drawn for; who forges its row does so in all it says."""
    names = {index: tuple(dict.fromkeys(rounds.values())) for index, rounds in faults.items()}
    setup.forgers |= {
        i for i, some in names.items() if any(ATTACKS[attack].forges for attack in some)
    }
    for index, rounds in faults.items():
        for name in names[index]:
            if how := ATTACKS[name].strike:
                how(
                    setup,
                    index,
                    tuple(number for number, committed in rounds.items() if committed == name),
                )


def sequels(scenario: Scenario) -> Iterator[tuple[Entry, Sequel]]:
    """The attacks of a scenario that need two sessions, and how each uses them."""
    for entry in scenario.fault:
        sequel = ATTACKS[entry.attack].sequel
        if sequel is not None and sequel.wanted(entry):
            yield entry, sequel


def before(scenario: Scenario, cast: Cast) -> Iterator[Cast]:
    """The sessions that came first, all with one memory; none if no attack needs one."""
    two = list(sequels(scenario))
    if not two:
        return
    history = cast.guards.history or History(
        burn=scenario.defence.burn, union=scenario.defence.union
    )
    guards = replace(cast.guards, history=history)
    for number in range(max(sequel.many(entry) for entry, sequel in two)):
        entropy = cast.entropy.fork(f"the session before{f', {number}' if number else ''}")
        first = replace(cast, entropy=entropy, guards=guards, adversary=AdversaryRecord())
        for entry, sequel in two:
            first = sequel.before(first, entry, number)
        yield first


def after(scenario: Scenario, cast: Cast, crowd: Samples, first: Cast, board: Board) -> Cast:
    """The session that follows the first, of which this is the board."""
    cast = replace(cast, guards=first.guards)
    for entry, sequel in sequels(scenario):
        cast = sequel.after(cast, entry, scenario, crowd, board)
    return cast
