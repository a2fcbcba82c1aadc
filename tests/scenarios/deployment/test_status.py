"""What a place says of itself is one record: written, read, and refused where it is none."""

import json

import msgspec
import pytest
from veilmix.machines.gauge import PlaceStatus
from veilmix.protocol.board.board import Board
from veilmix.scenarios.deployment.status import BoardStatus, keeper_says, seen_board

SAID = PlaceStatus("board", "ab" * 32, "collecting", 1, 4, {"post key": 3}, {}, 0, 1.5, 0.2, {}, {})


def test_what_is_said_is_read_again() -> None:
    assert keeper_says(msgspec.json.encode(SAID)) == SAID


def test_a_later_version_may_say_more() -> None:
    more = msgspec.to_builtins(SAID) | {"new": [1, 2]}
    assert keeper_says(msgspec.json.encode(more)) == SAID


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"[]",
        b'{"entries": 4, "round": 1}',
        *(
            json.dumps(msgspec.to_builtins(SAID) | wrong).encode()
            for wrong in ({"entries": "4"}, {"round": None}, {"entries": True}, {"silent": "long"})
        ),
    ],
)
def test_nonsense_is_no_status(said: bytes) -> None:
    assert keeper_says(said) is None


def test_what_is_written_has_what_was_said_first() -> None:
    written = msgspec.to_builtins(seen_board(BoardStatus(Board(), SAID)))
    assert list(written) == [*PlaceStatus.__struct_fields__, "burned", "parties"]
    assert [party["last post"] for party in written["parties"]] == ["nothing yet"] * 3
