"""The results of a saved run, with the same attributes as the outcome of `veilmix.run`.

result.json has every number of a run; this module turns it into the records of a run again. The
messages are not evaluated again: `veilmix verify` does that.

    SavedResult          the attributes that a saved run shares with an Outcome
    saved_coalition()    the leakage to a coalition, from its record
    saved_exposure()     the exposure of a release, from its record
    contradictions()     fields of result.json with values that no run can have
"""

from collections.abc import Iterator, Mapping
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import UNSET, UnsetType

from ....analysis.trust import Method, Received
from ....analysis.trust.best_guesses import Guess
from ....analysis.trust.side import Side
from ....protocol.wire.messages import Counts
from ...programs.capability import AnswerKind
from ...programs.interface import Effect, Raised
from ...programs.registry import answers_in
from ...schema.model import Scenario
from .citation import Citation
from .outcome import Exposure, find_coalition, notebook_html, summary
from .result import Result, Sureness, WrittenCoalition, WrittenDecision, WrittenRelease, is_released
from .worst_case import Search, WorstCaseBracket

if TYPE_CHECKING:
    from ...programs.findings import Findings
    from ...programs.peer_findings import PeersFound
    from ..ledger.account import Account
    from .frames import Frames
    from .person_rounds import SeveralRows
    from .reidentification import Reidentified

SetValue = TypeVar("SetValue")


class SavedResult:
    """The attributes of an `Outcome` that a saved run has, read from its folder.

    A run folder lacks `considered`, `dropped`, `seconds`, `notes`, `schema` and `failed`.
    `decision` is the record of result.json, with names of columns instead of indices.

    Attributes:
        scenario: the scenario that was played.
        result: the content of result.json.
        sizes: the number of values of each column.
        versions: the versions of veilmix, Python and libraries that played the run, by name.
    """

    __slots__ = ()
    scenario: Scenario
    result: Result
    sizes: tuple[int, ...]
    versions: Mapping[str, Any]

    @property
    def seed(self) -> int | None:
        """The seed of the run; None if system randomness was used."""
        return self.result.seed

    @property
    def mode(self) -> str:
        """The mode of the run: "real" (with messages) or "ideal"."""
        return self.result.mode

    @property
    def users(self) -> int:
        """The number of people in the scenario."""
        return self.result.users

    @property
    def digest(self) -> str:
        """The hash that identifies the run; equal for equal seeds."""
        return self.result.digest

    @property
    def burned(self) -> str | None:
        """The reason why a round was aborted; None: no round was."""
        return self.result.burned

    @property
    def refused(self) -> Mapping[str, int]:
        """The number of refused messages, by reason."""
        return self.result.refused

    @property
    def attacks(self) -> tuple[Effect, ...]:
        """The effect of each attack of the scenario."""
        return self.result.attacks

    @property
    def alarms(self) -> tuple[Raised, ...]:
        """The alarms of all parties."""
        return self.result.alarms

    @property
    def decision(self) -> WrittenDecision | None:
        """The decision of the curator, with the names of columns; None without a decision."""
        return self.result.decision

    @property
    def findings(self) -> "Findings | None":
        """The findings that the release program adds to the scores; None without findings."""
        return _set(self.result.findings)

    @property
    def reidentification(self) -> "Reidentified | None":
        """The scores of re-identification in the release; None without a release."""
        return _set(self.result.reidentification)

    @property
    def peers(self) -> "PeersFound | None":
        """Findings about a session of peers; None for a session with central parties."""
        return _set(self.result.peers)

    @property
    def ledger(self) -> "Account | None":
        """The ledger's account of the run's people, such as their sessions; None: no ledger."""
        return _set(self.result.ledger)

    @property
    def several(self) -> "SeveralRows | None":
        """Persons and dummies (ballots without an answer) by round, if persons have several rows.

        None if each person has one row.
        """
        return _set(self.result.several_rows)

    @property
    def executor(self) -> str | None:
        """The other computers that did work of the run, and the data they could read, or None."""
        return _set(self.result.executor)

    @property
    def released_columns(self) -> tuple[str, ...]:
        """The names of the columns of the release."""
        return self.decision.kept if self.decision else ()

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The names of the columns that are not released."""
        return tuple(name for name in self.result.features if name not in self.released_columns)

    @property
    def release(self) -> Counts | None:
        """The joint counts of the released columns, or of noisy reports; None without a table."""
        return None if self.result.release is None else dict(self.result.release.cells)

    @property
    def released(self) -> bool:
        """Whether the run has a release: a table, or estimates from randomized reports."""
        return is_released(
            release=self.result.release,
            findings=self.findings,
            curated=self.decision or self.burned,
        )

    @property
    def marginals(self) -> tuple[Counts, ...] | None:
        """Counts per feature, as the curator read them; None if no curator read counts."""
        counts = self.result.marginals.values()
        return tuple({(value,): n for value, n in each.items()} for each in counts) or None

    @property
    def exposure(self) -> Exposure:
        """The exposure of the release: the true share of exposed people, and bounds on this share.

        The bounds are the certified bound, and bounds on the worst case over tables with the
        released marginals.
        """
        return saved_exposure(self.result)

    @property
    def coalitions(self) -> tuple[Received, ...]:
        """The leakage to each coalition that was scored."""
        reports = answers_in(self.scenario) is AnswerKind.REPORTS
        cells = self.users * len(self.sizes)
        return tuple(
            saved_coalition(coalition, self.users, cells, reports=reports)
            for coalition in self.result.coalitions
        )

    def coalition(self, *members: str) -> Received:
        """Return the leakage to a coalition, such as `"curator", "shuffler-1"`.

        Raises UnknownParty for a coalition that was not scored.
        """
        return find_coalition(self.coalitions, members)

    @property
    def frames(self) -> "Frames":
        """The tables of the run: release, marginals, coalitions, attacks, epsilons and scores."""
        from .frames import frames

        return frames(self.result, self.coalitions)

    def cite(self) -> Citation:
        """Return the facts that identify this run: version, scenario, digest, seed."""
        version = str(self.versions.get("veilmix", "?"))
        name = self.result.scenario
        return Citation(version, name, self.mode, self.users, self.seed, self.digest)

    def _repr_html_(self) -> str:
        """Return the run as HTML for a notebook."""
        return notebook_html(self)

    def __repr__(self) -> str:
        """Return a line with the scenario, the number of people and the released columns."""
        return f"<Run of {self.result.scenario}: {summary(self)}>"


def contradictions(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the fields of result.json with values that no run can have: path, and a message."""
    if result.users < 1:
        yield "users", f"found {result.users}; at least 1 is accepted"
    for name in result.marginals.keys() - {*result.features}:
        yield "marginals", f"found {name!r}; a name of `features` is accepted"
    if result.release is not None:
        yield from _odd_rows(result.release)
    for place, coalition in enumerate(result.coalitions):
        if coalition.method not in {*Method}:
            accepted = ", ".join(Method)
            yield (
                f"coalitions[{place}].method",
                f"found {coalition.method!r}; accepted are {accepted}",
            )


def _odd_rows(release: WrittenRelease) -> Iterator[tuple[str, str]]:
    """Yield the malformed rows of a release: path of the row in result.json, and a message."""
    for place, row in enumerate(release.counts):
        *values, people = row or ("",)
        texts = [value for value in values if isinstance(value, str)]
        whole = isinstance(people, int) and people >= 0
        if not (whole and len(texts) == len(values) == len(release.columns)):
            accepted = f"{len(release.columns)} texts and a count of people are accepted"
            yield f"release.counts[{place}]", f"found {list(row)}; {accepted}"


def saved_exposure(result: Result) -> Exposure:
    """Return the exposure of a release from the record of its run."""
    exposure, people = result.exposure, _people(result)
    worst = exposure.worst_case
    if worst is None:
        return Exposure(exposure.true, exposure.promised, None, people)
    search = worst.search or Search(0)
    low, high = (round(share * people) for share in (worst.low, worst.high))
    return Exposure(exposure.true, exposure.promised, WorstCaseBracket(low, high, search), people)


def _people(result: Result) -> int:
    """Return the number of people that the shares of the recorded exposure refer to."""
    if result.decision is None:
        return 0
    if result.several_rows and result.release is not None:
        return result.several_rows.people
    if result.release is None:
        return result.decision.certificate.n
    return sum(result.release.crowds)


def saved_coalition(
    coalition: WrittenCoalition, users: int, cells: int, *, reports: bool = False
) -> Received:
    """Return the leakage to a coalition from its record in result.json.

    users: people in the run. cells: number of (person, column) pairs. reports: whether people
    randomize their answers. The record has one standard error, the largest, which is used for every
    guess.
    """
    crowd = min((people for people, _ in coalition.sets), default=1 if coalition.linked else users)
    return Received(
        parties=coalition.parties,
        users=users,
        cells=cells,
        linked=coalition.linked,
        cells_certain=coalition.cells_certain,
        bits=_bits(coalition.bits_per_person, users),
        exact=coalition.exact,
        crowd=crowd,
        reports=reports,
        rows_guessed=coalition.rows_guessed,
        rows_guessed_before=coalition.rows_guessed_before,
        cells_guessed=coalition.cells_guessed,
        cells_guessed_before=coalition.cells_guessed_before,
        worst_row=_guess(coalition.worst_row, coalition.error),
        worst_value=_guess(coalition.worst_value, coalition.error),
        sets=coalition.sets,
        method=Method(coalition.method),
        error=coalition.error,
        at_most=coalition.bits_are == Side.AT_MOST,
    )


def _guess(written: Sureness | None, error: float) -> Guess | None:
    """Return the highest posterior of a coalition from its record; None if it is not recorded.

    error: the standard error of the probability.
    """
    return None if written is None else Guess(written.before, written.now, error)


def _bits(per_person: float, users: int) -> float:
    """Return the leakage about all people, in bits, from the recorded leakage per person.

    Rounding is corrected, so that the result divided by the number of people is the recorded
    number. per_person: bits. users: the number of people.
    """
    bits = per_person * users
    near = (bits, nextafter(bits, inf), nextafter(bits, -inf))
    return next((candidate for candidate in near if candidate / users == per_person), bits)


def _set(value: SetValue | UnsetType) -> SetValue | None:
    """Return the value of an optional field; None if the record lacks the field."""
    return None if value is UNSET else value
