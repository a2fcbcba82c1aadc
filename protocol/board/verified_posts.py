"""The posts of a verified mix, and their checks (verified_round.py).

The board looks at turns, sizes and names. It does not check ballots, shuffles and shares: every
keyholder does, before it gives a share. But it checks the owners of keys, and in a public round the
counts have to agree with the posted shares.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...crypto.verified.keys import check_key, decode_key
from ...crypto.verified.rows import CiphertextRows
from ...errors import Reason, Refused, VerificationError
from ..rounds.mixing import batch_digest
from ..rounds.round_context import Round
from ..rounds.verified_round import (
    GROUP,
    ClosedList,
    chosen,
    closed_digest,
    context_of,
    doors_of,
    is_invited,
    is_public,
    joint_keys,
    key_owners,
    keys_due,
    read_opened,
    row_width,
    share_elements,
)
from ..wire import parties
from ..wire.messages import Body, Mixed, Tally
from ..wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallot,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)

VerifiedPost = BallotKeys | HandedBallots | CheckedBallots | ShuffledLists | OpeningShares
ROWS_HEAD, PAIR = 5, 64  # bytes of a record of rows, and of each ciphertext
PROOF_HEAD, PROOF_PAIR, PROOF_ROW = 197, 96, 160  # of a proof of shuffle; a column, a row
SHARES_HEAD, SHARE = 68, 32  # of a record of shares, and of each ciphertext


@dataclass(slots=True)
class VerifiedPosts:
    """By round: keys, ballots, keyholders that have checked them, lists and shares.

    Attributes:
        keys: keys, by party.
        handed: ballots, by party, in the order of the doors.
        checked: parties that have checked the closed list.
        shuffled: lists, by hop.
        shared: shares, by party.
        closed: the ballots that count, by user, once all keyholders have posted theirs.
    """

    keys: dict[int, dict[str, BallotKeys]] = field(default_factory=dict)
    handed: dict[int, dict[str, HandedBallots]] = field(default_factory=dict)
    checked: dict[int, set[str]] = field(default_factory=dict)
    shuffled: dict[int, list[ShuffledLists]] = field(default_factory=dict)
    shared: dict[int, dict[str, OpeningShares]] = field(default_factory=dict)
    closed: dict[int, ClosedList] = field(default_factory=dict)

    def has_keys(self, plan: Round) -> bool:
        """Whether all keyholders have posted their keys of a round."""
        return len(self.keys.get(plan.call.round, ())) == len(key_owners(plan))

    def prior_lists(self, plan: Round) -> list[ClosedList]:
        """Return the closed lists of earlier rounds."""
        return [self.closed[number] for number in range(1, plan.call.round)]

    def posted(self, number: int) -> set[tuple[int, bytes]]:
        """Return users, by place in the registry, with ballots that stand on the board."""
        lists = self.handed.get(number, {}).values()
        return {
            (handed_ballot.person, handed_ballot.ballots)
            for posted in lists
            for handed_ballot in posted.people
        }

    def right(self, author: str, body: Body, plan: Round, registered: int) -> bool:
        """Whether a post is legal now; Refused if a key is not its owner's.

        registered: number of registered people.
        """
        number = plan.call.round
        match body:
            case BallotKeys():
                return self._gives_keys(author, body, plan)
            case HandedBallots():
                return self._hands(author, body, plan, registered)
            case CheckedBallots(digest=digest):
                due = author in plan.openers and author not in self.checked.get(number, ())
                return due and number in self.closed and digest == self._digest(plan)
            case ShuffledLists():
                return self._shuffles(author, body, plan)
            case OpeningShares():
                return self._shares(author, body, plan)
            case _:
                return True

    def _gives_keys(self, author: str, body: BallotKeys, plan: Round) -> bool:
        due = author in key_owners(plan) and author not in self.keys.get(plan.call.round, ())
        numbers = keys_due(plan, author)
        if not due or len(body.keys) != len(numbers):
            return False
        all_keys = {**self.keys.get(plan.call.round, {}), author: body}
        try:
            if all_keys.keys() >= set(key_owners(plan)):
                joint_keys(plan, all_keys)
            for number, record in zip(numbers, body.keys, strict=True):
                context = context_of(plan, number, author)
                check_key(context, decode_key(context, record))
        except VerificationError:
            raise Refused(Reason.MALFORMED) from None
        return True

    def _hands(self, author: str, body: HandedBallots, plan: Round, registered: int) -> bool:
        """Whether a keyholder posts ballots in its turn, of invited users, without repeats."""
        earlier_lists, posted = self.prior_lists(plan), self.posted(plan.call.round)
        turn = doors_of(plan)[len(self.handed.get(plan.call.round, ())) :][:1] == (author,)
        return (
            turn
            and self.has_keys(plan)
            and all(
                handed_ballot.person < registered
                and len(handed_ballot.ballots) == plan.envelope
                and (handed_ballot.person, handed_ballot.ballots) not in posted
                and is_invited(plan, handed_ballot.person, earlier_lists)
                for handed_ballot in body.people
            )
        )

    def _digest(self, plan: Round) -> bytes:
        return closed_digest(plan, self.closed[plan.call.round])

    def _shuffles(self, author: str, body: ShuffledLists, plan: Round) -> bool:
        """Whether a shuffler posts lists in its turn, as long as the closed list."""
        number, width = plan.call.round, row_width(plan)
        due = len(self.shuffled.get(number, ())) + 1
        count = len(self.closed.get(number, ()))
        rows = ROWS_HEAD + PAIR * width * count
        proofs = PROOF_HEAD + PROOF_PAIR * width + PROOF_ROW * count
        return (
            len(self.checked.get(number, ())) == len(plan.openers)
            and body.hop == due
            and author == parties.shuffler(due)
            and len(body.lists) == len(plan.call.asks)
            and all(len(record) == rows for record in body.lists)
            and all(len(record) == proofs for record in body.proofs)
        )

    def _shares(self, author: str, body: OpeningShares, plan: Round) -> bool:
        """Whether a keyholder gives shares after all shuffles: a reader only in a public round."""
        number = plan.call.round
        size = SHARES_HEAD + SHARE * row_width(plan) * len(self.closed.get(number, ()))
        return (
            self.is_shuffled(plan)
            and author in plan.openers
            and author not in self.shared.get(number, ())
            and (author != plan.reader or is_public(plan))
            and len(body.shares) == len(plan.call.asks)
            and all(len(record) == size for record in body.shares)
        )

    def is_shuffled(self, plan: Round) -> bool:
        """Whether all shufflers have posted their lists of a round."""
        return len(self.shuffled.get(plan.call.round, ())) == len(plan.openers) - 1

    def is_opened(self, plan: Round) -> bool:
        """Whether all keyholders have posted their shares, but a reader of a secret round."""
        due = set(plan.openers if is_public(plan) else plan.openers[:-1])
        return due <= self.shared.get(plan.call.round, {}).keys()

    def answers(self, tally: Tally, plan: Round) -> bool:
        """Whether a tally may follow: in a public round it must match the posted shares."""
        if not self.is_opened(plan):
            return False
        closed = len(self.closed[plan.call.round])
        if tally.counts is None:
            refused = sum(tally.refused.values())
            return sum(tally.totals) + refused == closed * len(plan.call.asks)
        last, shared = self.shuffled[plan.call.round][-1], self.shared[plan.call.round]
        lists = tuple(CiphertextRows.decode(GROUP, record) for record in last.lists)
        reading = read_opened(
            plan, lists, [share_elements(shared[party]) for party in plan.openers]
        )
        opened = tuple(dict(count) for count in reading.counts)
        return opened == tally.counts and +reading.refused == dict(tally.refused)

    def reuse(self, number: int) -> None:
        """Close the list of a release after a single submission: it is the list of round 1."""
        self.closed[number] = self.closed[1]

    def account(self, lists: ShuffledLists, number: int) -> Mixed:
        """Return the account of a hop, which follows from its lists: no message is lost."""
        people = len(self.closed[number])
        answers = people * len(lists.lists)
        digest = batch_digest(lists.lists)
        if lists.hop == 1:  # of each user its ballots came, together
            return Mixed(1, people, people, answers, {}, digest)
        return Mixed(lists.hop, 0, answers, answers, {}, digest)

    def learn(self, number: int, author: str, body: Body, openers: Sequence[str]) -> None:
        """Keep a post that was right. openers: the keyholders of the round."""
        match body:
            case BallotKeys():
                self.keys.setdefault(number, {})[author] = body
            case HandedBallots():
                handed = self.handed.setdefault(number, {})
                handed[author] = body
                if len(handed) == len(openers):
                    self.closed[number] = _closed(handed.values())
            case CheckedBallots():
                self.checked.setdefault(number, set()).add(author)
            case ShuffledLists():
                self.shuffled.setdefault(number, []).append(body)
            case OpeningShares():
                self.shared.setdefault(number, {})[author] = body


def _closed(lists: Iterable[HandedBallots]) -> ClosedList:
    """Return the ballots that count, by user, ascending."""
    candidates = defaultdict[int, list[HandedBallot]](list)
    for posted in lists:
        for handed_ballot in posted.people:
            candidates[handed_ballot.person].append(handed_ballot)
    return {person: chosen(candidates[person]).ballots for person in sorted(candidates)}
