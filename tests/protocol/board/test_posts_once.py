"""What a round has one of, by each party, is posted once: in the first round and in later ones."""

import pytest
import role_kit
from veilmix.errors import Refused
from veilmix.protocol.board.board import Board
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.messages import Kind
from veilmix.roles.cast import Guards

MANY = 8
PLAYED = role_kit.run(
    role_kit.people(MANY),
    rules=Rules(min_dropout=3, tokens=True, challenge=True, audit=True),
    guards=Guards(registered=MANY, signed=False),
    shufflers=2,
).board
ONCE = {Kind.MINT, Kind.ISSUED, Kind.SHARE, Kind.ACCEPTED, Kind.COIN, Kind.TRACED, Kind.TOSS}
ONCE |= {Kind.OPENED, Kind.HEARD, Kind.SHOWN, Kind.MIXED, Kind.TALLY}


@pytest.mark.parametrize("number", [1, 2])
def test_no_post_of_a_round_is_taken_again(number: int) -> None:
    board, kinds = Board(), set[Kind]()
    for entry in PLAYED.entries:
        board.post(entry.author, entry.data)
        if entry.message.round == number and entry.message.kind in ONCE:
            kinds.add(entry.message.kind)
            with pytest.raises(Refused, match="unexpected"):
                board.post(entry.author, entry.data)
    assert kinds == ONCE
    assert board.digest() == PLAYED.digest()
