"""Strategies of a malicious first shuffler and its accomplices, in sessions of few people.

One question with the answers 0 and 1 is asked twice of n people: round 1 by the curator, round 2,
the release, by the analyst. The coalition has the first shuffler, and maybe others. In each round
it does one of these to every person's message, knowing its sender:

    keep, drop, delay (refused as late, then as another round's), duplicate (the copy is refused),
    replace by a message of its own with answer 0 or 1

A friend (an accomplice among the users) answers 0 or 1, or stays away, with or without a token. A
curator in the coalition posts any counts of round 1; a shuffler may post a false account or digest.
A view is all observations of members: totals, counts that are public or that they read, and the
reason if a round burned. Mixing is ideal: of messages that an honest party still mixes, only their
number and their answers become visible.

The search decides whether a strategy has a view that differs when two honest people swap their
answers, for some answers of the other people. A strategy that adapts to round 1 is covered: if no
view of round 1 differs, it does the same in round 2. Views depend only on sums over the people, so
all people but two are represented by their possible sums: this covers every strategy.

Not covered: more queries, more answers and more rounds; programs that choose columns; the order of
posts and their delay; asks for tokens, rolls, marks and complaints; breaking cryptography;
coalitions without the first shuffler, which do read rows (docs/attacks.md, S5 to S7, S10); and all
shufflers with a reader, which read all rows as honest-but-curious parties. So "no strategy" here is
no statement of safety.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from veilmix.errors import RoundBurned
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.board.sum_check import disagreement
from veilmix.protocol.wire.crowd_limits import check_rounds, check_unspent, too_few
from veilmix.protocol.wire.messages import Call, Counts
from veilmix.protocol.wire.parties import Role

KEEP, DROP, DELAY, DUPLICATE, ZERO, ONE = MOVES = (
    *("keep", "drop", "delay", "duplicate"),
    *("replace by 0", "replace by 1"),
)
LIES = ("none", "digest", "account")
CHANGED = ("burned: a ballot that was accepted has not come",)
FIRST, SECOND, CURATOR, ANALYST, FRIEND = "shuffler-1", "shuffler-2", "curator", "analyst", "friend"


@dataclass(frozen=True, slots=True)
class SessionGuards:
    """Guards of a session. Digests, deadlines, repeats and bounds of rounds are always checked.

    Attributes:
        shufflers: 1 or 2.
        tokens: a ballot counts only with a token, and all tokens must be spent.
        sums: the analyst compares the release with the published counts.
        dropout: fewer missing people burn round 2; 1 switches it off.
        public: whether round 1's counts are public.
        challenge: no ballot is opened if an honest person's message was replaced, or if fewer than
            `dropout` people were accepted in one round only. (Accepting a message and losing it is
            detected like replacing it; so is adding a message without an accepted person. Dropped
            or delayed messages were not accepted.)
    """

    shufflers: int = 1
    tokens: bool = False
    sums: bool = False
    dropout: int = 1
    public: bool = True
    challenge: bool = False


class ReaderBatch(NamedTuple):
    """The messages that reach the reader of a round: of people, and made by the coalition.

    Attributes:
        people: the number of messages of people.
        positives: the number of them with answer 1.
        forgeries: the number of messages that the coalition made.
        made_ones: the number of them with answer 1.
        tokens: the number of tokens given.
        moved: in the second round, the number of people present in only one of both rounds.
    """

    people: int = 0
    positives: int = 0
    forgeries: int = 0
    made_ones: int = 0
    tokens: int = 0
    moved: int = 0

    def and_(self, batch: "ReaderBatch") -> "ReaderBatch":
        """Return the sum of both batches."""
        return ReaderBatch(*(a + b for a, b in zip(self, batch, strict=True)))


Pair = tuple[ReaderBatch, ReaderBatch]  # the batches of both rounds
Strategy = tuple[str, ...]  # the treatment of each person, in words


@dataclass(frozen=True, slots=True)
class Distinguisher:
    """A strategy by which a coalition distinguishes the answers of two honest people.

    Attributes:
        coalition: its members, in order.
        moves: the treatment of the first of them, the second, and all other people.
        lies: the false posts of the first shuffler and the curator; "none": no false post.
        views: the views in both worlds.
    """

    coalition: tuple[str, ...]
    moves: Strategy
    lies: tuple[str, ...]
    views: tuple[object, object]

    @property
    def deviations(self) -> int:
        """The number of deviations from the rules."""
        broken = sum(move != f"{KEEP}, {KEEP}" and move != "honest" for move in self.moves)
        return broken + sum(lie != "none" for lie in self.lies)


def handled(move: str, value: int) -> ReaderBatch:
    """Return the batch of a person's message after a move."""
    if move in (KEEP, DUPLICATE):
        return ReaderBatch(1, value, tokens=1)
    if move in (DROP, DELAY):
        return ReaderBatch(tokens=1)
    return ReaderBatch(forgeries=1, made_ones=int(move == ONE), tokens=1)


def honest(value: int) -> Iterator[tuple[Pair, str]]:
    """Yield all treatments of an honest person with this answer, in both rounds."""
    for first, second in product(MOVES, repeat=2):
        yield _both(handled(first, value), handled(second, value)), f"{first}, {second}"


def _both(first: ReaderBatch, second: ReaderBatch) -> Pair:
    """Return a person's batches in both rounds, and note in the second whether it moved."""
    was_present, still = (batch.people + batch.forgeries > 0 for batch in (first, second))
    return first, second._replace(moved=int(was_present != still))


def friends() -> Iterator[tuple[Pair, str]]:
    """Yield all acts of a friend: answer 0 or 1, or stay away, with its token or without."""
    acts = {
        "says 0": ReaderBatch(1, 0, tokens=1),
        "says 1": ReaderBatch(1, 1, tokens=1),
        "keeps its token": ReaderBatch(tokens=1),
        "stays away": ReaderBatch(),
    }
    for first, second in product(acts, repeat=2):
        yield _both(acts[first], acts[second]), f"{first}, {second}"


def other_sums(people: int, friend: bool) -> dict[Pair, Strategy]:
    """Return all sums of the people but two, each with a strategy of the fewest deviations."""
    cheapest: dict[Pair, Strategy] = {(ReaderBatch(), ReaderBatch()): ()}
    for place in range(people - 2):
        mine = list(friends()) if friend and not place else [*honest(0), *honest(1)]
        strategies: dict[Pair, Strategy] = {}
        for (sums, earlier_strategy), ((first_batch, theirs), move) in product(
            cheapest.items(), mine
        ):
            both, strategy = (
                (sums[0].and_(first_batch), sums[1].and_(theirs)),
                (*earlier_strategy, move),
            )
            if both not in strategies or _broken(strategy) < _broken(strategies[both]):
                strategies[both] = strategy
        cheapest = strategies
    return cheapest


def _broken(strategy: Strategy) -> int:
    return sum(move != f"{KEEP}, {KEEP}" for move in strategy)


def view(
    terms: SessionGuards, coalition: frozenset[str], pair: Pair, lies: tuple[str, ...]
) -> object:
    """Return a coalition's view of a session. lies: a shuffler's, and the curator's counts of 1."""
    first, second = pair
    deed, claimed_count = lies
    reads = CURATOR in coalition
    if terms.challenge and first.forgeries:
        return CHANGED
    people, positives = _counted(terms, first, minted=reads)
    observations: list[object] = [("read", people, positives)] if reads else []
    if deed != "none" and not reads:
        return (
            *observations,
            "burned: a false post",
        )  # the receiver compares the batch with the account
    if terms.tokens and not reads:
        try:
            check_unspent(first.tokens, [people])
        except RoundBurned as why:
            return (*observations, str(why))
    posted = min(int(claimed_count), people) if claimed_count != "none" else positives
    observations.append(("total", people))
    if terms.public:
        observations.append(("counts", posted))
    return (*observations, *_release(terms, coalition, second, people, posted))


def _release(
    terms: SessionGuards,
    coalition: frozenset[str],
    batch: ReaderBatch,
    earlier_people: int,
    posted: int,
) -> Iterator[object]:
    """Yield the observations of round 2."""
    reads = ANALYST in coalition
    if terms.challenge and (batch.forgeries or too_few(batch.moved, terms.dropout)):
        yield (
            CHANGED if batch.forgeries else f"{batch.moved} people were accepted in one round only"
        )
        return
    people, positives = _counted(terms, batch, minted=reads)
    if reads:
        yield "read", people, positives
    try:
        if terms.tokens and not reads:
            check_unspent(batch.tokens, [people])
        if not reads:
            check_rounds([earlier_people], people, terms.dropout)
            if terms.sums and terms.public and not _fits(earlier_people, posted, people, positives):
                raise RoundBurned("the release does not fit")  # noqa: TRY301 - as the reader does
    except RoundBurned as why:
        yield str(why)
        return
    yield "release", people, positives


def _counted(terms: SessionGuards, batch: ReaderBatch, *, minted: bool) -> tuple[int, int]:
    """Return the ballots that a reader counts: made ballots only without tokens, or as issuer."""
    if terms.tokens and not minted:
        return batch.people, batch.positives
    return batch.people + batch.forgeries, batch.positives + batch.made_ones


@cache
def _fits(earlier_people: int, positives: int, people: int, released: int) -> bool:
    """Whether a release fits the counts of round 1 (board/sum_check.py)."""
    first_counts: Counts = {("0",): earlier_people - positives, ("1",): positives}
    joint: Counts = {("0",): people - released, ("1",): released}
    calls = Call(1, Role.CURATOR, ((0,),)), Call(2, Role.ANALYST, ((0,),))
    return disagreement(RoundResult(calls[0], (first_counts,)), calls[1], joint) is None


def find_distinguisher(
    terms: SessionGuards, coalition: frozenset[str], people: int
) -> Distinguisher | None:
    """Return the simplest strategy that distinguishes two honest people's answers, or None.

    The search covers every strategy. people: 3 to 5, the friend among them.
    """
    best: Distinguisher | None = None
    rest, mine = other_sums(people, FRIEND in coalition), _effects()
    for first, second in product(mine, repeat=2):
        (zero, first_positive), (last, yes) = mine[first], mine[second]
        for (sums, strategy), lies in product(rest.items(), _lies(coalition, people)):
            world = sums[0].and_(zero[0]).and_(yes[0]), sums[1].and_(zero[1]).and_(yes[1])
            swapped = (
                sums[0].and_(first_positive[0]).and_(last[0]),
                sums[1].and_(first_positive[1]).and_(last[1]),
            )
            if world == swapped:
                continue
            views = view(terms, coalition, world, lies), view(terms, coalition, swapped, lies)
            if views[0] != views[1]:
                parties, moves = tuple(sorted(coalition)), (first, second, *strategy)
                candidate = Distinguisher(parties, moves, lies, views)
                if best is None or candidate.deviations < best.deviations:
                    best = candidate
    return best


def _effects() -> dict[str, tuple[Pair, Pair]]:
    """Return the distinct effects of moves on a person with answer 0, and with 1, by name."""
    named: dict[tuple[Pair, Pair], str] = {}
    for (pair, name), (second_pair, _) in zip(honest(0), honest(1), strict=True):
        named.setdefault((pair, second_pair), name)
    return {name: pairs for pairs, name in named.items()}


def _lies(coalition: frozenset[str], people: int) -> Iterator[tuple[str, ...]]:
    counts = ["none", *map(str, range(people + 1))] if CURATOR in coalition else ["none"]
    yield from product(LIES, counts)


def coalitions(shufflers: int) -> Iterator[frozenset[str]]:
    """Yield the coalitions with the first shuffler that do not read all rows by observing alone."""
    members = (CURATOR, ANALYST, FRIEND, *([SECOND] if shufflers > 1 else []))
    for inside in product((False, True), repeat=len(members)):
        coalition = {
            FIRST,
            *(member for member, is_member in zip(members, inside, strict=True) if is_member),
        }
        whole = shufflers == 1 or SECOND in coalition
        if not (whole and coalition & {CURATOR, ANALYST}):
            yield frozenset(coalition)
