"""The posts of a verified mix, in which every step is proved, and their checks on the board.

The board checks turns (phases.py), sizes and names, and the owners of keys. If counts are public,
it also checks them against the posted decryption shares. It does not check ballots, shuffles and
shares: every keyholder (shuffler, curator or analyst) does, before it posts a decryption share. The
steps themselves are in verified_round.py.
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
    context_of,
    is_invited,
    joint_keys,
    keys_due,
    read_opened,
    row_width,
    share_elements,
)
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
ROWS_HEAD, PAIR = 5, 64  # sizes in bytes: the header of a list of ciphertexts, and each ciphertext
# sizes in bytes: the fixed part of a shuffle proof, and the parts for each column and each row
PROOF_HEAD, PROOF_PAIR, PROOF_ROW = 197, 96, 160
# sizes in bytes: the header of a list of decryption shares, and each share
SHARES_HEAD, SHARE = 68, 32


@dataclass(slots=True)
class VerifiedPosts:
    """The posts of a verified mix; the keys of each mapping are round numbers.

    Attributes:
        keys: public keys, by party.
        handed: ballots that users submitted, by the keyholder that posted them, in posting order.
        checked: parties that have checked the closed list.
        shuffled: re-encrypted and permuted lists of ciphertexts, by hop.
        shared: decryption shares, by party.
        closed: the closed list: the ballots that count, by user. It exists once all keyholders (the
            shufflers, and the curator or analyst) have posted the ballots submitted to them.
    """

    keys: dict[int, dict[str, BallotKeys]] = field(default_factory=dict)
    handed: dict[int, dict[str, HandedBallots]] = field(default_factory=dict)
    checked: dict[int, set[str]] = field(default_factory=dict)
    shuffled: dict[int, list[ShuffledLists]] = field(default_factory=dict)
    shared: dict[int, dict[str, OpeningShares]] = field(default_factory=dict)
    closed: dict[int, ClosedList] = field(default_factory=dict)

    def has_keys(self, plan: Round) -> bool:
        """Whether all parties have posted their ballot keys for a round of a verified mix.

        The parties are the shufflers, and the curator or analyst.
        """
        return len(self.keys.get(plan.call.round, ())) == len(plan.key_owners)

    def prior_lists(self, plan: Round) -> list[ClosedList]:
        """Return the closed lists (the ballots that count, by user) of all earlier rounds."""
        return [self.closed[number] for number in range(1, plan.call.round)]

    def posted(self, number: int) -> set[tuple[int, bytes]]:
        """Return the ballots of a round on the board, each with its user's index in the registry.

        A user appears twice if different ballots of this user were posted. number: the round.
        """
        lists = self.handed.get(number, {}).values()
        return {
            (handed_ballot.person, handed_ballot.ballots)
            for posted in lists
            for handed_ballot in posted.people
        }

    def fits_keys(self, author: str, body: BallotKeys, plan: Round) -> bool:
        """Whether a party posts as many keys as are due; Refused if it cannot prove to own them.

        The last party's keys are also refused if the joint key (the sum of all parties' keys) of a
        query would be zero.
        """
        numbers = keys_due(plan, author)
        if len(body.keys) != len(numbers):
            return False
        all_keys = {**self.keys.get(plan.call.round, {}), author: body}
        try:
            if all_keys.keys() >= set(plan.key_owners):
                joint_keys(plan, all_keys)
            for number, record in zip(numbers, body.keys, strict=True):
                context = context_of(plan, number, author)
                check_key(context, decode_key(context, record))
        except VerificationError:
            raise Refused(Reason.MALFORMED) from None
        return True

    def fits_handed(self, body: HandedBallots, plan: Round, registered: int) -> bool:
        """Whether posted ballots have the right size, are new on the board, and of permitted users.

        A user is permitted if it is registered, and may answer this round (`is_invited`). body: the
        ballots. plan: the round. registered: the number of registered people.
        """
        earlier_lists, posted = self.prior_lists(plan), self.posted(plan.call.round)
        return all(
            handed_ballot.person < registered
            and len(handed_ballot.ballots) == plan.envelope
            and (handed_ballot.person, handed_ballot.ballots) not in posted
            and is_invited(plan, handed_ballot.person, earlier_lists)
            for handed_ballot in body.people
        )

    def fits_lists(self, body: ShuffledLists, plan: Round) -> bool:
        """Whether a shuffler posts a list and a proof of the right length for each query.

        The length follows from the closed list (the ballots that count).
        """
        width, count = row_width(plan), len(self.closed[plan.call.round])
        rows = ROWS_HEAD + PAIR * width * count
        proofs = PROOF_HEAD + PROOF_PAIR * width + PROOF_ROW * count
        return (
            len(body.lists) == len(plan.call.asks)
            and all(len(record) == rows for record in body.lists)
            and all(len(record) == proofs for record in body.proofs)
        )

    def fits_shares(self, body: OpeningShares, plan: Round) -> bool:
        """Whether a party posts decryption shares for all ciphertexts of every query's list."""
        size = SHARES_HEAD + SHARE * row_width(plan) * len(self.closed[plan.call.round])
        return len(body.shares) == len(plan.call.asks) and all(
            len(record) == size for record in body.shares
        )

    def answers(self, tally: Tally, plan: Round) -> bool:
        """Whether a tally (counts that the curator or analyst posts) fits its round's ballots.

        If the counts stay secret, counted and refused ballots must add up to all ballots: one for
        each query and each user on the closed list. Public counts must follow from the last
        shuffler's lists and the posted decryption shares.
        """
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
        """Use the ballots of round 1 again in this round, because users submit only once.

        number: the round of the release.
        """
        self.closed[number] = self.closed[1]

    def account(self, lists: ShuffledLists, number: int) -> Mixed:
        """Return the numbers of messages in and out of a shuffler of a verified mix.

        They follow from the lists that the shuffler posted, because such a mix loses no message.
        """
        people = len(self.closed[number])
        answers = people * len(lists.lists)
        digest = batch_digest(lists.lists)
        if lists.hop == 1:  # all ballots of a user count as one received message
            return Mixed(1, people, people, answers, {}, digest)
        return Mixed(lists.hop, 0, answers, answers, {}, digest)

    def learn(self, number: int, author: str, body: Body, openers: Sequence[str]) -> None:
        """Store a post that passed its checks.

        When the last keyholder has posted the ballots submitted to it, the closed list (the ballots
        that count) is fixed. number: the round. author: the party that posted. openers: the
        keyholders (the shufflers, and the curator or analyst) of the round.
        """
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
    """Return the closed list: the ballots that count, by user in ascending order.

    A user submits its ballots to every party with a key. If these parties posted different ballots
    of a user, a public rule (`chosen`) selects the ballots that count.
    """
    candidates = defaultdict[int, list[HandedBallot]](list)
    for posted in lists:
        for handed_ballot in posted.people:
            candidates[handed_ballot.person].append(handed_ballot)
    return {person: chosen(candidates[person]).ballots for person in sorted(candidates)}
