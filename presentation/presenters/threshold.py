"""The presenter of the program `threshold`: a row opens only if at least k people submit that row.

People encrypt their rows. The reader (the analyst) can decrypt a row, or its first columns, only if
k people submit the same. Other groups of equal rows stay closed: the reader sees their sizes alone.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...number_text import percent, plural
from ...scenarios.programs.threshold.score import OpenedRows
from ..blocks import Block, Section
from ..text_blocks import Grid, Line, Score, score_grid
from .presenter import OneRoundPresenter

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...protocol.wire.announcement import AnnouncedPolicy
    from ...protocol.wire.messages import Call, Counts, Decision
    from ...protocol.wire.schema import Schema
    from ...scenarios.programs.evidence import Claims
    from ...scenarios.programs.threshold.estimates import Sampled
    from ...scenarios.schema.model import Policy, Scenario

NOTE = (
    "who reads and `randomness` together can try every row and so open all; the reader alone sees "
    "how many people are in each group that it cannot open"
)
ASKING = (
    "Everybody asks `randomness`, which sees nothing of it, for a secret that only people with "
    "the same values get, and checks the proof that all were served with one key."
)
# number of people for which the guarantee is stated; delta grows at most in proportion to it
ASSUMED_PEOPLE = 10**6


class ThresholdPresenter(OneRoundPresenter):
    """The texts on the program `threshold`: a row opens only if k people submit the same row.

    Exclusion is the remaining risk: a person without an opened row has a value other than the
    opened values. If that reveals a class of fewer than k people, they are exposed.
    """

    reads = "what k people share"
    exposed = "people with an open value that fewer than k share, or in a small crowd by exclusion"
    bound = "values shared by fewer than k stay closed; people known by exclusion are counted"

    def decision(self, scenario: "Scenario", reader: str, limit: str) -> str:  # noqa: ARG002
        """Return the program's promise, since no party decides on a release.

        reader: the party that reads the answers. limit: the limit of exposure; both are not used.
        """
        return self.promise(scenario)

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:  # noqa: ARG002
        """Return the steps of a session, a sentence each.

        mixing: the sentence on shufflers, which most programs share.
        """
        policy, k = scenario.policy, scenario.policy.k
        opening = (
            f"The analyst opens what {k} or more people share, drops shares that are junk, and "
            "publishes the counts. The rest stays closed. Nothing is decided from counts."
        )
        if rate := policy.sample:
            sealing = (
                f"With probability {rate:g} a person seals its row and a share of its key with "
                f"it; else something that looks the same and fits no other. {k} shares open a row."
            )
            return [ASKING, sealing, mixing, opening]
        if policy.close == "published":
            opening += (
                " Where people are known by having none of the open values, it keeps the smallest "
                "open groups to itself too: that hides them from everybody but the analyst."
            )
        order = ", in the order of the features" if policy.prefixes else ""
        sealing = (
            f"With it everybody seals its row and a share of its key{order}; {k} shares open it."
        )
        return [ASKING, sealing, mixing, opening]

    def decides(self, policy: "Policy") -> str:
        """Return the condition for opening a row, as a clause: at least k people share the row."""
        unit = "rows, or else their first columns," if policy.prefixes else "rows"
        if policy.sample is not None:
            unit += f" of people who take part with probability {policy.sample:g}"
        return f"{unit} that {plural(policy.k, 'person', 'people')} or more share are opened"

    def promise(self, scenario: "Scenario") -> str:
        """Return the privacy promise: no row that fewer than k people share is decrypted.

        The promise holds unless the analyst and the party `randomness`, which helps people to
        encrypt rows, pool their data. Further clauses depend on the policy: on random sampling of
        people, or on people with closed rows, known to have no opened row.
        """
        policy = scenario.policy
        unit = "row or prefix of one" if policy.prefixes else "row"
        promised = (
            f"no {unit} is opened that fewer than k = {policy.k} people share, unless the reader "
            "and `randomness` pool what they have"
        )
        if policy.sample is not None:
            return f"{promised}; {_sampling_promise(policy)}"
        if policy.close == "none":
            return f"{promised}; whose row stays closed is known to have none of those that open"
        return (
            f"{promised}; further groups stay unpublished, so that nobody but the reader knows a "
            "smaller crowd by exclusion"
        )

    def summary(self, outcome: Any) -> Iterator[Block]:
        """Yield the table of people by the number of their opened columns, and estimates of counts.

        In a row, the first columns that at least k people share are opened; the rest stays
        encrypted. Estimates exist only if people take part at random.
        """
        opened: OpenedRows | None = outcome.findings
        if opened is None:
            return
        yield from (Line(), _depths(opened))
        if opened.sampled is not None and opened.sampled.estimates:
            yield from (Line(), _estimates(opened.sampled))

    def scores(self, outcome: Any) -> Iterator[Score]:
        """Yield scores: opened values, and people in groups with rows that stay encrypted."""
        if outcome.findings is not None:
            yield from _scores(outcome.findings)

    def remark(self) -> str:
        """Return the trust assumption: the analyst and the party `randomness` do not collude."""
        return NOTE

    def section(self, scenario: "Scenario", result: "Claims") -> Iterator[Section]:  # noqa: ARG002
        """Yield the section of a page on the rows that opened, and the groups that stayed closed.

        A group is the people with the same row. It opens if it has at least k people.
        """
        opened = result.findings
        if not isinstance(opened, OpenedRows):
            return
        sampled = opened.sampled
        lead = (
            f"A group opens when {opened.k} people send the same. The reader sees the sizes of the "
            "groups that stayed closed, and what they hold only together with `randomness`."
        )
        if sampled:
            lead = (
                f"Each person took part with probability {sampled.rate:.4g}; the others sent a "
                f"message that opens for nobody. A row opens when {opened.k} who took part send "
                f"it: {sampled.rows:,} did."
            )
        closed = [(f"{size.people:,}", f"{size.groups:,}") for size in opened.closed]
        grids = (
            score_grid(_scores(opened), "What was said, and what stayed closed"),
            *((_estimates(sampled),) if sampled else ()),
            _depths(opened),
            Grid(("people in it", "groups"), closed, (0, 1), "Groups that stayed closed"),
        )
        yield Section("opened", "What was opened", lead, grids)

    def stage_rule(self, policy: "Policy", language: "Language") -> str:  # noqa: ARG002
        """Return the caption on the rule: rows open if k people share them, and no party decides.

        It also names the two trust assumptions. The caption is for the theatre, the animated stage
        of a run.
        """
        return language.say("says-rule-opening")

    def stage_announcement(self, policy: "AnnouncedPolicy", language: "Language") -> str:
        """Return the condition for opening a row, as a clause with k and the sampling rate."""
        from ...protocol.rounds.opened_prefixes import PARTS, sample_parts

        if parts := sample_parts(policy.rule):
            probability = f"{parts / PARTS:.3g}".replace(".", language.decimal)
            return language.say("says-opening-sampled", probability=probability, k=policy.k)
        return language.say("says-opening", k=policy.k)

    def stage_hiding(self, call: "Call", language: "Language") -> str:  # noqa: ARG002
        """Return a clause: a row is encrypted, and opens only if k people submit the same row."""
        return language.say("says-hiding-rows")

    def stage_decision(
        self,
        decision: "Decision",
        columns: Sequence[str],  # noqa: ARG002
        reader: str,  # noqa: ARG002
        language: "Language",
    ) -> str:
        """Return a sentence: no party decides on a release; k equal rows simply open."""
        return language.say("says-opening-decided", k=decision.certificate.k)

    def stage_release(
        self, policy: "AnnouncedPolicy", schema: "Schema", release: "Counts", language: "Language"
    ) -> str:
        """Return a sentence on people that all readers of a release know by exclusion.

        These people have no opened row, so their rows are among the closed rows. The people are
        exposed if this reveals a class of fewer than k people.
        """
        from ...protocol.rounds.exclusion import domains_of, excluded
        from ...protocol.rounds.opened_prefixes import by_prefixes, closes_further, sample_parts

        say = language.say
        if sample_parts(policy.rule) is not None:
            return say("says-excluded-none")
        closed, prefixes = closes_further(policy.rule), by_prefixes(policy.rule)
        exclusion = excluded(
            release, policy.k, domains_of(schema), prefixes=prefixes, closed=closed
        )
        people, cells = exclusion.people, exclusion.cells
        return say(
            "says-excluded",
            known=say("says-excluded-people", n=people) if people else say("says-excluded-nobody"),
            k=policy.k,
            cells=say("says-excluded-cells", n=cells) if cells else "",
            more=say("says-excluded-more") if closed else "",
        )


def _sampling_promise(policy: "Policy") -> str:
    """Return the privacy guarantee if people take part at random: epsilon, and deltas.

    There is a delta for each observer: readers of the release, the analyst, and the analyst with
    the party `randomness`. The guarantee is stated for `ASSUMED_PEOPLE` people.
    """
    from ...scenarios.programs.threshold.estimates import losses

    epsilon, removed, replaced, reader, tried = losses(policy, ASSUMED_PEOPLE)
    return (
        f"at epsilon = {epsilon:g}, delta is {removed:.2g} for everybody who sees the release (a "
        f"person's row against none; {replaced:.2g} against another), {reader:.2g} for the reader, "
        f"who counts closed groups, and {tried:.2g} for both together"
    )


def _depths(opened: OpenedRows) -> Grid:
    """Return the table of people by the number of their opened columns.

    With the option `prefixes` a column of a row opens if at least k people share its value and all
    values before it. Without the option all columns of a row open, or all stay closed.
    """
    people = sum(depth.people for depth in opened.depths)
    rows = [
        (str(depth.columns), f"{depth.people:,}", percent(depth.people / people))
        for depth in opened.depths
    ]
    return Grid(("columns open", "people", "share"), rows, (0, 1, 2), "People by open columns")


def _estimates(sampled: "Sampled") -> Grid:
    """Return the table of the estimated number of people with each opened row.

    People take part at random, so a count is scaled up, with a sampling error and 95 % limits.
    """
    rows = [
        (
            ", ".join(estimate.values),
            f"{estimate.seen:,}",
            f"{estimate.people:,.0f}",
            f"{estimate.error:,.0f}",
            f"{estimate.low:,} to {estimate.high:,}",
        )
        for estimate in sampled.estimates
    ]
    headings = "row", "took part", "people", "sampling error", "95 % limits"
    return Grid(headings, rows, (1, 2, 3, 4), "How many people have a row")


def _scores(opened: OpenedRows) -> Iterator[Score]:
    """Yield scores of the program `threshold`, in which a row opens only if k people share it.

    The scores: opened values, guarantees if people take part at random, and people in groups that
    stayed closed.
    """
    cells = f"{opened.cells:,} of {opened.of:,}"
    yield "cells said", cells, f"{percent(opened.share)}; by {opened.k} each"
    if opened.best is not None and opened.best.cells > opened.cells:
        best = ", ".join(opened.best.features)
        yield "... in the best order", f"{opened.best.cells:,}", f"{best}; only the table tells"
    if sampled := opened.sampled:
        at = f"at epsilon = {sampled.epsilon:g}, {sampled.adjacency}"
        meaning = f"{at}; {sampled.replaced:.3g} against another row (replace one)"
        yield "delta, release", f"{sampled.removed:.3g}", meaning
        yield "delta, reader", f"{sampled.reader:.3g}", f"{at}; who counts closed groups"
        yield "delta, both", f"{sampled.tried:.3g}", f"{at}; reader and `randomness` together"
    if opened.prefixes:
        meaning = "people who share what is open of them with k, and that it ends there with fewer"
        yield "cut short", f"{opened.cut_short:,}", meaning
    if opened.closed and sampled is not None:
        groups = plural(sum(size.groups for size in opened.closed if size.people > 1), "group")
        meaning = f"people, covers among them; {groups} of two or more"
        yield "closed", f"{opened.closed_people:,}", meaning
    elif opened.closed:
        groups = plural(sum(size.groups for size in opened.closed), "group")
        meaning = f"people in {groups} of which the reader sees the sizes"
        yield "closed", f"{opened.closed_people:,}", meaning
    yield from _excluded(opened)
    if opened.astray:
        meaning = "people who sent junk beyond what is open of them, and are in no group there"
        yield "astray", f"{opened.astray:,}", meaning


def _excluded(opened: OpenedRows) -> Iterator[Score]:
    """Yield scores on people without an opened row, known by exclusion: they have no opened value.

    First the people with rows that opened for the reader, and that the reader did not publish. Then
    people known by exclusion to all readers of the release. Last, people known by exclusion to the
    reader of the ballots, which also sees the sizes of closed groups.
    """
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
