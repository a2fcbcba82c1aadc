"""The attacks of a scenario that found no occasion in a session, each with the reason.

An occasion is a condition under which an attack can begin, such as a message that it can drop. An
attack that is carried out records its `[[fault]]` entry (roles/occasions.py), whether or not a
countermeasure then stops it. A passive attack is carried out by its watchers as soon as a person
has sent a message. Of several sessions, the last counts; an attack that needs the sessions before
it may be carried out in an earlier session.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...schema.model import Fault
from .attack import PEER, USER, AttackTraits
from .registry import ATTACKS
from .settings import AttackSettings
from .strikes import Faults

SENT_NOTHING = "it looks at what people send, and none of them sent anything"


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a session, as the reason why an attack could not begin.

    Attributes:
        rounds: the number of rounds called.
        burned: the reason of its abort; None: it was not aborted.
        answered: whether a person has sent a message.
    """

    rounds: int
    burned: str | None
    answered: bool

    def __str__(self) -> str:
        """Return a clause for the warning: when the session ended, or aborted and why."""
        if self.burned is not None:
            return f"the session was burned in round {self.rounds}: {self.burned}"
        return f"the session ended after round {self.rounds}"


def unmet(
    settings: AttackSettings, faults: Faults, acted: Collection[int], ended: Ended
) -> tuple[str, ...]:
    """Return a warning for every entry of `[[fault]]` that could not begin.

    faults: the attacks of users. acted: the places in the file of the entries that were carried
    out. ended: how the session ended.
    """
    return tuple(
        f"fault[{place}]: {_attacker_name(entry, _traits(settings, entry))} found no occasion: "
        f"{_why(place, entry, _traits(settings, entry), faults, ended)}"
        for place, entry in _idle(settings, acted, ended)
    )


def _idle(
    settings: AttackSettings, acted: Collection[int], ended: Ended
) -> Iterator[tuple[int, Fault]]:
    """Yield the entries that were not carried out, each with its place in the file.

    If a session is aborted because of one attacker, other parties with the same attack are left
    out: they had no chance to act. acted: the places of the entries that were carried out.
    """
    is_burned = ended.burned is not None
    stopped = {settings.entries[place].attack for place in acted} if is_burned else ()
    for place, entry in enumerate(settings.entries):
        has_occasion = ended.answered if _traits(settings, entry).looks else place in acted
        if not has_occasion and entry.attack not in stopped:
            yield place, entry


def _traits(settings: AttackSettings, entry: Fault) -> AttackTraits:
    """Return the record of an entry's attack, in the form for this session's topology."""
    attack = ATTACKS[entry.attack]
    return attack.among(settings.topology) or attack


def _attacker_name(entry: Fault, attack: AttackTraits) -> str:
    """Return the attack and its party for a warning, such as `attack "drop" by shuffler-1`."""
    by = entry.by or attack.by or attack.watchers
    return f'attack "{entry.attack}" by {by}'


def _why(place: int, entry: Fault, attack: AttackTraits, faults: Faults, ended: Ended) -> str:
    """Return a clause for the warning: why the condition for an attack did not come.

    place: the number of the attack's entry in the scenario file. faults: the attacks of users.
    ended: how the session ended.
    """
    if attack.looks:
        return f"{SENT_NOTHING}; {ended}"
    waits = f"it waits for {attack.waits}; " if attack.waits else ""
    if attack.by in (USER, PEER) and not _strikes(place, faults):
        return f"{waits}no person commits it: share is none here, or later entries prevail"
    if entry.round is not None and entry.round > ended.rounds:
        return f"{waits}round {entry.round} was not called, and {ended}"
    return f"{waits}there was none for it, and {ended}"


def _strikes(place: int, faults: Faults) -> bool:
    """Whether a user commits, in some round, the attack at a place of the scenario file."""
    return any(strike.entry == place for rounds in faults.values() for strike in rounds.values())
