"""Checks of the faults of a scenario in which peers run the session."""

from collections.abc import Iterator

from ...attacks.catalogue.registry import ATTACKS
from ...populations.facts import ScenarioFacts
from ...schema.model import Fault, Scenario
from ...schema.parties import PartyNames
from ...schema.problems import Path, Problem, listed, problem, quoted

OWNER = "this scenario has"
AIMS = ("target", "into", "bit")  # keys of a fault that have no effect among peers


def faults(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the faults that peers cannot commit, and faults that do not name their peers once."""
    for i, fault in enumerate(scenario.fault):
        path, among = ("fault", i), ATTACKS[fault.attack].among_peers
        if among is None:
            peer_attacks = [name for name, attack in ATTACKS.items() if attack.among_peers]
            message = f"{quoted(fault.attack)} cannot be committed by peers; they can commit "
            yield problem((*path, "attack"), message + listed(peer_attacks, len(peer_attacks)))
        for key in AIMS:
            if getattr(fault, key) is not None:
                yield problem((*path, key), f"{fault.attack} among peers does not read {key}")
        if fault.rate is not None and not (among and among.rated):
            yield problem(
                (*path, "rate"), f"{fault.attack} does not read rate; only the attack drop does"
            )
        if among is None or among.act is not None:
            yield from _committed(path, fault, facts)
        elif fault.by is not None:
            message = f"{fault.attack} needs no party; leave `by` out"
            yield problem((*path, "by"), message)


def _committed(path: Path, fault: Fault, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake unless a fault names its peers exactly once (`by`, `users` or `share`)."""
    given_keys = [key for key in ("by", "users", "share") if getattr(fault, key) is not None]
    if len(given_keys) != 1:
        message = 'name the peers with a single key: by = "peer-3", users = 5 or share = 0.1'
        yield problem((*path, given_keys[1] if given_keys else "by"), message)
    peers = PartyNames((), {"peer": facts.people})  # the network, though a party, commits no faults
    if fault.by is not None and fault.by not in peers:
        yield problem((*path, "by"), peers.refusal(fault.by, OWNER, "peer"))
    if fault.users is not None and facts.people is not None and fault.users > facts.people:
        message = f"found {fault.users:,}; only {facts.people:,} peers take part"
        yield problem((*path, "users"), message)
