"""The record that `veilmix leak` prints with `--format json`, and the functions that fill it."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from ...analysis.trust import Received
from ...presentation.wording import OUTSIDE_CATALOGUE
from ...scenarios.lab.scoring.result import WrittenCoalition, coalition
from ...scenarios.programs.peer_findings import OfSize, PeersFound
from ...scenarios.records.verification.views import breaking
from ...scenarios.serialization.record import Record
from ...scenarios.studies.cheating.cheating_result import (
    AttackResult,
    CheatingStudy,
    LinkingCoalition,
    WorstAttack,
)


class LeakedCoalition(WrittenCoalition, frozen=True, kw_only=True):
    """The knowledge of a coalition: its record in result.json, with the totals of the run.

    Attributes:
        users: people in the run.
        cells: (person, column) pairs in the run.
        bits: leakage in bits, summed over all people.
        verdict: the knowledge in words.
    """

    users: int
    cells: int
    bits: float
    verdict: str


class LeakedByCheating(Record, frozen=True):
    """Results of malicious coalitions: the worst outcome of the attacks that were played.

    Attributes:
        scenario: name of the scenario.
        version: the version of veilmix that played it.
        seed: the seed of the first run of each attack.
        runs: the requested number of runs of each attack.
        whole: whether all requested runs were played.
        watching: the smallest honest-but-curious coalitions that link a person.
        attacks: the outcome of each attack.
        coalitions: the worst attack of each coalition.
        smallest: the minimal coalitions found to learn a row. An attack that was not played may let
            smaller coalitions learn a row too.
        limit: the attacks that are known and were not played, in words.
    """

    scenario: str
    version: str
    seed: int
    runs: int
    whole: bool
    watching: tuple[LinkingCoalition, ...]
    attacks: tuple[AttackResult, ...]
    coalitions: tuple[WorstAttack, ...]
    smallest: tuple[WorstAttack, ...]
    limit: str


class Leaked(Record, frozen=True):
    """The output of `veilmix leak` on a run.

    Attributes:
        prior: the prior knowledge of all parties, in words.
        coalitions: the knowledge of each coalition considered.
        smallest: the minimal coalitions that link a person.
        peers: messages that coalitions of each size trace, in a network of peers.
        cheating: the knowledge of malicious coalitions; None if it was not measured.
        deviations: deviations of parties from the protocol in the run. If there are any, `smallest`
            is empty, because it holds only for parties that follow the protocol.
    """

    prior: str
    coalitions: tuple[LeakedCoalition, ...]
    smallest: tuple[tuple[str, ...], ...]
    peers: tuple[OfSize, ...] | UnsetType = UNSET
    cheating: LeakedByCheating | None = None
    deviations: tuple[str, ...] = ()


def cheated(study: CheatingStudy) -> LeakedByCheating:
    """Return a study of malicious coalitions as a record for JSON."""
    return LeakedByCheating(
        scenario=study.scenario,
        version=study.version,
        seed=study.seed,
        runs=study.runs,
        whole=study.whole,
        watching=study.watching,
        attacks=study.attacks,
        coalitions=study.coalitions,
        smallest=study.smallest,
        limit=OUTSIDE_CATALOGUE,
    )


def leaked(
    views: Sequence[Received],
    prior: str,
    peers: PeersFound | UnsetType,
    cheating: CheatingStudy | None = None,
    deviated: tuple[str, ...] = (),
) -> Leaked:
    """Return the knowledge of every coalition of a run as a record for JSON.

    views: the leakage to each coalition. prior: the prior of all parties, in words. peers: the part
    of result.json on a network of peers. cheating: the study of malicious coalitions, if it is
    stored in the run folder. deviated: the deviations from the protocol in the run.
    """
    coalitions = (
        LeakedCoalition(
            **asdict(coalition(view)),
            users=view.users,
            cells=view.cells,
            bits=view.bits,
            verdict=view.verdict,
        )
        for view in views
    )
    sizes = peers.sizes if peers else UNSET
    study = cheated(cheating) if cheating else None
    smallest = () if deviated else tuple(breaking(views))
    return Leaked(prior, tuple(coalitions), smallest, sizes, study, deviated)
