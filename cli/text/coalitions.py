"""Coalitions in 80 columns: a row for each kind, with dots for members and numbers for knowledge.

    C A 1 2   of   linked  certain   bits ...
    ● · ○ ○    3        0        0   1.35      the curator, with 0 or 1 of 2 shufflers
    ● · ● ●    1       30       90   3.00      the curator and both shufflers

A kind: coalitions with the same readers, the same people and the network in or out alike, that
differ in their shufflers only, and have the same figures. ●: the party is in each coalition
of the kind, ○: in some, ·: in none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...protocol.wire.parties import ANALYST, CURATOR, NETWORK, RANDOMNESS, Role, role
from .layout import Grid, percent, plural

if TYPE_CHECKING:
    from ...analysis.trust import Received

IN_EACH, IN_SOME, NONE = "●○·"
MOST_COLUMNS = 6  # shufflers with a column each (of more not all subsets are tried): counted
PEOPLE = "P"
INITIALS = {CURATOR: "C", ANALYST: "A", NETWORK: "N", RANDOMNESS: "R"}
WORD = {"C": "curator", "A": "analyst", "N": "network", "R": "randomness", PEOPLE: "people"}
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class CoalitionKind:
    """Coalitions with the same knowledge.

    Attributes:
        members: the parties of each coalition.
        received: the knowledge of the first coalition, which stands for all.
    """

    members: tuple[frozenset[str], ...]
    received: "Received"


def kinds(views: "Sequence[Received]") -> tuple[CoalitionKind, ...]:
    """Group coalitions, in the order in which the first of each kind comes."""
    grouped: dict[Key, list[Received]] = {}
    for view in views:
        grouped.setdefault(_key(view), []).append(view)
    return tuple(
        CoalitionKind(tuple(frozenset(view.parties) for view in kind_views), kind_views[0])
        for kind_views in grouped.values()
    )


def _key(view: "Received") -> Key:
    """Return the common data of a kind: its parties but shufflers, and its figures."""
    rest = tuple(party for party in view.parties if role(party) is not Role.SHUFFLER)
    return (rest, view.linked, view.cells_certain, *_numbers(view))


def table(views: "Sequence[Received]") -> Grid:
    """A row for each kind of coalition, of at most 80 columns."""
    rows_of = kinds(views)
    initials = _initials(views)
    rows = [
        (
            _dots(view, initials),
            f"{len(view.members):,}",
            f"{view.received.linked:,}",
            f"{view.received.certain_are.mark.strip()}{view.received.cells_certain:,}",
            *_numbers(view.received),
        )
        for view in rows_of
    ]
    headings = (
        *(" ".join(initials), "of", "linked", "certain"),
        *("bits", "guessed", "surest", "verdict"),
    )
    return Grid(headings, rows, (1, 2, 3, 4, 5, 6))


def _numbers(view: "Received") -> tuple[str, str, str, str]:
    """Return bits a person, rows guessed, highest posterior and verdict, as text."""
    mark = {"exact": "", "sampled": "~", "at least": ">=", "at most": "<="}[view.method]
    return (
        f"{view.bits_are.mark.strip()}{view.bits_per_person:.2f}",
        "-" if view.rows_guessed is None else f"{mark}{view.rows_guessed:,.1f}",
        "-" if view.worst_row is None else percent(view.worst_row.posterior),
        view.verdict,
    )


def _initials(views: "Sequence[Received]") -> tuple[str, ...]:
    """Return the columns of dots: readers, shufflers by number, and other parties of coalitions."""
    parties = {party for view in views for party in view.parties}
    shufflers = sorted(_number(party) for party in parties if role(party) is Role.SHUFFLER)
    readers = [INITIALS[party] for party in (CURATOR, ANALYST) if party in parties]
    mix = (
        [str(shuffler) for shuffler in shufflers]
        if len(shufflers) <= MOST_COLUMNS
        else ["shufflers"]
    )
    other_initials = [INITIALS[party] for party in (RANDOMNESS, NETWORK) if party in parties]
    people = any(role(party) in (Role.USER, Role.PEER) for party in parties)
    return (*readers, *mix, *other_initials, *([PEOPLE] if people else []))


def _number(shuffler: str) -> int:
    return int(shuffler.rpartition("-")[2])


def _dots(kind: CoalitionKind, initials: Sequence[str]) -> str:
    return " ".join(_dot(kind, initial) for initial in initials)


def _dot(kind: CoalitionKind, initial: str) -> str:
    """Return the dot of a party in a kind; for many shufflers their number, or its range."""
    if initial == "shufflers":
        counts = {
            sum(role(party) is Role.SHUFFLER for party in parties) for parties in kind.members
        }
        low, high = min(counts), max(counts)
        return (f"{low}" if low == high else f"{low} to {high}").rjust(len(initial))
    inside = {any(_initial(party) == initial for party in parties) for parties in kind.members}
    return IN_SOME if len(inside) == 2 else IN_EACH if True in inside else NONE


def _initial(party: str) -> str:
    if role(party) in (Role.USER, Role.PEER):
        return PEOPLE
    return str(_number(party)) if role(party) is Role.SHUFFLER else INITIALS[party]


def key(views: "Sequence[Received]") -> Iterator[str]:
    """Yield the lines that explain dots, letters and columns."""
    view = views[0]
    initials = _initials(views)
    words = [f"{initial} {WORD[initial]}" for initial in initials if initial in WORD]
    numbers = [initial for initial in initials if initial.isdecimal()]
    if numbers:
        last = "" if len(numbers) == 1 else f" to {numbers[-1]}"
        position = sum(initial in "CA" for initial in initials)
        words.insert(position, f"{numbers[0]}{last} shufflers")
    yield (
        f"{IN_EACH} in each coalition of the row, {IN_SOME} in some, {NONE} in none; "
        f"{', '.join(words)}"
    )
    people = plural(view.users, "person", "people")
    yield f"of: coalitions in the row; linked: of {people}; certain: of {view.cells:,} cells"


def baseline_text(views: "Sequence[Received]") -> str:
    """Return the baselines without a view, as text: rows guessed, highest prior; "" if unknown."""
    rows = {view.rows_guessed_before for view in views if view.rows_guessed_before is not None}
    sure = {view.worst_row.prior for view in views if view.worst_row is not None}
    texts = []
    if rows:
        texts.append(f"{_range(rows, lambda x: f'{x:,.1f}')} rows guessed")
    if sure:
        texts.append(f"{_range(sure, percent)} sure of the surest")
    return ", ".join(texts)


def _range(numbers: set[float], text: Callable[[float], str]) -> str:
    low, high = text(min(numbers)), text(max(numbers))
    return low if low == high else f"{low} to {high}"
