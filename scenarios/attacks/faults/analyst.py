"""Misbehaviour of an analyst: it publishes counts that differ from the counts of the ballots."""

from dataclasses import replace

from ....protocol.wire.messages import Body, Counts, Tally
from ....roles.network.memory_network import Endpoint, Fault, Network
from ....roles.occasions import Note, no_note


class Miscounting(Endpoint):
    """An analyst that opens ballots honestly, but publishes all people in the most frequent cell.

    note: function that records the attack when the published counts differ from the true counts.
    """

    def __init__(self, network: Network, party: str, note: Note = no_note) -> None:
        """Join the network as an analyst. note: function that records the false counts."""
        super().__init__(network, party)
        self.note = note

    async def post(self, body: Body) -> None:
        """Post a message; in a tally, put all people in the largest cell.

        A tally is a round's published counts. The total number of people is unchanged.
        """
        if isinstance(body, Tally) and body.counts is not None:
            false_tally = replace(body, counts=tuple(_one_crowd(count) for count in body.counts))
            if false_tally != body:
                self.note(self.network.instruments)
            body = false_tally
        await super().post(body)


def miscounting(note: Note) -> Fault:
    """Return the fault of an analyst that publishes false counts.

    note: function that records that the published counts differ from the true counts.
    """
    return lambda network, party: Miscounting(network, party, note)


def _one_crowd(count: Counts) -> Counts:
    """Return the counts of a question with all people moved to the largest cell."""
    if not count:
        return count
    return {max(sorted(count), key=lambda cell: count[cell]): sum(count.values())}
