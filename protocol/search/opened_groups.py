"""The reading of ballots that only k people open together (the program `threshold`).

A reader groups ballots by their bodies: equal bodies are of equal rows, of any senders. A group of
k opens. A coalition with the function's key, or its outputs for some rows, computes the seed of a
row, and compares (protocol/knowledge/opened_exploits.py). If two people exchange rows, all groups
keep their sizes, so an honest reader sees the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...crypto.threshold import SEED, OpenedMessages, Shape, open_groups
from ..knowledge.adversary_view import AdversaryView
from ..knowledge.opened_exploits import prefixes_of
from ..rounds.round_context import Round
from ..rounds.threshold import read_sealed, rows_open

Answer = tuple[int, tuple[str, ...]] | str  # query and values, or the reason of a refusal


@dataclass(frozen=True, slots=True)
class Grouped:
    """A ballot of a `threshold` round, and a reader's knowledge of it.

    Attributes:
        ballot: the content of the innermost layer.
        bodies: for each level (prefix of the row) up to the first closed level: its number from 1,
            and the encrypted body.
        answer: the opened values, or the reason why the ballot holds no message; None: closed.
    """

    ballot: bytes
    bodies: tuple[tuple[int, bytes], ...]
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class KnownOutputs:
    """The oblivious function, for a coalition that only has its outputs for some inputs.

    Attributes:
        outputs: input -> output.
    """

    outputs: Mapping[bytes, bytes]

    def output(self, data: bytes) -> bytes:
        """Return the output; of an unknown input, a seed that fits no message."""
        return self.outputs.get(data, bytes(SEED))


def groups_of(view: AdversaryView, plan: Round, ballots: Sequence[bytes]) -> Iterator[Grouped]:
    """Yield the ballots of a round, each once, with its groups and its opened values."""
    if plan.shape is None:
        return
    sealed_ballots, messages = list[bytes](), list[bytes]()
    for ballot in sorted(set(ballots)):
        reading = read_sealed(plan, [ballot])
        if reading.sealed:
            sealed_ballots.append(ballot)
            messages += reading.sealed
        else:
            yield Grouped(ballot, (), ", ".join(map(str, reading.refused)))
    opened = open_groups(plan.shape, messages)
    rows, number = rows_open(plan, opened), plan.call.round
    function = view.functions.get(number) or KnownOutputs(view.outputs.get(number, {}))
    tried = prefixes_of(plan, function, messages)
    for place, ballot in enumerate(sealed_ballots):
        prefix = max(rows.get(place, ()), tried.get(place, ()), key=len)
        yield Grouped(
            ballot, _bodies(plan.shape, messages, opened, place), (0, prefix) if prefix else None
        )


def _bodies(
    shape: Shape, messages: Sequence[bytes], opened: OpenedMessages, place: int
) -> tuple[tuple[int, bytes], ...]:
    """Return (level, body) of a ballot's first level, and of its first level that is still closed.

    A ballot has a level for each column; levels are opened one after another. place: position of
    the ballot in `messages`.
    """
    level = len(opened.texts[place])
    parts = {0: messages[place], level: opened.rest[place]}
    return tuple((at + 1, part[: shape.body(at)]) for at, part in parts.items() if part)
