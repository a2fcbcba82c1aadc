"""The presenter of the ledger: scores on all releases about the same people.

The ledger is a file that lists earlier releases and the present release. Their privacy losses add
up. Besides, several releases can reveal, by subtraction, the counts of a small group of people.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ..text_blocks import Score

if TYPE_CHECKING:
    from ...scenarios.lab.ledger.account import Account, Spending, Subtraction


def scores(account: "Account") -> Iterator[Score]:
    """Yield the scores on a ledger: epsilon spent, and groups that releases reveal together."""
    yield "ledger: sessions", f"{account.sessions:,}", "of these people, this one included"
    yield "ledger: releases", f"{len(account.releases):,}", "about them"
    if account.spent is not None:
        yield from _spent(account.spent)
    union = account.union
    if union is not None:
        proven = "of all their columns together, from their cells: at least, at most"
        yield "exposed by all releases", f"{union.at_least:,} to {union.at_most:,}", proven
        if union.true is not None:
            crowd = f"in a crowd smaller than k = {union.k}"
            yield "", f"{union.true:,}", f"... in truth, of {union.people:,} people, {crowd}"
    yield from _subtractions(account)
    for line in account.warnings:
        yield "ledger warns", "1", line


def _spent(spent: "Spending") -> Iterator[Score]:
    """Yield scores on the privacy loss spent: of local reports, and after shuffling if known."""
    person_text = "whoever has spent most, this run included"
    meaning = f"nats over all runs, {_limit(spent.limit)}; {spent.adjacency}; {person_text}"
    yield "ledger: spent, local", f"{spent.most:.4g}", meaning
    mixed = spent.shuffled
    if mixed is None:
        return
    relied = "" if mixed.relied_on is None else f", {mixed.relied_on:,} people or more relied on"
    at = f"nats at delta = {mixed.delta:.3g}, {_limit(mixed.limit)}; {mixed.adjacency}"
    composed = f"{plural(mixed.runs, 'run')} composed{relied}"
    yield "ledger: spent, shuffled", f"{mixed.most:.4g}", f"{at}; {composed}"
    for local_runs in mixed.apart:
        runs = plural(local_runs.runs, "run")
        yield "", f"{local_runs.local:.4g}", f"... of it nats of {runs}, local: {local_runs.why}"


def _limit(limit: float | None) -> str:
    """Return the limit on the privacy loss as text. limit: in nats; None: no limit."""
    return "not limited" if limit is None else f"of {limit:g}"


def _subtractions(account: "Account") -> Iterator[Score]:
    """Yield scores on groups of people that follow from adding and subtracting releases.

    account: the figures on all sessions and releases in the ledger.
    """
    if not account.groups and (account.refused or len(account.releases) < 2):
        return
    give = "would have given" if account.refused else "give"
    new = f"groups of people that releases {give} by adding and subtracting, since this one"
    yield "ledger: groups", f"{account.groups:,}", new
    for group in account.subtractions:
        yield from _group(group)
    if (rest := account.groups - len(account.subtractions)) > 0:
        yield "", f"{rest:,}", "... more, less exposed"
    rest_of_sums = "combinations that count people twice or in part; they bound counts as well"
    yield "", "not examined", rest_of_sums


def _group(group: "Subtraction") -> Iterator[Score]:
    """Yield the scores on a group of people that releases reveal together, by subtraction.

    The scores: the exposed people of the group, and the bound that was promised to them.
    """
    releases_text = group.releases or "a release that only its analyst has read"
    yield "exposed of a group", _exposed(group), f"of {group.people:,} people: {releases_text}"
    promised = f"at most {percent(group.max_exposure)} in a crowd smaller than {group.k}"
    proved = "nothing" if group.at_most is None else f"at most {group.at_most:,} people"
    yield "", "promised", f"... {promised}; from their counts: {proved}"


def _exposed(group: "Subtraction") -> str:
    """Return the number of exposed people of a group as text, or that it is not known."""
    return "not known" if group.exposed is None else f"{group.exposed:,}"
