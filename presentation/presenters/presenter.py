"""The presenter of programs with a deciding curator; every other presenter inherits from it.

A presenter has the texts on a release program. Its members, by where the texts appear:

nouns              `member`, `unit`
before a session   `steps`, `largest`, `describe`, `promise`, `advice`
terminal           `decision`, `summary`, `explained`, `scores`, `remark`
page               `answers`, `section`
captions           `stage_rule`, `stage_announcement`, `stage_hiding`, `stage_decision`,
                   `stage_release`, in the language of the theatre (the animated stage of a run)
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ...number_text import percent, plural
from ...protocol.wire import parties
from ...scenarios.programs.curated.program import resolved_policy
from ...scenarios.programs.curated.rule_names import PERSONS
from .. import decision_captions as stage

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...protocol.wire.announcement import AnnouncedPolicy
    from ...protocol.wire.messages import Call, Counts, Decision
    from ...protocol.wire.schema import Schema
    from ...scenarios.populations import Population
    from ...scenarios.programs.evidence import Claims
    from ...scenarios.schema.model import Policy, Scenario
    from ..blocks import Block, Section, VerdictAnswer
    from ..text_blocks import Score


COUNTING = "The curator counts each feature by itself"
COUNTING_PERSONS = "The curator counts the persons with each value of each feature"
RELEASE_OF_ROUND_1 = (
    "Nobody is asked again: the analyst checks all ballots of round 1, every shuffler posts their "
    "kept features in rows, re-encrypted and in another order, with a proof; the analyst counts "
    "and publishes."
)


class Presenter:
    """The texts on a program in which the curator chooses the columns of the release.

    Attributes:
        member: the noun for a person, singular and plural.
        unit: the noun for the subject of an answer.
        largest: the assumed size of later rounds, in a sentence; None without later rounds, or if
            their columns are known before the session.
        reader: the party that reads round 1, curator or analyst.
        reads: the data that the analyst reads, as a noun.
        exposed: the people that count as exposed, as a noun; {k} stands for k.
        bound: the grounds of the certified bound, in a clause; empty if it is proved from counts.
        unsearched: the reason why the worst case is not searched, in a clause; empty if it is.
        attack_lead: the introduction of the section on re-identification; empty: the usual text.
        stage_key: the key of the sentence on the rule, in the language files of the theatre.
    """

    member = ("person", "people")
    unit = "feature"
    largest: str | None = "round 2 at its largest: as if every column were kept"
    reader = parties.CURATOR
    reads = "the release"
    exposed = "people in a released crowd smaller than k = {k}"
    bound = ""
    unsearched = ""
    attack_lead = ""
    stage_key = ""

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each.

        answering, mixing: the sentences on users and on shufflers, which all programs share.
        """
        counting, policy = COUNTING, resolved_policy(scenario)
        if scenario.population.rows is not None:
            counting, policy = COUNTING_PERSONS, replace(scenario.policy, rule=PERSONS)
        decides = f"{counting} and decides: {self.decides(policy)}."
        return [answering, mixing, decides, last_round_sentence(scenario)]

    def decides(self, policy: "Policy") -> str:
        """Return the choice of columns by the curator, as a clause."""
        return f"it keeps the most features that it can promise for, by the rule {policy.rule}"

    def describe(self, people: "Population") -> list[str]:
        """Return a line for each feature, with its number of values."""
        return [
            f"{feature.name}: {plural(len(texts), 'value')}"
            + ("" if feature.values is not None else f", open: up to {feature.width} bytes")
            for feature, texts in zip(people.schema.features, people.values, strict=True)
        ]

    def promise(self, scenario: "Scenario") -> str:
        """Return the privacy guarantee of the release program, as a clause."""
        return exposure_promise(scenario)

    def advice(self, scenario: "Scenario", people: "Population") -> Iterator[str]:  # noqa: ARG002
        """Yield lines for the author of a scenario, on options that lower the error."""
        yield from ()

    def decision(self, scenario: "Scenario", reader: str, limit: str) -> str:  # noqa: ARG002
        """Return the line on the rule of a decision, printed above the considered sets of columns.

        reader: the deciding party. limit: a clause on the largest exposure of a release.
        """
        return f"{reader}: releases columns if {limit}"

    def summary(self, outcome: Any) -> "Iterator[Block]":  # noqa: ARG002
        """Yield the findings of this program alone, printed after round 1 of a run."""
        yield from ()

    def explained(self, outcome: Any) -> Iterator[str]:  # noqa: ARG002
        """Yield lines of this program, printed below the table of considered column sets."""
        yield from ()

    def scores(self, outcome: Any) -> "Iterator[Score]":  # noqa: ARG002
        """Yield the scores of this program alone, for the table of scores of a run."""
        yield from ()

    def remark(self) -> str:
        """Return a remark on reading the figures of a run; empty if not needed."""
        return ""

    def answers(self, result: "Claims") -> "tuple[VerdictAnswer, ...]":  # noqa: ARG002
        """Return this program's answers for the head of a page, on the release and on exposure.

        (): the usual answers are shown, which follow from the released columns and equivalence
        classes.
        """
        return ()

    def section(self, scenario: "Scenario", result: "Claims") -> "Iterator[Section]":  # noqa: ARG002
        """Yield the sections of this program alone, for the page of a run."""
        yield from ()

    def stage_rule(self, policy: "Policy", language: "Language") -> str:
        """Return the rule of the decision as a caption of the theatre, the animated run.

        It is the sentence with the key `stage_key` of the language, or else `decides` in English.
        """
        if self.stage_key:
            return language.say(self.stage_key, rule=policy.rule)
        decides = self.decides(policy)
        return f"{decides[0].upper()}{decides[1:]}."

    def stage_announcement(self, policy: "AnnouncedPolicy", language: "Language") -> str:
        """Return the promise in the announcement, as a clause for the theatre (an animated run)."""
        return stage.limit(policy, language)

    def stage_hiding(self, call: "Call", language: "Language") -> str:  # noqa: ARG002
        """Return a clause on values that users suppress or mask in an answer; may be empty.

        call: the query of a round.
        """
        return ""

    def stage_decision(
        self, decision: "Decision", columns: Sequence[str], reader: str, language: "Language"
    ) -> str:
        """Return a sentence on a decision: released and suppressed columns, and the bound.

        columns: the names of all columns. reader: `curator`, or the name for all peers together.
        """
        return stage.released(decision, columns, reader, language)

    def stage_release(
        self,
        policy: "AnnouncedPolicy",  # noqa: ARG002
        schema: "Schema",  # noqa: ARG002
        release: "Counts",  # noqa: ARG002
        language: "Language",  # noqa: ARG002
    ) -> str:
        """Return a sentence on users without a value in the release; "" if all have values."""
        return ""


class OneRoundPresenter(Presenter):
    """The texts on a program with a single query, read by the analyst; no curator decides."""

    largest = None
    reader = parties.ANALYST


def last_round_sentence(scenario: "Scenario") -> str:
    """Return a sentence on the last round: which people answer, and how the release is made."""
    if scenario.mix.submit == "once":
        return RELEASE_OF_ROUND_1
    fixed = scenario.population.setting == "fixed"
    respondents = (
        "The same people answer once more" if fixed else "Other people of the same kind answer"
    )
    return f"{respondents}, the kept features together; the analyst counts and publishes."


def exposure_promise(scenario: "Scenario", confidence: str = "") -> str:
    """Return the promise of a program as a clause: a limit on the share of exposed people.

    confidence: a clause on the probability that it fails; may be empty.
    """
    policy = scenario.policy
    if scenario.population.rows is not None:
        return (
            f"at most {percent(policy.max_exposure)} of the persons have a row, as released, that "
            f"fewer than k = {policy.k} persons have, themselves included"
        )
    if scenario.population.setting != "fixed":
        confidence = f"; it may fail with probability {policy.delta:g}, as others were counted"
    return (
        f"at most {percent(policy.max_exposure)} of the people share their released values with "
        f"fewer than k = {policy.k} people, themselves included{confidence}"
    )
