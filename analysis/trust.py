"""What a role or a coalition received: people linked, cells certain, crowds, bits.

Bits received = log2 of the number of labelled tables (who has which row) that were possible before,
minus log2 of the number still possible after the view, all tables equally likely before. With V_j
values of column j and n people:

    nothing seen                          0
    the counts c of one column            n log2 V_j - log2 multinomial(n; c)
    the joint counts c over J             n sum_J log2 V_j - log2 multinomial(n; c)
    everybody linked to a row over J      n sum_J log2 V_j

People pinned to their values leave the crowd: they count in full, and the counts that were seen are
those of the rest. Counts of one column say nothing new beside a joint that holds the column. Where
two views are about different people (somebody left between the rounds) or a person is known in part
of a joint, the number of tables is not computed: the bits of each view by itself are then added up
over disjoint columns, which is at most what was received, and `exact` is False. Who has hidden a
value (said "other", left it blank) may have any of the values that may stand behind that.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, lgamma, log, log2
from typing import TYPE_CHECKING

from ..protocol.hiding import BLANK, HIDDEN, OTHER, Mask, Redact

if TYPE_CHECKING:
    from ..protocol.view import CountsSeen, Row, View


@dataclass(frozen=True, slots=True)
class Received:
    """What one set of parties has learnt about everybody.

    linked: people to whom a row or a part of it is pinned. cells_certain: (person, column) pairs of
    which the value is known for certain, by linking or because all others agree; `cells` is how
    many there are. bits: received in all, at least so many unless `exact`. crowd: the smallest
    number of people among whom a person that took part is hidden (1 if linked). reports: whether
    what is pinned is a randomized report and not a value.
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
            f"{self.cells_certain:,} of {self.cells:,} cells certain, "
            f"{'' if self.exact else 'at least '}{self.bits_per_person:.3g} bits a person>"
        )


def received(view: "View", sizes: Sequence[int]) -> Received:
    """Score a view. sizes: the number of values of each column, at least 1."""
    parts = [_Part.of(one, sizes) for one in _crowds(view)]
    scored = [part.bits() for part in parts]
    return Received(
        tuple(sorted(view.parties)),
        view.users,
        view.users * len(sizes),
        sum(part.linked for part in parts),
        sum(part.cells_certain for part in parts),
        sum(bits for bits, _ in scored),
        all(exact for _, exact in scored) and sum(part.users for part in parts) == view.users,
        min((1 if part.linked else part.users for part in parts), default=view.users),
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
    crowds = _crowds(view)
    linked = sum(_linked(crowd) for crowd in crowds)
    members = sum(
        f"user-{person + 1}" in view.parties for crowd in crowds for person in crowd.pinned
    )
    constant = sum(size == 1 for size in sizes)
    certain = view.users * constant + members * (len(sizes) - constant)
    own = members * sum(log2(size) for size in sizes)
    return Received(
        tuple(sorted(view.parties)),
        view.users,
        view.users * len(sizes),
        linked,
        certain,
        own + (linked - members) * told,
        not linked and not view.counted,
        min((1 if _linked(crowd) else crowd.users for crowd in crowds), default=view.users),
        reports=True,
    )


def users_linked(view: "View") -> int:
    """How many people the coalition can pin a value on, members of the coalition included."""
    return sum(_linked(crowd) for crowd in _crowds(view))


def anonymity_sets(view: "View") -> list[int]:
    """Per person counted, the number of people among whom the coalition cannot tell it apart.

    Whoever is linked is alone (1). Everybody else hides among all others of the same round who are
    not: a batch leaves an honest shuffler in sorted order, so nothing distinguishes two origins.
    """
    sets: list[int] = []
    for crowd in _crowds(view):
        linked = _linked(crowd)
        sets += [1] * linked + [crowd.users - linked] * (crowd.users - linked)
    return sets


def cells_certain(view: "View", sizes: Sequence[int]) -> int:
    """How many (person, column) values are known for certain.

    A value is certain if it is pinned on the person, or if all people who are not pinned in that
    column agree in the counts the coalition has read (or the column has a single value).
    """
    return sum(_Part.of(crowd, sizes).cells_certain for crowd in _crowds(view))


def view_bits(view: "View", sizes: Sequence[int]) -> tuple[float, bool]:
    """Bits received in all, and whether that is exact (else at least so many)."""
    found = received(view, sizes)
    return found.bits, found.exact


@dataclass(frozen=True, slots=True)
class _Crowd:
    """People of whom the same questions were asked, and what a view holds about them."""

    users: int
    pinned: "Mapping[int, Row]"
    counted: "Sequence[CountsSeen]"
    whole: Mapping[int, int]  # column -> people whose value is pinned, where all are (summary form)

    @property
    def present(self) -> int:
        """How many of them came."""
        return max((seen.people for seen in self.counted), default=len(self.pinned))


def _crowds(view: "View") -> list[_Crowd]:
    """The people of a view: all of them, or of other people in every round, round by round."""
    if view.fixed:
        everywhere: dict[int, int] = {}
        for number in view.everybody:
            for column, people in _whole(view, number).items():
                everywhere[column] = max(people, everywhere.get(column, 0))
        return [_Crowd(view.users, view.pinned, view.counted, everywhere)]
    rounds = sorted({seen.round for seen in view.counted} | set(view.by_round))
    crowds = []
    for number in rounds:
        counted = [seen for seen in view.counted if seen.round == number]
        pinned = view.by_round.get(number, {})
        people = max((seen.people for seen in counted), default=len(pinned))
        crowds.append(_Crowd(people, pinned, counted, _whole(view, number)))
    return crowds


def _whole(view: "View", number: int) -> dict[int, int]:
    """Per column in which everybody is pinned in a round: the people who said their value there."""
    said: dict[int, int] = dict.fromkeys(view.everybody.get(number, ()), 0)
    for seen in view.counted:
        for column in said.keys() & set(seen.columns) if seen.round == number else ():
            plain = sum(n for value, n in _single(seen, column).items() if value not in HIDDEN)
            said[column] = max(said[column], plain)
    return said


def _linked(crowd: _Crowd) -> int:
    return crowd.present if crowd.whole else len(crowd.pinned)


@dataclass(frozen=True, slots=True)
class _Part:
    """A crowd, scored against the number of values of each column."""

    crowd: _Crowd
    sizes: Sequence[int]

    @classmethod
    def of(cls, crowd: _Crowd, sizes: Sequence[int]) -> "_Part":
        return cls(crowd, sizes)

    @property
    def users(self) -> int:
        return self.crowd.users

    @property
    def linked(self) -> int:
        return _linked(self.crowd)

    @property
    def cells_certain(self) -> int:
        return sum(self._certain(column) for column in range(len(self.sizes)))

    def _certain(self, column: int) -> int:
        if self.sizes[column] == 1:
            return self.users
        if column in self.crowd.whole:
            return self.crowd.whole[column]
        rows = [row[column] for row in self.crowd.pinned.values() if column in row]
        for seen in self.crowd.counted:
            if column in seen.columns and seen.people == self.users:
                rest = _single(seen, column)
                if not HIDDEN.isdisjoint(rest):
                    continue  # who agrees in hiding a value need not agree in the value
                rest.subtract(rows)
                if sum(people > 0 for people in rest.values()) <= 1:
                    return self.users
        return len(rows)

    def bits(self) -> tuple[float, bool]:
        """Bits received about this crowd, and whether all of them are counted."""
        total, exact = 0.0, True
        covered: set[int] = set()
        for seen in _disjoint(self.crowd.counted):
            bits, sound = self._joint(seen)
            total, exact = total + bits, exact and sound
            covered.update(seen.columns)
        for column in set(range(len(self.sizes))) - covered:
            pinned = sum(column in row for row in self.crowd.pinned.values())
            people = self.crowd.whole.get(column, pinned)
            total += people * log2(self.sizes[column])
        return total, exact and {seen.people for seen in self.crowd.counted} <= {self.users}

    def _joint(self, seen: "CountsSeen") -> tuple[float, bool]:
        """Bits of one joint with the people pinned in it; exact if they are pinned in all of it."""
        each = sum(log2(self.sizes[column]) for column in seen.columns)
        left, sure = _still_open(seen, self.sizes)
        if self.crowd.whole.keys() >= set(seen.columns):
            return seen.people * each - left, sure
        rest = Counter(dict(seen.counts))
        partly = not self.crowd.whole.keys().isdisjoint(seen.columns)
        for row in self.crowd.pinned.values():
            held = [column for column in seen.columns if column in row]
            cell = tuple(row[column] for column in held)
            if len(held) == len(seen.columns) and rest[cell] > 0:
                rest[cell] -= 1
            elif held:
                partly = True
        return seen.people * each - log2_multinomial(rest.values()) - left, sure and not partly


def _single(seen: "CountsSeen", column: int) -> Counter[str]:
    """The counts of one column of a joint."""
    place = seen.columns.index(column)
    counts: Counter[str] = Counter()
    for values, people in seen.counts.items():
        counts[values[place]] += people
    return counts


def _still_open(seen: "CountsSeen", sizes: Sequence[int]) -> tuple[float, bool]:
    """log2 of the values that people may have who hid them, and whether all are equally likely.

    Behind a mask is any value that it does not name. Behind a blank is any value, but those named
    are likelier, so that less is still open than this.
    """
    bits, sure = 0.0, True
    for rule in seen.hidden:
        if rule.column not in seen.columns:
            continue
        size = sizes[rule.column]
        single = _single(seen, rule.column)
        match rule:
            case Mask(said=said):
                bits += single[OTHER] * log2(max(size - len(said), 1))
            case Redact(values=values, cover=cover):
                bits += single[BLANK] * log2(size if cover else min(len(values), size))
                sure = sure and not (cover and single[BLANK])
    return bits, sure


def _disjoint(counted: Iterable["CountsSeen"]) -> list["CountsSeen"]:
    """The widest counts that share no column: a joint before the single columns it holds."""
    chosen: list[CountsSeen] = []
    for seen in sorted(counted, key=lambda one: (-len(one.columns), one.round)):
        if not any(set(seen.columns) & set(one.columns) for one in chosen):
            chosen.append(seen)
    return chosen


def log2_multinomial(counts: Iterable[int]) -> float:
    """log2 of n! / (c_1! c_2! ...), the number of ways to deal n labelled people into cells.

    Exact to about 1e-9 of n log n; 0.0 where there is one way.
    """
    held = sorted(count for count in counts if count > 0)  # the same digits in every order
    if len(held) < 2:
        return 0.0
    ways = lgamma(sum(held) + 1) - fsum(lgamma(count + 1) for count in held)
    return ways / log(2)


def minimal(coalitions: Mapping[tuple[str, ...], int]) -> list[tuple[str, ...]]:
    """The smallest coalitions that link anybody, given the people each coalition links."""
    breaking = [set(parties) for parties, linked in coalitions.items() if linked]
    return sorted(
        tuple(sorted(parties))
        for parties in breaking
        if not any(other < parties for other in breaking)
    )
