"""`wrong-digest`: a shuffler posts the digest of a batch that it did not forward."""

from ....protocol.knowledge.adversary_view import batch
from ....protocol.rounds.mixing import batch_digest
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import SHUFFLER, Attack, Measured, committed
from ..catalogue.fault_entries import rounds_of
from ..catalogue.scene import Scene
from ..catalogue.setup import commits
from ..faults.shuffler import wrong_digest


def accepted_rounds(scene: Scene, fault: Fault) -> Measured:
    """Return the number of rounds counted despite a wrong digest, and of all rounds of the attack.

    Such a round was tallied although the board shows no digest of the batch that the shuffler
    forwarded.
    """
    by = fault.by or parties.shuffler(1)
    loot, hop = scene.loot((by,)), parties.index(by) + 1
    tried = [call.round for call in loot.board.calls if call.round in rounds_of(fault)]
    posted = {account.digest for account in loot.board.mixed if account.hop == hop}
    wrong = 0
    for number in tried:
        if number > len(loot.board.tallies):
            continue
        plan = loot.plan(number)
        forwarded_batch = batch(loot, plan, hop + 1) if plan else ()
        wrong += bool(forwarded_batch) and batch_digest(forwarded_batch) not in posted
    return wrong, len(tried)


ATTACK = Attack(
    by=SHUFFLER,
    does="accounts for a batch that is not the one it hands on",
    remedy="always on: the receiver compares batch and account, and the round aborts",
    scenario="attack-wrong-digest",
    unit="rounds counted from a batch nobody accounted for",
    waits="a batch that the shuffler forwards",
    measure=accepted_rounds,
    reads=("round",),
    trials={"": committed(by=parties.shuffler(1))},
    commit=commits(wrong_digest),
)
