"""What `veilmix leak` prints with `--format json`, by definition."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from ...analysis.trust import Received
from ...scenarios.programs.peers.found import OfSize, PeersFound
from ...scenarios.scoring.result import WrittenCoalition, coalition
from ...scenarios.serialization.record import Record
from ...scenarios.studies.cheating_result import (
    AttackResult,
    CheatingStudy,
    LinkingCoalition,
    WorstAttack,
)
from ...scenarios.verification.views import breaking
from ...scenarios.wording import OUTSIDE_CATALOGUE


class LeakedCoalition(WrittenCoalition, frozen=True, kw_only=True):
    """What a coalition learnt: as in result.json, with what it is to be compared with.

    Attributes:
        users: people in the run.
        cells: values in the run.
        bits: that were learnt, of all people together.
        verdict: the same in words.
    """

    users: int
    cells: int
    bits: float
    verdict: str


class LeakedByCheating(Record, frozen=True):
    """Results of coalitions that cheat: the worst that attacks of the catalogue achieve, measured.

    Attributes:
        scenario: its name.
        version: of veilmix that played it.
        seed: of the first run of each attack.
        runs: of each attack, as asked for.
        whole: whether all of them were played.
        watching: the smallest coalitions that link somebody though they keep to the rules.
        attacks: what each achieved.
        coalitions: the worst for each.
        smallest: those found to learn somebody's row, none of whose parts was; others may too.
        limit: the attacks that are known and were not played.
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
    """What `veilmix leak` says of a run.

    Attributes:
        prior: what everybody knew before.
        coalitions: each that was looked at.
        smallest: coalitions that link anybody.
        peers: what coalitions of each size follow, among peers.
        cheating: what those learn that cheat; None where that is not measured.
        deviations: what went wrong in the run. If anything did, `smallest` is empty: figures of
            coalitions that pool their views are then no statement on who must be trusted.
    """

    prior: str
    coalitions: tuple[LeakedCoalition, ...]
    smallest: tuple[tuple[str, ...], ...]
    peers: tuple[OfSize, ...] | UnsetType = UNSET
    cheating: LeakedByCheating | None = None
    deviations: tuple[str, ...] = ()


def cheated(study: CheatingStudy) -> LeakedByCheating:
    """What coalitions learn that cheat, for programs."""
    return LeakedByCheating(
        *(study.scenario, study.version, study.seed, study.runs, study.whole, study.watching),
        *(study.attacks, study.coalitions, study.smallest, OUTSIDE_CATALOGUE),
    )


def leaked(
    views: Sequence[Received],
    prior: str,
    peers: PeersFound | UnsetType,
    cheating: CheatingStudy | None = None,
    deviated: tuple[str, ...] = (),
) -> Leaked:
    """What every coalition learnt, for programs. peers: among peers, what result.json says.

    cheating: the study that is kept beside the run. deviated: what went wrong in it.
    """
    told = (
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
    return Leaked(prior, tuple(told), smallest, sizes, study, deviated)
