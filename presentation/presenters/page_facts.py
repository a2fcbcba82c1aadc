"""The facts of a run's page: its record, and the results that scenarios/ computes from it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from ...analysis.exposure.equal_people import SharedValues
from ...number_text import sentence
from ...protocol.wire.parties import Role, role
from ...scenarios.lab.scoring.run_scores import saved_coalition
from ...scenarios.programs.capability import AnswerKind
from ...scenarios.programs.interface import Raised
from ...scenarios.programs.registry import answers_in
from ...scenarios.programs.topology import Topology, topology_of
from ...scenarios.records.verification.deviations import deviations
from ...scenarios.schema.model import Defence
from ..equal_people import released_alike
from ..wording import audited
from .coalitions import outsiders_linked
from .topology import TopologyPresenter, topology_words

if TYPE_CHECKING:
    from ...analysis.trust import Received
    from ...scenarios.lab.scoring.result import Result
    from ...scenarios.records.result_file import Run
    from ...scenarios.records.traffic import Traffic
    from ...scenarios.studies.cheating.cheating_result import CheatingStudy
    from ...scenarios.studies.exposure.column_sets import Choices
    from ...scenarios.studies.exposure.exposure_curves import Curves


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A run, read once, with all facts that its page shows.

    Attributes:
        run: the run, as read from its folder.
        sets: the sets of columns that could have been released; None if no such decision was made.
        curves: exposure by k; None if there are no counts.
        traffic: messages by kind; None if no transcript was saved.
        learners: the leakage to each coalition that was scored; coalitions with fewest parties
            first.
        cheating: the study of malicious coalitions saved with the run; None if there is none.
    """

    run: "Run"
    sets: "Choices | None"
    curves: "Curves | None"
    traffic: "Traffic | None"
    learners: tuple["Received", ...]
    cheating: "CheatingStudy | None" = None

    @property
    def result(self) -> "Result":
        """The content of result.json."""
        return self.run.result

    @property
    def topology(self) -> Topology:
        """The topology of the run: messages pass central shufflers, or pass among peers."""
        return topology_of(self.run.scenario)

    @property
    def topology_words(self) -> TopologyPresenter:
        """The sentences about the run's paths of messages: through shufflers, or among peers."""
        return topology_words(self.run.scenario)

    @property
    def reader(self) -> str:
        """The party that reads round 1 and decides, with a capital letter to begin a sentence."""
        reader = self.topology.reader
        return f"{reader[0].upper()}{reader[1:]}"

    @property
    def randomized(self) -> bool:
        """Whether people randomized their answers."""
        return answers_in(self.run.scenario) is AnswerKind.REPORTS

    @property
    def users(self) -> int:
        """The number of people in the run."""
        return self.result.users

    @property
    def crowd(self) -> int:
        """The number of participants, fictitious users that an attacker adds included.

        Figures on the people that coalitions link are of all these participants.
        """
        return self.run.transcript.users if self.run.transcript else self.users

    @property
    def cells(self) -> int:
        """The number of values in the run: participants times columns.

        In the program `incidence` the participants are owners of sets, and each possible element of
        a set is a column.
        """
        return self.crowd * len(self.run.sizes)

    @property
    def k(self) -> int:
        """The smallest size of a class of people with equal values that counts as safe."""
        decision = self.result.decision
        return decision.k if decision else self.run.scenario.policy.k

    @property
    def audited(self) -> tuple[str, ...]:
        """Sentences on audits of shufflers, which help coalitions to link; empty without audits."""
        audit, transcript = self.run.scenario.defence.audit, self.run.transcript
        recorded = transcript is not None and not transcript.summary
        return tuple(map(sentence, audited(audit=audit, recorded=recorded)))

    @property
    def released_columns(self) -> tuple[str, ...]:
        """The columns of the release; empty if there is no release."""
        decision = self.result.decision
        return decision.kept if decision and self.result.release else ()

    @property
    def crowds(self) -> tuple[int, ...]:
        """The number of people in each cell of a release of values; empty for randomized reports.

        A cell is a combination of released values.
        """
        release = self.result.release
        if release is None or self.randomized:
            return ()
        return tuple(release.crowds)

    @property
    def released_counts(self) -> dict[str, dict[str, int]]:
        """The number of people by value of each released column; empty for randomized reports.

        A suppressed value counts as a value: it is printed with its number of people like any
        other.
        """
        release = self.result.release
        if release is None or self.randomized:
            return {}
        # the cells count a person once for each row; these marginals count a person once for each
        # value
        if self.result.several_rows:
            return {name: dict(self.result.marginals[name]) for name in release.columns}
        counts: dict[str, dict[str, int]] = {name: {} for name in release.columns}
        for cell, people in release.cells:
            for name, value in zip(release.columns, cell, strict=True):
                counts[name][value] = counts[name].get(value, 0) + people
        return counts

    @property
    def shared_values(self) -> SharedValues:
        """The values that all people of the release share, or that follow from another value."""
        release = self.result.release
        released_cells = {} if release is None or self.randomized else dict(release.cells)
        several = self.result.several_rows
        return released_alike(released_cells, several.people if several else None)

    @property
    def released(self) -> int:
        """The number of people in the release."""
        several = self.result.several_rows
        return several.people if several and self.crowds else sum(self.crowds)

    @property
    def first_counted(self) -> int:
        """The number of people counted in round 1, from the counts of single columns."""
        if several := self.result.several_rows:
            return several.rounds[0].people if several.rounds else 0
        counts = self.result.marginals.values()
        return max((sum(people.values()) for people in counts), default=0)

    @property
    def opens(self) -> bool:
        """Whether rows are encrypted so that a row opens only if k people submit the same row."""
        return answers_in(self.run.scenario) is AnswerKind.OPENED

    @property
    def exposed(self) -> int:
        """The number of people in the release that are in an equivalence class smaller than k.

        An equivalence class is the people with equal released values. In the program `threshold`,
        and if persons have several rows, it is the run's true exposure times the people released.
        """
        if self.opens or self.result.several_rows:
            return round(self.result.exposure.true * self.released)
        return sum(people for people in self.crowds if people < self.k)

    @property
    def alarms(self) -> tuple[Raised, ...]:
        """The alarms of a run."""
        return self.result.alarms

    @property
    def deviations(self) -> tuple[str, ...]:
        """The parties' deviations from the protocol, in words; empty if all followed it.

        With deviations, figures of honest-but-curious views prove no safety.
        """
        return deviations(self.run.scenario, self.result.attacks, self.result.alarms)

    @property
    def guards_off(self) -> tuple[str, ...]:
        """The names of the countermeasures that are on by default and off in this run."""
        scenario = self.run.scenario
        usual = asdict(Defence(registered=scenario.can_register))
        off = [] if scenario.mix.salt else ["salt"]
        now = asdict(scenario.defence)
        off += [key for key, on in usual.items() if on is True and now[key] is False]
        return tuple(off)

    @property
    def shufflers(self) -> frozenset[str]:
        """The shufflers of the mix; empty in a run among peers, which mix messages themselves."""
        handlers = self.topology.handlers(self.run.scenario)
        return frozenset(party for party in handlers if role(party) is Role.SHUFFLER)

    def trusted(self, view: "Received") -> bool:
        """Whether a coalition has all parties that it needs to link people to their values.

        view: the coalition, with the leakage to it.
        """
        scenario = self.run.scenario
        return self.topology.reaches(scenario.mix, scenario.defence, view.parties)

    @property
    def breaking(self) -> "tuple[Received, ...]":
        """The minimal coalitions that link people other than their own members to values."""
        linking = [view for view in self.learners if outsiders_linked(view) > 0]
        return tuple(
            view
            for view in linking
            if not any(set(other_view.parties) < set(view.parties) for other_view in linking)
        )


def learners(run: "Run") -> "tuple[Received, ...]":
    """Return the leakage to every coalition that was scored; coalitions with fewest parties first.

    It is measured among all participants of the recorded run, also fictitious users that an
    attacker added.
    """
    users = run.transcript.users if run.transcript else run.users
    cells = users * len(run.sizes)
    reports = answers_in(run.scenario) is AnswerKind.REPORTS
    views = (
        saved_coalition(coalition, users, cells, reports=reports)
        for coalition in run.result.coalitions
    )
    return tuple(sorted(views, key=lambda view: len(view.parties)))
