"""From [[fault]] and [defence] to the parties of a session: who does what wrong, who watches.

Some attacks need two sessions of the same people: `before` gives the first, `after` the second,
which is the one that counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from ...crypto.entropy import Entropy
from ...protocol import parties
from ...protocol.announcement import Flaw
from ...protocol.board import Board
from ...protocol.history import History
from ...roles.faults.curator import liar
from ...roles.faults.shuffler import TOP_BIT, Deed, cheat
from ...roles.faults.users import fault, faulty, stuffer
from ...roles.faults.wire import Block, Delay, Replay, Wires
from ...roles.network import EVERY_ROUND, Fault, Wire
from ...roles.session import Cast, Guards
from ...roles.spy import Spy
from ..populations.samples import Samples
from ..programs.registry import strategy
from ..schema.model import FLOODING, Scenario
from ..schema.model import Fault as Entry
from .catalogue import ATTACKS, CURATOR, SHUFFLER

if TYPE_CHECKING:
    from numpy.random import Generator

Faults = Mapping[int, Mapping[int, str]]  # user -> round -> attack

STREAM = 0x6C6F6F6B  # keeps these draws apart from other uses of the seed
FLAWS: Mapping[str, Flaw] = {
    "bind": Flaw.UNBOUND,
    "dedupe": Flaw.REPEATS,
    "unbundle": Flaw.BUNDLED,
    "fresh_salt": Flaw.ONE_SALT,
    "fresh_key": Flaw.ONE_KEY,
}  # defence that is left out -> design error
FIRST_USER = parties.user(0)


def flaws(scenario: Scenario) -> tuple[Flaw, ...]:
    """The design errors of a scenario, in the order of the wire."""
    left_out = {flaw for key, flaw in FLAWS.items() if not getattr(scenario.defence, key)}
    return tuple(flaw for flaw in Flaw if flaw in left_out)


def sybils(scenario: Scenario) -> int:
    """How many people take part who do not exist."""
    return sum(one.users or 0 for one in scenario.fault if one.attack in FLOODING)


def target(entry: Entry) -> str:
    """The user whom an attack is aimed at."""
    return entry.target or FIRST_USER


def commit(
    scenario: Scenario, cast: Cast, crowd: Samples, faults: Faults, seed: int | None
) -> Cast:
    """Give a session with everything that its parties do wrong, and every defence."""
    import numpy as np

    rng = np.random.default_rng(None if seed is None else [seed, STREAM])
    forged = tuple(values[-1] for values in crowd.people.values)
    lying = {index for index, attacks in faults.items() if "poison" in attacks.values()}
    many, row = crowd.people.n, cast.row

    def says(index: int) -> tuple[str, ...]:
        return forged if index >= many or index in lying else tuple(row(index))

    fakes = sybils(scenario)
    return replace(
        cast,
        people=many + fakes,
        row=says if fakes or lying else row,
        faults={**_users(cast, faults, says), **_others(scenario, cast.entropy)},
        guards=_guards(scenario, many, faults, rng),
        wire=_wire(scenario, many, rng),
        spy=Spy() if scenario.fault else None,
    )


def _users(cast: Cast, faults: Faults, says: Callable[[int], tuple[str, ...]]) -> dict[str, Fault]:
    found: dict[str, Fault] = {}
    for index, attacks in faults.items():
        name = parties.user(index)
        stuffed = [number for number, attack in attacks.items() if attack == "stuff"]
        if stuffed:
            found[name] = stuffer(stuffed, says(index), cast.entropy.fork(f"stuffing of {name}"))
        else:
            found[name] = faulty(attacks)
    return found


def _others(scenario: Scenario, entropy: Entropy) -> dict[str, Fault]:
    """The faults of shufflers and the curator."""
    deeds: dict[str, list[Deed]] = {}
    lies: list[str] = []
    aimed = FIRST_USER
    for number, entry in enumerate(scenario.fault):
        role = ATTACKS[entry.attack].by
        if role == SHUFFLER and entry.by is not None:
            fresh = entropy.fork(f"misdeed {number} of {entry.by}")
            deeds.setdefault(entry.by, []).append(_deed(entry, fresh))
        elif role == CURATOR:
            lies.append(entry.attack)
            aimed = entry.target or aimed
    found = {party: cheat(*some) for party, some in deeds.items()}
    if lies:
        found[parties.CURATOR] = liar(*lies, target=aimed)
    if "equivocate" in lies:
        found[aimed] = lambda network, party: network.join(party)  # honest, in a task of its own
    return found


def _deed(entry: Entry, entropy: Entropy) -> Deed:
    return Deed(
        entry.attack,
        entropy,
        _rounds(entry),
        1.0 if entry.rate is None else entry.rate,
        entry.users,
        entry.target,
        TOP_BIT if entry.bit is None else entry.bit,
    )


def _rounds(entry: Entry) -> "range | tuple[int, ...]":
    return range(1, 256) if entry.round is None else (entry.round,)


def _guards(scenario: Scenario, many: int, faults: Faults, rng: "Generator") -> Guards:
    """What parties look at: defences beside those that are announced."""
    defence = scenario.defence
    count = round(defence.receipts * many)
    looking = frozenset(rng.choice(many, size=count, replace=False).tolist()) - faults.keys()
    return Guards(
        registered=many if defence.registered else None,
        looks=looking.__contains__ if looking else None,
        balance=defence.balance,
        recompute=defence.recompute,
        compares=defence.compare,
        proves=defence.promise,
    )


def _wire(scenario: Scenario, many: int, rng: "Generator") -> Wire | None:
    """What is done to messages on their way."""
    deeds: list[Wire] = []
    stranger = parties.user(many + sybils(scenario))
    for entry in scenario.fault:
        aimed = target(entry)
        match entry.attack:
            case "block":
                deeds.append(Block(_struck(entry, many, rng).__contains__, _rounds(entry)))
            case "isolate":
                deeds.append(Block(_but(aimed, many), EVERY_ROUND))
            case "delay":
                deeds.append(Delay(_but(aimed, many), _rounds(entry)))
            case "replay":
                deeds.append(Replay(aimed, entry.into or "round", stranger))
    return Wires(deeds) if deeds else None


def _but(aimed: str, many: int) -> Callable[[str], bool]:
    """Strikes every person who exists but one."""
    return lambda user: user != aimed and parties.index(user) < many


def _struck(entry: Entry, many: int, rng: "Generator") -> frozenset[str]:
    if entry.users is None and entry.share is None:
        return frozenset({target(entry)})
    count = entry.users if entry.users is not None else round((entry.share or 0) * many)
    drawn = rng.choice(many, size=min(count, many), replace=False).tolist()
    return frozenset(parties.user(index) for index in drawn)


def _named(scenario: Scenario, attack: str) -> Entry | None:
    return next((one for one in scenario.fault if one.attack == attack), None)


def before(scenario: Scenario, cast: Cast) -> Cast | None:
    """The session that came first, with a memory that both share; None if there was none."""
    rerun, overlap = _named(scenario, "rerun"), _named(scenario, "overlap")
    replay = _named(scenario, "replay")
    if not rerun and not overlap and not (replay and replay.into == "session"):
        return None
    history = cast.guards.history or History(
        burn=scenario.defence.burn, union=scenario.defence.union
    )
    faults = dict(cast.faults)
    if rerun:
        faults[parties.CURATOR] = liar("crash")
    entropy = cast.entropy.fork("the session before")
    guards = replace(cast.guards, history=history)
    return replace(cast, entropy=entropy, faults=faults, guards=guards, spy=None)


def after(scenario: Scenario, cast: Cast, crowd: Samples, first: Cast, board: Board) -> Cast:
    """The session that follows the first, of which this is the board."""
    faults = dict(cast.faults)
    if rerun := _named(scenario, "rerun"):
        faults[target(rerun)] = fault("absent")
    decide = cast.decide
    if _named(scenario, "overlap") and board.decision is not None:
        names = crowd.people.schema.names
        gone = tuple(names[column] for column in board.decision.kept)
        decide = strategy(_without(scenario, gone), crowd.others)
    return replace(cast, faults=faults, decide=decide, guards=first.guards)


def _without(scenario: Scenario, gone: tuple[str, ...]) -> Scenario:
    """The scenario of a curator that does not release again what it has released."""
    policy = scenario.policy
    forbidden = tuple(dict.fromkeys((*policy.forbidden, *gone)))
    return changed(scenario, policy=changed(policy, forbidden=forbidden, required=()))
