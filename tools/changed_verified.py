"""Changed messages of a verified mix: `python tools/changed_verified.py [MANY] [SEED]`.

Sessions in which people submit in each round, and once, are played and every message kept. Then, as
in changed_frames.py, a changed message comes from anybody, at any moment, to the board and to every
party. Besides, a keyholder posts changed keys, ballots, digests, lists or shares in its turn, under
its own signature; if the board takes that post, another keyholder checks its proofs. All is taken,
`Refused`, or disproved (`RoundBurned`); a board that refuses is as it was. Lists and shares whose
proofs hold must be those of the session that was played. Prints what changed_frames.py prints.
"""

import random
import sys
from copy import deepcopy

from changed_frames import ROWS, Ear, Hearers, Posts, Session, changed, main, session
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import SIGNATURE
from veilmix.crypto.verified.rows import CiphertextRows
from veilmix.errors import RoundBurned
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.round_context import Round, as_cited, open_round
from veilmix.protocol.rounds.verified_round import (
    GROUP,
    Lists,
    RoundKeys,
    check_handed,
    check_opening,
    check_shuffled,
    first_lists,
    handed_of,
    joint_keys,
    key_round,
)
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import Program, Rules
from veilmix.protocol.wire.bodies import KINDS
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Body, Registry, Submission
from veilmix.protocol.wire.signed_posts import post_statement
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from veilmix.roles.cast import Guards
from veilmix.roles.session import identities_of

POSTS = BallotKeys, HandedBallots, CheckedBallots, ShuffledLists, OpeningShares
PROGRAMS = Program.TWO_ROUND, Program.TWO_ROUND_ONCE
CHECKER = SeededEntropy(8)  # of a keyholder that checks proofs, for its weights


def keys_of(plan: Round, board: Board) -> RoundKeys:
    """Return the keys of a round, which a board shows."""
    return joint_keys(plan, board.verified.keys[key_round(plan)])


def registry_of(board: Board) -> Registry:
    """Return the registered users."""
    assert board.registry is not None  # noqa: S101 - a verified mix has a registry
    return board.registry


class Doors(Hearers):
    """The parties of a session: of a changed letter they check the ballots, as doors do."""

    def _use(self, plan: Round, sender: str, body: Body) -> None:
        if isinstance(body, Submission) and len(body.envelope) == plan.envelope:
            board, handed = self.played.board, handed_of(parties.index(sender), body)
            check_handed(plan, keys_of(plan, board), registry_of(board), [handed])


class Keyholders:
    """A keyholder posts changed records in its turn and signs them; another checks the proofs."""

    def __init__(self, played: Session) -> None:
        self.posts, self.roster = played.posts, played.board.roster
        self.signers = identities_of(played.cast)
        bodies = [decode_message(data).body for _, data in played.posts]
        turns = [at for at, body in enumerate(bodies) if isinstance(body, POSTS)]
        self.turns = {at: (bodies[at], played.until(at)) for at in turns}
        self.records = [played.posts[at][1] for at in turns]

    def hear(self, rng: random.Random) -> str:
        """Post a record; return its kind, and whether its proofs hold."""
        at = rng.choice(list(self.turns))
        author, data = self.posts[at]
        honest, before = self.turns[at]
        record = changed(rng, data[:-SIGNATURE], self.records)
        board = deepcopy(before)
        body = board.post(author, self._signed(author, record)).message.body
        name = KINDS[type(body)].name.lower()
        try:
            is_valid = self._is_valid_post(board, author, body)
        except RoundBurned:
            is_valid = False
        free = isinstance(body, BallotKeys | HandedBallots)  # other keys or fewer ballots are right
        assert not is_valid or free or body == honest, f"{name}: other content is proved"  # noqa: S101
        return f"{'proved' if is_valid else 'disproved'} {name}"

    def _signed(self, author: str, record: bytes) -> bytes:
        assert self.roster is not None  # noqa: S101 - posts are signed
        return record + self.signers[author].sign(post_statement(self.roster, author, record))

    def _is_valid_post(self, board: Board, author: str, body: Body) -> bool:
        """Check a post as another keyholder does; False or RoundBurned if a proof fails."""
        assert board.announcement is not None  # noqa: S101 - keys follow the announcement
        plan = open_round(board.announcement, board.session, board.calls[-1])
        plan = as_cited(plan, board.heads)
        match body:
            case HandedBallots(people=people):
                keys = keys_of(plan, board)
                return not any(check_handed(plan, keys, registry_of(board), people))
            case ShuffledLists():
                keys = keys_of(plan, board)
                check_shuffled(plan, keys, self._lists(board, plan, body.hop), body, CHECKER)
            case OpeningShares():
                keys = keys_of(plan, board)
                check_opening(plan, author, keys, self._lists(board, plan), body)
        return True  # the board has checked keys and digests

    def _lists(self, board: Board, plan: Round, hop: int = 0) -> Lists:
        """Return the lists that came to a hop; 0: after the last one."""
        lists, number = first_lists(plan, board.verified.closed[plan.call.round]), plan.call.round
        for posted in board.verified.shuffled[number][: hop - 1 if hop else None]:
            lists = tuple(CiphertextRows.decode(GROUP, rows) for rows in posted.lists)
        return lists


def ears() -> list[Ear]:
    """Return the board, the parties and the keyholders of both sessions."""
    rules, guards = Rules(verified=True), Guards(registered=len(ROWS))
    played = [session(rules, guards, 2, program=program) for program in PROGRAMS]
    return [ear(one) for one in played for ear in (Posts, Doors, Keyholders)]


if __name__ == "__main__":
    main(ears(), *map(int, sys.argv[1:]))
