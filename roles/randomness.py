"""The party `randomness`: evaluates an oblivious function for users without seeing their inputs.

In the program `threshold`, users need the outputs to seal their rows. The party posts its public
key for a round on the board. It answers each person once, in the first half of the collection, with
a proof that it used that key. It forgets the key with the round.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.voprf import OprfKey
from ..errors import Reason, Refused, RoundBurned
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.rounds.threshold import evaluate
from ..protocol.wire.token_messages import Evaluated, Mint, Query
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint, Letter
from .replies import letters_until

Job = tuple[str, Query, Entropy]
Answer = Evaluated | Reason


async def randomness(
    me: Endpoint,
    entropy: Entropy,
    pool: WorkerPool,
    keys: dict[int, OprfKey] | None = None,
) -> None:
    """Run the party `randomness`: evaluate its oblivious function for users, in every round.

    keys: receives the secret key of each round, for the record of attackers; None: no record.
    """
    try:
        async for plan in me.rounds():
            close = trio.current_time() + plan.announcement.rules.deadline / 2
            fresh = sealing(entropy.fork(f"round-{plan.call.round}"), plan.session)
            key = OprfKey(fresh.fork("key"), plan.session)
            if keys is not None:
                keys[plan.call.round] = key
            await me.post(Mint(key.public))
            tries: Counter[str] = Counter()
            while letters := await letters_until(close, me):
                await _answer(me, plan, key, fresh, letters, tries, pool)
    except RoundBurned:
        return  # the board refused the key: no user will ask, and the round is aborted


async def _answer(
    me: Endpoint,
    plan: Round,
    key: OprfKey,
    entropy: Entropy,
    letters: Sequence[Letter],
    tries: Counter[str],
    pool: WorkerPool,
) -> None:
    """Evaluate the first valid request of each person, and send the answers.

    tries: requests by person.
    """
    jobs: list[Job] = []
    for letter in letters:
        try:
            sender, query = _read_request(me, plan, letter, tries)
            jobs.append((sender, query, entropy.fork(sender)))
        except Refused as refusal:
            me.refuse(plan, refusal.reason)
    answered = await pool.spread(f"{me.party} answers", partial(answers, plan, key), jobs)
    for (sender, *_), answer in zip(
        jobs, (answered_query for piece in answered for answered_query in piece), strict=True
    ):
        if isinstance(answer, Reason):
            me.refuse(plan, answer)
        else:
            await me.send(plan, sender, answer)


def _read_request(
    me: Endpoint, plan: Round, letter: Letter, tries: Counter[str]
) -> tuple[str, Query]:
    """Return the request in a letter; Refused without a request, or after a person's first."""
    sender, _ = letter
    tries[sender] += 1
    if tries[sender] > 1:
        raise Refused(Reason.DUPLICATE)
    body = me.accept(plan, letter).body
    if not isinstance(body, Query):
        raise Refused(Reason.UNEXPECTED)
    return sender, body


def answers(plan: Round, key: OprfKey, jobs: Sequence[Job]) -> list[Answer]:
    """Return, for each request, the function's outputs with a proof, or the reason of a refusal."""
    evaluations: list[Answer] = []
    for _, query, entropy in jobs:
        try:
            evaluations.append(evaluate(plan, key, query, entropy))
        except Refused as refusal:
            evaluations.append(refusal.reason)
    return evaluations
