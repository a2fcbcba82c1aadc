"""Changed frames of challenges and audits: `benchmarks/mutants_of_audits.py [frames] [seed]`.

Takes posts `share, accepted, heard, shown, coin, traced, toss, opened` and alarms `changed` of a
session of three people, changes bits, cuts, lengthens and splices them, and posts each on the board
as it stood when the right one was posted. What the board takes is judged as keyholders do. Whatever
comes must be taken or be `Refused`, with a reason and nothing else, and the board must be what it
was; anything else surfaces here and ends the run. Prints how many were refused, by what, how many
were taken, and the most memory that was allocated at once in the first 10,000.
"""

import random
import sys
import time
import tracemalloc
from collections import Counter
from dataclasses import fields, replace
from typing import TypeVar

from mutants_of_tokens import changed
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import Refused, RoundBurned
from veilmix.protocol.board.alarms import borne_out
from veilmix.protocol.board.audit_posts import Audited
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.challenge import check_envelopes, evidence
from veilmix.protocol.board.challenge_posts import Challenged
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.rounds.audit import check_pairs
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.messages import Accepted, Alarm, Cause, Kind
from veilmix.roles import user
from veilmix.roles.cast import Cast, Guards
from veilmix.roles.session import play
from veilmix.scenarios.lab.play.announcement import announced_policy
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.populations import population
from veilmix.scenarios.programs.curated.rules import decision_rule

ABOUT = (
    *(Kind.SHARE, Kind.ACCEPTED, Kind.HEARD, Kind.SHOWN),
    *(Kind.COIN, Kind.TRACED, Kind.TOSS, Kind.OPENED, Kind.ALARM),
)
PEOPLE = 3
WEIGHED = 10_000  # frames whose memory is counted
T = TypeVar("T", Board, Challenged, Audited)
Before = tuple[str, bytes, int]  # author, what was posted, and how many posts stood there then


def session() -> Board:
    """A session of three people with a challenge, an audit, and an alarm that tells nothing."""
    scenario = load("blood-type")
    crowd = population(scenario.population, scenario.feature)

    async def lying(me: user.Endpoint, plan: user.Round, proofs: user.Proofs) -> None:
        number = plan.call.round
        await me.until(Kind.HEARD, lambda board: number in board.challenged.marks)
        await me.post(Alarm(number, Cause.CHANGED, evidence(int(me.party[5:]) - 1, proofs, 0)))

    user.contest = lying
    rules = Rules(min_dropout=1, challenge=True, audit=True)
    cast = Cast(
        *("frames", crowd.schema, announced_policy(scenario), rules, "sealedbox", 2, PEOPLE),
        *(crowd.row, decision_rule(scenario.policy), SeededEntropy(1)),
        guards=Guards(registered=PEOPLE, signed=False),
    )
    return play(cast)


def boards(whole: Board) -> list[tuple[Before, Board]]:
    """Each post of an audit or a challenge in round 1, with the board as it stood before."""
    cases = []
    for at, entry in enumerate(whole.entries):
        if entry.message.kind in ABOUT and entry.message.round == 1:
            cases.append(((entry.author, entry.data, at), replayed(whole, at)))
    return cases


def replayed(whole: Board, many: int) -> Board:
    """The board as it stood when so many posts were on it."""
    board = Board()
    for entry in whole.entries[:many]:
        board.post(entry.author, entry.data)
    return board


def copied(record: T) -> T:
    """A board, or a part of one, that can be posted on while the first stays as it is."""
    changes = {}
    for each in fields(record):
        value = getattr(record, each.name)
        if isinstance(value, list | set):
            changes[each.name] = value.copy()
        elif isinstance(value, dict):
            changes[each.name] = {
                k: v.copy() if isinstance(v, dict | set) else v for k, v in value.items()
            }
        elif isinstance(value, Challenged | Audited):
            changes[each.name] = copied(value)
    return replace(record, **changes)


def judge(board: Board) -> None:
    """What keyholders do with what is on the board."""
    told, registry, number = board.announcement, board.registry, 1
    assert told is not None
    assert registry is not None
    plan = user_plan(board)
    body = board.entries[-1].message.body
    if isinstance(body, Accepted):
        check_envelopes(plan, registry, body.people)
    if isinstance(body, Alarm) and board.phase is Phase.CHALLENGED:
        borne_out(board, body)
    shown = board.audited
    if len(shown.opened.get(number, {})) == 2:
        try:
            accepted = board.challenged.accepted[number]
            traced, tosses = shown.traced[number], shown.tosses[number]
            check_pairs(plan, accepted, traced, tosses, shown.opened[number])
        except RoundBurned:
            pass


def user_plan(board: Board) -> user.Round:
    """The first round."""
    from veilmix.protocol.rounds.round_context import open_round

    assert board.announcement is not None
    return open_round(board.announcement, board.session, board.calls[0])


def main(many: int, seed: int) -> None:
    """Change, hand over, count and print."""
    whole = session()
    places = boards(whole)
    rng, refused, taken = random.Random(seed), Counter[str](), Counter[str]()
    start = time.process_time()
    tracemalloc.start()
    peak = 0
    for number in range(many):
        if number == WEIGHED:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        at = rng.randrange(len(places))
        (author, data, length), untouched = places[at]
        board = copied(untouched)
        try:
            entry = board.post(author, changed(rng, data))
        except Refused as refusal:
            refused[refusal.reason.value] += 1
            if number % 100 == 0 and board != untouched:
                sys.exit("a refused post changed the board")
            continue
        if len(untouched.entries) != length:
            sys.exit("a copy of a board shares its posts")
        taken[entry.message.kind.name.lower()] += 1
        judge(board)
    peak = peak or tracemalloc.get_traced_memory()[1]
    print(f"{many:,} frames, seed {seed}, {time.process_time() - start:.0f} s of CPU")
    print(f"  refused: {dict(refused)}")
    print(f"  taken: {dict(taken)}")
    print(f"  most memory at once: {peak / 1e6:.1f} MB")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 100_000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
