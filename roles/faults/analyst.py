"""What an analyst may do wrong: publish other counts than it has read."""

from collections import Counter
from dataclasses import replace

from ...protocol.parties import Role
from ...protocol.session import Round
from ...protocol.tallying import Reading
from ..network import Endpoint


class Miscounting(Endpoint):
    """An analyst that reads honestly, and publishes that everybody is like the most frequent."""

    def counted(self, plan: Round, reading: Reading) -> Reading:
        """Count everybody in the largest crowd; they are as many as before."""
        if plan.call.reader is not Role.ANALYST:
            return reading
        return replace(reading, counts=[_one_crowd(count) for count in reading.counts])


def _one_crowd(count: Counter[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    if not count:
        return count
    return Counter({max(sorted(count), key=lambda cell: count[cell]): count.total()})
