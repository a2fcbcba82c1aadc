"""Misbehaviour of an analyst: it publishes other counts than it has read."""

from dataclasses import replace

from ....protocol.wire.messages import Body, Counts, Tally
from ....roles.network.memory_network import Endpoint, Fault, Network
from ....roles.occasions import Note, no_note


class Miscounting(Endpoint):
    """An analyst that reads honestly, but publishes all people in the most frequent cell.

    note: records that the published counts differ from the true counts.
    """

    def __init__(self, network: Network, party: str, note: Note = no_note) -> None:
        """Join the network as an analyst. note: records that the published counts are false."""
        super().__init__(network, party)
        self.note = note

    async def post(self, body: Body) -> None:
        """Post a message; in a tally, put all people in the largest cell.

        The total is unchanged.
        """
        if isinstance(body, Tally) and body.counts is not None:
            false_tally = replace(body, counts=tuple(_one_crowd(count) for count in body.counts))
            if false_tally != body:
                self.note(self.network.instruments)
            body = false_tally
        await super().post(body)


def miscounting(note: Note) -> Fault:
    """Return the fault of an analyst that miscounts. note: records that its counts differ."""
    return lambda network, party: Miscounting(network, party, note)


def _one_crowd(count: Counts) -> Counts:
    """Return the counts of a question with all people in the largest cell."""
    if not count:
        return count
    return {max(sorted(count), key=lambda cell: count[cell]): sum(count.values())}
