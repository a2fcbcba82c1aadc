"""Audits and challenges judge posts by whole names, whole digests and all posts before."""

from typing import Any

import pytest
from veilmix.errors import Refused
from veilmix.protocol.board.audit_posts import Audited
from veilmix.protocol.board.challenge_posts import Challenged, Place
from veilmix.protocol.rounds.audit import coin_of
from veilmix.protocol.wire.audit_messages import Coin, Toss
from veilmix.protocol.wire.messages import Accepted, BallotMarks
from veilmix.protocol.wire.peer_messages import Share, ShareSecret

OPENERS = ("shuffler-1", "shuffler-2", "analyst")
AT = Place(bytes(32), 2, OPENERS, 1, 3, True, 0, (0, 0), (0, 0, 0))
COIN, TOSS = Coin(bytes(32)), Toss(bytes(32))
SHARE = Share(bytes(32), bytes(64))
DONE = {2: {1: (), 2: ()}}  # the hashes that hops have shown, by round and hop
ALL: dict[int, Any] = {2: dict.fromkeys(OPENERS, COIN)}


@pytest.mark.parametrize("party", OPENERS)
def test_nobody_posts_a_second_time_whoever_posted_after_it(party: str) -> None:
    audited = Audited(coins=ALL, tosses=ALL, traced=DONE)
    assert not audited.right(party, COIN, AT)
    assert not audited.right(party, TOSS, AT)
    assert not Challenged(shares=ALL).right(party, SHARE, AT)


@pytest.mark.parametrize("at", [0, 1])
def test_no_secret_is_shown_a_second_time(at: int) -> None:
    challenged = Challenged(shares=ALL, share_secrets={2: dict.fromkeys(OPENERS[:2], bytes(32))})
    shown = ShareSecret(at + 1, bytes(32))
    assert not challenged.right(OPENERS[at], shown, AT)


@pytest.mark.parametrize("party", ["shuffler-3", "shuffler-12", "curator", "user-1"])
def test_who_opens_nothing_posts_no_coin_and_no_share(party: str) -> None:
    assert not Audited().right(party, COIN, AT)
    assert not Challenged().right(party, SHARE, AT)
    assert Audited().right("shuffler-2", COIN, AT)


@pytest.mark.parametrize("party", ["curator", "shuffler-2", "user-1"])
def test_only_the_reader_says_what_it_has_heard(party: str) -> None:
    challenged = Challenged(accepted={2: Accepted(())})
    assert not challenged.right(party, BallotMarks(()), AT)
    assert challenged.right("analyst", BallotMarks(()), AT)


@pytest.mark.parametrize("changed", [0, 15, 16, 31])
def test_a_toss_is_that_of_its_coin_to_the_last_byte(changed: int) -> None:
    coin = coin_of(AT.session, AT.number, "shuffler-1", TOSS)
    digest = bytearray(coin.digest)
    assert Audited(coins={2: {"shuffler-1": coin}}, traced=DONE).right("shuffler-1", TOSS, AT)
    digest[changed] ^= 1
    audited = Audited(coins={2: {"shuffler-1": Coin(bytes(digest))}}, traced=DONE)
    with pytest.raises(Refused):
        audited.right("shuffler-1", TOSS, AT)
