"""Is a run folder what it says it is? Every check recomputes something from the recorded messages.

    files        they are as they were written
    signatures   posts are signed by their authors, heads by the board; whether anybody is known
    board        its posts are legal, in their order, under the phases table, to the end
    digest       the posts hash to the digest of result.json
    batches      no shuffler and no reader has lost or invented a message
    terms        the announcement says what the scenario says
    decision     decided again from the counts of round 1, and the certificate proved from them
    release      its columns are the decision's, its people those counted, its sums round 1's counts
    exposure     true and promised, recomputed from the release; the promise holds
    found        who is found in the release: attacks and risks recomputed as far as it shows them
    result       result.json and release.csv say what board and transcript say
    coalitions   what each learnt, worked out again from what its members saw
    estimates    (reports that were randomized) recomputed from the counts of reports
    replay       a seeded scenario, run again, gives the same; so does its search for the worst case

What the board shows is checked in board_checks.py, the decision and the release in
release_checks.py, result.json in result_checks.py, seal and signatures in signers.py.

A check that a run offers no ground for is not made (`ok` is None), and says why. What one shows is
either who has said it (authenticity: a signature by somebody known), or that the record agrees with
itself (consistency: whoever writes a whole record of people who do not exist passes), or nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...errors import Refused, VeilmixError, VerificationError
from ..programs.evidence import NoGround
from ..programs.peers import verify as peers_verify
from ..programs.registry import program_of
from ..programs.topology import CENTRAL, PEERS, topology_of
from ..records.run_folder import Run
from ..schema.model import Scenario
from .board_checks import batches, board, digest, terms
from .evidence import Evidence
from .release_checks import decision, exposure, release
from .result_checks import coalitions, repeat, result
from .signers import Authentic, Known, folder, posts

ALIKE = ("files", "replay")  # checks that need no curator and no shufflers
Rule = tuple[str, str, Callable[[Evidence], str]]  # name, what is checked, how


@dataclass(frozen=True, slots=True)
class Check:
    """One thing checked.

    Attributes:
        name: in a word.
        what: should be so, in a sentence.
        ok: None if it could not be.
        detail: what was found.
        shows: of what.
    """

    name: str
    what: str
    ok: bool | None
    detail: str
    shows: "Shows"


class Shows(StrEnum):
    """What a check shows: who has said it, or that the record agrees with itself, or nothing."""

    AUTHENTICITY = "authenticity"
    CONSISTENCY = "consistency"
    NOTHING = "nothing"


def verify(run: Run, *, again: bool | None = None, known: Known | None = None) -> tuple[Check, ...]:
    """Check a run. again: run it again and compare; None does so if it is seeded and not large.

    known: identities that are known beforehand, by name. Nothing is raised for what does not hold:
    it is a check whose `ok` is False.
    """
    evidence = Evidence(run, again, known)
    made = MADE[topology_of(run.scenario).name](run.scenario)
    return tuple(_judged(name, what, check, evidence) for name, what, check in made)


def _of_central(scenario: Scenario) -> tuple[Rule, ...]:
    own = program_of(scenario).recomputed
    return (*CHECKS[:-1], ("estimates", own, estimates), CHECKS[-1]) if own else CHECKS


def _of_peers(_scenario: Scenario) -> tuple[Rule, ...]:
    files, replay = (check for check in CHECKS if check[0] in ALIKE)
    return (files, *peers_verify.CHECKS, replay)


def require(checks: Sequence[Check]) -> None:
    """Raise VerificationError if a check failed, naming each that did."""
    failed = [f"{check.name}: {check.detail}" for check in checks if check.ok is False]
    if failed:
        raise VerificationError("\n".join(failed))


def _judged(name: str, what: str, check: Callable[[Evidence], str], evidence: Evidence) -> Check:
    ok: bool | None = False
    shows = Shows.CONSISTENCY  # that it does not agree with itself is shown too
    try:
        detail, ok = check(evidence), True
        if isinstance(detail, Authentic):
            shows = Shows.AUTHENTICITY
    except NoGround as missing:
        detail, ok, shows = f"not checked: {missing}", None, Shows.NOTHING
    except Refused as refused:
        detail = f"the board holds a post that is not legal ({refused})"
    except VeilmixError as wrong:
        detail = str(wrong)
    except (ArithmeticError, LookupError, ValueError) as impossible:
        # What was recorded contradicts itself so badly that the check cannot be carried through.
        detail = f"the record contradicts itself ({impossible!r})"
    return Check(name, what, ok, str(detail), shows)


def estimates(evidence: Evidence) -> str:
    """What the program found beside what every run has, recomputed."""
    return program_of(evidence.run.scenario).verify(evidence)


def reidentification(evidence: Evidence) -> str:
    """Who is found in the release, recomputed from it."""
    from .reidentification import recomputed

    return recomputed(evidence)


CHECKS: tuple[Rule, ...] = (
    ("files", "they are as they were written", folder),
    ("signatures", "posts and heads are signed, by whom", posts),
    ("board", "posts are legal under the phases table", board),
    ("digest", "posts hash to the digest", digest),
    ("batches", "every batch's counts add up", batches),
    ("terms", "the announcement is the scenario's", terms),
    ("decision", "decision and certificate follow from the counts", decision),
    ("release", "columns and sums are right", release),
    ("exposure", "true is within promised, recomputed", exposure),
    ("found", "who is found in the release, recomputed", reidentification),
    ("result", "all files say the same", result),
    ("coalitions", "what each learnt, recomputed", coalitions),
    ("replay", "run again, the same comes out", repeat),
)
MADE: Mapping[str, Callable[[Scenario], tuple[Rule, ...]]] = {
    CENTRAL.name: _of_central,
    PEERS.name: _of_peers,
}  # topology -> the checks of a run
