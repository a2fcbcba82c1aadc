"""`lie-marginals`: the curator publishes counts that make every column look safe."""

from ..catalogue.attack import CURATOR, Attack
from ..catalogue.session import AttackSetup
from ..schema.model import Fault
from .lie import above_promise


def commit(setup: AttackSetup, entry: Fault, _number: int) -> None:
    """The curator counts nobody in a small crowd, and decides from that."""
    setup.lies.append(entry.attack)


ATTACK = Attack(
    by=CURATOR,
    does="publishes counts in which nobody is in a small crowd, and decides from them",
    remedy=(
        "`sums`, if they are published: the analyst finds others; `promise` in any case: it "
        "proves what is promised from its own"
    ),
    scenario="attack-lie-marginals",
    unit="people exposed above the promise",
    measure=above_promise,
    stopped_by=("sums", "promise"),
    commit=commit,
)
