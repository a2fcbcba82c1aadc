"""The statements of the theorem on the security of a verified mix, for one record.

docs/verified.md has the theorem. The record proves a statement or does not. All statements need a
board with valid posts, signatures and proofs, which other modules check: `board_checks.py` and
`protocol/board/verified_record.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....number_text import plural
from ....protocol.board.board import Board, replay
from ....protocol.rounds.round_context import Round, open_round
from ....protocol.rounds.verified_round import GROUP, ClosedList
from ....protocol.wire import parties
from ....protocol.wire.announcement import Announcement
from ..run_folder import Run
from .checks import CheckResult

PROOFS = "hard logarithms in ristretto255, a hash that acts like a random function"
SIGNATURES = "unforgeable signatures, a registry of the right people"
SKETCH = (
    "a proof sketch, not machine-checked: decisional Diffie-Hellman, a hash that acts like a "
    "random function, one session alone, a coalition fixed beforehand"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A statement of the theorem on the security of a verified mix, for one run.

    Attributes:
        text: the statement, with the figures of the run.
        proved: whether the record proves the statement, under its assumptions.
        reason: the assumptions of a proved statement; else why the record does not prove it.
    """

    text: str
    proved: bool
    reason: str


def theorem_of(run: Run, checks: Sequence[CheckResult]) -> tuple[Sentence, ...]:
    """Return the theorem's statements for a checked run of a verified mix.

    Empty for a run with an onion mix or without messages (ideal), or if a check failed.
    checks: the results of this run's checks.
    """
    failed = any(check.ok is False for check in checks)
    if failed or run.transcript is None or run.scenario.mix.kind != "verified":
        return ()
    return theorem_sentences(replay(run.transcript.posts))


def theorem_sentences(board: Board) -> tuple[Sentence, ...]:
    """Return the statements of the theorem on a verified mix (docs/verified.md) for a board.

    The board must have valid posts and proofs. Empty if no verified mix was announced.
    """
    announced = board.announcement
    if announced is None or not announced.rules.verified:
        return ()
    sentences, earlier_lists = list[Sentence](), list[ClosedList]()
    for call in board.calls:
        plan = open_round(announced, board.session, call)
        if call.round > len(board.tallies):
            text = f"round {call.round} was not counted: {board.burned or 'the session ended'}"
            sentences.append(Sentence(text, False, "the proofs of such a round are not checked"))
            continue
        closed = board.verified.closed[call.round]
        sentences += _round_sentences(plan, closed, earlier_lists)
        earlier_lists.append(closed)
    sentences += _session_sentences(board, announced)
    return tuple(sentences)


def _round_sentences(
    plan: Round, closed: ClosedList, earlier_lists: Sequence[ClosedList]
) -> Iterator[Sentence]:
    """Yield the statements about the ballots, the shuffles and the counts of a counted round.

    plan: the round. closed: the list of ballots that count. earlier_lists: such lists of earlier
    rounds.
    """
    number, users = plan.call.round, plural(len(closed), "user")
    start = f"round {number}: "
    if plan.reuses_ballots:
        text = f"the released rows are the released columns of the ballots of {users} in round 1"
        yield Sentence(start + text, True, PROOFS)
    else:
        text = f"each listed ballot, of {users}, is signed by its user, who knows what it holds"
        yield Sentence(start + text, True, f"{PROOFS}, {SIGNATURES}")
    hops = " and ".join(plan.openers[:-1])
    text = f"{hops} kept each ballot once, changed none, and gave shares of their keys"
    yield Sentence(start + text, True, PROOFS)
    text = f"the counts are what the {plural(len(closed), 'listed ballot')} hold"
    if len(plan.call.asks) > 1:
        text = f"the counts of {plural(len(plan.call.asks), 'question')} are what the ballots hold"
    if plan.is_public:
        yield Sentence(start + text, True, PROOFS)
    else:
        reason = f"the {plan.reader} keeps its share: its counts are its word"
        yield Sentence(start + text, False, reason)
    if earlier_lists and not plan.reuses_ballots:
        text = f"its {users} answered as in round {number - 1}"
        yield Sentence(start + text, False, "users make new ballots, and may answer otherwise")


def _session_sentences(board: Board, announced: Announcement) -> Iterator[Sentence]:
    """Yield the statements about the whole session: missing users, secrecy, and keys.

    announced: the announcement of the session.
    """
    registered = len(board.registry.keys) if board.registry else 0
    first = len(board.verified.closed.get(1, ()))
    text = f"no user was kept away: {first} of {plural(registered, 'registered user')} are listed"
    reason = "no ballot of theirs stands there: a keyholder, the board or the network may have it"
    yield Sentence(text, first == registered > 0, SIGNATURES if first == registered else reason)
    hops = [parties.shuffler(hop + 1) for hop in range(len(announced.shufflers))]
    need = f"one of {' and '.join(hops)}" if len(hops) > 1 else hops[0]
    text = (
        f"a coalition without {need} learns who takes part and the multiset of answers to each "
        "question, and no more"
    )
    yield Sentence(text, False, f"{SKETCH}; no record shows that a shuffler is honest")
    size = GROUP.element_size
    keys = [
        key[:size]
        for posted in board.verified.keys.values()
        for body in posted.values()
        for key in body.keys
    ]
    text = f"each of {plural(len(keys), 'key')} is its owner's, and posted once in this session"
    reason = "a keyholder has posted one key twice"
    once = len(set(keys)) == len(keys)
    yield Sentence(text, once, PROOFS if once else reason)
