"""A joint key has owners who know their parts: a rogue key is refused."""

from dataclasses import replace
from hashlib import sha512

import pytest
import verified_kit as kit
from veilmix.crypto.verified.keys import OwnedKey, check_key, decode_key, joint_key, make_key
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.errors import VerificationError

GROUP = kit.GROUP
PLACES = [kit.HOP.at(place) for place in (b"shuffler 1", b"shuffler 2", b"reader")]
SHARES = [make_key(context, kit.entropy(repr(context.place))) for context in PLACES]
KEYS = [OwnedKey(share.public, share.proof) for share in SHARES]


def test_the_joint_key_is_the_sum_of_all() -> None:
    total = sum(GROUP.decode_scalar(share.secret) for share in SHARES) % GROUP.order
    assert joint_key(PLACES, KEYS) == GROUP.base_multiples([total])[0]
    assert len({share.public for share in SHARES}) == 3


def test_a_rogue_key_is_refused() -> None:
    """Mine minus all others would make the joint key mine."""
    mine = make_key(PLACES[2], kit.entropy("mine"))
    others = GROUP.total([key.public for key in KEYS[:2]])
    (rogue,) = GROUP.differences([mine.public], [others])
    with pytest.raises(VerificationError, match="key of reader"):
        joint_key(PLACES, [*KEYS[:2], OwnedKey(rogue, mine.proof)])


@pytest.mark.parametrize("context", kit.ELSEWHERE.values(), ids=kit.ELSEWHERE)
def test_a_key_of_another_place_is_refused(context: ProofContext) -> None:
    own = make_key(kit.HOP, kit.entropy("own"))
    check_key(kit.HOP, OwnedKey(own.public, own.proof))
    with pytest.raises(VerificationError, match="owner does not hold"):
        check_key(context, OwnedKey(own.public, own.proof))


def test_a_key_with_another_proof_is_refused() -> None:
    with pytest.raises(VerificationError):
        check_key(PLACES[0], replace(KEYS[0], proof=KEYS[1].proof))


def test_keys_that_cancel_out_are_refused() -> None:
    """Owners who know both can prove both; nothing would be encrypted."""
    first = GROUP.decode_scalar(SHARES[0].secret)
    opposite = owned(PLACES[1], -first % GROUP.order)
    with pytest.raises(VerificationError, match="add up to the identity"):
        joint_key(PLACES[:2], [KEYS[0], opposite])


def owned(context: ProofContext, secret: int) -> OwnedKey:
    """Return the key of a chosen secret, with a right proof (z = k - c x, of joint_key.py)."""
    public, blind = GROUP.base_multiples([secret, 5])
    challenge = challenge_of(context, public, blind)
    response = (5 - challenge * secret) % GROUP.order
    return OwnedKey(public, GROUP.encode_scalar(challenge) + GROUP.encode_scalar(response))


def challenge_of(context: ProofContext, public: bytes, blind: bytes) -> int:
    digest = context.transcript(b"key").digest(b"owner")
    data = sha512(b"veilmix key share 1\0" + digest + public + blind).digest()
    return int.from_bytes(data, "little") % GROUP.order


def test_a_kept_entropy_gives_each_place_another_key() -> None:
    kept = [make_key(context, kit.entropy("kept")).public for context in PLACES]
    assert len(set(kept)) == 3
    assert make_key(PLACES[0], kit.entropy("kept")).public == kept[0]


def test_a_record_is_96_bytes_and_read_back() -> None:
    data = KEYS[0].encode()
    assert len(data) == 96
    assert decode_key(kit.HOP, data) == KEYS[0]
    assert SHARES[0].secret.hex() not in repr(SHARES[0])
