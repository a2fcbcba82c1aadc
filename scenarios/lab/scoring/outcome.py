"""The outcome of a run: all facts for reports, tables and tests, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from ....analysis.trust import Received
from ....deprecated import keeps_old
from ....errors import UnknownParty
from ....protocol.knowledge.transcript import Transcript
from ....protocol.wire.hiding_rules import Redact
from ....protocol.wire.messages import Counts, Decision
from ....protocol.wire.schema import Schema
from ....strict_text import from_json
from ...programs.dropped_columns import UnreleasedColumn
from ...programs.interface import ConsideredColumns, Effect, Raised
from ...schema.model import Scenario
from ...schema.parties import PartyNames
from ...serialization.record import plain
from .citation import Citation
from .worst_case import WorstCaseBracket

if TYPE_CHECKING:
    from ...programs.findings import Findings
    from ...programs.peer_findings import PeersFound
    from ..ledger.account import Account
    from .frames import Frames
    from .person_rounds import SeveralRows
    from .reidentification import Reidentified
    from .result import Result, WrittenDecision, WrittenExposure, WrittenRelease


@dataclass(frozen=True, slots=True)
class Exposure:
    """The exposure of a release: the shares of people in an equivalence class smaller than k.

    Without a release `true` is 0.0.

    Attributes:
        true: the true share in the release.
        promised: an upper bound on the share, certified by the curator's decision.
        worst_case: bounds on the largest share over all tables with the marginals of the release;
            None: not computed.
        people: number of respondents.
    """

    true: float
    promised: float
    worst_case: WorstCaseBracket | None
    people: int

    def written(self) -> WrittenExposure:
        """Return the exposure as the record that is written to `result.json`."""
        from .result import WrittenExposure, WrittenWorstCase

        if self.worst_case is None or not self.people:
            return WrittenExposure(self.true, self.promised, None)
        low, high = self.worst_case.shares(self.people)
        worst = WrittenWorstCase(low, high, low == high, self.worst_case.search)
        return WrittenExposure(self.true, self.promised, worst)


# The exposure in a run with randomized answers: 0, because no curator releases true values.
NO_EXPOSURE = Exposure(0.0, 0.0, None, 0)


@dataclass(frozen=True, slots=True)
class Curated:
    """The curator's part of a run: counts of round 1, considered columns, decision and exposure.

    Attributes:
        marginals: counts per feature, as the curator read them; None if round 1 was aborted.
        decision: the curator's decision; None if round 1 was aborted.
        considered: sets of columns that the curator could have released, each with its certified
            bound on the share of exposed people.
        dropped: each suppressed column, with the limits that would admit it to the release.
        exposure: the exposure of people by the release.
    """

    marginals: tuple[Counts, ...] | None
    decision: Decision | None
    considered: tuple[ConsideredColumns, ...]
    dropped: tuple[UnreleasedColumn, ...]
    exposure: Exposure


@dataclass(frozen=True, slots=True)
class ScenarioRun:
    """The identity of a run: scenario, seed and mode, with its duration.

    Attributes:
        scenario: the scenario that was played.
        seed: the seed of all randomness; None if system randomness was used.
        mode: real (with messages) or ideal (without).
        seconds: the duration of the session.
    """

    scenario: Scenario
    seed: int | None
    mode: str
    seconds: float


@keeps_old(kept="released_columns")
@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a scenario: the facts that every run has, and the findings of its program.

    Attributes:
        scenario: the scenario that was played.
        seed: the seed of all randomness; None if system randomness was used.
        mode: real (with messages) or ideal (without).
        users: number of people in the scenario.
        schema: the features of these people.
        sizes: the number of values of each column.
        burned: the reason why a round was aborted; None: no round was.
        release: the joint counts of the released columns; if people randomize their answers, people
            by (feature, report), unless these are too many; None if there is no release.
        coalitions: the leakage to each coalition.
        refused: the number of refused messages, by reason.
        digest: a hash that identifies the run; equal for equal seeds.
        seconds: the duration of the run.
        curated: the curator's counts and decision; None if people randomize their answers.
        findings: the findings that the release program adds (programs/findings.py); None: none.
        reidentification: the scores of re-identification; None without a release.
        notes: the origin of the data, and warnings about them.
        transcript: the record of the messages of a real run; None for an ideal run.
        failed: a message for each line of [expect] that does not hold.
        attacks: the success of each attack of the scenario.
        alarms: the alarms that parties raised.
        peers: without a central party, the peers proved to have misbehaved, and the leakage to
            coalitions of peers; else None.
        ledger: earlier releases about these people; None if no ledger is kept.
        executor: the other computers that did work of the run, and the data that they could read;
            None: all work was done here.
        several: the persons and the dummies (ballots without an answer) of each round, if persons
            have several rows; else None.
    """

    scenario: Scenario
    seed: int | None
    mode: str
    users: int
    schema: Schema
    sizes: tuple[int, ...]
    burned: str | None
    release: Counts | None
    coalitions: tuple[Received, ...]
    refused: Mapping[str, int]
    digest: str
    seconds: float
    curated: Curated | None = None
    findings: Findings | None = None
    reidentification: Reidentified | None = None
    notes: tuple[str, ...] = ()
    transcript: Transcript | None = field(default=None, repr=False)
    failed: tuple[str, ...] = ()
    attacks: tuple[Effect, ...] = ()
    alarms: tuple[Raised, ...] = ()
    peers: PeersFound | None = None
    ledger: Account | None = None
    executor: str | None = None
    several: SeveralRows | None = None

    @property
    def marginals(self) -> tuple[Counts, ...] | None:
        """Counts per feature, as the curator read them; None if no curator read counts."""
        return self.curated.marginals if self.curated else None

    @property
    def decision(self) -> Decision | None:
        """The decision of the curator; None without a decision."""
        return self.curated.decision if self.curated else None

    @property
    def considered(self) -> tuple[ConsideredColumns, ...]:
        """Sets of columns that the curator could have released, with the exposure bound of each."""
        return self.curated.considered if self.curated else ()

    @property
    def dropped(self) -> tuple[UnreleasedColumn, ...]:
        """Each suppressed column, with the limits that would admit it to the release."""
        return self.curated.dropped if self.curated else ()

    @property
    def exposure(self) -> Exposure:
        """The exposure of the release: the true share of exposed people, and bounds on this share.

        The bounds are the certified bound, and bounds on the worst case over tables with the
        released marginals.
        """
        return self.curated.exposure if self.curated else NO_EXPOSURE

    @property
    def counted(self) -> tuple[int, ...]:
        """The number of people counted in each round, release included; 0 for an aborted round."""
        if self.several is not None:
            return tuple(each.people for each in self.several.rounds)
        program_counts = self.findings.counted if self.findings else ()
        if self.curated is None:
            return program_counts
        if self.marginals is None and self.decision is not None:
            # only the release was counted, because no curator read marginals
            return (sum((self.release or {}).values()),)
        first = max((sum(counts.values()) for counts in self.marginals or ()), default=0)
        return *(program_counts or (first,)), sum((self.release or {}).values())

    @property
    def released_columns(self) -> tuple[str, ...]:
        """The names of the columns of the release."""
        columns = self.decision.kept if self.decision else ()
        return tuple(self.schema.names[column] for column in columns)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The names of the columns that are not released."""
        return tuple(name for name in self.schema.names if name not in self.released_columns)

    @property
    def released(self) -> bool:
        """Whether the run has a release: a table, or estimates from randomized reports."""
        from .result import is_released

        curated, findings = self.curated, self.findings
        return is_released(release=self.release, findings=findings, curated=curated)

    def coalition(self, *members: str) -> Received:
        """Return the leakage to a coalition, such as `"curator", "shuffler-1"`.

        Raises:
            UnknownParty: a party that is in no scored coalition, or a coalition that was not
                scored.
        """
        return find_coalition(self.coalitions, members)

    def result(self) -> dict[str, Any]:
        """Return the content of `result.json` as plain Python data."""
        data: dict[str, Any] = plain(self.written())
        return data

    def written(self) -> Result:
        """Return the record of the run for `result.json`."""
        from .result import Result, coalition
        from .result_schemas import SCHEMA

        names = self.schema.names
        return Result(
            schema=SCHEMA,
            scenario=self.scenario.scenario.name,
            seed=self.seed,
            mode=self.mode,
            users=self.users,
            features=tuple(names),
            marginals={
                name: {values[0]: people for values, people in sorted(counts.items())}
                for name, counts in zip(names, self.marginals or (), strict=False)
            },
            decision=self._decision(self.decision) if self.decision else None,
            release=None if self.release is None else self._release(self.release),
            exposure=self.exposure.written(),
            coalitions=tuple(coalition(view) for view in self.coalitions),
            refused=dict(self.refused),
            burned=self.burned,
            digest=self.digest,
            attacks=self.attacks,
            alarms=self.alarms,
            peers=self.peers or UNSET,
            ledger=self.ledger or UNSET,
            executor=self.executor or UNSET,
            reidentification=self.reidentification or UNSET,
            findings=self.findings or UNSET,
            several_rows=self.several or UNSET,
        )

    def _decision(self, decision: Decision) -> WrittenDecision:
        """Return a decision as the record that is written to `result.json`."""
        from .result import BlankRule, WrittenCertificate, WrittenDecision

        proof, names = decision.certificate, self.schema.names
        blank = tuple(
            BlankRule(names[rule.column], tuple(rule.values), rule.cover, rule.rate)
            for rule in decision.hidden
            if isinstance(rule, Redact)
        )
        certificate = WrittenCertificate(
            rule=proof.rule,
            k=proof.k,
            n=proof.n,
            people=proof.people,
            thresholds=tuple(proof.thresholds),
            pivot=proof.pivot,
            c=proof.slack,
            proof=from_json(proof.proof) if proof.proof else UNSET,
        )
        return WrittenDecision(
            k=proof.k,
            max_exposure=self.scenario.policy.max_exposure,
            kept=self.released_columns,
            suppressed=self.suppressed,
            bound=proof.value,
            blank=blank or UNSET,
            certificate=certificate,
        )

    def _release(self, release: Counts) -> WrittenRelease:
        """Return a release as the record that is written to `result.json`."""
        from .result import REPORTED, WrittenRelease

        columns = self.released_columns if self.curated else REPORTED
        rows: list[tuple[str | int, ...]] = [(*row, n) for row, n in sorted(release.items())]
        return WrittenRelease(tuple(columns), tuple(rows))

    @property
    def frames(self) -> Frames:
        """The tables of the run: release, marginals, coalitions, attacks, epsilons and scores."""
        from .frames import frames

        return frames(self.written(), self.coalitions)

    def cite(self) -> Citation:
        """Return the facts that identify this run: version, scenario, digest, seed."""
        from ....version import __version__

        name = self.scenario.scenario.name
        return Citation(__version__, name, self.mode, self.users, self.seed, self.digest)

    def _repr_html_(self) -> str:
        """Return the run as HTML for a notebook."""
        return notebook_html(self)

    def __repr__(self) -> str:
        """Return a line with the scenario, the number of people and the released columns."""
        return f"<Outcome of {self.scenario.scenario.name}: {summary(self)}>"


def notebook_html(run: Any) -> str:
    """Return a run as HTML for a notebook. run: an Outcome, or a saved run.

    The package `presentation` makes the HTML. It may import this package, and not the other way
    round, so it is loaded by name at the call.
    """
    from ...schema.plugs import load

    html: str = load("veilmix.presentation.presenters.notebook:html")(run)
    return html


def summary(run: Any) -> str:
    """Return a run in a few words: the number of people, and the released columns.

    run: an Outcome, or a saved run.
    """
    release_text = (
        f"released {', '.join(run.released_columns)}" if run.released else "nothing released"
    )
    if run.findings and run.findings.short:
        release_text = run.findings.short
    return f"{run.users:,} people, {release_text}"


def find_coalition(coalitions: Iterable[Received], members: Iterable[str]) -> Received:
    """Return the leakage to a coalition; UnknownParty for an unknown party or unscored coalition.

    members: names of parties; one text may hold several names with `+` between them.
    """
    coalition = tuple(sorted({name.strip() for text in members for name in text.split("+")}))
    by_parties = {received.parties: received for received in coalitions}
    if coalition in by_parties:
        return by_parties[coalition]
    names = PartyNames.from_names({party for parties in by_parties for party in parties})
    for name in coalition:
        if name not in names:
            raise UnknownParty(names.refusal(name, "coalitions were scored of", "scored party"))
    raise UnknownParty(
        f"{' + '.join(coalition)}: this coalition was not scored; `coalitions` has those that were"
    )
