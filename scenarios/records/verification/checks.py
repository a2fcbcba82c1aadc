"""The checks of a run folder. Each recomputes a claim from the recorded messages.

    files        the files are as they were written
    signatures   authors signed their posts, and the board its log; known signers are named
    board        every post is legal in its phase of the session, up to the session's end
    digest       the posts hash to the digest of result.json
    batches      no shuffler and no reader has lost or invented a message
    terms        the announcement has the scenario's terms
    decision     decided again from the counts of round 1, which also prove its certified bound
    release      has the decided columns, the counted people, and sums that fit round 1's counts
    exposure     true and certified, recomputed from the release; the bound holds
    found        re-identification: attacks and risks recomputed as far as the release shows them
    result       result.json and release.csv agree with board and transcript
    coalitions   the knowledge of each coalition, recomputed from the views of its members
    estimates    (for randomized reports only) recomputed from the counts of reports
    replay       a seeded scenario, run again, gives the same results and the same worst case

The board is checked in board_checks.py, the decision and the release in release_checks.py,
result.json in result_checks.py, seal and signatures in signers.py.

If a run lacks the data for a check, the check is not made: `ok` is None, and the detail says why. A
check shows the author (authenticity: a signature with a known key), or that the record agrees with
itself (consistency), or neither. A complete record of invented people is consistent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from ....deprecated import keeps_old
from ....errors import Refused, VeilmixError
from ...programs.evidence import NoGround
from ...programs.peers import verify as peers_verify
from ...programs.registry import program_of
from ...programs.topology import CENTRAL, PEERS, topology_of
from ...schema.model import Scenario
from ..run_folder import Run
from .board_checks import batches, board, digest, terms
from .evidence import RecordEvidence
from .release_checks import decision, exposure, release
from .result_checks import coalitions, repeat, result
from .signers import Authentic, KnownIdentities, folder, posts

COMMON_CHECKS = ("files", "replay")  # checks that need no curator and no shufflers
Ground = TypeVar("Ground")  # the input of a check
# name and requirement of a check, and its function
Rule = tuple[str, str, Callable[[RecordEvidence], str]]


@keeps_old(what="requirement")
@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of a record; `keeps_old` keeps the old name of `requirement` usable.

    Attributes:
        name: the name of the check, one word.
        requirement: the requirement, in a sentence.
        ok: whether the record meets the requirement; None if this could not be checked.
        detail: the finding.
        shows: authenticity, if the check shows the author of the record; neither, if the check
            could not be made; else consistency, or by a failed check the lack of consistency.
    """

    name: str
    requirement: str
    ok: bool | None
    detail: str
    shows: "Shows"


class Shows(StrEnum):
    """The kind of evidence of a check: authenticity, consistency of the record, or neither."""

    AUTHENTICITY = "authenticity"
    CONSISTENCY = "consistency"
    NEITHER = "nothing"


def verify(
    run: Run, *, wants_replay: bool | None = None, known_identities: KnownIdentities | None = None
) -> tuple[CheckResult, ...]:
    """Return the results of all checks of a run.

    wants_replay: whether to run the scenario again and compare; None does so if it has a seed and
    is not large. known_identities: identities that are known beforehand, by name. A failed check
    raises no error; its result has `ok` False.
    """
    evidence = RecordEvidence(run, wants_replay, known_identities)
    checks = TOPOLOGY_RULES[topology_of(run.scenario).name](run.scenario)
    return tuple(judge(name, title, check, evidence) for name, title, check in checks)


def _central_rules(scenario: Scenario) -> tuple[Rule, ...]:
    """Return the checks of a run with central parties.

    A release program that estimates counts from noisy reports has a further check, of its
    estimates.
    """
    title = program_of(scenario).recomputed
    return (*CHECKS[:-1], ("estimates", title, estimates), CHECKS[-1]) if title else CHECKS


def _peer_rules(_scenario: Scenario) -> tuple[Rule, ...]:
    """Return the checks of a run among peers."""
    files, replay = (check for check in CHECKS if check[0] in COMMON_CHECKS)
    return (files, *peers_verify.CHECKS, replay)


def judge(
    name: str, requirement: str, check: Callable[[Ground], str], evidence: Ground
) -> CheckResult:
    """Return the result of a check; an error of the check becomes a result, too.

    name, requirement: the name of the check, and its requirement in words. check: returns the
    finding, or raises an error. evidence: the input of the check.
    """
    ok: bool | None = False
    shows = Shows.CONSISTENCY  # a failure shows that the record is inconsistent
    try:
        detail, ok = check(evidence), True
        if isinstance(detail, Authentic):
            shows = Shows.AUTHENTICITY
    except NoGround as missing:
        detail, ok, shows = f"not checked: {missing}", None, Shows.NEITHER
    except Refused as refused:
        detail = f"the board holds a post that is not legal ({refused})"
    except VeilmixError as wrong:
        detail = str(wrong)
    except (ArithmeticError, LookupError, ValueError) as impossible:
        # An impossible value in the record makes the check's own computation fail.
        detail = f"the record contradicts itself ({impossible!r})"
    return CheckResult(name, requirement, ok, str(detail), shows)


def estimates(evidence: RecordEvidence) -> str:
    """Check the estimates of a release program with noisy reports, recomputed from their counts."""
    return program_of(evidence.run.scenario).verify(evidence)


def reidentification(evidence: RecordEvidence) -> str:
    """Check the re-identification scores, recomputed from the release."""
    from .reidentification import recomputed

    return recomputed(evidence)


CHECKS: tuple[Rule, ...] = (
    ("files", "the files are as they were written", folder),
    ("signatures", "posts and the board's log are signed", posts),
    ("board", "posts are legal in their phase", board),
    ("digest", "posts hash to the digest of result.json", digest),
    ("batches", "every batch's counts add up", batches),
    ("terms", "the announcement has the scenario's terms", terms),
    ("decision", "decision and certificate follow from the counts", decision),
    ("release", "columns and sums fit decision and counts", release),
    ("exposure", "true exposure is within the promised bound", exposure),
    ("found", "re-identification scores fit the release", reidentification),
    ("result", "all files agree", result),
    ("coalitions", "leakage to each, recomputed from views", coalitions),
    ("replay", "a repeated run gives the same results", repeat),
)
TOPOLOGY_RULES: Mapping[str, Callable[[Scenario], tuple[Rule, ...]]] = {
    CENTRAL.name: _central_rules,
    PEERS.name: _peer_rules,
}  # topology -> function that returns the checks of a scenario's runs
