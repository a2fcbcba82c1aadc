"""What went wrong on purpose, what stood against it, and what came of both."""

from collections.abc import Callable, Iterator

from msgspec.structs import asdict

from ..scenarios.schema.model import Scenario
from ..scenarios.wording import percent
from .facts import Facts
from .pieces import Block, Grid, Section, Words

GUARDS: tuple[tuple[str, Callable[[Scenario], object], str], ...] = (
    ("padding", lambda s: s.mix.pad, "all submissions of a round are equally long"),
    ("salt", lambda s: s.mix.salt, "equal answers look different, and can be told apart"),
    ("sorted batches", lambda s: s.mix.order == "sorted", "a batch leaves in no order of people"),
    ("minimum batch", lambda s: s.mix.min_batch, "people without whom a round burns"),
)
MEANS = {
    "receipts": "share of people who check that they were counted",
    "registered": "only people known beforehand may send",
    "min_dropout": "people who must have left, if any did, for a second round to be released",
    "balance": "totals and accounts on the board are added up",
    "recompute": "the analyst decides again from published marginals",
    "compare": "people compare what they were told with the board",
    "burn": "a session is not run again on the same people less a few",
    "union": "nor for other columns",
    "promise": "nothing is released of which the promise cannot be proved again",
    "bind": "a layer opens in one session, round and hop",
    "dedupe": "repeats are dropped",
    "unbundle": "the first shuffler takes a person's answers apart",
    "fresh_salt": "a salt for every answer",
    "fresh_key": "a key for every answer",
}


def section(facts: Facts) -> Section | None:
    """The part of the page on faults; None where nobody was to do anything wrong."""
    scenario = facts.run.scenario
    refused = facts.result["refused"]
    alarms, achieved = facts.alarms, facts.result.get("attacks") or ()
    if not scenario.fault and not refused and not alarms and not achieved:
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
    if achieved:
        told_achieved = [
            (
                one["attack"],
                " + ".join(one["parties"]),
                f"{one['value']:g} of {one['of']:g}",
                one["unit"],
            )
            for one in achieved
        ]
        headings = ("attack", "by", "achieved", "unit")
        blocks.append(Grid("What each attack achieved", headings, told_achieved, (2,)))
    blocks.append(Grid("Guards", ("guard", "state", "what it does"), list(_guards(scenario))))
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


def _guards(scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    for name, state, what in GUARDS:
        yield name, _state(state(scenario)), what
    for name, value in asdict(scenario.defence).items():
        yield name.replace("_", " "), _state(value), MEANS.get(name, "")


def _state(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return percent(value)
    return str(value)
