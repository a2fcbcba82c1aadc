r"""Two readers of the same people's answers must agree: a release fits what was counted before it.

In the fixed setting those who are released are those who were counted, less those who left. So of
no combination of values can a release hold more people than were counted with it, but for those
whose answer was lost then:

    excess of an ask    sum over its cells of max(0, people in the release - people counted)
    lost                people of that round - answers to that ask       (0 unless some were lost)
    agrees              excess <= lost

Who lies to look safe makes a column's crowds larger than they are, and then others are smaller:
the release holds more of those than were counted. What is blank in a release is in no sum. A
person who says one thing in one round and another in the next is an excess of one as well, and
burns the round: that is the price (docs/adr/0031).
"""

from collections.abc import Sequence

from ..errors import RoundBurned
from .hiding import HIDDEN
from .messages import Call, Counts
from .programs import RoundResult
from .tallying import summed


def disagreement(heard: RoundResult, call: Call, joint: Counts) -> tuple[int, ...] | None:
    """Anybody who has both: the first ask of a round that a release does not fit; None: it fits.

    call, joint: what the release was asked for (one column set), and its counts. An ask that is not
    part of the release, or was answered under rules that hide values, is not compared.
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
    """Reader: RoundBurned unless a release fits every round that was counted before it.

    The reason names no column, which would tell of a guess where it fails, and no party: answers
    that a shuffler has replaced do not fit either.
    """
    for result in heard:
        if disagreement(result, call, joint):
            raise RoundBurned(
                f"the release does not fit what was counted in round {result.call.round}: answers "
                "were changed between people and a reader, a reader counts otherwise than it "
                "read, or people said two things"
            )
