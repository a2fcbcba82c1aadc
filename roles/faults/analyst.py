"""What an analyst may do wrong: publish other counts than it has read."""

from dataclasses import replace

from ...protocol.messages import Body, Counts, Tally
from ..network import Endpoint


class Miscounting(Endpoint):
    """An analyst that reads honestly, and publishes that everybody is like the most frequent."""

    async def post(self, body: Body) -> None:
        """Count everybody in the largest crowd; they are as many as before."""
        if isinstance(body, Tally) and body.counts is not None:
            body = replace(body, counts=tuple(_one_crowd(count) for count in body.counts))
        await super().post(body)


def _one_crowd(count: Counts) -> Counts:
    if not count:
        return count
    return {max(sorted(count), key=lambda cell: count[cell]): sum(count.values())}
