"""The small session that the search plays: the real roles, with the guards of a scenario.

Six people, two questions of two values, two shufflers at most, a minimum batch of three, and a
second round that is aborted unless at least two people left, or none did. A curator that asks again
(`hierarchical`) has three questions and promises little: pairs are requested as far as
`curator_exposure` allows, and joint counts of all three are released to no party. If only k people
open a row (`threshold`), k is 2, so that one person of the coalition stands for k - 1. If people
report with noise (`histogram`), the draws of all people are fixed: they leave every answer as it
is, so a report goes with its row. The noise comes back in the guess. If they hold sets
(`incidence`), a vector has two pieces, and the first position of each piece is set or not. All
other settings are the scenario's: a strategy that is found here is carried out at any size with the
same file.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice, product
from math import exp

from msgspec.structs import replace as changed

from ....crypto.entropy import entropy_of
from ....protocol.board.board import Board, replay
from ....protocol.board.phases import BOARD
from ....protocol.search.crowds import Row, Rows
from ....protocol.search.deviation import Deviation
from ....protocol.search.space import SpaceSetting
from ....protocol.search.view import SearchEvent, canonical_view
from ....protocol.wire import parties
from ....protocol.wire.messages import Registry
from ....roles.cast import Cast
from ....roles.session import play, signers
from ...attacks.faults.deviant_cast import deviant_cast
from ...attacks.faults.deviation import DeviationRecord, Deviations
from ...lab.play.real import cast_of
from ...lab.play.session_plan import SessionPlan
from ...populations.sets import PIECE, SOURCE, first_positions
from ...programs.capabilities import DeeperQueries, LocalNoise, ThresholdOpening
from ...programs.capability import AnswerKind, Capability
from ...programs.people_source import SetPopulation
from ...programs.randomized.check import BITS
from ...programs.registry import answers_in, capability, program_of, samples
from ...programs.topology import topology_of
from ...schema.kinds import KIND, SETS
from ...schema.model import (
    About,
    FeatureSection,
    IncidenceSection,
    Local,
    Policy,
    PopulationSection,
    Scenario,
)

PEOPLE = 6
SHUFFLERS = 2  # most shufflers in a small session
MIN_BATCH = 3  # minimum batch of a small session, if the scenario has any
MIN_DROPOUT = 2  # largest `min_dropout` (least dropouts between rounds) in a small session
DEADLINE = 10  # deadline of a round in a small session, in seconds of simulated time
FEATURES = (
    FeatureSection(name="x", values=("a", "b")),
    FeatureSection(name="y", values=("c", "d")),
)
MORE = FeatureSection(name="z", values=("e", "f"))  # third question, for a curator that asks again
ORDER = (0, 3, 1, 2)  # places of rows: all values of a column are equally frequent
DEEP_ORDER = (0, 3, 5, 6, 2, 5)  # likewise for three columns; equal pairs have different triples
DEEP_K = 2
DEEP_EXPOSURE = 0.4  # allows queries about pairs, and no release of three columns
OPENED = (
    FEATURES[0],
    FeatureSection(name="y", values=("c", "d", "g")),
)  # a third value, so that a closed row is not certain
OPENING_K = 2  # people needed to open a row: a member and one honest person
OPENING_ORDER = (0, 4, 1, 4, 0, 0)  # the row of one person stays closed
EACH = 1.0  # epsilon of one answer of two values, nats
NOISE = Local(mechanism="grr", epsilon=EACH * len(FEATURES))
TRUTH_PROBABILITY = exp(EACH) / (1 + exp(EACH))  # probability of a true report of such an answer
TRUTH = Local()  # the setting [local] without noise
FLIPS = Local(mechanism=BITS, epsilon=EACH)  # noise of sets; epsilon of one position
POSITIONS = PIECE + 8  # length of a vector: a full piece, and a short piece
STREAM = "deviations"


@dataclass(frozen=True, slots=True)
class SmallPlan:
    """The people and the policy of a small session, for scenarios of one kind.

    Attributes:
        policy: returns the policy, from the scenario's.
        features: the questions.
        order: the rows of the people, as places among all possible rows.
        source: the source of the people.
        positions: the positions of a vector; None: people have a row.
        local: the noise.
    """

    policy: Callable[[Policy], Policy]
    features: tuple[FeatureSection, ...] = FEATURES
    order: tuple[int, ...] = ORDER
    source: str = "builtin:uniform"
    positions: int | None = None
    local: Local = TRUTH


def _all_columns(policy: Policy) -> Policy:
    """Return the policy that releases all columns."""
    return Policy(
        kind="fixed",
        k=1,
        max_exposure=1.0,
        keep=tuple(feature.name for feature in FEATURES),
        publish_marginals=policy.publish_marginals,
    )


def _deeper(policy: Policy) -> Policy:
    """Return a policy by which the curator may ask for a pair of columns, and no more."""
    return Policy(
        kind=policy.kind,
        k=DEEP_K,
        max_exposure=DEEP_EXPOSURE,
        curator_exposure=policy.curator_exposure,
        ask=policy.ask,
        publish_marginals=policy.publish_marginals,
    )


def _opening(policy: Policy) -> Policy:
    """Return a policy by which a row opens once two people submit it."""
    return Policy(kind=policy.kind, k=OPENING_K, prefixes=policy.prefixes, close=policy.close)


SETS_PLAN = SmallPlan(
    lambda _: Policy(kind=SETS), features=(), source=SOURCE, positions=POSITIONS, local=FLIPS
)
PLANS: tuple[tuple[type[Capability], SmallPlan], ...] = (
    (SetPopulation, SETS_PLAN),
    (LocalNoise, SmallPlan(lambda _: Policy(kind=KIND), local=NOISE)),
    (DeeperQueries, SmallPlan(_deeper, features=(*FEATURES, MORE), order=DEEP_ORDER)),
    (ThresholdOpening, SmallPlan(_opening, features=OPENED, order=OPENING_ORDER)),
)  # the first capability that a program has selects its plan
COLUMNS_PLAN = SmallPlan(_all_columns)


def plan_of(scenario: Scenario) -> SmallPlan:
    """Return the plan of a scenario's small session."""
    plans = (plan for part, plan in PLANS if capability(scenario, part))
    return next(plans, COLUMNS_PLAN)


def unsearched(scenario: Scenario) -> str:
    """Return the reason why the small session cannot stand for a scenario; empty: it can."""
    if topology_of(scenario).untold:
        return (
            "the search plays sessions with shufflers, a curator and an analyst; in this scenario "
            "people mix among themselves. With exchanged rows other values come to the ends of the "
            "same paths, so the board differs although nobody deviates, and the test of the search "
            "says nothing; veilmix leak without --search shows what coalitions of peers follow "
            "(docs/attack-search.md)"
        )
    if capability(scenario, SetPopulation) and answers_in(scenario) is not AnswerKind.REPORTS:
        return (
            "the search plays people who have a row of a few values, or who report a set; with "
            f"policy.kind = {scenario.policy.kind!r} they do neither (docs/attack-search.md)"
        )
    return ""


def small(scenario: Scenario) -> Scenario:
    """Return the small session that is searched for a scenario, with the scenario's guards."""
    mix = changed(
        scenario.mix,
        shufflers=min(SHUFFLERS, scenario.mix.shufflers),
        min_batch=MIN_BATCH if scenario.mix.min_batch > 1 else 1,
        deadline=DEADLINE,
    )
    looks = 1.0 if scenario.defence.receipts else 0.0
    plan = plan_of(scenario)
    return Scenario(
        scenario=About(name="search", title="A session that is searched for attacks", seed=1),
        population=PopulationSection(source=plan.source, users=PEOPLE),
        feature=plan.features,
        incidence=IncidenceSection(positions=plan.positions),
        mix=mix,
        policy=plan.policy(scenario.policy),
        local=plan.local,
        defence=changed(
            scenario.defence,
            registered=scenario.registered,
            min_dropout=min(MIN_DROPOUT, scenario.defence.min_dropout),
            receipts=looks,
        ),
    )


def program_name(scenario: Scenario) -> str:
    """Return the release program of a small session in words, with the limits of its questions."""
    return program_of(scenario).policy(scenario).rule


def kinds_of_rows(scenario: Scenario) -> tuple[Row, ...]:
    """Return all possible rows of people in a small session."""
    if (positions := scenario.incidence.positions) is not None:
        return tuple(product(*first_positions(positions)))
    return tuple(product(*(feature.values or () for feature in scenario.feature)))


def rows_of(scenario: Scenario, people: int = PEOPLE) -> Rows:
    """Return the rows of the people of a small session, in their order."""
    kinds = kinds_of_rows(scenario)
    return tuple(islice(cycle(kinds[at] for at in plan_of(scenario).order), people))


@dataclass(frozen=True, slots=True)
class PlayedStrategy:
    """The outcome of one session in which a coalition plays a strategy.

    Attributes:
        view: the view of the coalition, as a hash; of a session that ended in an error, the error.
        board: the bulletin board at the end of the session.
        record: the messages, and the deviations that found an occasion.
    """

    view: Hashable
    board: Board
    record: DeviationRecord


@dataclass(slots=True)
class SmallSession:
    """A small session that is played repeatedly, with other rows, seeds and strategies.

    Attributes:
        scenario: `small` of the scenario under search.
        members: the coalition.
        people: their number.
        times: whether the view has the exact times of posts.
        played: the number of sessions played.
        errors: sessions that ended in an error of a role.
        casts: the sessions by their seeds, without rows and strategies.
    """

    scenario: Scenario
    members: tuple[str, ...]
    people: int = PEOPLE
    times: bool = False
    played: int = 0
    errors: int = 0
    casts: dict[int, Cast] = field(default_factory=dict)

    @property
    def honest(self) -> tuple[int, ...]:
        """The indices of the people outside the coalition."""
        return tuple(i for i in range(self.people) if parties.user(i) not in self.members)

    @property
    def setting(self) -> SpaceSetting:
        """The parameters from which the space of deviations is derived."""
        defence = self.scenario.defence
        return SpaceSetting(
            self.members,
            tuple(map(parties.user, self.honest)),
            kinds_of_rows(self.scenario),
            registered=self.scenario.registered,
            deepens=capability(self.scenario, DeeperQueries) is not None,
            opens=answers_in(self.scenario) is AnswerKind.OPENED,
            has_free_rows=not (defence.tokens or defence.challenge),
            signed=defence.signed,
        )

    def view(self, strategy: Sequence[Deviation], rows: Rows, seed: int) -> Hashable:
        """Return the coalition's view of a session with this strategy, these rows and this seed."""
        return self.play(strategy, rows, seed).view

    def play(self, strategy: Sequence[Deviation], rows: Rows, seed: int) -> PlayedStrategy:
        """Return the outcome of a session with this strategy, these rows and this seed."""
        self.played += 1
        deviations = Deviations(
            tuple(strategy), entropy_of(seed).fork(STREAM), self.people, self.members
        )
        record = deviations.record
        cast = deviant_cast(replace(self._cast(seed), row=rows.__getitem__), deviations)
        try:
            board = play(cast, [record], agreed=True)
        except (KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:  # a strategy may break a role: this is counted
            self.errors += 1
            error_text = f"{type(error).__name__}: {error}"
            return PlayedStrategy(("error", error_text), _replay_board(record.events), record)
        loot = replace(record.loot(board, self.members), outputs=deviations.outputs(board))
        other_loot = [other_session(loot) for other_session in record.other_sessions]
        view = canonical_view(
            loot, record.events, self.members, record.own_layers, other_loot, times=self.times
        )
        return PlayedStrategy(view, board, record)

    def _cast(self, seed: int) -> Cast:
        """Return the cast (inputs) of a session with a seed, equal for all rows and strategies."""
        if seed not in self.casts:
            crowd = samples(self.scenario, seed)
            cast = cast_of(SessionPlan.from_scenario(self.scenario, crowd, {}), seed)
            if cast.guards.registered is not None:
                keys = signers(cast)
                registry = Registry(tuple(keys[index].public for index in range(self.people)))
                cast = replace(cast, registry=registry)
            self.casts[seed] = replace(cast, threads=0, paced=True, randomize=None)
        return self.casts[seed]


def _replay_board(events: Sequence[SearchEvent]) -> Board:
    """Return the board of a session that ended in an error, from the posts on it."""
    return replay([(event.sender, event.data) for event in events if event.receiver == BOARD])
