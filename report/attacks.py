"""What went wrong on purpose, what stood against it, and what came of both."""

from collections.abc import Callable

from ..scenarios.model import Scenario
from ..scenarios.words import percent
from .facts import Facts
from .pieces import Block, Grid, Section, Words

GUARDS: tuple[tuple[str, Callable[[Scenario], bool], str], ...] = (
    ("padding", lambda s: s.mix.pad, "all submissions of a round are equally long"),
    ("salt", lambda s: s.mix.salt, "equal answers look different, and can be told apart"),
    ("sorted batches", lambda s: s.mix.order == "sorted", "a batch leaves in no order of people"),
    ("registered people", lambda s: s.defence.registered, "only people known beforehand may send"),
    ("receipts", lambda s: s.defence.receipts > 0, "people check that they were counted"),
)


def section(facts: Facts) -> Section | None:
    """The part of the page on faults; None where nobody was to do anything wrong."""
    scenario = facts.run.scenario
    refused = facts.result["refused"]
    alarms = facts.result.get("alarms") or ()
    if not scenario.fault and not refused and not alarms:
        return None
    blocks: list[Block] = []
    if scenario.fault:
        rows = [
            (
                one.attack,
                one.by or (f"{one.users:,} people" if one.users else ""),
                " ".join(
                    f"{key} {percent(value)}"
                    for key, value in (("share", one.share), ("rate", one.rate))
                    if value is not None
                )
                or "-",
                str(one.round) if one.round else "every",
            )
            for one in scenario.fault
        ]
        headings = ("attack", "by", "how often", "round")
        blocks.append(Grid("Faults of this scenario", headings, rows))
    rows_on = [(name, "on" if on(scenario) else "off", what) for name, on, what in GUARDS]
    rows_on.append(("minimum batch", str(scenario.mix.min_batch), "fewer people: the round burns"))
    blocks.append(Grid("Guards", ("guard", "state", "what it does"), rows_on))
    if refused:
        told = [(reason, f"{number:,}") for reason, number in refused.items()]
        blocks.append(Grid("Messages refused", ("reason", "messages"), told, (1,)))
    else:
        blocks.append(Words("No message was refused."))
    if alarms:
        keys = tuple(dict.fromkeys(key for one in alarms for key in one))
        told_alarms = [tuple(str(one.get(key, "")) for key in keys) for one in alarms]
        blocks.append(Grid("Alarms", keys, told_alarms))
    lead = "What was made to go wrong, the guards that were on, and what they refused or raised."
    return Section("attacks", "Attacks and defences", lead, tuple(blocks))
