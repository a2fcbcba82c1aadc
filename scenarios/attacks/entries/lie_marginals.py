"""`lie-marginals`: the curator publishes counts that make every column look safe."""

from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import CURATOR, Attack
from ..catalogue.setup import AttackSetup
from .lie import above_promise


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the curator publish counts without small equivalence classes, and decide from them.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    setup.lies[entry.attack] = note_of(number)


ATTACK = Attack(
    by=CURATOR,
    does="publishes counts in which nobody is in a small crowd, and decides from them",
    remedy=(
        "`sums`, with public marginals: the analyst counts others; `promise`: the bound is proved "
        "from the analyst's own counts"
    ),
    scenario="attack-lie-marginals",
    unit="people exposed above the promise",
    waits="counts with a crowd of less than a quarter of the people",
    measure=above_promise,
    stopped_by=("sums", "promise"),
    commit=commit,
)
