"""The promise that few respondents of a release are exposed, proved again before the release.

The decision was proved for the people counted in round 1. Before the release some users leave. If
the announcement draws new people for the release (the statistical setting), other users come. A
table of fewer people can expose more of them. For example, three people with equal values are safe
at k = 3; after one has left, the other two are exposed. So the analyst, which counts the release,
proves the promise again for its respondents. If the proof fails, the round is aborted:

    proved    a bound on the exposed respondents; the strategy proves it from the counts known
              before (single columns, and groups of columns that were requested)
    promised  the larger of two shares of exposed people: of the decision, and of this proof
    burned    if the proved share is above the announced `max_exposure`

The proof uses only parts of the release that the decision could use. The analyst knows the whole
release, but an abort is public, and would reveal the number of unique rows in a withheld table. An
aborted round reveals one bit about single columns (docs/adr/0022).
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ...errors import RoundBurned
from ..wire.announcement import UNPROMISED, AnnouncedPolicy
from ..wire.crowd_limits import carried_over
from ..wire.messages import Call, Counts, Decision, DecisionCertificate
from ..wire.schema import Schema
from .strategies import Strategy


@runtime_checkable
class Prover(Protocol):
    """A strategy that can prove its bound on exposed people again, for a release's respondents."""

    def prove(
        self, schema: Schema, calls: Sequence[Call], decision: Decision, joint: Counts
    ) -> DecisionCertificate:
        """Return a bound on the number of exposed people in a release.

        Args:
            schema: all features.
            calls: the calls (queries of rounds) that the curator has read, in order.
            decision: the decision; its columns are the columns of the release.
            joint: the counts of the release; seen only by the party that counted.
        """
        ...


def prove(
    strategy: Strategy, schema: Schema, calls: Sequence[Call], decision: Decision, joint: Counts
) -> DecisionCertificate:
    """Reader: return a proved bound on the number of exposed respondents of a release.

    A `Prover` proves the bound anew. For any other strategy, the decided bound is corrected for
    each dropout and each newcomer. A dropout exposes at most k - 1 other people; a newcomer adds at
    most 1 exposed person. calls: the queries that the curator has read, with counts. joint: the
    counts of the release.
    """
    if isinstance(strategy, Prover):
        return strategy.prove(schema, calls, decision, joint)
    decided, now = decision.certificate, sum(joint.values())
    people = carried_over(decided.people, decided.n, decided.k, now)
    return DecisionCertificate(decided.rule, decided.k, now, people)


def promised_share(decision: Decision, proved: DecisionCertificate) -> float:
    """Any party: return the promised upper bound on the share of exposed respondents, 0 to 1.

    It is the larger of the decision's bound and the bound proved for the respondents.
    """
    return max(decision.certificate.value, proved.value)


def check_promise(policy: AnnouncedPolicy, decision: Decision, proved: DecisionCertificate) -> None:
    """Reader: RoundBurned unless at most `max_exposure` of the respondents are proved exposed.

    Run by the analyst, which counts the release. Some rules release columns whatever the bound is;
    such rules never abort here. The message of the abort is public and reveals only numbers of
    people. proved: the bound for the respondents.
    """
    decided, max_exposure = decision.certificate, policy.max_exposure
    if policy.rule in UNPROMISED or proved.value <= max_exposure:
        return
    raise RoundBurned(
        f"{proved.n} people came where the promise was made for {decided.n}: it cannot be proved "
        f"that at most {100 * max_exposure:.4g} % of them are in a crowd smaller than {decided.k}"
    )
