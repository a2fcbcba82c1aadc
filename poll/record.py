"""What a session of phones leaves: a run folder as any other, with what everybody said.

A run folder is what a laboratory keeps: who sealed what. People's phones told nobody; but this
computer had every key, and so it can open, at the end, every envelope that it was sent. That is the
lesson, and the page says it before anybody answers. Whoever does not want it keeps nothing
(`--no-save`): then no envelope is opened but by the parties, one layer each.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from ..crypto.keys import SecretKey
from ..errors import Refused
from ..protocol import parties
from ..protocol.ballots import Ballot, read_ballot
from ..protocol.mixing import open_envelope, open_layers
from ..protocol.session import Round
from ..protocol.transcript import Made, names_of
from ..scenarios.catalogue.effects import measure
from ..scenarios.catalogue.scene import Scene
from ..scenarios.play.announcement import present
from ..scenarios.play.outcomes import outcome_of, played_of
from ..scenarios.populations import Population
from ..scenarios.populations.build import PHONES
from ..scenarios.populations.samples import Samples
from ..scenarios.programs.interface import Effect, Session
from ..scenarios.programs.registry import program_of
from ..scenarios.schema.model import About, Scenario
from ..scenarios.scoring.outcome import Outcome
from ..scenarios.scoring.policy import expectations
from ..scenarios.validation.load import resolve
from .questions import schema_of
from .session import Held

NOTE = "people who answered on their own phones"
NOISY = "what they answered nobody knows: their phones added noise, and the rows here are reports"
WORST = 2.0  # seconds for which the worst table is sought


def outcome_of_phones(scenario: Scenario, held: Held) -> Outcome | None:
    """Give what came of a session; None if nobody's answer was counted.

    Every envelope is opened with the keys that this computer had.
    """
    if held.board is None or not held.room.letters:
        return None
    transcript = held.transcript
    made = opened(held)
    users = 1 + max(index for _, index in held.room.letters)
    transcript.users = users
    transcript.sealed(made)
    people = population(scenario, made, users, held.room.simulated)
    silent = silences(made, users, len(held.board.tallies))
    labelled = replace(scenario, scenario=_labelled(scenario, len(held.room.simulated), users))
    played_scenario = resolve(labelled, users, people.schema.names)
    crowd = Samples(people, users, users)
    effects: tuple[Effect, ...] = ()
    if held.adversary is not None:
        scene = Scene(played_scenario, people, held.board, transcript, held.adversary, None, (), {})
        effects = measure(scene)
    played = played_of(transcript, held.board, effects)
    done = Session(played_scenario, crowd, played, partial(present, crowd, silent))
    scored = program_of(played_scenario).score(done)
    return expectations(outcome_of(done, scored, None, "real", held.seconds, WORST))


def _labelled(scenario: Scenario, simulated: int, users: int) -> About:
    """What the run is called: whoever has its folder alone must know that not all are people."""
    about = scenario.scenario
    if not simulated:
        return about
    return replace(about, title=f"{about.title} ({simulated} of {users} people are simulated)")


def opened(held: Held) -> list[Made]:
    """Open every envelope that was handed in, with all keys; what opens to nothing is left out.

    In the order of rounds and people.
    """
    board = held.board
    calls = {call.round: call for call in board.calls} if board else {}
    secrets = {name: key.secret for name, key in held.keys.items()}
    found = []
    for (number, index), envelope in sorted(held.room.letters.items()):
        try:
            found.append(_made(held.network.plan(calls[number]), secrets, index, envelope))
        except Refused:
            continue  # its sender knows what it is; nobody else does
    return found


def _made(plan: Round, secrets: Mapping[str, SecretKey], index: int, envelope: bytes) -> Made:
    answers: list[tuple[Ballot, list[bytes]]] = []
    for onion in open_envelope(plan, secrets[plan.openers[0]], envelope):
        layers = [onion]
        for hop in range(2, len(plan.hops) + 1):
            inside = open_layers(plan, hop, secrets[plan.openers[hop - 1]], layers[-1:])
            for reason in inside.refused:
                raise Refused(reason)
            layers.append(inside.inside[0])
        answers.append((read_ballot(plan, layers.pop()), layers))
    answers.sort(key=lambda answer: answer[0].ask)
    names = names_of([envelope, *(layer for _, layers in answers for layer in layers)])
    return Made(index, plan.call.round, names, tuple(ballot for ballot, _ in answers))


def population(
    scenario: Scenario, made: list[Made], users: int, simulated: Sequence[int] = ()
) -> Population:
    """The people, in the order of their numbers, with what they said in round 1.

    Of somebody whose message opened to nothing nobody knows an answer; the first of every question
    stands there, is never counted, and a warning says so. So does one of those who are simulated.
    """
    schema = schema_of(scenario)
    values = tuple(feature.values or () for feature in schema.features)
    codes = np.zeros((users, len(values)), dtype=np.int32)
    known = set()
    for sealed in made:
        if sealed.round == 1:
            known.add(sealed.user)
            for column, (_, said) in enumerate(sealed.answers):
                codes[sealed.user, column] = values[column].index(said[0])
    unknown = [parties.user(index) for index in range(users) if index not in known]
    noisy = (NOISY,) if program_of(scenario).reports else ()
    warnings = noisy + tuple(
        f"{name} sent something that opens for nobody: the first answers stand for it here"
        for name in unknown
    )
    if simulated:
        names = ", ".join(parties.user(index) for index in simulated)
        warnings = (f"{len(simulated)} of {users} are simulated, and no people: {names}", *warnings)
    return Population(PHONES, schema, codes, values, NOTE, warnings)


def silences(made: list[Made], users: int, rounds: int) -> dict[int, dict[int, str]]:
    """Who is missing in which round that was counted, and how a scenario would call that.

    The scenario of the run folder does not name them: nobody had planned it.
    """
    said = {(sealed.user, sealed.round) for sealed in made}
    silent: dict[int, dict[int, str]] = {}
    for index in range(users):
        if (index, 1) not in said:
            silent[index] = dict.fromkeys(range(1, rounds + 1), "malformed")
            continue
        missing = [number for number in range(2, rounds + 1) if (index, number) not in said]
        if missing:
            silent[index] = dict.fromkeys(missing, "absent")
    return silent
