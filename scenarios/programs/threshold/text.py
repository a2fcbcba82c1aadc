"""Sentences and tables on rows that k people open."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....presentation.wording import Block, Grid, Line, percent, plural

if TYPE_CHECKING:
    from ....languages.language import Language
    from ....protocol.wire.announcement import AnnouncedPolicy
    from ....protocol.wire.messages import Counts
    from ....protocol.wire.schema import Schema
    from ...schema.model import Policy, Scenario
    from .estimates import Sampled
    from .score import OpenedRows

NOTE = (
    "who reads and `randomness` together can try every row and so open all; the reader alone sees "
    "how many people are in each group that it cannot open"
)


ASSUMED_PEOPLE = (
    10**6
)  # people whom a promise is about: the delta grows with their number, and no more


def unit_name(*, prefixes: bool) -> str:
    """Return the unit that is opened, in the plural."""
    return "rows, or else their first columns," if prefixes else "rows"


def _participant_loss(sampled: "Sampled") -> Iterator[tuple[str, str, str]]:
    """Yield score rows: the privacy loss of a participant for each view."""
    at = f"at epsilon = {sampled.epsilon:g}, {sampled.adjacency}"
    meaning = f"{at}; {sampled.replaced:.3g} against another row (replace one)"
    yield "delta, release", f"{sampled.removed:.3g}", meaning
    yield "delta, reader", f"{sampled.reader:.3g}", f"{at}; who counts closed groups"
    yield "delta, both", f"{sampled.tried:.3g}", f"{at}; reader and `randomness` together"


def promise(scenario: "Scenario") -> str:
    """Return the promise, in words."""
    policy = scenario.policy
    unit = "row or prefix of one" if policy.prefixes else "row"
    promised = (
        f"no {unit} is opened that fewer than k = {policy.k} people share, unless the reader and "
        f"`randomness` pool what they have{_closing(policy)}"
    )
    return promised if policy.sample is None else f"{promised}; {private(policy)}"


def _closing(policy: "Policy") -> str:
    """Return the countermeasure against knowledge by exclusion, as a clause."""
    if policy.sample is not None:
        return ""
    if policy.close == "none":
        return "; whose row stays closed is known to have none of those that open"
    return (
        "; further groups stay unpublished, so that nobody but the reader knows a smaller crowd by "
        "exclusion"
    )


def private(policy: "Policy") -> str:
    """Return the privacy guarantee of sampling, for any number of people."""
    from .estimates import losses

    epsilon, removed, replaced, reader, tried = losses(policy, ASSUMED_PEOPLE)
    return (
        f"at epsilon = {epsilon:g}, delta is {removed:.2g} for everybody who sees the release (a "
        f"person's row against none; {replaced:.2g} against another), {reader:.2g} for the reader, "
        f"who counts closed groups, and {tried:.2g} for both together"
    )


def steps(scenario: "Scenario", mixing: str) -> list[str]:
    """Return the steps of a session, a sentence each."""
    k = scenario.policy.k
    order = ", in the order of the features" if scenario.policy.prefixes else ""
    asking = (
        "Everybody asks `randomness`, which sees nothing of it, for a secret that only people with "
        "the same values get, and checks the proof that all were served with one key."
    )
    opening = (
        f"The analyst opens what {k} or more people share, drops shares that are junk, and "
        "publishes the counts. The rest stays closed. Nothing is decided from counts."
    )
    if scenario.policy.close == "published" and scenario.policy.sample is None:
        opening += (
            " Where people are known by having none of the open values, it keeps the smallest open "
            "groups to itself too: that hides them from everybody but the analyst."
        )
    if policy_rate := scenario.policy.sample:
        sealing = (
            f"With probability {policy_rate:g} a person seals its row and a share of its key with "
            f"it; else something that looks the same and fits no other. {k} shares open a row."
        )
        return [asking, sealing, mixing, opening]
    sealing = f"With it everybody seals its row and a share of its key{order}; {k} shares open it."
    return [asking, sealing, mixing, opening]


def excluded_rows(opened: "OpenedRows") -> Iterator[tuple[str, str, str]]:
    """Yield score rows on people with closed rows: known to all, and known to the reader."""
    if opened.sampled is not None:
        return
    if opened.withheld:
        meaning = "people whose rows opened for the reader, which did not publish them"
        yield "kept unpublished", f"{opened.withheld:,}", meaning
    cells = f"have none of the open values, so everybody knows; {opened.excluded_cells:,} cells"
    yield "known by exclusion", plural(opened.excluded, "person", "people"), cells
    if opened.reader_excluded > opened.excluded:
        meaning = "the reader, who sees the sizes of closed groups"
        yield "... to the reader", plural(opened.reader_excluded, "person", "people"), meaning


def excluded_on_stage(
    policy: "AnnouncedPolicy", schema: "Schema", release: "Counts", language: "Language"
) -> str:
    """Return the sentence on users known by exclusion to all readers of the release."""
    from ....protocol.rounds.exclusion import domains_of, excluded
    from ....protocol.rounds.opened_prefixes import by_prefixes, closes_further, sample_parts

    if sample_parts(policy.rule) is not None:
        return language.say("says-excluded-none")
    closed = closes_further(policy.rule)
    prefixes, domains = by_prefixes(policy.rule), domains_of(schema)
    exclusion = excluded(release, policy.k, domains, prefixes=prefixes, closed=closed)
    people_key, none = "says-excluded-people", "says-excluded-nobody"
    return language.say(
        "says-excluded",
        known=language.say(people_key, n=exclusion.people)
        if exclusion.people
        else language.say(none),
        k=policy.k,
        cells=language.say("says-excluded-cells", n=exclusion.cells) if exclusion.cells else "",
        more=language.say("says-excluded-more") if closed else "",
    )


def summary(opened: "OpenedRows | None") -> Iterator[Block]:
    """Yield the table: people by length of their open prefix; and the estimates."""
    if opened is None:
        return
    yield Line()
    people = sum(depth.people for depth in opened.depths)
    yield Grid(
        ("columns open", "people", "share"),
        [
            (str(depth.columns), f"{depth.people:,}", percent(depth.people / people))
            for depth in opened.depths
        ],
        (0, 1, 2),
    )
    if opened.sampled is not None and opened.sampled.estimates:
        yield Line()
        yield estimates(opened.sampled)


def estimates(sampled: "Sampled") -> Grid:
    """Return the table of people per open row, with sampling error and limits."""
    heading = "row", "took part", "people", "sampling error", "95 % limits"
    return Grid(
        heading,
        [
            (
                ", ".join(estimate.values),
                f"{estimate.seen:,}",
                f"{estimate.people:,.0f}",
                f"{estimate.error:,.0f}",
                f"{estimate.low:,} to {estimate.high:,}",
            )
            for estimate in sampled.estimates
        ],
        (1, 2, 3, 4),
    )


def scores(opened: "OpenedRows | None") -> Iterator[tuple[str, str, str]]:
    """Yield score rows: released cells, closed groups and the views on them."""
    if opened is None:
        return
    yield (
        "cells said",
        f"{opened.cells:,} of {opened.of:,}",
        f"{percent(opened.share)}; by {opened.k} each",
    )
    if opened.best is not None and opened.best.cells > opened.cells:
        best = ", ".join(opened.best.features)
        yield "... in the best order", f"{opened.best.cells:,}", f"{best}; only the table tells"
    if opened.sampled is not None:
        yield from _participant_loss(opened.sampled)
    if opened.prefixes:
        meaning = "people who share what is open of them with k, and that it ends there with fewer"
        yield "cut short", f"{opened.cut_short:,}", meaning
    if opened.closed and opened.sampled is not None:
        sizes = sum(size.groups for size in opened.closed if size.people > 1)
        yield (
            "closed",
            f"{opened.closed_people:,}",
            f"people, covers among them; {plural(sizes, 'group')} of two or more",
        )
    elif opened.closed:
        groups = sum(size.groups for size in opened.closed)
        meaning = f"in {plural(groups, 'group')} of which the reader sees the sizes"
        yield "closed", f"{opened.closed_people:,}", f"people {meaning}"
    yield from excluded_rows(opened)
    if opened.astray:
        meaning = "people who sent junk beyond what is open of them, and are in no group there"
        yield "astray", f"{opened.astray:,}", meaning
