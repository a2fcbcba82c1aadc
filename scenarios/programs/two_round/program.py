"""What programs have in common whose curator decides what is released.

A program inherits from `Decided` what it does not change; choices.py has three that decide from the
counts of single columns.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...populations import facts as of_people
from ...populations import samples as drawing
from ...populations.facts import Facts
from ...schema.model import Feature, Scenario
from ...schema.model import Policy as Section
from ...schema.problems import Problem, listed, problem, quoted
from .. import stage
from ..evidence import NoGround
from . import text
from .rule_names import CARRIED_OVER, OWN, policy_for

if TYPE_CHECKING:
    from ....protocol.announcement import Policy
    from ....protocol.messages import Call, Counts, Decision
    from ....protocol.programs import RoundResult, Strategy
    from ....protocol.schema import Schema
    from ...pages.pieces import Answer
    from ...pages.pieces import Section as Part
    from ...populations import Population
    from ...populations.samples import Samples
    from ...wording import Block
    from ..dropped import Dropped
    from ..evidence import Claims, Evidence
    from ..findings import Findings
    from ..interface import Considered, Scored, Session
    from ..participation import Participation
    from ..randomized.questions import Question

TWO_ROUND = "two-round"


def meant(scenario: Scenario) -> Section:
    """The policy of a scenario, with the rule that it means."""
    counted = scenario.population.setting == "fixed"
    return policy_for(scenario.policy, people_counted=counted)


class Decided:
    """What programs have in common whose curator decides what is released."""

    kind = ""
    wire = TWO_ROUND
    compared: str | None = TWO_ROUND
    note = "columns chosen from the counts of single columns"
    reports = False
    chooses = True
    listed = False
    by_rule = False
    again = False
    deepens = False
    opens = False
    on_paper = False
    among_peers = True  # two rounds, and a rule for the counts of the first
    held = True
    recomputed: str | None = None
    member = ("person", "people")
    unit = "feature"
    largest: str | None = "round 2 at its largest: as if every column were kept"

    def rounds(self, features: int, policy: Section) -> int:  # noqa: ARG002
        """Counts of single columns, and the release."""
        return 2

    def check(self, scenario: Scenario, facts: Facts) -> Iterator[Problem]:  # noqa: ARG002
        """The rule has to hold for those who are released."""
        population, policy = scenario.population, scenario.policy
        if self.again and population.setting != "fixed":
            message = f"kind = {quoted(policy.kind)} asks the same people again; say setting = "
            yield problem(("population", "setting"), message + '"fixed" or leave it out')
        elif self.again and policy.rule not in OWN:
            message = f"kind = {quoted(policy.kind)} proves by the coverage bound; leave rule out"
            yield problem(("policy", "rule"), message)
        elif population.setting != "fixed" and meant(scenario).rule not in CARRIED_OVER:
            yield problem(
                ("policy", "rule"),
                f"{quoted(policy.rule)} promises nothing about people who were not counted; "
                f'setting = "statistical" takes {listed(CARRIED_OVER)}',
            )

    def facts(self, scenario: Scenario, base: Path) -> tuple[Facts, list[Problem]]:
        """People with columns."""
        return of_people.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """People with columns."""
        return drawing.samples(scenario, seed)

    def asks(self, scenario: Scenario, names: tuple[str, ...]) -> tuple[Feature, ...]:
        """The features of the file, or all of the source."""
        return scenario.feature or tuple(Feature(name=name) for name in names)

    def schema(self, scenario: Scenario, schema: "Schema") -> "Schema":  # noqa: ARG002
        """The people's own."""
        return schema

    def names(self, scenario: Scenario, names: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The people's own."""
        return tuple(names)

    def recorded(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Those of the scenario that the run folder keeps."""
        return tuple(feature.name for feature in scenario.feature)

    def policy(self, scenario: Scenario) -> "Policy":
        """The promise, and what is meant to prove it."""
        from ....protocol.announcement import Policy, Setting

        policy = scenario.policy
        setting = Setting(scenario.population.setting)
        delta = policy.delta if setting is Setting.STATISTICAL else 0.0
        proof = self.proof(meant(scenario))
        return Policy(
            policy.k, policy.max_exposure, proof, policy.publish_marginals, setting, delta
        )

    def proof(self, policy: Section) -> str:
        """What proves the promise, as it is announced."""
        return policy.kind

    def questions(
        self,
        scenario: Scenario,  # noqa: ARG002
        people: "Population",  # noqa: ARG002
    ) -> "tuple[Question, ...]":
        """None with noise."""
        return ()

    def participation(self, policy: Section) -> "Participation | None":  # noqa: ARG002
        """Everybody takes part."""
        return None

    def noise(
        self,
        scenario: Scenario,  # noqa: ARG002
        result: "Claims",  # noqa: ARG002
        sizes: Sequence[int],  # noqa: ARG002
    ) -> "Sequence[Question]":
        """None with noise."""
        return ()

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":
        """Decide by the rule of the policy, from single columns."""
        from .rules import BySingles, decision_rule

        return BySingles(decision_rule(scenario.policy, others), scenario.policy)

    def fixed_columns(self, policy: Section, schema: "Schema") -> tuple[str, ...] | None:  # noqa: ARG002
        """It chooses."""
        return None

    def calls(self, policy: Section, schema: "Schema") -> "Sequence[Call]":
        """Every column by itself, then those that are released, all of them at most."""
        from ....protocol.announcement import Program
        from ....protocol.messages import Call
        from ....protocol.parties import Role
        from ....protocol.programs import first_call

        names = policy.keep if self.listed else schema.names
        joint = tuple(sorted(schema.column(name) for name in names))
        calls = [first_call(Program(self.wire), schema), *self.deeper(policy, joint)]
        return [*calls, Call(len(calls) + 1, Role.ANALYST, (joint,))]

    def deeper(self, policy: Section, columns: Sequence[int]) -> "Iterator[Call]":  # noqa: ARG002
        """The questions between the first counts and the release."""
        yield from ()

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """How many values each feature has."""
        return tuple(len(texts) for texts in people.values)

    def considered(self, session: "Session") -> "tuple[Considered, ...]":
        """Every set of columns of a few."""
        from .options import considered

        return considered(session)

    def dropped(self, session: "Session") -> "tuple[Dropped, ...]":  # noqa: ARG002
        """Nothing where single columns do not decide."""
        return ()

    def score(self, session: "Session") -> "Scored":  # noqa: ARG002
        """Nothing beside what every run has."""
        from ..interface import Scored

        return Scored()

    def exposed(self, release: "Counts", k: int) -> int:
        """Who shares its cell with fewer than k people, itself included."""
        from ....analysis.exposure import users_below

        return int(users_below(list(release.values()), k))

    def excluded(
        self,
        release: "Counts",  # noqa: ARG002
        scenario: Scenario,  # noqa: ARG002
        schema: "Schema",  # noqa: ARG002
    ) -> int:
        """Nobody: whoever answered is in a cell of the release."""
        return 0

    def findings(self) -> "type[Findings] | None":
        """Nothing of its own."""
        return None

    def proves(self, rule: str) -> bool:  # noqa: ARG002
        """Rules of the analysis are nobody's own."""
        return False

    def verify_decision(
        self, decision: "Decision", schema: "Schema", heard: "Sequence[RoundResult]"
    ) -> None:
        """Recompute the certificate from the counts of single columns."""
        from ....protocol.tallying import marginals
        from .rules import verify_certificate

        counts, _ = marginals(heard[0].counts)
        verify_certificate(decision.certificate, counts, decision.kept, schema)

    def verify(self, evidence: "Evidence") -> str:  # noqa: ARG002
        """Nothing beside what every run has."""
        raise NoGround("its program found nothing beside what every run has")

    def steps(self, scenario: Scenario, answering: str, mixing: str) -> list[str]:
        """What will happen, a sentence a step."""
        decides = f"{text.COUNTING} and decides: {self.decides(meant(scenario))}."
        return [answering, mixing, decides, text.again(scenario)]

    def decides(self, policy: Section) -> str:
        """What is kept, in a clause."""
        return f"it keeps the most features that it can promise for, by the rule {policy.rule}"

    def advice(self, scenario: Scenario, people: "Population") -> Iterator[str]:  # noqa: ARG002
        """Nothing: there is no noise to choose."""
        yield from ()

    def describe(self, people: "Population") -> list[str]:
        """Each feature with its values."""
        return text.describe(people)

    def promise(self, scenario: Scenario) -> str:
        """What is promised, in words."""
        return text.promise(scenario)

    def summary(self, outcome: Any) -> "Iterator[Block]":  # noqa: ARG002
        """Nothing beside what every run has."""
        yield from ()

    def explained(self, outcome: Any) -> Iterator[str]:  # noqa: ARG002
        """Nothing beside what every run has."""
        yield from ()

    def scores(self, outcome: Any) -> Iterator[tuple[str, str, str]]:  # noqa: ARG002
        """Nothing beside what every run has."""
        yield from ()

    def remark(self) -> str:
        """Nothing beside what every run has."""
        return ""

    def answers(self, result: "Claims") -> "tuple[Answer, ...]":  # noqa: ARG002
        """Columns and crowds say it."""
        return ()

    def section(
        self,
        scenario: Scenario,  # noqa: ARG002
        result: "Claims",  # noqa: ARG002
    ) -> "Iterator[Part]":
        """Nothing beside what every run has."""
        yield from ()

    def stage_rule(self, policy: Section) -> str:
        """What is kept."""
        decides = self.decides(policy)
        return f"{decides[0].upper()}{decides[1:]}."

    def stage_announcement(self, policy: "Policy") -> str:
        """The promise."""
        return stage.limit(policy)

    def stage_hiding(self, call: "Call") -> str:  # noqa: ARG002
        """Nothing: people say what they have."""
        return ""

    def stage_decision(self, decision: "Decision", columns: Sequence[str], reader: str) -> str:
        """What is released, what is not, and what is proved of it."""
        return stage.released(decision, columns, reader)

    def stage_release(
        self,
        policy: "Policy",  # noqa: ARG002
        schema: "Schema",  # noqa: ARG002
        release: "Counts",  # noqa: ARG002
    ) -> str:
        """Return "": every respondent is in a cell of the release."""
        return ""

    def options(
        self,
        policy: Section,
        schema: "Schema",
        counts: "Sequence[Counts] | None",
        others: int | None,
    ) -> "tuple[Considered, ...]":
        """Every set of columns of a few."""
        from .options import options

        return options(policy, schema, counts, others)
