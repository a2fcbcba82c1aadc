"""A token is spent once, also where the two ballots that have it are read in different pieces."""

import pytest
import role_kit as KIT
import trio
from veilmix.crypto.entropy import Entropy
from veilmix.errors import Reason
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Rules
from veilmix.roles import user
from veilmix.roles.cast import Guards
from veilmix.roles.compute import worker_pool
from veilmix.roles.compute.worker_pool import WorkerPool
from veilmix.roles.network.memory_network import Endpoint

pytestmark = pytest.mark.memory

MANY = 12
obtain = user.obtain


@pytest.mark.parametrize("size", [1, 128])
def test_a_token_that_two_people_spend_is_counted_once(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two friends, who both ask for tokens, and both use those of one of them."""
    given, asked = dict[int, user.Grants](), {1: trio.Event(), 2: trio.Event()}

    async def lent(
        me: Endpoint,
        plan: Round,
        fresh: Entropy,
        pool: WorkerPool,
        work: "user.Sealers",
    ) -> user.Grants | None:
        grants, number = await obtain(me, plan, fresh, pool, work), plan.call.round
        if me.party == "user-3" and grants is not None:
            given[number] = grants
            asked[number].set()
        if me.party != "user-4":
            return grants
        await asked[number].wait()
        return given[number]

    monkeypatch.setattr(user, "obtain", lent)
    monkeypatch.setattr(worker_pool, "CHUNK", size)
    run = KIT.run(
        KIT.people(MANY),
        rules=Rules(min_dropout=3, tokens=True),
        guards=Guards(registered=MANY),
    )
    assert run.board.burned is not None
    assert run.board.burned.startswith(f"{MANY} people were given tokens, and {MANY - 1} ballots")
    assert run.refused("curator", 1)[Reason.DUPLICATE] == 3
