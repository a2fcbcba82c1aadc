"""The Python interface to saved runs: `veilmix.leak` and `veilmix.verify`, like the commands.

    leak()     computes the leakage to every coalition from the recorded views of its members
    verify()   makes every check of a run folder

Both take a run folder, or a run that `veilmix.read` returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Literal, Never

from ....analysis.frames import TypedFrame, typed_frame
from ....analysis.trust import Received
from ....errors import ParameterError
from ...lab.scoring.frames import COALITIONS, coalition_row
from ...lab.scoring.outcome import find_coalition
from ..identity_files import read_known
from ..run_folder import Run, read
from .checks import CheckResult
from .checks import verify as make_checks
from .damaged_record import diagnose_record
from .deviations import deviations
from .views import PRIORS, breaking, learnt_in

Saved = Run | str | PathLike[str]
LEAKS = {
    **COALITIONS,
    "exact": bool,
    "bits": float,
    "cells_guessed": float,
    "cells_guessed_before": float,
    "worst_row": float,
    "worst_row_before": float,
}
LeakFrame = TypedFrame[
    Literal["linked", "users", "cells_certain", "cells"],
    Literal["bits_per_person", "bits"],
    Literal["coalition", "bits_are", "method", "verdict"],
]
CHECKS = {"check": str, "that": str, "ok": bool, "shows": str, "found": str}
CheckFrame = TypedFrame[Never, Never, Literal["check", "that", "shows", "found"]]


@dataclass(frozen=True, slots=True)
class LeakFrames:
    """The tables of a leak.

    Attributes:
        coalitions: the leakage to each coalition, as in `Outcome.frames.coalitions`. Further
            columns give the expected number of cells guessed correctly, and the largest probability
            that the coalition gives to the true row of a person.
    """

    coalitions: LeakFrame


@dataclass(frozen=True, slots=True, repr=False)
class Leak:
    """The leakage of a run to every coalition of parties that follow the protocol.

    Attributes:
        run: the run that was read.
        prior: `uniform` or `marginals`.
        coalitions: the leakage to each coalition, the smallest coalitions first.
        deviations: sentences on parties that deviated from the protocol in this run; if there are
            any, the figures are no verdict of safety.
    """

    run: Run
    prior: str
    coalitions: tuple[Received, ...]
    deviations: tuple[str, ...]

    def coalition(self, *members: str) -> Received:
        """Return the leakage to the coalition of these parties.

        UnknownParty if the coalition was not scored.
        """
        return find_coalition(self.coalitions, members)

    @property
    def smallest(self) -> tuple[tuple[str, ...], ...]:
        """The smallest coalitions, users left out, that link a user to its values."""
        return tuple(breaking(self.coalitions))

    @property
    def frames(self) -> LeakFrames:
        """The leakage to each coalition, as a table of plain columns."""
        return LeakFrames(typed_frame(LEAKS, [_row(view) for view in self.coalitions]))

    def __repr__(self) -> str:
        """Return a line with the scenario and the smallest coalitions that link a user."""
        smallest = " or ".join(" + ".join(members) for members in self.smallest) or "none"
        return f"<Leak of {self.run.result.scenario}: smallest linking coalition: {smallest}>"


@dataclass(frozen=True, slots=True)
class CheckFrames:
    """The tables of a verification.

    Attributes:
        checks: each check and its result; `ok` is None if the run lacks the data for the check.
    """

    checks: CheckFrame


@dataclass(frozen=True, slots=True)
class Verification:
    """The results of the checks of a run folder.

    Attributes:
        checks: the result of each check, in the order in which the checks are made.
    """

    checks: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """The results of the checks that failed."""
        return tuple(check for check in self.checks if check.ok is False)

    @property
    def frames(self) -> CheckFrames:
        """The checks as a table of plain columns."""
        rows = [
            (check.name, check.requirement, check.ok, check.shows.value, check.detail)
            for check in self.checks
        ]
        return CheckFrames(typed_frame(CHECKS, rows))


def leak(run: Saved, prior: str = "uniform") -> Leak:
    """Score every coalition of a saved run from the recorded views of its members.

    Args:
        run: a run folder, or a run that `veilmix.read` gave.
        prior: the attacker's knowledge before the run: `uniform`, all tables are equally likely, or
            `marginals`, the shares of every value are public.

    Raises:
        StorageError: a file of the folder is missing or damaged. ParameterError: the run is ideal,
            so that no party sees a message, or the prior is unknown.
    """
    if prior not in PRIORS:
        raise ParameterError(f"prior: found {prior!r}; {' or '.join(PRIORS)} is accepted")
    record = _opened_run(run)
    with diagnose_record(record):
        views = sorted(learnt_in(record, prior), key=lambda view: len(view.parties))
    deviated = deviations(record.scenario, record.result.attacks, record.result.alarms)
    return Leak(record, prior, tuple(views), tuple(deviated))


def verify(
    run: Saved,
    *,
    replay: bool | None = None,
    identities: str | PathLike[str] | None = None,
) -> Verification:
    """Check every number of a saved run against its recorded messages.

    Args:
        run: a run folder, or a run that `veilmix.read` gave.
        replay: whether a seeded scenario is run again and compared; None: up to 10,000 people.
        identities: a file of public keys that are known beforehand, as `veilmix keys` writes them.

    Raises:
        StorageError: a file of the folder is missing or damaged. A failed check raises no error.
    """
    identities_known = None if identities is None else read_known(identities)
    return Verification(
        make_checks(_opened_run(run), wants_replay=replay, known_identities=identities_known)
    )


def _opened_run(run: Saved) -> Run:
    """Return a run as it is; given a folder, read the run from the folder."""
    return run if isinstance(run, Run) else read(run)


def _row(view: Received) -> tuple[str | int | float | bool | None, ...]:
    """Return a coalition's leakage as a row of the table `LEAKS`."""
    row = view.worst_row
    return (
        *coalition_row(view),
        *(view.exact, view.bits, view.cells_guessed, view.cells_guessed_before),
        *((row.posterior, row.prior) if row else (None, None)),
    )
