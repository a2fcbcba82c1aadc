"""Simulated people: they fill up a small class, and are labelled in every count of people.

They draw each answer uniformly at random, and seal and submit as phones do. The teacher's computer
knows their answers, so from its view they hide no other person.
"""

import secrets
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

import trio

from ..crypto.entropy import OSEntropy
from ..crypto.signing import Signer
from ..protocol.board.board import Board
from ..protocol.rounds.ballots import Phrasebook, submit_all
from ..protocol.rounds.registered_users import submission
from ..protocol.rounds.round_context import Round
from ..protocol.rounds.verified_answers import AnswerElements
from ..protocol.rounds.verified_round import joint_keys, make_ballots
from ..protocol.wire.frames import Message, frame_envelopes
from ..scenarios.schema.model import Scenario
from .classroom import Classroom
from .noise import response
from .questions import schema_of
from .refusal import Unwelcome
from .seeds import Seeds, question
from .web import PhoneServer

LOOK = 0.2  # seconds between two checks for an open round
SLOWEST = 3.0  # seconds over which all simulated people answer, if a round is long enough
SECRET = 16  # bytes of a simulated phone's secret


class SimulatedPeople:
    """The simulated people of a class: they join and answer as phones do.

    room: the class. scenario: returns the present questions. count: number of simulated people.
    """

    def __init__(self, room: Classroom, scenario: Callable[[], Scenario], count: int) -> None:
        """Start without simulated people in the class; `join` lets them join.

        room: the class. scenario: returns the present questions. count: the number of people that
        join.
        """
        self._room = room
        self._people: dict[str, Sequence[str]] = {}
        self._signers: dict[str, Signer] = {}
        self._scenario = scenario
        self._count = count

    def join(self) -> None:
        """Let the simulated people join the class, under names that begin with "simulated"."""
        for number in range(self._count):
            secret = secrets.token_hex(SECRET)
            signer = self._signers[secret] = Signer(OSEntropy())
            key = signer.public if self._room.registered else b""
            self._room.simulate(secret, f"simulated {number + 1}", key)
            self._people[secret] = ()

    def _answer(self) -> None:
        """Draw the answers of each simulated person, once the questions are final.

        If phones add noise to answers, so does each simulated person.
        """
        scenario = self._scenario()
        for secret in self._people:
            features = schema_of(scenario).features
            row = [secrets.choice(feature.values or ("",)) for feature in features]
            self._people[secret] = response(scenario, row)

    async def live(self, desk: PhoneServer) -> None:
        """Answer every round while it is open, until cancelled.

        desk: the web server, to which phones and simulated people submit.
        """
        answered_rounds: set[int] = set()
        while self._people:
            plan = desk.plan()
            if plan is not None and self._is_due(plan, answered_rounds):
                if not answered_rounds:
                    self._answer()
                answered_rounds.add(plan.call.round)
                remaining_seconds = self._room.closes - trio.current_time()
                pause = min(SLOWEST, remaining_seconds / 4) / self._count
                # if the round closes meanwhile, submissions of the remaining people are refused as
                # late
                with suppress(Unwelcome):
                    for secret, row in self._people.items():
                        await trio.sleep(pause)
                        sealed = await self._sealed(plan, secret, row, desk.seeds)
                        await self._room.answer(plan, secret, sealed, desk.deliver)
            await trio.sleep(LOOK)

    def _is_due(self, plan: Round, answered_rounds: Collection[int]) -> bool:
        """Whether simulated people should answer a round now.

        True if the round is open, not answered before, and its encryption keys are posted. (Only a
        verified mix posts keys in the round.) answered_rounds: the rounds that they have answered.
        """
        board = self._room.board
        locked = not plan.verified or (board is not None and board.verified.has_keys(plan))
        return plan.call.round not in answered_rounds and self._room.collecting and locked

    async def _sealed(
        self, plan: Round, secret: str, row: Sequence[str], seeds: Seeds | None
    ) -> bytes:
        """Return the submission of a simulated person, as a phone would make it.

        secret: identifies the simulated phone. row: the answers. seeds: forwards queries to the
        party `randomness`, for rows that open only if k people share them.
        """
        if plan.verified and self._room.board is not None:
            index = self._room.number(self._room.phone_with(secret))
            return locked_answers(plan, self._room.board, index, row, self._signers[secret])
        return await _sealed(plan, secret, row, seeds)


def locked_answers(
    plan: Round, board: Board, index: int, row: Sequence[str], signer: Signer
) -> bytes:
    """Return a person's encrypted and signed ballots for a verified mix, as a message.

    index: the person's index in the registry of signing keys, from 0. row: the answers. signer:
    signs the submission.
    """
    keys = joint_keys(plan, board.verified.keys[plan.call.round])
    elements = AnswerElements(plan)
    records = make_ballots(plan, keys, elements, index, row, OSEntropy())
    body = submission(plan, records, signer)
    return Message(plan.session, plan.call.round, body).encode()


async def _sealed(plan: Round, secret: str, row: Sequence[str], seeds: Seeds | None) -> bytes:
    """Return a person's submission: an envelope of onions (nested ciphertexts), or a sealed row.

    A sealed row, in the program `threshold`, opens for the reader only if k people submit the same
    row.

    secret: identifies the phone. row: the answers. seeds: forwards queries to the party
    `randomness` for the secret that seals the row; None: onions are made.
    """
    if plan.shape is not None and seeds is not None:
        public = await seeds.public(plan.call.round)
        query = question(plan, row, OSEntropy())
        return query.sealed(await seeds.ask(plan, secret, query.data), public)
    (submission,) = submit_all(Phrasebook(plan), [tuple(row)], [OSEntropy()])
    return frame_envelopes(plan.session, plan.call.round, [submission.envelope], plan.witness)[0]
