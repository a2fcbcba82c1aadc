"""A user in a round of a verified mix (every step is proved): makes and sends its ballots.

A ballot for each query is encrypted to the joint key of the keyholders: the shufflers, and the
party that counts the answers. The ballots are sent to every keyholder, so that no keyholder can
lose them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..protocol.knowledge.transcript import SealedAnswers, names_of
from ..protocol.rounds.ballots import answers, coarsened_row
from ..protocol.rounds.registered_users import submission
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.rounds.verified_answers import AnswerElements
from ..protocol.rounds.verified_round import RoundKeys, joint_keys, make_ballots
from ..protocol.wire.hiding_rules import hide
from ..protocol.wire.messages import Kind, Submission
from ..protocol.wire.verified_messages import BallotKeys
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint
from .people import Person, Row

Job = tuple[int, Row, Entropy, Signer | None]
PreparedBallots = tuple[Submission, SealedAnswers]


class BallotMakers:
    """The functions that make ballots, shared by all users with the same keys."""

    def __init__(self) -> None:
        """Start without functions; each is made when a round's keys are first used."""
        self._makers: dict[bytes, Callable[[Sequence[Job]], list[PreparedBallots]]] = {}

    async def hand_in(
        self, me: Endpoint, plan: Round, person: Person, row: Row, fresh: Entropy, pool: WorkerPool
    ) -> None:
        """User: wait for the keys of all keyholders, make ballots, and send them to each.

        row: a value per column. fresh: the randomness of the user in this round.
        """
        await me.until(Kind.KEYS, lambda board: board.verified.has_keys(plan))
        if not me.board.verified.has_keys(plan):  # without all keys, the session has ended
            return
        maker = self._maker(plan, dict(me.board.verified.keys[plan.call.round]))
        signed_submission, answer_record = await pool.share(
            maker, (person.index, row, fresh, me.signer)
        )
        me.notify(lambda instrument: instrument.sealed(answer_record))
        if person.paced:
            await trio.sleep(person.moment(fresh))
        async with trio.open_nursery() as nursery:
            for door in plan.openers:
                nursery.start_soon(me.send, plan, door, signed_submission)

    def _maker(
        self, plan: Round, posted: Mapping[str, BallotKeys]
    ) -> Callable[[Sequence[Job]], list[PreparedBallots]]:
        """Return the function that makes ballots under the keys that keyholders have posted.

        The proofs of these keys are checked once for all users.
        """
        keys = b"".join(key for _, body in sorted(posted.items()) for key in body.keys)
        place = plan.session + plan.witness + bytes([plan.call.round]) + keys
        if place not in self._makers:
            joint, elements = joint_keys(plan, posted), AnswerElements(plan)
            self._makers[place] = partial(make_all, plan, joint, elements)
        return self._makers[place]


def make_all(
    plan: Round, keys: RoundKeys, elements: AnswerElements, jobs: Sequence[Job]
) -> list[PreparedBallots]:
    """Users: return the signed ballots of each user, with the record of its answers."""
    return [_make_ballot(plan, keys, elements, *job) for job in jobs]


def _make_ballot(
    plan: Round,
    keys: RoundKeys,
    elements: AnswerElements,
    index: int,
    row: Row,
    fresh: Entropy,
    signer: Signer | None,
) -> PreparedBallots:
    """Return a user's signed ballots, with the record of its answers."""
    masked_row = hide(plan.call.hidden, coarsened_row(plan, row), fresh)
    records = make_ballots(plan, keys, elements, index, masked_row, sealing(fresh, plan.session))
    answer_values = tuple((ballot.ask, ballot.values) for ballot in answers(plan, masked_row))
    answer_record = SealedAnswers(index, plan.call.round, names_of([records]), answer_values)
    return submission(plan, records, signer), answer_record
