"""Leakage of a party or a coalition: people linked, certain cells, anonymity sets, bits, guesses.

A labelled table has a row for each named person; all labelled tables are equally likely before the
view. Bits received = log2 of the number of labelled tables, less log2 of the number that is still
possible after the view. With V_j values of column j and n people:

    no observation                        0
    the counts c of one column            n log2 V_j - log2 multinomial(n; c)
    the joint counts c over columns J     n sum_J log2 V_j - log2 multinomial(n; c)
    all people linked to a row over J     n sum_J log2 V_j

The view becomes evidence (view_evidence.py), and inference.py computes the posterior: this is the
one function behind every figure about a coalition's knowledge. With another prior, bits are -log2
of the prior probability of the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isclose, log, log2, prod
from typing import TYPE_CHECKING, Any

from ...deprecated import accepts_old
from ...errors import ParameterError
from ..validation import number
from . import opened_rows
from .best_guesses import Guess, Method, PersonPosteriors
from .fiber import Nats, log_multinomial
from .inference import infer
from .side import Side
from .view_arguments import as_shares, as_sizes, as_truth, as_view, columns_of
from .view_evidence import ReadEvidence, Shares, evidence_from_view

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen
    from ...protocol.knowledge.transcript import Row
    from ...protocol.knowledge.view import View


TOLERANCE = 1e-6  # in bits: two leakages that differ by less count as equal


@dataclass(frozen=True, slots=True)
class Received:
    """The leakage of a coalition's view about all people: the result of `received`.

    Attributes:
        parties: names of the parties.
        users: number of people in the session.
        cells: number of (person, column) pairs.
        linked: number of people with a row or a part of a row linked to them by name.
        cells_certain: cells with only one possible value, by linking or by the counts.
        bits: leakage about all people together, in bits; see `bits_are`.
        exact: whether `bits` is exact, and not a bound.
        crowd: size of the smallest anonymity set (1 if a person is linked).
        reports: whether randomized reports are linked, not values.
        rows_guessed: expected number of whole rows guessed correctly.
        rows_guessed_before: expected number of whole rows guessed correctly from the prior alone.
        cells_guessed: expected number of cells guessed correctly.
        cells_guessed_before: expected number of cells guessed correctly from the prior alone.
        worst_row: probability of the true row, of a person outside the coalition, of which the
            coalition is surest; None if single people are not recorded or no truth is given.
        worst_value: probability of the true value of which the coalition is surest; None in the
            same cases as `worst_row`.
        sets: anonymity sets, as (people, number of such sets).
        method: how the posterior was computed.
        error: the largest standard error of a probability.
        at_most: if `bits` is not exact: whether it is an upper bound; else it is a lower bound.
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
        """Relation of `bits` to the true leakage: exact, an upper bound or a lower bound."""
        if self.exact:
            return Side.EXACT
        return Side.AT_MOST if self.at_most else Side.AT_LEAST

    @property
    def certain_are(self) -> Side:
        """Relation of `cells_certain` to the true number of certain cells."""
        return Side.from_certain(self.method, self.cells_certain, self.cells)

    @property
    def bits_per_person(self) -> float:
        """Leakage in bits, divided by the number of people."""
        return self.bits / self.users

    @property
    def verdict(self) -> str:
        """A phrase for a table: "everything", the people linked, or the smallest anonymity set."""
        if self.cells_certain == self.cells:
            return "everything"
        if self.linked:
            unit = "reports" if self.reports else "people"
            return f"{self.linked:,} {unit} linked"
        return f"crowd of {self.crowd:,}"

    def __repr__(self) -> str:
        """Return the parties, people linked, certain cells and bits."""
        party_names = " + ".join(self.parties) or "everybody"
        return (
            f"<Received by {party_names}: {self.linked:,} of {self.users:,} people linked, "
            f"{self.certain_are.word}{self.cells_certain:,} of {self.cells:,} cells certain, "
            f"{self.bits_are.word}{self.bits_per_person:.3g} bits a person>"
        )


def inferred(
    view: View,
    sizes: Sequence[int],
    truth: Mapping[int, Row] | None = None,
    prior: Shares | None = None,
) -> tuple[ReadEvidence, PersonPosteriors]:
    """Return the evidence in a view, and the posterior of every person.

    If a person lied in one round, the evidence can be contradictory: counts of the latest rounds
    are then left out until a table is consistent.

    sizes: number of values of each column. truth: true rows by index of the person, or None. prior:
    shares of the values of each column; None: all tables equally likely.
    """
    view = as_view(view)
    sizes = as_sizes(sizes, view)
    truth, prior = as_truth(truth, len(sizes)), as_shares(prior, len(sizes))
    read_evidence = evidence_from_view(view, sizes, truth, prior)
    try:
        return read_evidence, infer(read_evidence.evidence)
    except ParameterError:
        if not view.counted:
            raise
    last = max(counts_seen.round for counts_seen in view.counted)
    earlier = tuple(counts_seen for counts_seen in view.counted if counts_seen.round < last)
    read_evidence, inference = inferred(replace(view, counted=earlier), sizes, truth, prior)
    return replace(read_evidence, whole=False), inference


def received(
    view: View,
    sizes: Sequence[int],
    truth: Mapping[int, Row] | None = None,
    prior: Shares | None = None,
) -> Received:
    """Compute the leakage of a coalition's view: people linked, certain cells, bits and guesses.

    The coalition may know a certificate without the counts from which it was computed. The leakage
    is then computed as if the members had read these counts. The result is an upper bound, because
    the certificate follows from the counts.

    Args:
        view: observations of a coalition.
        sizes: the number of values of each column, at least 1.
        truth: true rows by index of the person, for the worst row and value; or None.
        prior: shares of the values of each column, known to all; None: all labelled tables are
            equally likely.
    """
    lower = _received(view, sizes, truth, prior)
    if not getattr(view, "certified", ()):
        return lower
    wider_view = replace(view, counted=(*view.counted, *view.certified), certified=())
    upper = _received(wider_view, sizes, truth, prior)
    is_determined = (
        isclose(upper.bits, lower.bits, abs_tol=TOLERANCE) and upper.exact == lower.exact
    )
    if is_determined and upper.cells_certain == lower.cells_certain:
        # the certificate adds no information to the counts that the members read
        return lower
    # The view now includes the counts from which the certificate was computed. If its leakage is
    # still only bounded from below, no upper bound is known.
    if not (upper.exact or upper.at_most):
        return replace(lower, exact=False, method=Method.BOUNDED)
    bits = max(upper.bits, lower.bits)
    return replace(upper, bits=bits, exact=False, at_most=True, method=Method.AT_MOST)


def _received(
    view: View,
    sizes: Sequence[int],
    truth: Mapping[int, Row] | None,
    prior: Shares | None,
) -> Received:
    """Compute the leakage of the members' observations, without counts implied by a certificate.

    truth: true rows by index of the person, or None. prior: shares of the values of each column;
    None: all labelled tables are equally likely.
    """
    if getattr(view, "threshold", False):
        figures: dict[str, Any] = opened_rows.parts(view, as_sizes(sizes, view))
        members = tuple(sorted(view.parties))
        return Received(members, view.users, view.users * len(sizes), **figures)
    read_evidence, inference = inferred(view, sizes, truth, prior)
    leakage = inference.leakage if read_evidence.whole else Nats(inference.leakage.low, inf)
    return Received(
        tuple(sorted(view.parties)),
        view.users,
        view.users * len(sizes),
        linked=_linked(read_evidence),
        cells_certain=inference.cells_certain,
        # No view leaks more than a view of the rows of all people.
        bits=leakage.bits if prior else min(leakage.bits, view.users * log2(prod(sizes))),
        exact=leakage.side is Side.EXACT,
        crowd=min((people for people, _ in inference.sets), default=view.users),
        rows_guessed=inference.rows_guessed,
        rows_guessed_before=inference.rows_guessed_before,
        cells_guessed=inference.cells_guessed,
        cells_guessed_before=inference.cells_guessed_before,
        worst_row=inference.worst_row(read_evidence.truth),
        worst_value=inference.worst_value(read_evidence.truth),
        sets=inference.sets,
        method=inference.method if read_evidence.whole else Method.BOUNDED,
        error=inference.error,
        at_most=leakage.side is Side.AT_MOST,
    )


@accepts_old(told="report_bits")
def received_reports(view: View, sizes: Sequence[int], report_bits: float) -> Received:
    """Compute the leakage of a view of randomized reports, which are linked to people, not values.

    A linked report is evidence about its sender's values, but does not make a value certain.
    Certain are only values of columns with one value, and the members' own values. For a linked
    person, bits are the information of its reports about its values. For a member, bits are log2 of
    the number of possible rows. The information in counts of reports about other people is left
    out, so the bits are a lower bound; `exact` is True only if there are no counts and no linked
    reports.

    Args:
        view: of the program `randomized`.
        sizes: number of values of each column of the people's table (not of the reports), >= 1.
        report_bits: mutual information I(values; reports) of one person in bits, >= 0, with the
            frequencies among the people as prior (paper 002, 4.1 has it for a Dirichlet prior).
    """
    as_view(view)
    # The view's columns are messages, and a person may send several messages about a column of the
    # table. So `sizes` is not compared with the columns of the view.
    sizes, report_bits = as_sizes(sizes, None), number(report_bits, "report_bits")
    if not 0 <= report_bits < inf:
        raise ParameterError(f"report_bits: found {report_bits}; needs bits of at least 0")
    crowds = _crowds(view)
    linked = sum(_linked_in(crowd) for crowd in crowds)
    members = sum(
        f"user-{person + 1}" in view.parties for crowd in crowds for person in crowd.pinned
    )
    constant = sum(size == 1 for size in sizes)
    certain = view.users * constant + members * (len(sizes) - constant)
    own_bits = members * sum(log2(size) for size in sizes)
    exact = not linked and not view.counted
    return Received(
        tuple(sorted(view.parties)),
        view.users,
        view.users * len(sizes),
        linked,
        certain,
        own_bits + (linked - members) * report_bits,
        exact,
        min((1 if _linked_in(crowd) else crowd.users for crowd in crowds), default=view.users),
        reports=True,
        method=Method.EXACT if exact else Method.BOUNDED,
    )


def users_linked(view: View) -> int:
    """Return the number of people linked to a value, members of the coalition included."""
    return sum(_linked_in(crowd) for crowd in _crowds(as_view(view)))


def anonymity_sets(view: View) -> list[int]:
    """Return, per person, the size of its anonymity set, itself included.

    A linked person is alone (1). Each other person hides among all people with equal evidence: a
    batch leaves an honest shuffler in sorted order, so its origins are indistinguishable. But a
    coalition that sees dropouts between two rounds distinguishes them from the people that stayed.

    >>> from veilmix.analysis.trust import anonymity_sets
    >>> from veilmix.protocol.knowledge.transcript import Transcript
    >>> from veilmix.protocol.knowledge.view import View
    >>> known = {1: {0: {0: "a"}}}  # the curator links column 0 of person 0, of three people
    >>> transcript = Transcript(3, summary=False)
    >>> view = View(frozenset({"curator"}), 3, True, known, (), {}, {}, transcript)
    >>> anonymity_sets(view)
    [1, 2, 2]
    """
    _, inference = inferred(view, [1] * columns_of(as_view(view)))
    return [people for people, times in inference.sets for _ in range(people * times)]


def cells_certain(view: View, sizes: Sequence[int]) -> int:
    """Return the number of (person, column) values that are certain: no other is possible."""
    return received(view, sizes).cells_certain


def view_bits(view: View, sizes: Sequence[int]) -> tuple[float, bool]:
    """Return the leakage of a view in bits, and whether it is exact (else a bound).

    >>> from veilmix.analysis.trust import view_bits
    >>> from veilmix.protocol.knowledge.transcript import Transcript
    >>> from veilmix.protocol.knowledge.view import View
    >>> known = {1: {0: {0: "a"}}}  # the curator links column 0 of person 0, of three people
    >>> transcript = Transcript(3, summary=False)
    >>> view = View(frozenset({"curator"}), 3, True, known, (), {}, {}, transcript)
    >>> view_bits(view, [2, 2])
    (1.0, True)
    """
    inference = received(view, sizes)
    return inference.bits, inference.exact


def _linked(read_evidence: ReadEvidence) -> int:
    """Return the number of people linked to a value by name."""
    return sum(crowd.people for crowd in read_evidence.evidence.crowds if crowd.linked)


@dataclass(frozen=True, slots=True)
class _Crowd:
    """People that received the same queries, and the view's observations about them.

    Attributes:
        users: number of these people.
        pinned: linked values by index of the person.
        counted: counts of these people that the coalition read.
        whole: columns in which all respondents are linked, in runs that record only numbers of
            people.
    """

    users: int
    pinned: Mapping[int, Row]
    counted: Sequence[CountsSeen]
    # columns in which all respondents are linked (if a run records only numbers of people)
    whole: frozenset[int]

    @property
    def present(self) -> int:
        """Number of the crowd's people that answered.

        It is the largest count that the coalition read; without counts, the number of linked
        people.
        """
        return max((counts_seen.people for counts_seen in self.counted), default=len(self.pinned))


def _crowds(view: View) -> list[_Crowd]:
    """Return the people of a view, divided by the queries that they received.

    If each round has other people, the result has an entry for each round; else one entry for all
    people.
    """
    if view.fixed:
        whole = frozenset(column for columns in view.linked_columns.values() for column in columns)
        return [_Crowd(view.users, view.pinned, view.counted, whole)]
    rounds = sorted({counts_seen.round for counts_seen in view.counted} | set(view.by_round))
    crowds = []
    for at in rounds:
        round_counts = [counts_seen for counts_seen in view.counted if counts_seen.round == at]
        pinned = view.by_round.get(at, {})
        people = max((counts_seen.people for counts_seen in round_counts), default=len(pinned))
        whole = frozenset(view.linked_columns.get(at, ()))
        crowds.append(_Crowd(people, pinned, round_counts, whole))
    return crowds


def _linked_in(crowd: _Crowd) -> int:
    """Return the number of people linked to a value, among people with the same queries."""
    return crowd.present if crowd.whole else len(crowd.pinned)


def log2_multinomial(counts: Iterable[int]) -> float:
    """Return log2 of n! / (c_1! c_2! ...), the number of ways to deal n labelled people into cells.

    counts: numbers c_1, c_2, ... of people in the cells. The relative error is about 1e-9 of n log
    n; 0.0 if there is a single way.
    """
    return log_multinomial(counts) / log(2)


def minimal(coalitions: Mapping[tuple[str, ...], int]) -> list[tuple[str, ...]]:
    """Return the minimal coalitions that link a person to a value.

    coalitions: for each coalition, the number of people that it links to a value.
    """
    breaking = [set(parties) for parties, linked in coalitions.items() if linked]
    return sorted(
        tuple(sorted(parties))
        for parties in breaking
        if not any(smaller < parties for smaller in breaking)
    )
