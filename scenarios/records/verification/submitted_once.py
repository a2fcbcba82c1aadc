"""Sentences on a run with a single submission for both rounds: its guarantee and privacy cost."""

from typing import TYPE_CHECKING

from ....number_text import plural

if TYPE_CHECKING:
    from ...lab.scoring.result import Result
    from ...schema.model import Scenario


def announced_price(scenario: "Scenario") -> str:
    """Return a sentence, before a run, on the privacy cost of submitting once for both rounds.

    Empty if users submit in each round.
    """
    if scenario.mix.submit != "once":
        return ""
    return (
        f'with mix.submit = "once" {plural(scenario.mix.shufflers, "shuffler")} and the analyst '
        "together could read each column of each user, also columns that are not released; users "
        "cannot stop after the decision (docs/verified.md)"
    )


def price(scenario: "Scenario", result: "Result") -> str:
    """Return a sentence, after a run, on the guarantee and the privacy cost of submitting once.

    The sentence names the unreleased columns, which all shufflers and the analyst together could
    open. Empty if users submit in each round.
    """
    if scenario.mix.submit != "once":
        return ""
    users = max((sum(counts.values()) for counts in result.marginals.values()), default=0)
    decided = result.decision
    unreleased = decided.suppressed if decided and result.release else result.features
    columns = ", ".join(unreleased)
    also = f"could read of each user also {columns}, not released" if columns else ""
    mixed = "round 2 mixed the same ballots" if result.release else "no release was opened"
    return (
        f'with mix.submit = "once" {plural(users, "user")} submitted once, and {mixed}: no user '
        f"was missing between the rounds. Price: {plural(scenario.mix.shufflers, 'shuffler')} and "
        f"the analyst together {also or 'could read each user, but all columns are released'}; "
        "users could not stop after the decision (docs/verified.md)"
    )
