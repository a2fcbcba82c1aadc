"""A user: answers each question that is called, in one envelope, and never sees anybody else's."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..protocol import parties
from ..protocol.ballots import Phrasebook, Sealed, submit_all
from ..protocol.frames import frame_envelopes
from ..protocol.messages import Submission
from ..protocol.registry import submission
from ..protocol.session import Round
from ..protocol.transcript import Made, names_of
from .faults import EVERY_ROUND
from .network import Endpoint, Network, Rounds
from .watch import Receiving, compare
from .workshop import Workshop

Row = Sequence[str]
Lie = Callable[[Row, Entropy], Row]
Job = tuple[int, Row, Entropy]
TOGETHER = 8  # people whose answers a thread seals step by step; other threads wait between steps
Signing = tuple[int, Row, Entropy, Signer | None]
Done = tuple[Submission, Made, tuple[bytes, ...]]
Sealer = Callable[[Sequence[Job]], list[tuple[bytes, Made]]]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who takes part: an index from 0, a value per feature, and a source of randomness.

    rounds: those the person is asked in. lie: what the person does to its answers before it says
    them (program `randomized`); None: nothing. looks: whether it looks for its receipts. compares:
    whether it compares what it was told with the board.
    """

    index: int
    row: Row
    entropy: Entropy
    rounds: Collection[int] = EVERY_ROUND
    lie: "Lie | None" = None
    looks: bool = False
    compares: bool = True

    def says(self, fresh: Entropy) -> Row:
        """The answers the person gives in a round."""
        return self.lie(self.row, fresh.fork("lie")) if self.lie else self.row

    def __repr__(self) -> str:
        return f"Person({self.index})"


async def user(me: Endpoint, person: Person, workshop: Workshop, sealers: "Sealers") -> None:
    """Read each call, seal an answer to every question of it, send one envelope."""
    receiving = Receiving()
    async for plan in me.rounds():
        await receiving.look(me)
        if plan.call.round not in person.rounds:
            continue
        if person.compares and not await compare(me):
            break
        fresh = person.entropy.fork(f"round-{plan.call.round}")
        job = (person.index, person.says(fresh), fresh, me.signer)
        sent, made, receipts = await workshop.share(sealers.signing(plan), job)
        me.tell(lambda one, made=made: one.sealed(made))  # type: ignore[misc]
        if person.looks:
            receiving.mine[plan.call.round] = receipts
        await me.send(plan, plan.openers[0], sent)
    await receiving.look(me)


async def cohort(
    network: Network,
    indices: Iterable[int],
    person: Callable[[int], Person],
    workshop: Workshop,
    sealers: "Sealers",
) -> None:
    """Look after many users in one task: what each of them does is the same."""
    members: list[Person] = []
    async for plan in Rounds(network):
        members = members or [person(index) for index in indices]
        label = f"round-{plan.call.round}"
        asked = [one for one in members if plan.call.round in one.rounds]
        fresh = [one.entropy.fork(label) for one in asked]
        jobs = [(one.index, one.says(new), new) for one, new in zip(asked, fresh, strict=True)]
        pieces = await workshop.spread("users seal", sealers.of(plan), jobs)
        await _hand_in(network, plan, [one for piece in pieces for one in piece])


async def _hand_in(network: Network, plan: Round, sealed: Sequence[tuple[bytes, Made]]) -> None:
    """Send the envelopes of many users to the first shuffler."""
    made = [made for _, made in sealed]
    network.instruments.tell(lambda one: one.all_sealed(made))
    envelopes = [envelope for envelope, _ in sealed]
    frames = frame_envelopes(plan.session, plan.call.round, envelopes)
    senders = [parties.user(one.user) for one in made]
    await network.deliver(plan.openers[0], list(zip(senders, frames, strict=True)))


class Sealers:
    """The work of sealing, one function a round, so that users share hops to the threads."""

    def __init__(self) -> None:
        self._sealing: dict[int, Sealer] = {}
        self._signing: dict[tuple[int, bytes], Callable[[Sequence[Signing]], list[Done]]] = {}

    def of(self, plan: Round) -> Sealer:
        """Give the function that seals many people's answers of this round."""
        return self._sealing.setdefault(plan.call.round, partial(seal_many, plan))

    def signing(self, plan: Round) -> Callable[[Sequence[Signing]], list[Done]]:
        """Give the function that seals and signs answers of this round, as somebody was told it."""
        place = plan.call.round, plan.session
        return self._signing.setdefault(place, partial(sign_many, plan))


def seal_many(plan: Round, jobs: Sequence[Job]) -> list[tuple[bytes, Made]]:
    """Users: seal the answers of many people; per person the envelope, and what went into it."""
    sealed = _sealed(plan, jobs)
    return [(one.envelope, _told(plan, job[0], one)) for job, one in zip(jobs, sealed, strict=True)]


def sign_many(plan: Round, jobs: Sequence[Signing]) -> list[Done]:
    """Users: seal and sign; per person what it sends, what it made, what it can look for."""
    return [
        (submission(plan, one.envelope, job[3]), _told(plan, job[0], one), one.receipts)
        for job, one in zip(jobs, _sealed(plan, [job[:3] for job in jobs]), strict=True)
    ]


def _sealed(plan: Round, jobs: Sequence[Job]) -> list[Sealed]:
    book = Phrasebook(plan)
    results: list[Sealed] = []
    for at in range(0, len(jobs), TOGETHER):
        _, rows, entropies = zip(*jobs[at : at + TOGETHER], strict=True)
        results += submit_all(book, rows, entropies)
    return results


def _told(plan: Round, index: int, sealed: Sealed) -> Made:
    """What went into an envelope."""
    layers = [layer for onion in sealed.onions for layer in onion]
    return Made(index, plan.call.round, names_of([sealed.envelope, *layers]), sealed.ballots)
