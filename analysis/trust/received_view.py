"""What a role or a coalition received: people linked, cells certain, crowds, bits, guesses.

Bits received = log2 of the number of labelled tables (who has which row) that were possible before,
minus log2 of the number still possible after the view, all tables equally likely before. With V_j
values of column j and n people:

    nothing seen                          0
    the counts c of one column            n log2 V_j - log2 multinomial(n; c)
    the joint counts c over J             n sum_J log2 V_j - log2 multinomial(n; c)
    everybody linked to a row over J      n sum_J log2 V_j

The view is put as evidence (view_evidence.py) and the posterior worked out (inference.py): this is
the one function behind every figure on what a coalition knows. With another prior, bits are -log2
of the prior probability of what was seen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isclose, log, log2, prod
from typing import TYPE_CHECKING, Any

from ...errors import ParameterError
from ..validation import number
from . import opened_rows
from .best_guesses import Guess, Inference, Method
from .fiber import Nats, log_multinomial
from .inference import infer
from .side import Side
from .view_arguments import as_shares, as_sizes, as_truth, as_view, columns_of
from .view_evidence import ReadEvidence, Shares, evidence_from_view

if TYPE_CHECKING:
    from ...protocol.record import CountsSeen
    from ...protocol.transcript import Row
    from ...protocol.view import View


SAME = 1e-6  # bits: figures that differ by less are the same


@dataclass(frozen=True, slots=True)
class Received:
    """What one set of parties has learnt about everybody.

    Attributes:
        parties: who they are.
        users: people in the session.
        cells: (person, column) pairs.
        linked: people to whom a row or a part of it is pinned.
        cells_certain: cells of which only one value is possible, by linking or because nothing else
            agrees with the counts.
        bits: received in all; see `bits_are`.
        exact: whether `bits` is exact, and not a bound.
        crowd: the smallest number of people among whom somebody is hidden (1 if linked).
        reports: whether what is pinned is a randomized report and not a value.
        rows_guessed: people's whole rows that a best guess of each gets right in expectation.
        rows_guessed_before: the same from the prior alone.
        cells_guessed: cells that a best guess of each gets right in expectation.
        cells_guessed_before: the same from the prior alone.
        worst_row: of which true row of a person outside the coalition it is surest; None where
            single people are not recorded.
        worst_value: of which single true value; None there too.
        sets: anonymity sets, as (people, how many such sets).
        method: how the posterior was found.
        error: the largest standard error of a probability.
        at_most: whether `bits` is an upper bound, where it is not exact; else a lower one.
    """

    parties: tuple[str, ...]
    users: int
    cells: int
    linked: int
    cells_certain: int
    bits: float
    exact: bool
    crowd: int
    reports: bool = False
    rows_guessed: float | None = None
    rows_guessed_before: float | None = None
    cells_guessed: float | None = None
    cells_guessed_before: float | None = None
    worst_row: Guess | None = None
    worst_value: Guess | None = None
    sets: tuple[tuple[int, int], ...] = ()
    method: Method = Method.EXACT
    error: float = 0.0
    at_most: bool = False

    @property
    def bits_are(self) -> Side:
        """What `bits` is to what was received."""
        if self.exact:
            return Side.EXACT
        return Side.AT_MOST if self.at_most else Side.AT_LEAST

    @property
    def certain_are(self) -> Side:
        """What `cells_certain` is to the cells that are known."""
        return Side.of_certain(self.method, self.cells_certain, self.cells)

    @property
    def bits_per_person(self) -> float:
        """Bits received, divided by the number of people."""
        return self.bits / self.users

    @property
    def verdict(self) -> str:
        """One phrase for a table."""
        if self.cells_certain == self.cells:
            return "everything"
        if self.linked:
            what = "reports" if self.reports else "people"
            return f"{self.linked:,} {what} linked"
        return f"crowd of {self.crowd:,}"

    def __repr__(self) -> str:
        who = " + ".join(self.parties) or "everybody"
        return (
            f"<Received by {who}: {self.linked:,} of {self.users:,} people linked, "
            f"{self.certain_are.word}{self.cells_certain:,} of {self.cells:,} cells certain, "
            f"{self.bits_are.word}{self.bits_per_person:.3g} bits a person>"
        )


def inferred(
    view: "View",
    sizes: Sequence[int],
    truth: "Mapping[int, Row] | None" = None,
    prior: Shares | None = None,
) -> tuple[ReadEvidence, Inference]:
    """The evidence in a view, and the posterior of every person.

    Where somebody lied in one round no table agrees with all counts: those of the latest rounds are
    then left out, until some table does.
    """
    view = as_view(view)
    sizes = as_sizes(sizes, view)
    truth, prior = as_truth(truth, len(sizes)), as_shares(prior, len(sizes))
    known = evidence_from_view(view, sizes, truth, prior)
    try:
        return known, infer(known.evidence)
    except ParameterError:
        if not view.counted:
            raise
    last = max(seen.round for seen in view.counted)
    earlier = tuple(seen for seen in view.counted if seen.round < last)
    known, inference = inferred(replace(view, counted=earlier), sizes, truth, prior)
    return replace(known, whole=False), inference


def received(
    view: "View",
    sizes: Sequence[int],
    truth: "Mapping[int, Row] | None" = None,
    prior: Shares | None = None,
) -> Received:
    """Score a view.

    A certificate whose counts no member has read is scored as these counts: it follows from them,
    so they bound its leakage from above.

    Args:
        view: what a coalition saw.
        sizes: the number of values of each column, at least 1.
        truth: what people hold, by index, to say of whom the coalition is surest; or None.
        prior: shares of the values of each column that everybody knows; None: all labelled tables
            are equally likely.
    """
    least = _received(view, sizes, truth, prior)
    if not getattr(view, "certified", ()):
        return least
    read = replace(view, counted=(*view.counted, *view.certified), certified=())
    most = _received(read, sizes, truth, prior)
    known = isclose(most.bits, least.bits, abs_tol=SAME) and most.exact == least.exact
    if known and most.cells_certain == least.cells_certain:  # it follows from what was read
        return least
    if not (most.exact or most.at_most):  # nothing bounds it from above
        return replace(least, exact=False, method=Method.BOUNDED)
    bits = max(most.bits, least.bits)
    return replace(most, bits=bits, exact=False, at_most=True, method=Method.AT_MOST)


def _received(
    view: "View",
    sizes: Sequence[int],
    truth: "Mapping[int, Row] | None",
    prior: Shares | None,
) -> Received:
    """Score a view by the observations of its members, without a certificate."""
    if getattr(view, "threshold", False):
        figures: dict[str, Any] = opened_rows.parts(view, as_sizes(sizes, view))
        members = tuple(sorted(view.parties))
        return Received(members, view.users, view.users * len(sizes), **figures)
    known, inference = inferred(view, sizes, truth, prior)
    told = inference.told if known.whole else Nats(inference.told.low, inf)
    return Received(
        tuple(sorted(view.parties)),
        view.users,
        view.users * len(sizes),
        linked=_linked(known),
        cells_certain=inference.cells_certain,
        # No view tells more than all rows.
        bits=told.bits if prior else min(told.bits, view.users * log2(prod(sizes))),
        exact=told.side is Side.EXACT,
        crowd=min((people for people, _ in inference.sets), default=view.users),
        rows_guessed=inference.rows_guessed,
        rows_guessed_before=inference.rows_guessed_before,
        cells_guessed=inference.cells_guessed,
        cells_guessed_before=inference.cells_guessed_before,
        worst_row=inference.worst_row(known.truth),
        worst_value=inference.worst_value(known.truth),
        sets=inference.sets,
        method=inference.method if known.whole else Method.BOUNDED,
        error=inference.error,
        at_most=told.side is Side.AT_MOST,
    )


def received_reports(view: "View", sizes: Sequence[int], told: float) -> Received:
    """Score a view of randomized reports: what is pinned on a person is a report, not a value.

    A report that is linked says something about its sender, and nothing for certain: no value is
    counted as certain but those of a column with one value and those of members, who know their
    own. Bits are those that a linked person's reports carry about its values, and log2 of the
    number of possible rows for a member; what the counts of reports say of everybody else is not
    counted, so the bits are at least so many and `exact` is False unless there are none to count.

    Args:
        view: of the program `randomized`.
        sizes: number of values of each column of the people's table (not of the reports), >= 1.
        told: I(values; reports) of one person in bits, >= 0, with the frequencies among the people
            as prior (paper 002, 4.1 has it for a prior of Dirichlet).
    """
    as_view(view)
    # A person may send several messages about one column: those of the view are messages.
    sizes, told = as_sizes(sizes, None), number(told, "told")
    if not 0 <= told < inf:
        raise ParameterError(f"told: found {told}; needs bits of at least 0")
    crowds = _crowds(view)
    linked = sum(_linked_in(crowd) for crowd in crowds)
    members = sum(
        f"user-{person + 1}" in view.parties for crowd in crowds for person in crowd.pinned
    )
    constant = sum(size == 1 for size in sizes)
    certain = view.users * constant + members * (len(sizes) - constant)
    own = members * sum(log2(size) for size in sizes)
    exact = not linked and not view.counted
    return Received(
        tuple(sorted(view.parties)),
        view.users,
        view.users * len(sizes),
        linked,
        certain,
        own + (linked - members) * told,
        exact,
        min((1 if _linked_in(crowd) else crowd.users for crowd in crowds), default=view.users),
        reports=True,
        method=Method.EXACT if exact else Method.BOUNDED,
    )


def users_linked(view: "View") -> int:
    """How many people the coalition can pin a value on, members of the coalition included."""
    return sum(_linked_in(crowd) for crowd in _crowds(as_view(view)))


def anonymity_sets(view: "View") -> list[int]:
    """Per person, the number of people from whom the coalition cannot tell it, itself included.

    Whoever is linked is alone (1). Everybody else hides among all others of whom the same is known:
    a batch leaves an honest shuffler in sorted order, so nothing distinguishes two origins; but a
    coalition that sees who left between two rounds tells those who left from those who stayed.
    """
    _, inference = inferred(view, [1] * columns_of(as_view(view)))
    return [people for people, times in inference.sets for _ in range(people * times)]


def cells_certain(view: "View", sizes: Sequence[int]) -> int:
    """How many (person, column) values are known for certain: no other is possible."""
    return received(view, sizes).cells_certain


def view_bits(view: "View", sizes: Sequence[int]) -> tuple[float, bool]:
    """Bits received in all, and whether that is exact (else at least so many)."""
    inference = received(view, sizes)
    return inference.bits, inference.exact


def _linked(known: ReadEvidence) -> int:
    return sum(crowd.people for crowd in known.evidence.crowds if crowd.linked)


@dataclass(frozen=True, slots=True)
class _Crowd:
    """People of whom the same questions were asked, and what a view holds about them."""

    users: int
    pinned: "Mapping[int, Row]"
    counted: "Sequence[CountsSeen]"
    whole: frozenset[int]  # columns in which everybody who came is pinned (summary form)

    @property
    def present(self) -> int:
        """How many of them came."""
        return max((seen.people for seen in self.counted), default=len(self.pinned))


def _crowds(view: "View") -> list[_Crowd]:
    """The people of a view: all of them, or of other people in every round, round by round."""
    if view.fixed:
        whole = frozenset(column for columns in view.everybody.values() for column in columns)
        return [_Crowd(view.users, view.pinned, view.counted, whole)]
    rounds = sorted({seen.round for seen in view.counted} | set(view.by_round))
    crowds = []
    for at in rounds:
        counted = [seen for seen in view.counted if seen.round == at]
        pinned = view.by_round.get(at, {})
        people = max((seen.people for seen in counted), default=len(pinned))
        whole = frozenset(view.everybody.get(at, ()))
        crowds.append(_Crowd(people, pinned, counted, whole))
    return crowds


def _linked_in(crowd: _Crowd) -> int:
    return crowd.present if crowd.whole else len(crowd.pinned)


def log2_multinomial(counts: Iterable[int]) -> float:
    """log2 of n! / (c_1! c_2! ...), the number of ways to deal n labelled people into cells.

    Exact to about 1e-9 of n log n; 0.0 where there is one way.
    """
    return log_multinomial(counts) / log(2)


def minimal(coalitions: Mapping[tuple[str, ...], int]) -> list[tuple[str, ...]]:
    """The smallest coalitions that link anybody, given the people each coalition links."""
    breaking = [set(parties) for parties, linked in coalitions.items() if linked]
    return sorted(
        tuple(sorted(parties))
        for parties in breaking
        if not any(other < parties for other in breaking)
    )
