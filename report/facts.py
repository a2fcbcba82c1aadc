"""The facts of a run's page: the run folder, and the results that scenarios/ computes from it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from ..analysis.exposure.equal_people import SharedValues
from ..analysis.trust.side import Side
from ..number_text import sentence
from ..presentation.equal_people import released_alike
from ..presentation.presenters.topology import TopologyPresenter, topology_words
from ..presentation.wording import audited
from ..protocol.wire.parties import ANALYST, CURATOR, Role, role
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.interface import Raised
from ..scenarios.programs.registry import answers_in
from ..scenarios.programs.topology import Topology, topology_of
from ..scenarios.records.verification.deviations import deviations
from ..scenarios.schema.model import Defence

if TYPE_CHECKING:
    from ..scenarios.lab.scoring.result import Result
    from ..scenarios.records.result_file import Run
    from ..scenarios.records.traffic import Traffic
    from ..scenarios.studies.cheating.cheating_result import CheatingStudy
    from ..scenarios.studies.exposure.column_sets import Choices
    from ..scenarios.studies.exposure.exposure_curves import Curves

READERS = frozenset({CURATOR, ANALYST})


@dataclass(frozen=True, slots=True)
class Learner:
    """A coalition and its knowledge.

    Attributes:
        parties: its members, readers first.
        linked: number of people linked to a value, members of the coalition included.
        linked_outsiders: number of linked people outside the coalition.
        certain: cells of the table that the coalition knows for certain.
        bits: leakage per person.
        bits_are: the relation of `bits` to the true leakage: exact, lower or upper bound.
        guessed, guessed_before: expected number of rows that a best guess gets right, with the view
            and from the prior alone; None if not computed.
        sure, sure_before: highest posterior of a person's true row, and its prior; None if not
            computed.
        method: exact, sampled, at least, at most.
    """

    parties: tuple[str, ...]
    linked: int
    linked_outsiders: int
    certain: int
    bits: float
    bits_are: Side = Side.EXACT
    guessed: float | None = None
    guessed_before: float | None = None
    sure: float | None = None
    sure_before: float | None = None
    method: str = "exact"

    def certain_are(self, cells: int) -> Side:
        """Return how `certain` relates to the true number of certain cells. cells: in the table."""
        return Side.from_certain(self.method, self.certain, cells)

    @property
    def name(self) -> str:
        """The members in a line."""
        return " + ".join(self.parties) or "anybody (the board)"


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A run, read once, with all facts that its page shows.

    Attributes:
        run: the folder that was read.
        sets: the sets of columns that could have been released; None if no such decision was made.
        curves: exposure by k; None if there are no counts.
        traffic: messages by kind; None if no transcript was saved.
        learners: every coalition that was scored.
        cheating: the study of malicious coalitions saved with the run; None if there is none.
    """

    run: "Run"
    sets: "Choices | None"
    curves: "Curves | None"
    traffic: "Traffic | None"
    learners: tuple[Learner, ...]
    cheating: "CheatingStudy | None" = None

    @property
    def result(self) -> "Result":
        """The content of result.json."""
        return self.run.result

    @property
    def topology(self) -> Topology:
        """The topology that carried the messages."""
        return topology_of(self.run.scenario)

    @property
    def topology_words(self) -> TopologyPresenter:
        """The words of this topology."""
        return topology_words(self.run.scenario)

    @property
    def reader(self) -> str:
        """The party that reads round 1 and decides, capitalized for the beginning of a sentence."""
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
        """The number of participants, fictitious ones too: coalitions link among all of them."""
        return self.run.transcript.users if self.run.transcript else self.users

    @property
    def cells(self) -> int:
        """The number of values in the run: people times features, or owners times elements."""
        return self.crowd * len(self.run.sizes)

    @property
    def k(self) -> int:
        """The smallest safe size of a crowd."""
        decision = self.result.decision
        return decision.k if decision else self.run.scenario.policy.k

    @property
    def audited(self) -> tuple[str, ...]:
        """The sentences about coalitions of a run in which pairs of shufflers are audited."""
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
        """The people in each cell of a release of values; empty for randomized reports."""
        release = self.result.release
        if release is None or self.randomized:
            return ()
        return tuple(release.crowds)

    @property
    def released_counts(self) -> dict[str, dict[str, int]]:
        """The people by value of each column of the release; empty for randomized reports.

        A hidden value counts as a value: it is printed with its people like any other.
        """
        release = self.result.release
        if release is None or self.randomized:
            return {}
        if self.result.several_rows:  # a person is in several cells, and once in each count
            return {name: dict(self.result.marginals[name]) for name in release.columns}
        counts: dict[str, dict[str, int]] = {name: {} for name in release.columns}
        for cell, people in release.cells:
            for name, value in zip(release.columns, cell, strict=True):
                counts[name][value] = counts[name].get(value, 0) + people
        return counts

    @property
    def shared_values(self) -> SharedValues:
        """The agreement of values among people of the release; empty for randomized reports."""
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
        """The number of people counted in round 1."""
        if several := self.result.several_rows:
            return several.rounds[0].people if several.rounds else 0
        counts = self.result.marginals.values()
        return max((sum(people.values()) for people in counts), default=0)

    @property
    def opens(self) -> bool:
        """Whether the program opens only values that at least k people share."""
        return answers_in(self.run.scenario) is AnswerKind.OPENED

    @property
    def exposed(self) -> int:
        """The number of people in a crowd smaller than k, as the program counts them."""
        if self.opens or self.result.several_rows:
            return round(self.result.exposure.true * self.released)
        return sum(people for people in self.crowds if people < self.k)

    @property
    def alarms(self) -> tuple[Raised, ...]:
        """The alarms of a run."""
        return self.result.alarms

    @property
    def deviations(self) -> tuple[str, ...]:
        """The deviations from the protocol; with any, figures of pooled views prove no safety."""
        return deviations(self.run.scenario, self.result.attacks, self.result.alarms)

    @property
    def guards_off(self) -> tuple[str, ...]:
        """The guards that are on by default and off in this run."""
        scenario = self.run.scenario
        usual = asdict(Defence(registered=scenario.can_register))
        off = [] if scenario.mix.salt else ["salt"]
        now = asdict(scenario.defence)
        off += [key for key, on in usual.items() if on is True and now[key] is False]
        return tuple(off)

    @property
    def shufflers(self) -> frozenset[str]:
        """The shufflers of the mix; empty among peers."""
        handlers = self.topology.handlers(self.run.scenario)
        return frozenset(party for party in handlers if role(party) is Role.SHUFFLER)

    def trusted(self, learner: Learner) -> bool:
        """Whether a coalition reaches the trust line: it has all it needs to link people."""
        scenario = self.run.scenario
        return self.topology.reaches(scenario.mix, scenario.defence, learner.parties)

    @property
    def breaking(self) -> tuple[Learner, ...]:
        """The minimal coalitions that link people other than their own members."""
        linking = [learner for learner in self.learners if learner.linked_outsiders > 0]
        return tuple(
            learner
            for learner in linking
            if not any(
                set(other_learner.parties) < set(learner.parties) for other_learner in linking
            )
        )


def learners(run: "Run") -> tuple[Learner, ...]:
    """Return every coalition that was scored, the smallest first."""
    learners = []
    for coalition in run.result.coalitions:
        members = tuple(sorted(coalition.parties, key=lambda party: (party not in READERS, party)))
        member_count = sum(role(party) in (Role.USER, Role.PEER) for party in members)
        linked_outsiders = max(0, coalition.linked - member_count)
        worst = coalition.worst_row
        learners.append(
            Learner(
                members,
                coalition.linked,
                linked_outsiders,
                coalition.cells_certain,
                coalition.bits_per_person,
                Side(coalition.bits_are or ("exact" if coalition.exact else "at least")),
                coalition.rows_guessed,
                coalition.rows_guessed_before,
                worst.now if worst else None,
                worst.before if worst else None,
                coalition.method,
            )
        )
    return tuple(sorted(learners, key=lambda learner: len(learner.parties)))
