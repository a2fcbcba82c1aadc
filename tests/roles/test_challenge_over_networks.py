"""A challenge over every network: the results are those without, and a change is seen."""

from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.wire.announcement import Rules
from veilmix.roles.cast import Guards
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat, substitute

MANY = 12
ROWS = KIT.people(MANY)
GUARDED: dict[str, Any] = {
    "rules": Rules(min_dropout=3, challenge=True),
    "guards": Guards(registered=MANY),
}


def played(**changes: Any) -> KIT.Run:
    return KIT.run(ROWS, **GUARDED | changes)


@pytest.mark.parametrize("shufflers", [1, 3])
def test_with_a_challenge_the_results_are_those_without(shufflers: int) -> None:
    run = played(shufflers=shufflers)
    assert run.results == KIT.run(ROWS, shufflers=shufflers).results
    assert not run.transcript.refusals
    assert not run.board.alarms
    assert played(shufflers=shufflers).board.digest() == run.board.digest()


def test_what_was_changed_burns() -> None:
    taken = Deed(substitute, SeededEntropy(3), target="user-3")
    run = played(shufflers=2, faults={"shuffler-1": cheat(taken)})
    assert run.board.burned == "a ballot that user-3 sent and was accepted has not come"
    assert not run.transcript.reads
