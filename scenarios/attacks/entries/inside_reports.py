"""`inside-reports`: some users disclose their noisy reports to the reader.

The reader removes these reports, so that fewer shuffled reports hide each other user. So epsilon
after shuffling, the bound on each user's privacy loss, grows.
"""

from collections import Counter
from collections.abc import Sequence

from ....protocol.knowledge.adversary_view import senders
from ....protocol.knowledge.batch_subtraction import read_by
from ....protocol.wire import parties
from ...programs.randomized.privacy import after_shuffling, honest
from ...schema.model import Fault
from ..catalogue.attack import ANALYST, REPORTS, Attack, Measured, by_some
from ..catalogue.scene import Scene
from ..catalogue.subtraction import friends_of

FRIENDS = 10  # users that disclose reports, if the entry sets neither `users` nor `share`


def friends(scene: Scene, entry: Fault) -> tuple[str, ...]:
    """Return the names of the users that disclose their reports to the reader."""
    friend_count = FRIENDS if entry.users is None and entry.share is None else entry.users
    if friend_count is None:
        friend_count = round((entry.share or 0.0) * scene.n)
    return friends_of(entry, scene.n, min(friend_count, scene.n - 1))


def grown(scene: Scene, entry: Fault) -> Measured:
    """Return the growth of epsilon after shuffling for the other users, and its maximum, in nats.

    The reader subtracts the disclosed reports from the counts. Epsilon may be known only between
    bounds; then the growth is the smallest that the bounds allow. The maximum is the local epsilon
    of a single report.
    """
    accomplices = friends(scene, entry)
    loot = scene.loot((parties.ANALYST, *accomplices))
    disclosed_reports = [
        ballots
        for ballots in scene.transcript.sealed_answers
        if parties.user(ballots.user) in {*accomplices}
    ]
    respondents = {*senders(loot, 1)}
    read = read_by(loot, 1)
    maximum = scene.settings.local.epsilon or 0.0
    if not read:
        return 0, maximum
    remaining_counts = list(map(Counter, read))
    for report in disclosed_reports:
        if parties.user(report.user) in respondents:
            for ask, values in report.answers:
                remaining_counts[ask][tuple(values)] -= 1
    if any(min(count.values()) < 0 for count in remaining_counts):
        # no growth is measured, because a user disclosed a report that it has not sent
        return 0, maximum
    promised = scene.settings.local.relied_on
    initial_epsilon = epsilon(scene, [honest(sum(count.values()), promised) for count in read])
    now = epsilon(scene, [count.total() for count in remaining_counts])
    return max(now[0] - initial_epsilon[1], 0.0), maximum


def epsilon(scene: Scene, reports: Sequence[int]) -> tuple[float, float]:
    """Return a lower and an upper bound on epsilon after shuffling, over all questions, in nats.

    reports: the number of reports to each question.
    """
    shuffled, whole = after_shuffling(scene.settings.questions, reports)
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
    helpers=lambda _policy, _entry: (parties.ANALYST,),
)
