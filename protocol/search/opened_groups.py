"""The reading of ballots that the reader opens only in groups of k people (program `threshold`).

Each ballot has a body: encrypted bytes that are equal for all ballots with equal rows. The reader
groups ballots by their bodies, and can decrypt a group of at least k. A body follows from a seed,
the output of an oblivious pseudorandom function for the row. A coalition that has the function's
key, or outputs for some rows, can compute the bodies of these rows and compare
(protocol/knowledge/opened_exploits.py).

If two people exchange rows, all groups keep their sizes, so an honest reader sees no difference.
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
    """A ballot of a `threshold` round, and the analyst's knowledge of the ballot.

    The ballot has a level for each sealed prefix (first values) of the row. A level opens if k
    people share the prefix; otherwise it is closed.

    Attributes:
        ballot: the content of the innermost layer.
        bodies: (number of the level from 1, its encrypted body) for the first level and for the
            first closed level.
        answer: the query and the opened values, or the reason why the ballot is refused; None if no
            value opened.
    """

    ballot: bytes
    bodies: tuple[tuple[int, bytes], ...]
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class KnownOutputs:
    """The oblivious function of a round, for a coalition that knows only some of its outputs.

    Attributes:
        outputs: input -> output.
    """

    outputs: Mapping[bytes, bytes]

    def output(self, data: bytes) -> bytes:
        """Return the oblivious function's output for an input; for an unknown input, 32 zero bytes.

        Zeros are the seed of no ballot, so that no ballot matches them.
        """
        return self.outputs.get(data, bytes(SEED))


def groups_of(view: AdversaryView, plan: Round, ballots: Sequence[bytes]) -> Iterator[Grouped]:
    """Yield the ballots of a round, each once, with its encrypted bodies and its opened values.

    Ballots with equal bodies have equal values. view: the coalition's board and keys.
    """
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

    A level is a sealed prefix of the row; levels open one after another. Its body is the part of
    its bytes that is equal for equal prefixes. shape: k and the size of each level. messages: the
    sealed part of each ballot. opened: the opened levels. place: the index of the ballot.
    """
    level = len(opened.texts[place])
    parts = {0: messages[place], level: opened.rest[place]}
    return tuple((at + 1, part[: shape.body(at)]) for at, part in parts.items() if part)
