"""`replay`: the network sends a person's message again: into the round, the next, a session."""

from ...roles.faults.wire import Replay
from ..catalogue.attack import NETWORK, Attack, Sequel, aimed
from ..catalogue.entries import target
from ..catalogue.measures import moved
from ..catalogue.session import AttackSetup
from ..schema.model import Fault


def commit(setup: AttackSetup, entry: Fault, _number: int) -> None:
    """The same object holds the wires of both sessions, where there are two."""
    setup.wires.append(Replay(target(entry), entry.into or "round", setup.stranger))


ATTACK = Attack(
    by=NETWORK,
    does="sends a message of somebody a second time",
    remedy=(
        "`dedupe`, in the same round; `bind`, in the next; fresh keys, in another session; "
        "`registered` keeps the place of the user free"
    ),
    scenario="attack-replay",
    unit="people by whom a count is moved",
    measure=moved,
    reads=("target", "into"),
    stopped_by=("bind", "dedupe", "registered"),
    trials={
        "": aimed(into="round"),
        "next": aimed(into="next"),
        "session": aimed(into="session"),
    },
    commit=commit,
    sequel=Sequel(wanted=lambda entry: entry.into == "session"),
)
