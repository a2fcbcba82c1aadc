"""Put the attacks and guards (countermeasures) of a scenario file into a session.

They come from the tables [[fault]] and [defence]. Some attacks need several sessions of the same
people: `earlier_sessions` yields the earlier sessions, `next_session` returns the last; only its
result counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ....protocol.board.board import Board
from ....protocol.history.shuffler_history import History
from ....protocol.wire.messages import Kind
from ....protocol.wire.parties import user
from ....roles.adversary_record import AdversaryRecord
from ....roles.cast import Cast, Guards
from ....roles.occasions import note_of
from ...populations.samples import Samples
from ...schema.model import Fault
from .attack import Sequel, Strikes
from .deviations import deviating
from .guard import GuardSetting
from .registry import ATTACKS, GUARDS, sybils
from .settings import AttackSettings
from .setup import AttackSetup
from .strikes import Faults

# part of the generator's seed, so that attacks draw other numbers than other users of the run's
# seed
STREAM = 0x6C6F6F6B


def commit(
    settings: AttackSettings, cast: Cast, crowd: Samples, faults: Faults, seed: int | None
) -> Cast:
    """Return the inputs of a session (`Cast`) with its attackers and countermeasures in them.

    settings: the attacks, and the countermeasures that the scenario switches. cast: the inputs
    without them. crowd: the real people. faults: the attacks of users, by user and round. seed: of
    the run; None: the attackers' random choices come from the system.
    """
    import numpy as np

    rng = np.random.default_rng(None if seed is None else [seed, STREAM])
    guards = Guards()
    setting = GuardSetting(
        settings.defence, settings.registered, crowd.people.n, frozenset(faults), rng
    )
    for guard in GUARDS.values():
        if guard.observe is not None:
            guards = guard.observe(guards, setting)
    setup = AttackSetup(settings, cast, crowd, rng, sybils(settings.entries))
    _strike(setup, faults)
    for number, entry in enumerate(settings.entries):
        attack = ATTACKS[entry.attack]
        if attack.sybils:
            # as soon as a round's query (call) is posted, the attack counts as carried out, because
            # the query also asks its invented people
            setup.posts(Kind.CALL, number)
        if attack.commit is not None:
            attack.commit(setup, entry, number)
    deviating_people = {entry.by for entry in settings.deviations}
    guards = _without_accomplices(guards, frozenset(setup.messages) | deviating_people)
    adversary = setup.adversary if settings.entries else None
    cast = replace(setup.prepared(), guards=guards, adversary=adversary)
    return deviating(settings.deviations, cast)


def _without_accomplices(guards: Guards, accomplices: frozenset[str]) -> Guards:
    """Return the countermeasures with ballot checks by honest users only.

    The parties in `accomplices` are attackers: they do not check whether their own ballots arrived.
    """
    looks = guards.looks or (lambda _: True)
    if not accomplices:
        return guards
    return replace(guards, looks=lambda index: looks(index) and user(index) not in accomplices)


def _strike(setup: AttackSetup, faults: Faults) -> None:
    """Add the attacks of users to the setup, each by the function of its attack record.

    A user that forges its row in one round answers with the forged row in all rounds.
    """
    for index, rounds in faults.items():
        for strike in rounds.values():
            if ATTACKS[strike.attack].forges:
                _forge(setup, index, strike.entry)
    for index, rounds in faults.items():
        for name in dict.fromkeys(strike.attack for strike in rounds.values()):
            entries = {n: strike.entry for n, strike in rounds.items() if strike.attack == name}
            if how := ATTACKS[name].strike:
                _strike_by(setup, index, how, entries)


def _strike_by(setup: AttackSetup, index: int, how: Strikes, entries: Mapping[int, int]) -> None:
    """Let the user with an index commit an attack.

    how: the function of the attack's record that carries it out. entries: round -> place of the
    `[[fault]]` entry in the file. If the attack gave the user a guessed row, each entry counts as
    carried out once the user answers.
    """
    earlier_guess = setup.guesses.get(index)
    how(setup, index, {number: note_of(entry) for number, entry in entries.items()})
    if setup.guesses.get(index) != earlier_guess:
        for entry in entries.values():
            setup.answers(index, entry)


def _forge(setup: AttackSetup, index: int, entry: int) -> None:
    """Let a person answer with a forged row, the last value of each column.

    index: the person. entry: the place of the `[[fault]]` entry in the scenario file. The entry
    counts as carried out once the person answers, but not if the forged row equals the person's own
    row.
    """
    setup.forgers.add(index)
    if setup.row(index) != tuple(setup.crowd.people.row(index)):
        setup.answers(index, entry)


def sequels(entries: Sequence[Fault]) -> Iterator[tuple[Fault, Sequel, int]]:
    """Yield each entry that needs several sessions, with its `Sequel` and its place in the file."""
    for number, entry in enumerate(entries):
        sequel = ATTACKS[entry.attack].sequel
        if sequel is not None and sequel.needs_earlier(entry):
            yield entry, sequel, number


def earlier_sessions(settings: AttackSettings, cast: Cast) -> Iterator[Cast]:
    """Yield the inputs (`Cast`) of each session that attacks need before the measured session.

    The success of an attack is measured in the last session. Without attacks that need earlier
    sessions, the result is empty. The first shuffler has the same memory (`History`) in all
    sessions, as in real repetitions.
    """
    two = list(sequels(settings.entries))
    if not two:
        return
    history = cast.guards.history or History(
        burn=settings.defence.burn, union=settings.defence.union
    )
    guards = replace(cast.guards, history=history)
    for number in range(max(sequel.session_count(entry) for entry, sequel, _ in two)):
        entropy = cast.entropy.fork(f"the session before{f', {number}' if number else ''}")
        first = replace(cast, entropy=entropy, guards=guards, adversary=AdversaryRecord())
        for entry, sequel, place in two:
            first = sequel.change_earlier(first, entry, number, place)
        yield first


def next_session(
    settings: AttackSettings, cast: Cast, crowd: Samples, first: Cast, board: Board
) -> Cast:
    """Return the inputs (`Cast`) of the last session, in which the success of attacks is measured.

    settings: the attacks. cast: the inputs without attacks. crowd: the real people. first: the
    inputs of the session before. board: the bulletin board of the session before, from which some
    attacks choose their actions.
    """
    cast = replace(cast, guards=first.guards)
    for entry, sequel, place in sequels(settings.entries):
        cast = sequel.change_last(cast, entry, settings, crowd, board, place)
    return cast
