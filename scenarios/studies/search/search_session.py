"""The small session that the search for attacks plays, with the real roles and a scenario's guards.

It has six people, two columns of two values, at most two shufflers, and a minimum batch of at most
three. If the scenario limits dropouts, a second round with exactly one dropout is aborted. The
release programs differ:

    two-round      all columns are released; also for other programs
    hierarchical   three columns; the curator may query pairs of columns as far as
                   `curator_exposure` allows, and no party receives joint counts of all three
    threshold      a row opens if k = 2 people submit it, so that one person in the coalition can
                   open the row of another
    histogram      people report with noise; the noise is left out of the session, so that each
                   report equals its row; the probability of a right guess accounts for it
    incidence      people hold sets, sent as vectors of two pieces; only the first position of each
                   piece may be set

All other settings are the scenario's, so a strategy found here can be carried out at any size.
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
MIN_BATCH = 3  # minimum batch (users) of a small session, if the scenario's minimum is above 1
MIN_DROPOUT = 2  # largest `min_dropout` (least dropouts between rounds) in a small session
DEADLINE = 10  # deadline of a round in a small session, in seconds of simulated time
FEATURES = (
    FeatureSection(name="x", values=("a", "b")),
    FeatureSection(name="y", values=("c", "d")),
)
# third column of the small session, used only if the curator may query pairs of columns
MORE = FeatureSection(name="z", values=("e", "f"))
# The rows of the people, as indices into the list of all possible rows (repeated if there are more
# people). Because the values of a column are equally frequent, counts give no better guess.
ORDER = (0, 3, 1, 2)
# The rows of six people with three columns, as indices into the list of all possible rows. Other
# rows exist with the same counts of each pair of columns and other counts of all three columns, so
# an honest session does not reveal the counts of all three.
DEEP_ORDER = (0, 3, 5, 6, 2, 5)
DEEP_K = 2
# largest allowed share of exposed people, so high that pairs of columns may be queried, and so low
# that the release of all three columns is not allowed
DEEP_EXPOSURE = 0.4
OPENED = (
    FEATURES[0],
    FeatureSection(name="y", values=("c", "d", "g")),
    # column y has a third value, so that several values of y remain possible for the row that stays
    # encrypted, and the coalition cannot infer its value
)
OPENING_K = 2  # people needed to open a row: a member of the coalition and one honest person
# The rows of the people, as indices into the list of all possible rows. Row 1 occurs once, fewer
# than OPENING_K times, so it stays closed in an honest session.
OPENING_ORDER = (0, 4, 1, 4, 0, 0)
EACH = 1.0  # epsilon of the answer about one column of two values, in nats
NOISE = Local(mechanism="grr", epsilon=EACH * len(FEATURES))
# probability that a noisy report about a column of two values is true
TRUTH_PROBABILITY = exp(EACH) / (1 + exp(EACH))
TRUTH = Local()  # the setting [local] without noise
# noise on each position (bit) of a set's vector; its epsilon is that of one position
FLIPS = Local(mechanism=BITS, epsilon=EACH)
# Length of a set's vector, which is sent in pieces of PIECE positions: one full piece and one
# shorter piece, so that both are played.
POSITIONS = PIECE + 8
STREAM = "deviations"


@dataclass(frozen=True, slots=True)
class SmallPlan:
    """The people and the policy of the search's small session, for one kind of release program.

    Attributes:
        policy: a function from the scenario's policy to the policy of the small session.
        features: the columns.
        order: the rows of the people, as indices into the list of all possible rows.
        source: the source of the people, as in `population.source` of a scenario file.
        positions: the length of a set's vector; None: people have a row, not a set.
        local: the noise that people add to their answers.
    """

    policy: Callable[[Policy], Policy]
    features: tuple[FeatureSection, ...] = FEATURES
    order: tuple[int, ...] = ORDER
    source: str = "builtin:uniform"
    positions: int | None = None
    local: Local = TRUTH


def _all_columns(policy: Policy) -> Policy:
    """Return a policy that releases all columns; `policy` says whether marginals are published."""
    return Policy(
        kind="fixed",
        k=1,
        max_exposure=1.0,
        keep=tuple(feature.name for feature in FEATURES),
        publish_marginals=policy.publish_marginals,
    )


def _deeper(policy: Policy) -> Policy:
    """Return a policy by which the curator may query pairs of columns, but not all three."""
    return Policy(
        kind=policy.kind,
        k=DEEP_K,
        max_exposure=DEEP_EXPOSURE,
        curator_exposure=policy.curator_exposure,
        ask=policy.ask,
        publish_marginals=policy.publish_marginals,
    )


def _opening(policy: Policy) -> Policy:
    """Return a policy by which a row opens if `OPENING_K` people submit it."""
    return Policy(kind=policy.kind, k=OPENING_K, prefixes=policy.prefixes, close=policy.close)


SETS_PLAN = SmallPlan(
    lambda _: Policy(kind=SETS), features=(), source=SOURCE, positions=POSITIONS, local=FLIPS
)
PLANS: tuple[tuple[type[Capability], SmallPlan], ...] = (
    (SetPopulation, SETS_PLAN),
    (LocalNoise, SmallPlan(lambda _: Policy(kind=KIND), local=NOISE)),
    (DeeperQueries, SmallPlan(_deeper, features=(*FEATURES, MORE), order=DEEP_ORDER)),
    (ThresholdOpening, SmallPlan(_opening, features=OPENED, order=OPENING_ORDER)),
)  # The first capability in this order that a scenario's release program has gives the plan.
COLUMNS_PLAN = SmallPlan(_all_columns)


def plan_of(scenario: Scenario) -> SmallPlan:
    """Return the people and policy of the small session for a scenario's release program."""
    plans = (plan for part, plan in PLANS if capability(scenario, part))
    return next(plans, COLUMNS_PLAN)


def unsearched(scenario: Scenario) -> str:
    """Return the reason why the search for attacks cannot treat a scenario; empty if it can.

    The search plays a session of six people with the scenario's countermeasures, in place of the
    scenario's own larger session. This small session needs shufflers, a curator and an analyst. Its
    people have a row of a few values, or a set that they report with noise.
    """
    if topology_of(scenario).untold:
        return (
            "the search plays sessions with shufflers, a curator and an analyst; in this scenario "
            "people mix among themselves. The search exchanges rows of people and looks for a "
            "changed view; among peers the board changes with the rows in honest sessions too, so "
            "the search says nothing; veilmix leak without --search shows what coalitions of peers "
            "follow (docs/attack-search.md)"
        )
    if capability(scenario, SetPopulation) and answers_in(scenario) is not AnswerKind.REPORTS:
        return (
            "the search plays people who have a row of a few values, or who report a set; with "
            f"policy.kind = {scenario.policy.kind!r} they do neither (docs/attack-search.md)"
        )
    return ""


def small(scenario: Scenario) -> Scenario:
    """Return the scenario of the small session that the search plays in place of a scenario.

    The small session has the scenario's guards (countermeasures), but few people and shufflers.
    """
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
    """Return a small session's release program in words, with the limits of its queries."""
    return program_of(scenario).policy(scenario).rule


def kinds_of_rows(scenario: Scenario) -> tuple[Row, ...]:
    """Return all possible rows of a person in a small session of the search."""
    if (positions := scenario.incidence.positions) is not None:
        return tuple(product(*first_positions(positions)))
    return tuple(product(*(feature.values or () for feature in scenario.feature)))


def rows_of(scenario: Scenario, people: int = PEOPLE) -> Rows:
    """Return the rows of the people of the small session that the attack search plays, by person.

    people: the number of people.
    """
    kinds = kinds_of_rows(scenario)
    return tuple(islice(cycle(kinds[at] for at in plan_of(scenario).order), people))


@dataclass(frozen=True, slots=True)
class PlayedStrategy:
    """The outcome of one session in which a coalition plays a strategy of deviations.

    Attributes:
        view: the coalition's view as a hashable value: equal values mean equal views. For a session
            that ended in an error: the text of the error.
        board: the bulletin board at the end of the session.
        record: the messages, and the deviations that found an occasion.
    """

    view: Hashable
    board: Board
    record: DeviationRecord


@dataclass(slots=True)
class SmallSession:
    """A small session of the search, played repeatedly with other rows, seeds and strategies.

    Attributes:
        scenario: the scenario of the small session, from `small`.
        members: the parties of the coalition.
        people: the number of people.
        times: whether the coalition's view has the exact times of posts on the board.
        played: the number of sessions played so far.
        errors: sessions that ended in an error of a role (a party's code).
        casts: seed -> the session's inputs that do not depend on rows and strategies.
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
        """The coalition and session from which the list of possible deviations is derived."""
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
        """Play a session with these deviations, rows and seed; return the coalition's view."""
        return self.play(strategy, rows, seed).view

    def play(self, strategy: Sequence[Deviation], rows: Rows, seed: int) -> PlayedStrategy:
        """Play a session with these deviations, rows and seed; return its outcome."""
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
        # a deviation may crash the code of a party: this is counted, and the search goes on
        except Exception as error:
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
        """Return the inputs of a session that depend only on the seed, not on rows or strategy."""
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
    """Return the bulletin board of a session that ended in an error, from the posts so far."""
    return replay([(event.sender, event.data) for event in events if event.receiver == BOARD])
