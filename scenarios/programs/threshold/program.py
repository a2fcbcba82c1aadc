"""The program `threshold` behind the interface of all (programs/interface.py)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...populations.facts import Facts
from ...schema.model import Policy as Section
from ...schema.model import Scenario
from ...schema.problems import Problem
from ...wording import many
from ..one_round import OneRound
from . import text

if TYPE_CHECKING:
    from ....protocol.announcement import Policy
    from ....protocol.messages import Call, Counts, Decision
    from ....protocol.programs import RoundResult, Strategy
    from ....protocol.schema import Schema
    from ...pages.pieces import Section as Part
    from ...wording import Block
    from ..evidence import Claims, Evidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from ..participation import Participation


class Threshold(OneRound):
    """Rows, or prefixes of rows, that k people share."""

    kind = wire = compared = "threshold"
    note = "what k people share opens; reader and `randomness` together can open all"
    opens = True
    recomputed: str | None = "they follow from the release"

    def check(self, scenario: Scenario, facts: Facts) -> Iterator[Problem]:  # noqa: ARG002
        """What it does not go with."""
        from .check import problems

        return problems(scenario)

    def participation(self, policy: Section) -> "Participation | None":
        """The sampled rate, as announced."""
        if policy.sample is None:
            return None
        from ....analysis.shuffled.sampled_rows import rate_parts
        from ..participation import Participation

        return Participation(rate_parts(policy.sample))

    def proof(self, policy: Section) -> str:
        """Whether whole rows are opened, or prefixes, or rows of people who take part at random."""
        from ....protocol.opened_prefixes import CLOSED, PREFIXES, WHOLE, sampled_rule

        if some := self.participation(policy):
            return sampled_rule(some.parts)  # any message may be a cover: no blank tells anything
        rule = PREFIXES if policy.prefixes else WHOLE
        return rule + CLOSED if policy.close == "published" else rule

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """All columns at once, whatever will be counted."""
        from ....protocol.opened_prefixes import ByThreshold

        return ByThreshold(scenario.policy.k, self.proof(scenario.policy))

    def score(self, session: "Session") -> "Scored":
        """What was opened, and what was not."""
        from ....protocol.ideal import Table, count_cells
        from ..interface import Scored
        from .score import rows_tried, said_by, score

        played, people = session.played, session.crowd.people
        policy = session.scenario.policy
        if played.release is None:
            return Scored()
        here = session.present(1)
        read = played.transcript.reads[-1] if played.transcript else None
        drawn = session.scenario.fault or policy.sample or people.answered
        if played.transcript is not None and drawn:
            rows = said_by(played.transcript, {*map(int, here)})  # some may not say what they have
        elif policy.sample:
            rows = rows_tried(played)
        else:
            table = Table(people.values, people.codes[here])
            rows = count_cells(table, range(len(people.values)))
        return Scored(score(policy, people.schema, played.release, rows, read))

    def exposed(self, release: "Counts", k: int) -> int:
        """People with a value that fewer than k share together with all before it."""
        from ....protocol.opened_prefixes import exposed

        return exposed(release, k)

    def excluded(self, release: "Counts", scenario: Scenario, schema: "Schema") -> int:
        """People in a crowd smaller than k that everybody knows by exclusion."""
        from .score import excluded_by

        return excluded_by(release, scenario.policy, schema).people

    def findings(self) -> "type[Findings]":
        """What was opened."""
        from .score import Opened

        return Opened

    def proves(self, rule: str) -> bool:
        """Whether the rule is called after this kind."""
        return rule.startswith(self.kind)

    def verify_decision(
        self, decision: "Decision", schema: "Schema", heard: "Sequence[RoundResult]"
    ) -> None:
        """Nothing: it is the same for all counts, and was compared."""

    def verify(self, evidence: "Evidence") -> str:
        """Recompute what was opened from the release."""
        from ..evidence import NoGround
        from .verify import recomputed

        if evidence.result.release is None:
            raise NoGround("nothing was released")
        return recomputed(evidence)

    def steps(self, scenario: Scenario, answering: str, mixing: str) -> list[str]:  # noqa: ARG002
        """What will happen, a sentence a step."""
        return text.steps(scenario, mixing)

    def decides(self, policy: Section) -> str:
        """What is opened, in a clause."""
        some = text.what(prefixes=policy.prefixes)
        if policy.sample is not None:
            some += f" of people who take part with probability {policy.sample:g}"
        return f"{some} that {many(policy.k, 'person', 'people')} or more share are opened"

    def promise(self, scenario: Scenario) -> str:
        """What is promised, in words."""
        return text.promise(scenario)

    def summary(self, outcome: Any) -> "Iterator[Block]":
        """Who is open how far."""
        return text.summary(outcome.findings)

    def scores(self, outcome: Any) -> Iterator[tuple[str, str, str]]:
        """What is said, and what its reader sees of the rest."""
        return text.scores(outcome.findings)

    def remark(self) -> str:
        """Whom one has to trust."""
        return text.NOTE

    def section(self, scenario: Scenario, result: "Claims") -> "Iterator[Part]":  # noqa: ARG002
        """Who is open how far, and what stayed closed."""
        from .score import Opened
        from .section import section

        if isinstance(result.findings, Opened):
            yield section(result.findings)

    def stage_announcement(self, policy: "Policy") -> str:
        """What opens."""
        from ....protocol.opened_prefixes import PARTS, sample_parts

        if parts := sample_parts(policy.rule):
            return (
                f"each person takes part with probability {parts / PARTS:.3g}, and nobody sees "
                f"who; the analyst can open what {policy.k} of these share, and nothing else"
            )
        return f"the analyst can open what {policy.k} or more people share, and nothing else"

    def stage_hiding(self, call: "Call") -> str:  # noqa: ARG002
        """Everything, but for those who have the same."""
        return "who takes part seals its row to all who have the same"

    def stage_decision(self, decision: "Decision", columns: Sequence[str], reader: str) -> str:  # noqa: ARG002
        """Nothing is chosen."""
        return f"Nothing has to be decided: what {decision.certificate.k} people share will open."

    def stage_release(self, policy: "Policy", schema: "Schema", release: "Counts") -> str:
        """Return the sentence on users known by exclusion."""
        return text.excluded_on_stage(policy, schema, release)
