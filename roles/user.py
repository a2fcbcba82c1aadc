"""A user: answers each question that is called, in one envelope, and never sees anybody else's."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from ..crypto.entropy import Entropy
from ..protocol.ballots import submit
from ..protocol.messages import Submission
from ..protocol.session import Round
from ..protocol.transcript import Made, names_of
from .faults import EVERY_ROUND
from .network import Endpoint
from .workshop import Workshop

Row = Sequence[str]
Lie = Callable[[Row, Entropy], Row]
Job = tuple[int, Row, Entropy]
Sealer = Callable[[Sequence[Job]], list[tuple[bytes, Made]]]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who takes part: an index from 0, a value per feature, and a source of randomness.

    rounds: those the person is asked in. lie: what the person does to its answers before it says
    them (program `randomized`); None: nothing.
    """

    index: int
    row: Row
    entropy: Entropy
    rounds: Collection[int] = EVERY_ROUND
    lie: "Lie | None" = None

    def says(self, fresh: Entropy) -> Row:
        """The answers the person gives in a round."""
        return self.lie(self.row, fresh.fork("lie")) if self.lie else self.row

    def __repr__(self) -> str:
        return f"Person({self.index})"


async def user(me: Endpoint, person: Person, workshop: Workshop, sealers: "Sealers") -> None:
    """Read each call, seal an answer to every question of it, send one envelope."""
    async for plan in me.rounds():
        if plan.call.round not in person.rounds:
            continue
        fresh = person.entropy.fork(f"round-{plan.call.round}")
        job = (person.index, person.says(fresh), fresh)
        envelope, made = await workshop.share(sealers.of(plan), job)
        me.tell(lambda one, made=made: one.sealed(made))  # type: ignore[misc]
        await me.send(plan, plan.openers[0], Submission(envelope))


async def cohort(
    members: Sequence[tuple[Endpoint, Person]], workshop: Workshop, sealers: "Sealers"
) -> None:
    """Look after many users in one task: what each of them does is the same."""
    async for plan in members[0][0].rounds():
        asked = [(me, one) for me, one in members if plan.call.round in one.rounds]
        fresh = [one.entropy.fork(f"round-{plan.call.round}") for _, one in asked]
        jobs = [(one.index, one.says(new), new) for (_, one), new in zip(asked, fresh, strict=True)]
        pieces = await workshop.spread("users seal", sealers.of(plan), jobs)
        sealed = [one for piece in pieces for one in piece]
        for (me, _), (envelope, made) in zip(asked, sealed, strict=True):
            me.tell(lambda one, made=made: one.sealed(made))  # type: ignore[misc]
            await me.send(plan, plan.openers[0], Submission(envelope))


class Sealers:
    """The work of sealing, one function a round, so that users share hops to the threads."""

    def __init__(self) -> None:
        self._by_round: dict[int, Sealer] = {}

    def of(self, plan: Round) -> Sealer:
        """Give the function that seals many people's answers of this round."""
        return self._by_round.setdefault(plan.call.round, partial(seal_many, plan))


def seal_many(plan: Round, jobs: Sequence[Job]) -> list[tuple[bytes, Made]]:
    """Users: seal the answers of many people; per person the envelope, and what went into it."""
    return [_seal(plan, *job) for job in jobs]


def _seal(plan: Round, index: int, row: Row, entropy: Entropy) -> tuple[bytes, Made]:
    sealed = submit(plan, row, entropy)
    layers = [layer for onion in sealed.onions for layer in onion]
    made = Made(index, plan.call.round, names_of([sealed.envelope, *layers]), sealed.ballots)
    return sealed.envelope, made
