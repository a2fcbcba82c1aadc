"""The outcome of a run: all facts for reports, tables and tests, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from ....analysis.trust import Received
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
    """The exposure of a release, as shares of people: true, promised, and possible.

    A person is exposed in an equivalence class smaller than k. true and promised are 0.0 without a
    release.

    Attributes:
        true: the true share in the release.
        promised: at most this share, by the decision.
        worst_case: the maximum over all tables with the same counts; None: not computed.
        people: number of respondents.
    """

    true: float
    promised: float
    worst_case: WorstCaseBracket | None
    people: int

    def written(self) -> WrittenExposure:
        """Return the exposure in the form of `result.json`."""
        from .result import WrittenExposure, WrittenWorstCase

        if self.worst_case is None or not self.people:
            return WrittenExposure(self.true, self.promised, None)
        low, high = self.worst_case.shares(self.people)
        worst = WrittenWorstCase(low, high, low == high, self.worst_case.search)
        return WrittenExposure(self.true, self.promised, worst)


NO_EXPOSURE = Exposure(0.0, 0.0, None, 0)  # exposure of a run without a released table


@dataclass(frozen=True, slots=True)
class Curated:
    """The curator's part of a run: counts of round 1, options, decision and exposure.

    Attributes:
        marginals: counts per feature, as it read them; None if round 1 was aborted.
        decision: the curator's decision; None if round 1 was aborted.
        considered: sets of columns, with the bound that could be promised of each.
        dropped: the reason for each suppressed column.
        exposure: the exposure of the release: true, promised, possible.
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
        seed: None if system randomness was used.
        mode: real or ideal.
        seconds: the duration of the session.
    """

    scenario: Scenario
    seed: int | None
    mode: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a scenario: the facts that every run has, and the findings of its program.

    Attributes:
        scenario: the scenario that was played.
        seed: None if system randomness was used.
        mode: real or ideal.
        users: people in the scenario.
        schema: the features of these people.
        sizes: values of each column.
        burned: the reason why a round was aborted, or None.
        release: the joint counts of the released columns; if people randomize their answers, people
            by (feature, report), unless these are too many; None if there is no release.
        coalitions: the leakage to each.
        refused: messages, by reason.
        digest: identifies the run; equal for equal seeds.
        seconds: the duration of the run.
        curated: the curator's counts and decision; None if people randomize their answers.
        findings: the findings that the release program adds (programs/findings.py); None: none.
        reidentification: the scores of re-identification; None without a release.
        notes: warnings about the data.
        transcript: the record of a real run.
        failed: the lines of [expect] that do not hold.
        attacks: the success of each attack of the scenario.
        alarms: raised by parties.
        peers: without a central party, the named peers, and the leakage to coalitions of peers.
        ledger: earlier releases about these people; None if no ledger is kept.
        executor: other computers that did its work, and the data that they could read; None: it ran
            here.
        several: the persons and the dummies of each round, if persons have several rows; else None.
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
        """Counts per feature, as the curator read them; None without a curator that reads them."""
        return self.curated.marginals if self.curated else None

    @property
    def decision(self) -> Decision | None:
        """The decision of the curator; None without a decision."""
        return self.curated.decision if self.curated else None

    @property
    def considered(self) -> tuple[ConsideredColumns, ...]:
        """Sets of columns that the curator could have released, with the bound of each."""
        return self.curated.considered if self.curated else ()

    @property
    def dropped(self) -> tuple[UnreleasedColumn, ...]:
        """The reason for each suppressed column."""
        return self.curated.dropped if self.curated else ()

    @property
    def exposure(self) -> Exposure:
        """The exposure of the release: true, promised, possible."""
        return self.curated.exposure if self.curated else NO_EXPOSURE

    @property
    def counted(self) -> tuple[int, ...]:
        """The number of people counted in each round, release included: 0 for an empty round."""
        if self.several is not None:
            return tuple(each.people for each in self.several.rounds)
        program_counts = self.findings.counted if self.findings else ()
        if self.curated is None:
            return program_counts
        if self.marginals is None and self.decision is not None:
            return (sum((self.release or {}).values()),)  # the only counted table is the release
        first = max((sum(counts.values()) for counts in self.marginals or ()), default=0)
        return *(program_counts or (first,)), sum((self.release or {}).values())

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the columns of the release."""
        columns = self.decision.kept if self.decision else ()
        return tuple(self.schema.names[column] for column in columns)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The names of the columns that are not released."""
        return tuple(name for name in self.schema.names if name not in self.kept)

    @property
    def released(self) -> bool:
        """Whether the run has a release: a table, or estimates from randomized reports."""
        from .result import is_released

        curated, findings = self.curated, self.findings
        return is_released(release=self.release, findings=findings, curated=curated)

    def coalition(self, *members: str) -> Received:
        """Return the leakage to a coalition, such as `"curator", "shuffler-1"`.

        Raises:
            UnknownParty: a party that no scored coalition has, or a coalition that was not scored.
        """
        return find_coalition(self.coalitions, members)

    def result(self) -> dict[str, Any]:
        """Return the content of `result.json`: the plain data of `written`."""
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
        """Return a decision in the form of `result.json`."""
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
            kept=self.kept,
            suppressed=self.suppressed,
            bound=proof.value,
            blank=blank or UNSET,
            certificate=certificate,
        )

    def _release(self, release: Counts) -> WrittenRelease:
        """Return a release in the form of `result.json`."""
        from .result import REPORTED, WrittenRelease

        columns = self.kept if self.curated else REPORTED
        rows: list[tuple[str | int, ...]] = [(*row, n) for row, n in sorted(release.items())]
        return WrittenRelease(tuple(columns), tuple(rows))

    @property
    def frames(self) -> Frames:
        """Release, marginals, coalitions and attacks as tables of plain columns."""
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

    Its words are in a room above this one, and are loaded when a notebook asks for them.
    """
    from ...schema.plugs import load

    html: str = load("veilmix.presentation.presenters.notebook:html")(run)
    return html


def summary(run: Any) -> str:
    """Return the size and the result of a run in a few words. run: an Outcome, or a saved run."""
    release_text = f"released {', '.join(run.kept)}" if run.released else "nothing released"
    if run.findings and run.findings.short:
        release_text = run.findings.short
    return f"{run.users:,} people, {release_text}"


def find_coalition(coalitions: Iterable[Received], members: Iterable[str]) -> Received:
    """Return the leakage to a coalition; UnknownParty for an unknown party or unscored coalition.

    members: names of parties; several in one text, with `+` between them, are several members.
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
