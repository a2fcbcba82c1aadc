"""What the page of a run is made from: the run folder, and what scenarios/ works out from it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from ..analysis.exposure.alike import Alike
from ..analysis.trust.side import Side
from ..protocol.parties import ANALYST, CURATOR, Role, role
from ..scenarios.programs.interface import Raised
from ..scenarios.programs.registry import program_of
from ..scenarios.programs.topology import Topology, topology_of
from ..scenarios.schema.model import Defence
from ..scenarios.scoring.alike import released_alike
from ..scenarios.verification.deviations import deviations
from ..scenarios.wording import audited, sentence

if TYPE_CHECKING:
    from ..scenarios.records.result_file import Run
    from ..scenarios.records.traffic import Traffic
    from ..scenarios.scoring.result import Result
    from ..scenarios.studies.cheating_result import CheatingStudy
    from ..scenarios.studies.column_sets import Choices
    from ..scenarios.studies.exposure_curves import Curves

READERS = frozenset({CURATOR, ANALYST})


@dataclass(frozen=True, slots=True)
class Learner:
    """A coalition, and what it learnt.

    Attributes:
        parties: its members, readers first.
        linked: people of whom it pins a value, members too.
        others: people linked who are no members of it.
        certain: cells of the table that it knows for certain.
        bits: learnt per person.
        bits_are: exact, at least or at most so many.
        guessed, before: people whose whole row a best guess gets right, in expectation, and what it
            was before the coalition saw anything; None where that is not known.
        sure, sure_before: how sure it is of the true row of the person of whom it is surest.
        method: exact, sampled, at least, at most.
    """

    parties: tuple[str, ...]
    linked: int
    others: int
    certain: int
    bits: float
    bits_are: Side = Side.EXACT
    guessed: float | None = None
    before: float | None = None
    sure: float | None = None
    sure_before: float | None = None
    method: str = "exact"

    def certain_are(self, cells: int) -> Side:
        """What `certain` is to the cells that it knows, of so many."""
        return Side.of_certain(self.method, self.certain, cells)

    @property
    def name(self) -> str:
        """Its members."""
        return " + ".join(self.parties) or "anybody (the board)"


@dataclass(frozen=True, slots=True)
class Facts:
    """A run, read once, with all that its page tells of it.

    Attributes:
        run: the folder that was read.
        sets: the sets of columns that could have been released; None where that was not decided.
        curves: exposure by k; None where nothing was counted.
        traffic: messages by kind; None where no transcript was kept.
        learners: every coalition that was scored.
        cheating: what was measured beside it of coalitions that cheat; None if nothing was.
    """

    run: "Run"
    sets: "Choices | None"
    curves: "Curves | None"
    traffic: "Traffic | None"
    learners: tuple[Learner, ...]
    cheating: "CheatingStudy | None" = None

    @property
    def result(self) -> "Result":
        """result.json."""
        return self.run.result

    @property
    def topology(self) -> Topology:
        """How its messages were carried."""
        return topology_of(self.run.scenario)

    @property
    def reader(self) -> str:
        """Who reads round 1 and decides, at the head of a sentence."""
        reader = self.topology.reader
        return f"{reader[0].upper()}{reader[1:]}"

    @property
    def randomized(self) -> bool:
        """Whether people randomized what they said."""
        return program_of(self.run.scenario).reports

    @property
    def users(self) -> int:
        """People in the run."""
        return self.result.users

    @property
    def crowd(self) -> int:
        """Who takes part, those included who do not exist: among them coalitions link."""
        return self.run.transcript.users if self.run.transcript else self.users

    @property
    def cells(self) -> int:
        """Values in the run: one a participant and feature, or owner and element."""
        return self.crowd * len(self.run.sizes)

    @property
    def k(self) -> int:
        """The smallest crowd wanted."""
        decision = self.result.decision
        return decision.k if decision else self.run.scenario.policy.k

    @property
    def audited(self) -> tuple[str, ...]:
        """What is said of coalitions where pairs of shufflers are audited."""
        audit, transcript = self.run.scenario.defence.audit, self.run.transcript
        recorded = transcript is not None and not transcript.summary
        return tuple(map(sentence, audited(audit=audit, recorded=recorded)))

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns of the release; none where nothing was released."""
        decision = self.result.decision
        return decision.kept if decision and self.result.release else ()

    @property
    def crowds(self) -> tuple[int, ...]:
        """People in each cell of a release of values; none of randomized reports."""
        release = self.result.release
        if release is None or self.randomized:
            return ()
        return tuple(release.crowds)

    @property
    def released_counts(self) -> dict[str, dict[str, int]]:
        """People by value of each column, as the release prints it; none of randomized reports.

        A hidden value counts as a value: it is printed with its people like any other.
        """
        release = self.result.release
        if release is None or self.randomized:
            return {}
        counts: dict[str, dict[str, int]] = {name: {} for name in release.columns}
        for cell, people in release.cells:
            for name, value in zip(release.columns, cell, strict=True):
                counts[name][value] = counts[name].get(value, 0) + people
        return counts

    @property
    def alike(self) -> Alike:
        """People of the printed release who are alike; none of randomized reports."""
        release = self.result.release
        known = {} if release is None or self.randomized else dict(release.cells)
        return released_alike(known)

    @property
    def released(self) -> int:
        """People whom the release counts."""
        return sum(self.crowds)

    @property
    def opens(self) -> bool:
        """Whether only what k people share was opened."""
        return program_of(self.run.scenario).opens

    @property
    def exposed(self) -> int:
        """People of the release who are in a crowd smaller than k, by its program's count."""
        if self.opens:
            return round(self.result.exposure.true * self.released)
        return sum(people for people in self.crowds if people < self.k)

    @property
    def alarms(self) -> tuple[Raised, ...]:
        """The alarms of a run."""
        return self.result.alarms

    @property
    def deviations(self) -> tuple[str, ...]:
        """What went wrong in the run; then no figure of pooled views is a statement of safety."""
        return deviations(self.run.scenario, self.result.attacks, self.result.alarms)

    @property
    def guards_off(self) -> tuple[str, ...]:
        """Guards that are on unless a scenario says otherwise, and are off here."""
        scenario = self.run.scenario
        usual = asdict(Defence(registered=scenario.can_register))
        off = [] if scenario.mix.salt else ["salt"]
        now = asdict(scenario.defence)
        off += [key for key, on in usual.items() if on is True and now[key] is False]
        return tuple(off)

    @property
    def shufflers(self) -> frozenset[str]:
        """The shufflers of the mix; none among peers."""
        handlers = self.topology.handlers(self.run.scenario)
        return frozenset(party for party in handlers if role(party) is Role.SHUFFLER)

    def trusted(self, learner: Learner) -> bool:
        """Whether a coalition reaches the trust line: it has what it needs to link people."""
        return self.topology.reaches(self.run.scenario, learner.parties)

    @property
    def breaking(self) -> tuple[Learner, ...]:
        """The smallest coalitions that link anybody but their own members."""
        linking = [learner for learner in self.learners if learner.others > 0]
        return tuple(
            learner
            for learner in linking
            if not any(set(other.parties) < set(learner.parties) for other in linking)
        )


def learners(run: "Run") -> tuple[Learner, ...]:
    """Every coalition that was scored, the smallest first."""
    learners = []
    for coalition in run.result.coalitions:
        members = tuple(sorted(coalition.parties, key=lambda party: (party not in READERS, party)))
        own = sum(role(party) in (Role.USER, Role.PEER) for party in members)
        others = max(0, coalition.linked - own)
        worst = coalition.worst_row
        learners.append(
            Learner(
                members,
                coalition.linked,
                others,
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
