"""The presenter of coalitions: the leakage to each of them as a table, as sentences and as numbers.

A coalition is a set of parties that pool their views. The table has at most 80 characters a line.
It has a row for each kind of coalition: dots for its members, numbers for its leakage:

    C A 1 2   of   linked  certain   bits ...
    ● · ○ ○    3        0        0   1.35      the curator, with 0 or 1 of 2 shufflers
    ● · ● ●    1       30       90   3.00      the curator and both shufflers

Coalitions of a kind have the same figures, and the same members apart from shufflers.
●: the party is in each coalition of the kind, ○: in some, ·: in none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...protocol.wire.parties import ANALYST, CURATOR, NETWORK, RANDOMNESS, Role, role
from ...scenarios.programs.topology import further_parties
from ..text_blocks import Grid, PageNumbers, Score
from .registry import presenter_of

if TYPE_CHECKING:
    from ...analysis.trust import Received
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.schema.model import Scenario

IN_EACH, IN_SOME, NONE = "●○·"
# With more shufflers than this, the table has one column with their number: not all of their
# subsets are tried as coalitions then.
MOST_COLUMNS = 6
PEOPLE = "P"
INITIALS = {CURATOR: "C", ANALYST: "A", NETWORK: "N", RANDOMNESS: "R"}
WORD = {"C": "curator", "A": "analyst", "N": "network", "R": "randomness", PEOPLE: "people"}
Key = tuple[object, ...]
PEOPLE_ROLES = (Role.USER, Role.PEER)
HEADINGS = ("linked", "certain", "bits", "guessed", "surest", "verdict")
BROKEN = "the trust assumption does not hold"
SECOND_ASSUMPTION = "see every row, not its sender: the second trust assumption does not hold"
LINKED = (
    "linked here: a report, which the person had randomized, is pinned on the person. It is no\n"
    "value, so nothing is certain; bits: what such reports tell of the values (mutual information)"
)
GUESSED = (
    "guessed: people whose whole row a best guess gets right, expected; surest: how sure it is\n"
    "of the row of the person it is surest of, and rightly; bits: learnt per person"
)
PERSONS = (
    "linked: people with all their ballots linked to them; bits: learnt per person, at least, if\n"
    "before any of it all tables of persons with up to so many different rows were equally likely"
)
PRIOR_TEXTS = {
    "uniform": "all tables of people and values equally likely",
    "marginals": "the share of every value is public, and people are independent",
}


@dataclass(frozen=True, slots=True)
class CoalitionKind:
    """Coalitions with equal leakage, and equal members apart from shufflers: one row of the table.

    Attributes:
        members: the parties of each coalition.
        received: the leakage to the first coalition; its figures are equal for all.
    """

    members: tuple[frozenset[str], ...]
    received: "Received"


def kinds(views: "Sequence[Received]") -> tuple[CoalitionKind, ...]:
    """Group coalitions with equal leakage, and equal members apart from shufflers.

    The groups are in the order of their first coalitions. views: the leakage to each coalition.
    """
    grouped: dict[Key, list[Received]] = {}
    for view in views:
        grouped.setdefault(_key(view), []).append(view)
    return tuple(
        CoalitionKind(tuple(frozenset(view.parties) for view in kind_views), kind_views[0])
        for kind_views in grouped.values()
    )


def _key(view: "Received") -> Key:
    """Return the key that groups coalitions: their members except shufflers, and their figures."""
    rest = tuple(party for party in view.parties if role(party) is not Role.SHUFFLER)
    return (rest, *figures(view))


def table(views: "Sequence[Received]") -> Grid:
    """Return the table of coalitions, with a row for all coalitions that have the same leakage.

    Coalitions in a row have the same members apart from shufflers. views: the leakage to each
    coalition.
    """
    rows_of = kinds(views)
    initials = _initials(views)
    rows = [
        (
            _dots(view, initials),
            f"{len(view.members):,}",
            *figures(view.received),
        )
        for view in rows_of
    ]
    return Grid((" ".join(initials), "of", *HEADINGS), rows, (1, 2, 3, 4, 5, 6))


def figures(view: "Received") -> tuple[str, ...]:
    """Return the figures of a coalition as texts, under `HEADINGS`.

    The figures: people linked to values, certain cells, bits of leakage per person, expected rows
    guessed, the largest probability of a true row, and the verdict.
    """
    mark = {"exact": "", "sampled": "~", "at least": ">=", "at most": "<="}[view.method]
    return (
        f"{view.linked:,}",
        f"{view.certain_are.mark.strip()}{view.cells_certain:,}",
        f"{view.bits_are.mark.strip()}{view.bits_per_person:.2f}",
        "-" if view.rows_guessed is None else f"{mark}{view.rows_guessed:,.1f}",
        "-" if view.worst_row is None else percent(view.worst_row.posterior),
        view.verdict,
    )


def _initials(views: "Sequence[Received]") -> tuple[str, ...]:
    """Return the headings of the member columns of the table: a letter or number for each party.

    First the readers (C curator, A analyst), then shufflers by number, then other parties.
    """
    parties = {party for view in views for party in view.parties}
    shufflers = sorted(_number(party) for party in parties if role(party) is Role.SHUFFLER)
    readers = [INITIALS[party] for party in (CURATOR, ANALYST) if party in parties]
    mix = (
        [str(shuffler) for shuffler in shufflers]
        if len(shufflers) <= MOST_COLUMNS
        else ["shufflers"]
    )
    other_initials = [INITIALS[party] for party in (RANDOMNESS, NETWORK) if party in parties]
    people = any(role(party) in PEOPLE_ROLES for party in parties)
    return (*readers, *mix, *other_initials, *([PEOPLE] if people else []))


def _number(shuffler: str) -> int:
    """Return the number of a shuffler, from its name such as `shuffler-2`."""
    return int(shuffler.rpartition("-")[2])


def _dots(kind: CoalitionKind, initials: Sequence[str]) -> str:
    """Return the dots that show which parties are members of the coalitions in a table row.

    A party's dot tells whether it is in each of these coalitions, in some, or not in any.

    kind: the coalitions in the row. initials: the headings of the columns of dots, such as C and 1.
    """
    return " ".join(_dot(kind, initial) for initial in initials)


def _dot(kind: CoalitionKind, initial: str) -> str:
    """Return the dot of a party in a table row: member of each coalition, of some, or not of any.

    Many shufflers share a column, which has the number of shufflers in a coalition, or its range.

    kind: the coalitions in the row. initial: the heading of the party's column.
    """
    if initial == "shufflers":
        counts = {
            sum(role(party) is Role.SHUFFLER for party in parties) for parties in kind.members
        }
        low, high = min(counts), max(counts)
        return (f"{low}" if low == high else f"{low} to {high}").rjust(len(initial))
    inside = {any(_initial(party) == initial for party in parties) for parties in kind.members}
    return IN_SOME if len(inside) == 2 else IN_EACH if True in inside else NONE


def _initial(party: str) -> str:
    """Return the heading of the table column in which a party has its dot: a letter or a number."""
    if role(party) in PEOPLE_ROLES:
        return PEOPLE
    return str(_number(party)) if role(party) is Role.SHUFFLER else INITIALS[party]


def key(views: "Sequence[Received]") -> Iterator[str]:
    """Yield lines that explain the dots, letters and columns of the table of coalitions."""
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
    """Return the success of guessing rows without any view, as text; "" if it is unknown.

    It has the expected number of rows guessed correctly, and the largest prior probability of a
    person's true row.
    """
    rows = {view.rows_guessed_before for view in views if view.rows_guessed_before is not None}
    sure = {view.worst_row.prior for view in views if view.worst_row is not None}
    texts = []
    if rows:
        texts.append(f"{_range(rows, lambda x: f'{x:,.1f}')} rows guessed")
    if sure:
        texts.append(f"{_range(sure, percent)} sure of the surest")
    return ", ".join(texts)


def _range(numbers: set[float], text: Callable[[float], str]) -> str:
    """Return the smallest and the largest number as text, or one text if the texts are equal.

    text: formats a number.
    """
    low, high = text(min(numbers)), text(max(numbers))
    return low if low == high else f"{low} to {high}"


def coalition_name(view: "Received") -> str:
    """Return the members of a coalition, joined by +, curator and analyst first.

    A coalition without members is named after the public board, which all people can read.
    """
    readers = (CURATOR, ANALYST)
    members = sorted(view.parties, key=lambda party: (party not in readers, party))
    return " + ".join(members) or "anybody (the board)"


def outsiders_linked(view: "Received") -> int:
    """Return the number of people that a coalition links to values, without its own members."""
    return max(0, view.linked - sum(role(party) in PEOPLE_ROLES for party in view.parties))


def smallest(coalitions: Sequence[tuple[str, ...]]) -> str:
    """Return a line with the minimal coalitions that link a person to a row.

    coalitions: the parties of each such coalition.
    """
    listed = "; ".join(" + ".join(parties) for parties in coalitions) or "none of those examined"
    return f"Minimal linking coalitions (honest-but-curious): {listed}"


def requested_lines(scenario: "Scenario", views: "Sequence[Received]") -> Iterator[str]:
    """Yield a line for each coalition that the scenario names: the number of people that it links.

    views: the leakage to each coalition.
    """
    by_parties = {frozenset(view.parties): view for view in views}
    for coalition in scenario.coalition:
        view = by_parties.get(frozenset(coalition.parties))
        if view is None:
            continue
        outsiders = outsiders_linked(view)
        outcome = f"links {plural(outsiders, 'person', 'people')}" if outsiders else "links nobody"
        if view.linked > outsiders:
            outcome += " besides its members" if outsiders else " else"
        yield f"{coalition.name} ({' + '.join(coalition.parties)}): {outcome}"


def notes(views: "Sequence[Received]", prior: str = "uniform") -> Iterator[str]:
    """Yield notes on the figures of coalitions: their meaning, and which of them are bounds.

    Also the success of guessing without any view. prior: name of the prior distribution of rows.
    """
    if any(view.reports for view in views):
        yield LINKED
        return
    # the numbers of guessed rows are computed only if each person has a single row
    if all(view.rows_guessed is None for view in views):
        yield PERSONS
        return
    yield GUESSED
    yield f"before any of it: {baseline_text(views)}: {PRIOR_TEXTS[prior]}"
    error = max((view.error for view in views if view.method == "sampled"), default=0.0)
    if error:
        yield f"~ sampled: the standard error of a probability is {percent(error)} at most"
    if any(view.method == "at least" for view in views):
        yield ">= at least: there were too many tables to look at all that the counts allow"
    if any(view.method == "at most" for view in views):
        yield "<= at most: it has a certificate, which the counts that it has not read say all of"
    if any(view.at_most and view.method != "at most" for view in views):
        yield "<= at most: the chance of covers, or of who left, is counted with what it hides"


def numbers(views: "Sequence[Received]") -> PageNumbers:
    """Return all figures of all coalitions, unrounded, for a CSV file."""
    headings = (
        *("coalition", "linked", "users", "cells_certain", "cells", "bits_per_person", "exact"),
        *("bits_are", "method", "rows_guessed", "rows_guessed_before", "cells_guessed"),
        *("cells_guessed_before", "worst_row", "worst_row_before"),
    )
    rows = [
        (
            *("+".join(view.parties), view.linked, view.users, view.cells_certain, view.cells),
            *(view.bits_per_person, view.exact, view.bits_are.value, view.method.value),
            *(view.rows_guessed, view.rows_guessed_before),
            *(view.cells_guessed, view.cells_guessed_before),
            *((view.worst_row.posterior, view.worst_row.prior) if view.worst_row else (None, None)),
        )
        for view in views
    ]
    return PageNumbers("coalitions", headings, rows)


def scores(outcome: "Outcome", *, deviated: bool) -> Iterator[Score]:
    """Yield a score for each important coalition: the number of people that it links to values.

    deviated: whether parties deviated from the protocol. Then only coalitions that link people have
    a score, because figures of honest-but-curious views prove no safety.
    """
    shufflers = [f"shuffler-{hop + 1}" for hop in range(outcome.scenario.mix.shufflers)]
    whole = {1: "the shuffler", 2: "both shufflers"}.get(
        len(shufflers), f"all {len(shufflers)} shufflers"
    )
    presenter = presenter_of(outcome.scenario)
    reader = presenter.reader
    curator = "reads nothing" if reader == ANALYST else "people linked to their values"
    # the number of people that all shufflers together link to values: above 0 in a verified mix if
    # the answers of a round are public
    open_list = outcome.coalition(*shufflers).linked
    linked_unit = "answer" if outcome.scenario.policy.publish_marginals else "released row"
    s = "s" if len(shufflers) == 1 else ""
    mixers = (
        f"know{s} whose each {linked_unit} is" if open_list else f"see{s} senders, not contents"
    )
    rows = [
        ("linked by the curator", ["curator"], curator),
        ("linked by the analyst", ["analyst"], f"sees {presenter.reads}"),
        (f"linked by {whole}", shufflers, mixers),
        (f"linked by {reader} and {whole.removeprefix('both ')}", [reader, *shufflers], BROKEN),
    ]
    if RANDOMNESS in further_parties(outcome.scenario):
        # A run with the party `randomness` assumes, too, that this party and the reader do not pool
        # their views. Together they can read the values that must stay closed, but not link them to
        # people.
        both = [reader, RANDOMNESS]
        rows.append(("linked by analyst and randomness", both, SECOND_ASSUMPTION))
    for label, members, meaning in rows:
        coalition = outcome.coalition(*members)
        if deviated and not coalition.linked:
            continue
        yield label, f"{coalition.linked:,} of {coalition.users:,}", meaning
