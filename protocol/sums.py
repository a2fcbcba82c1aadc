r"""Two readers of the same people's answers must agree: a release must fit earlier counts.

In the fixed setting the people of the release are the counted people, less the dropouts. So for no
combination of values can a release hold more people than were counted with it, except for people
with answers that were lost then:

    excess of an ask    sum over its cells of max(0, people in the release - people counted)
    lost                people of that round - answers to that ask       (0 unless some were lost)
    agrees              excess <= lost

A false count that looks safe makes some crowds of a column larger, and others smaller: the release
holds more people of the latter than were counted. Suppressed values of a release are in no sum. A
person with different answers in two rounds is an excess of one too, and burns the round: that is
the price (docs/adr/0031).
"""

from collections.abc import Sequence

from ..errors import RoundBurned
from .hiding import HIDDEN
from .messages import Call, Counts
from .programs import RoundResult
from .tallying import summed


def disagreement(heard: RoundResult, call: Call, joint: Counts) -> tuple[int, ...] | None:
    """Any party with both: return the first query of a round that a release contradicts, or None.

    call, joint: the call of the release (one column set), and its counts. A query that is not part
    of the release, or was answered under rules that hide values, is not compared.
    """
    (released,) = call.asks
    people = max((sum(count.values()) for count in heard.counts), default=0)
    ruled = {rule.column for rule in heard.call.hidden}
    for ask, counted in zip(heard.call.asks, heard.counts, strict=True):
        if not set(ask) <= set(released) or ruled & set(ask):
            continue
        sums = summed(joint, [released.index(column) for column in ask])
        excess = sum(
            max(0, many - counted.get(cell, 0))
            for cell, many in sums.items()
            if not any(value in HIDDEN for value in cell)
        )
        if excess > people - sum(counted.values()):
            return ask
    return None


def check_sums(heard: Sequence[RoundResult], call: Call, joint: Counts) -> None:
    """Reader: RoundBurned unless a release fits every earlier round.

    The reason names no column, which would reveal the failure of a guess, and no party: answers
    that a shuffler has replaced do not fit either.
    """
    for result in heard:
        if disagreement(result, call, joint):
            raise RoundBurned(
                f"the release does not fit what was counted in round {result.call.round}: answers "
                "were changed between people and a reader, a reader counts otherwise than it "
                "read, or people said two things"
            )
