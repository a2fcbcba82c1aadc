"""A letter is of this session and this round to the last byte, and cites this board's head."""

from dataclasses import replace

import pytest
import role_kit as KIT
from veilmix.errors import Reason, Refused
from veilmix.protocol.rounds.ballots import submit
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Head, Submission
from veilmix.protocol.wire.signed_posts import witness_of
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.network.memory_network import Endpoint, Network, OtherView

pytestmark = pytest.mark.memory

ROWS = KIT.people(6)
PLAYED = KIT.run(ROWS).board
PLACES = (0, 15, 16, 31)


def collecting(number: int) -> tuple[Endpoint, Round]:
    """The place of the first shuffler while a round is collected, and the round."""
    network = Network(Instruments([], pytest.fail))
    for entry in PLAYED.entries:
        network.add(entry.author, entry.data)
        if isinstance(entry.message.body, Head) and entry.message.body.place == number:
            break
    board = network.board
    assert board.announcement is not None
    plan = open_round(board.announcement, board.session, board.calls[-1])
    plan = replace(plan, witness=witness_of(board.heads[number]))
    return Endpoint(network, "shuffler-1"), plan


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def sent(plan: Round) -> Message:
    envelope = submit(plan, ROWS[0], KIT.SeededEntropy(3)).envelope
    return Message(plan.session, plan.call.round, Submission(envelope, witness=plan.witness))


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("number", [1, 2])
def test_a_letter_of_another_session_is_refused(number: int, at: int) -> None:
    shuffler, plan = collecting(number)
    message = sent(plan)
    assert shuffler.accept(plan, ("user-1", message.encode())) == message
    other = replace(message, session=flipped(message.session, at))
    for read in (shuffler.accept, shuffler.submission, shuffler.envelope):
        with pytest.raises(Refused) as caught:
            read(plan, ("user-1", other.encode()))
        assert caught.value.reason is Reason.UNEXPECTED


@pytest.mark.parametrize("other", [0, 1, 3])
def test_a_letter_of_another_round_is_late(other: int) -> None:
    shuffler, plan = collecting(2)
    message = replace(sent(plan), round=other)
    for read in (shuffler.accept, shuffler.submission, shuffler.envelope):
        with pytest.raises(Refused) as caught:
            read(plan, ("user-1", message.encode()))
        assert caught.value.reason is Reason.LATE


@pytest.mark.parametrize("at", [0, 40, 96])
def test_a_letter_that_cites_another_head_is_of_another_view(at: int) -> None:
    shuffler, plan = collecting(1)
    message = sent(plan)
    body = message.body
    assert isinstance(body, Submission)
    other = replace(message, body=replace(body, witness=flipped(body.witness, at)))
    for read in (shuffler.submission, shuffler.envelope):
        with pytest.raises(OtherView):
            read(plan, ("user-1", other.encode()))
