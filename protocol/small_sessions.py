"""Strategies of a malicious first shuffler and its friends with ballots, in sessions of few people.

One question with the answers 0 and 1 is asked twice of n people: round 1 by the curator, round 2,
the release, by the analyst. The coalition has the first shuffler, and maybe others. In each round
it does one of these to every person's message, with all it knows of whose it is:

    keep, drop, delay (refused as late, then as another round's), duplicate (the copy is refused),
    replace by a message of its own that says 0 or 1

A friend among the people says 0 or 1, or stays away, having asked for its token or not. A curator
in the coalition posts any counts of round 1; a shuffler may post a false account or digest. A view
is all that members see: totals, counts that are public or that they read, whether and why a round
burned. Mixing is ideal: of messages that an honest party still mixes, only their number and what
they say can be seen in the end.

It is found out whether any strategy has a view that differs when two honest people swap their
answers, whatever the others say. A strategy that adapts to round 1 is covered: if no view of round
1 differs, it does the same in round 2. Views depend on sums over the people alone, so all people
but two are counted by the sums that they can come to: that is every strategy, none left out.

Left out: more questions, more answers and more rounds; programs that choose columns; the order of
posts and their delay; asks for tokens, rolls, marks and complaints; breaking cryptography;
coalitions without the first shuffler, which do read rows (docs/attacks.md, S5 to S7, S10); and all
shufflers with a reader, who read everything by watching. So "no strategy" here is
no statement of safety.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from ..errors import RoundBurned
from .crowd_limits import check_rounds, check_unspent, too_few
from .messages import Call, Counts
from .parties import Role
from .programs import RoundResult
from .sums import disagreement

KEEP, DROP, DELAY, DUPLICATE, ZERO, ONE = MOVES = (
    *("keep", "drop", "delay", "duplicate"),
    *("replace by 0", "replace by 1"),
)
LIES = ("none", "digest", "account")
CHANGED = ("burned: a ballot that was accepted has not come",)
FIRST, SECOND, CURATOR, ANALYST, FRIEND = "shuffler-1", "shuffler-2", "curator", "analyst", "friend"


@dataclass(frozen=True, slots=True)
class Terms:
    """Guards of a session. Digests, deadlines, repeats and bounds of rounds are always checked.

    Attributes:
        shufflers: 1 or 2.
        tokens: a ballot counts only with one, and all have to be spent.
        sums: the analyst compares the release with the published counts.
        dropout: fewer missing people burn round 2; 1 switches it off.
        public: whether round 1's counts are.
        challenge: nothing is opened where an honest person's message was replaced, or where fewer
            than `dropout` people were accepted in one round only. (To accept a message and lose it
            is found as to replace it is; so is to put in one that nobody was accepted for. What is
            dropped or delayed was not accepted.)
    """

    shufflers: int = 1
    tokens: bool = False
    sums: bool = False
    dropout: int = 1
    public: bool = True
    challenge: bool = False


class Batch(NamedTuple):
    """What reaches the reader of a round: people's messages, those that say 1; and made ones.

    Attributes:
        people: messages of people.
        ones: those of them that say 1.
        made: messages that a party made.
        made_ones: those of them that say 1.
        asked: tokens given. moved, of the second round: people who were there in one of both only.
        moved: of the second round: people who were there in one of both only.
    """

    people: int = 0
    ones: int = 0
    made: int = 0
    made_ones: int = 0
    asked: int = 0
    moved: int = 0

    def and_(self, other: "Batch") -> "Batch":
        """Both together."""
        return Batch(*(a + b for a, b in zip(self, other, strict=True)))


Pair = tuple[Batch, Batch]  # of both rounds
Strategy = tuple[str, ...]  # what is done to each person, in words


@dataclass(frozen=True, slots=True)
class Distinguisher:
    """A strategy by which a coalition tells two honest people's answers apart.

    Attributes:
        coalition: its members, in order.
        moves: what is done to the first of them, the second, and everybody else.
        lies: what the first shuffler and the curator say that is not so; "none": nothing.
        views: of both worlds.
    """

    coalition: tuple[str, ...]
    moves: Strategy
    lies: tuple[str, ...]
    views: tuple[object, object]

    @property
    def deviations(self) -> int:
        """In how many places it leaves the rules."""
        broken = sum(move != f"{KEEP}, {KEEP}" and move != "honest" for move in self.moves)
        return broken + sum(lie != "none" for lie in self.lies)


def handled(move: str, value: int) -> Batch:
    """What becomes of one person's message."""
    if move in (KEEP, DUPLICATE):
        return Batch(1, value, asked=1)
    if move in (DROP, DELAY):
        return Batch(asked=1)
    return Batch(made=1, made_ones=int(move == ONE), asked=1)


def honest(value: int) -> Iterator[tuple[Pair, str]]:
    """All that can be done to an honest person with this answer."""
    for first, second in product(MOVES, repeat=2):
        yield _both(handled(first, value), handled(second, value)), f"{first}, {second}"


def _both(first: Batch, second: Batch) -> Pair:
    """What becomes of a person in both rounds."""
    there, still = (batch.people + batch.made > 0 for batch in (first, second))
    return first, second._replace(moved=int(there != still))


def friends() -> Iterator[tuple[Pair, str]]:
    """All that a friend can do: say 0 or 1, or stay away, with its token or without one."""
    acts = {
        "says 0": Batch(1, 0, asked=1),
        "says 1": Batch(1, 1, asked=1),
        "keeps its token": Batch(asked=1),
        "stays away": Batch(),
    }
    for first, second in product(acts, repeat=2):
        yield _both(acts[first], acts[second]), f"{first}, {second}"


def others(people: int, friend: bool) -> dict[Pair, Strategy]:  # noqa: FBT001
    """All that everybody but two can come to, each with a strategy that leaves the rules least."""
    cheapest: dict[Pair, Strategy] = {(Batch(), Batch()): ()}
    for place in range(people - 2):
        mine = list(friends()) if friend and not place else [*honest(0), *honest(1)]
        least: dict[Pair, Strategy] = {}
        for (done, before), ((own, theirs), said) in product(cheapest.items(), mine):
            both, strategy = (done[0].and_(own), done[1].and_(theirs)), (*before, said)
            if both not in least or _broken(strategy) < _broken(least[both]):
                least[both] = strategy
        cheapest = least
    return cheapest


def _broken(strategy: Strategy) -> int:
    return sum(move != f"{KEEP}, {KEEP}" for move in strategy)


def view(terms: Terms, coalition: frozenset[str], pair: Pair, lies: tuple[str, ...]) -> object:
    """What a coalition sees of a session. lies: a shuffler's, and the curator's counts of ones."""
    first, second = pair
    deed, told = lies
    reads = CURATOR in coalition
    if terms.challenge and first.made:
        return CHANGED
    people, ones = _counted(terms, first, minted=reads)
    seen: list[object] = [("read", people, ones)] if reads else []
    if deed != "none" and not reads:
        return (
            *seen,
            "burned: a false post",
        )  # whoever gets the batch compares it with the account
    if terms.tokens and not reads:
        try:
            check_unspent(first.asked, [people])
        except RoundBurned as why:
            return (*seen, str(why))
    posted = min(int(told), people) if told != "none" else ones
    seen.append(("total", people))
    if terms.public:
        seen.append(("counts", posted))
    return (*seen, *_release(terms, coalition, second, people, posted))


def _release(
    terms: Terms, coalition: frozenset[str], batch: Batch, before: int, posted: int
) -> Iterator[object]:
    """What is seen of round 2."""
    reads = ANALYST in coalition
    if terms.challenge and (batch.made or too_few(batch.moved, terms.dropout)):
        yield CHANGED if batch.made else f"{batch.moved} people were accepted in one round only"
        return
    people, ones = _counted(terms, batch, minted=reads)
    if reads:
        yield "read", people, ones
    try:
        if terms.tokens and not reads:
            check_unspent(batch.asked, [people])
        if not reads:
            check_rounds([before], people, terms.dropout)
            if terms.sums and terms.public and not _fits(before, posted, people, ones):
                raise RoundBurned("the release does not fit")  # noqa: TRY301 - as the reader does
    except RoundBurned as why:
        yield str(why)
        return
    yield "release", people, ones


def _counted(terms: Terms, batch: Batch, *, minted: bool) -> tuple[int, int]:
    """Ballots that a reader counts: made ones only where none needs a token, or it gives it."""
    if terms.tokens and not minted:
        return batch.people, batch.ones
    return batch.people + batch.made, batch.ones + batch.made_ones


@cache
def _fits(before: int, ones: int, people: int, released: int) -> bool:
    """Whether a release fits the counts of round 1 (sums.py)."""
    heard: Counts = {("0",): before - ones, ("1",): ones}
    joint: Counts = {("0",): people - released, ("1",): released}
    asked = Call(1, Role.CURATOR, ((0,),)), Call(2, Role.ANALYST, ((0,),))
    return disagreement(RoundResult(asked[0], (heard,)), asked[1], joint) is None


def told_apart(terms: Terms, coalition: frozenset[str], people: int) -> Distinguisher | None:
    """The simplest strategy that tells two honest people's answers apart; None: there is none.

    Every strategy is looked at. people: 3 to 5, the friend among them.
    """
    best: Distinguisher | None = None
    rest, mine = others(people, FRIEND in coalition), _effects()
    for first, second in product(mine, repeat=2):
        (zero, other), (last, yes) = mine[first], mine[second]
        for (done, strategy), lies in product(rest.items(), _lies(coalition, people)):
            world = done[0].and_(zero[0]).and_(yes[0]), done[1].and_(zero[1]).and_(yes[1])
            swapped = done[0].and_(other[0]).and_(last[0]), done[1].and_(other[1]).and_(last[1])
            if world == swapped:
                continue
            views = view(terms, coalition, world, lies), view(terms, coalition, swapped, lies)
            if views[0] != views[1]:
                who, moves = tuple(sorted(coalition)), (first, second, *strategy)
                candidate = Distinguisher(who, moves, lies, views)
                if best is None or candidate.deviations < best.deviations:
                    best = candidate
    return best


def _effects() -> dict[str, tuple[Pair, Pair]]:
    """What can become of one person's messages if it says 0, and if 1; each once, by a name."""
    named: dict[tuple[Pair, Pair], str] = {}
    for (pair, said), (other, _) in zip(honest(0), honest(1), strict=True):
        named.setdefault((pair, other), said)
    return {said: pairs for pairs, said in named.items()}


def _lies(coalition: frozenset[str], people: int) -> Iterator[tuple[str, ...]]:
    counts = ["none", *map(str, range(people + 1))] if CURATOR in coalition else ["none"]
    yield from product(LIES, counts)


def coalitions(shufflers: int) -> Iterator[frozenset[str]]:
    """Those with the first shuffler that watching does not let read everything."""
    members = (CURATOR, ANALYST, FRIEND, *([SECOND] if shufflers > 1 else []))
    for inside in product((False, True), repeat=len(members)):
        who = {FIRST, *(member for member, there in zip(members, inside, strict=True) if there)}
        whole = shufflers == 1 or SECOND in who
        if not (whole and who & {CURATOR, ANALYST}):
            yield frozenset(who)
