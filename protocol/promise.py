"""A promise is about the people who are released: it is shown for those who came, or it burns.

What was decided was proved of the people who were counted. Between the rounds some leave, and in
the statistical setting others come; a table of fewer people can expose more of them (of three who
share a value none is exposed at k = 3; once one has left, the other two are). So before anything is
released its reader proves the promise again, of the people whose answers it has read:

    proved    at most so many of those who came are exposed; the strategy proves it from the counts
              of what was known of everybody before (single columns, and groups that were asked for)
    promised  the larger of two shares: what was decided, and what is proved
    burned    if the proved share is above the announced `max_exposure`

The proof looks at the parts of the release that the decision could look at, not at the release: the
reader has counted that too, but whether a round burns is seen by everybody, and would tell of a
table that is withheld how many stand alone in it. What a burned round tells now is one bit about
single columns (docs/adr/0022).
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ..errors import RoundBurned
from .announcement import UNPROMISED, Policy
from .crowd_limits import carried_over
from .messages import Call, Certificate, Counts, Decision
from .programs import Strategy
from .schema import Schema


@runtime_checkable
class Prover(Protocol):
    """A strategy that can prove a promise again, of other people than it was decided for."""

    def prove(
        self, schema: Schema, calls: Sequence[Call], decision: Decision, joint: Counts
    ) -> Certificate:
        """At most how many of the people counted in a release are exposed.

        Args:
            schema: all features.
            calls: those that the curator has read the answers to, in their order.
            decision: what was decided; its columns are those of the release.
            joint: the counts of the release; nobody has seen them but its reader.
        """
        ...


def prove(
    strategy: Strategy, schema: Schema, calls: Sequence[Call], decision: Decision, joint: Counts
) -> Certificate:
    """Reader: prove at most how many of those who came are exposed.

    Of a strategy that proves nothing itself the decided promise is carried over by head counts:
    right where those who came are those who were counted, less some, or are any others besides.
    """
    if isinstance(strategy, Prover):
        return strategy.prove(schema, calls, decision, joint)
    decided, now = decision.certificate, sum(joint.values())
    people = carried_over(decided.people, decided.n, decided.k, now)
    return Certificate(decided.rule, decided.k, now, people)


def promised_share(decision: Decision, proved: Certificate) -> float:
    """Anybody: the share of people, 0 to 1, that is promised of those who came."""
    return max(decision.certificate.value, proved.value)


def check_promise(policy: Policy, decision: Decision, proved: Certificate) -> None:
    """Reader: RoundBurned unless the promise holds for those who came.

    A rule that keeps columns whatever can be proved of them promises what is proved, and burns
    nothing. The reason says nothing that head counts do not.
    """
    decided, most = decision.certificate, policy.max_exposure
    if policy.rule in UNPROMISED or proved.value <= most:
        return
    raise RoundBurned(
        f"{proved.n} people came where the promise was made for {decided.n}: it cannot be proved "
        f"that at most {100 * most:.4g} % of them are in a crowd smaller than {decided.k}"
    )
