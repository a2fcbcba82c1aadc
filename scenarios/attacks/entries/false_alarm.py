"""`false-alarm`: a user raises an alarm without a cause."""

from ....protocol.board.alarms import borne_out
from ....protocol.wire import parties
from ....protocol.wire.messages import Alarm, Cause
from ....roles.occasions import Notes
from ...schema.model import Fault
from ..catalogue.attack import STRIKES, USER, Attack, Measured, by_some
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.users import alarmist

# Two false alarms: that the sums of a round's counts are wrong; and that a shuffler sent a batch
# out of order, with invented bytes as the batch.
ALARMS = (
    Alarm(0, Cause.BALANCE),
    Alarm(0, Cause.ORDER, b"\x00\x00\x00\x02\x00\x00\x00\x01b\x00\x00"),
)


def strike(setup: AttackSetup, index: int, rounds: Notes) -> None:
    """Let the user with an index raise the two false alarms of `ALARMS`.

    rounds: for each round with alarms, the function that records the attack as carried out.
    """
    setup.places[parties.user(index)] = alarmist(rounds, ALARMS)


def believed(scene: Scene, fault: Fault) -> Measured:
    """Return the number of rounds aborted after a false alarm, and the number of all rounds.

    Alarms of the users that commit this attack are counted. An alarm is false if the bulletin board
    does not prove it.
    """
    board, mine = scene.public, scene.strikers(fault.attack)
    raised = [alarm for party, alarm in board.alarms if party in mine]
    false = {alarm.round for alarm in raised if not borne_out(scene.board, alarm)}
    ended = {len(board.calls)} & false if board.burned else set()
    return len(ended), len(board.calls)


ATTACK = Attack(
    by=USER,
    does="raises alarms about nothing",
    remedy=(
        "always on: it ends nothing ([ADR 12](adr/0012-alarms-stop-nothing.md)), and is reported "
        "as false without evidence"
    ),
    scenario="attack-false-alarm",
    unit="rounds ended by alarms about nothing",
    waits="a message of one of those who commit it, in such a round",
    measure=believed,
    reads=STRIKES,
    trials={"": by_some(round=1)},
    strike=strike,
)
