"""`inside-reports`: users disclose their reports to the reader, and hide no other user any more."""

from collections import Counter
from collections.abc import Sequence

from ...protocol import parties
from ...protocol.adversary_view import senders
from ...protocol.own_batches import read_by
from ..catalogue.attack import ANALYST, REPORTS, Attack, Measured, by_some
from ..catalogue.scene import Scene
from ..catalogue.subtraction import friends_of
from ..programs.randomized.privacy import after_shuffling, honest
from ..programs.registry import noisy_questions
from ..schema.model import Fault

FRIENDS = 10  # users, if the fault names neither number nor share


def friends(scene: Scene, entry: Fault) -> tuple[str, ...]:
    """Return the users that disclose their reports to the reader."""
    many = FRIENDS if entry.users is None and entry.share is None else entry.users
    if many is None:
        many = round((entry.share or 0.0) * scene.n)
    return friends_of(entry, scene.n, min(many, scene.n - 1))


def grown(scene: Scene, entry: Fault) -> Measured:
    """Compute the growth of epsilon after shuffling for the other users, in nats.

    The reader subtracts the disclosed reports from the counts. If epsilon is known only between
    bounds, this is the least growth that they allow.
    """
    who = friends(scene, entry)
    loot = scene.loot((parties.ANALYST, *who))
    told = [ballots for ballots in scene.transcript.made if parties.user(ballots.user) in {*who}]
    heard = {*senders(loot, 1)}
    read = read_by(loot, 1)
    most = scene.scenario.local.epsilon or 0.0
    if not read:
        return 0, most
    left = list(map(Counter, read))
    for made in told:
        if parties.user(made.user) in heard:
            for ask, values in made.answers:
                left[ask][tuple(values)] -= 1
    if any(min(count.values()) < 0 for count in left):
        return 0, most  # a user disclosed a report that it has not sent
    promised = scene.scenario.local.relied_on
    before = epsilon(scene, [honest(sum(count.values()), promised) for count in read])
    now = epsilon(scene, [count.total() for count in left])
    return max(now[0] - before[1], 0.0), most


def epsilon(scene: Scene, reports: Sequence[int]) -> tuple[float, float]:
    """Return a lower and an upper bound on epsilon after shuffling, over all questions."""
    shuffled, whole = after_shuffling(noisy_questions(scene.scenario, scene.people), reports)
    loss = whole or (shuffled[0] if len(shuffled) == 1 else None)
    return (loss.hockey_stick_at_least, loss.hockey_stick) if loss else (0.0, 0.0)


ATTACK = Attack(
    by=ANALYST,
    does="takes out the reports of people who tell it theirs: fewer are left to hide among",
    remedy=(
        "count only on the others (`local.relied_on`): if m people may tell, epsilon is that of n "
        "- m reports, never above `local.epsilon` ([arXiv "
        "2504.07362](https://arxiv.org/abs/2504.07362))"
    ),
    scenario="attack-inside-reports",
    unit="nats by which epsilon after shuffling grows",
    measure=grown,
    reads=("users", "share"),
    trials={"": by_some()},
    about=REPORTS,
    helpers=lambda _scenario, _entry: (parties.ANALYST,),
)
