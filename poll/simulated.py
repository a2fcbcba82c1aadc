"""Simulated people: they fill up a small class, and are labelled in every count of people.

They draw each answer uniformly, and seal and submit as phones do. The teacher's computer knows
their answers, so for it they make no crowd larger.
"""

import secrets
from collections.abc import Sequence

import trio

from ..crypto.entropy import SystemEntropy
from ..protocol.ballots import Phrasebook, submit_all
from ..protocol.frames import frame_envelopes
from ..protocol.session import Round
from ..scenarios.schema.model import Scenario
from .classroom import Classroom
from .noise import response
from .questions import schema_of
from .seeds import Seeds, question
from .web import Desk

LOOK = 0.2  # seconds between two looks at what is asked
SLOWEST = 3.0  # seconds for all of them to answer, where there is so much time
SECRET = 16  # bytes, as a phone's


class Simulated:
    """The simulated people. many: their number."""

    def __init__(self, room: Classroom, scenario: Scenario, many: int) -> None:
        self._room = room
        self._people: dict[str, Sequence[str]] = {}
        self._scenario = scenario
        self._many = many

    def join(self) -> None:
        """Join, by names that begin with "simulated"."""
        for number in range(self._many):
            secret = secrets.token_hex(SECRET)
            self._room.simulate(secret, f"simulated {number + 1}")
            features = schema_of(self._scenario).features
            row = [secrets.choice(feature.values or ("",)) for feature in features]
            self._people[secret] = response(self._scenario, row)

    async def live(self, desk: Desk) -> None:
        """Answer every round, until cancelled. desk: where phones submit."""
        done: set[int] = set()
        while self._people:
            plan = desk.plan()
            if plan is not None and plan.call.round not in done and self._room.collecting:
                done.add(plan.call.round)
                left = self._room.closes - trio.current_time()
                pause = min(SLOWEST, left / 4) / self._many
                for secret, row in self._people.items():
                    await trio.sleep(pause)
                    sealed = await _sealed(plan, secret, row, desk.seeds)
                    await self._room.answer(plan, secret, sealed, desk.deliver)
            await trio.sleep(LOOK)


async def _sealed(plan: Round, secret: str, row: Sequence[str], seeds: Seeds | None) -> bytes:
    """Return the submission of a simulated person, as a phone makes it."""
    if plan.shape is not None and seeds is not None:
        public = await seeds.public(plan.call.round)
        asked = question(plan, row, SystemEntropy())
        return asked.sealed(await seeds.ask(plan, secret, asked.data), public)
    (made,) = submit_all(Phrasebook(plan), [tuple(row)], [SystemEntropy()])
    return frame_envelopes(plan.session, plan.call.round, [made.envelope], plan.witness)[0]
