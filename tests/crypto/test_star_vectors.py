"""What of STAR's own test data can be compared (`brave/sta-rs`, read at 1cca3da, November 2025).

Its function is another (a key punctured tag by tag, an inverse in the exponent), its shares lie in
the field of 2^128 + 12451, its hashes and ciphers are Strobe's: no message of one opens in the
other. The group is the same, ristretto255, and so are the multiples that its test of keys expects,
the form of a proof, and what a server of threshold 2 finds in the messages of its end-to-end test.
"""

from base64 import b64decode
from collections import Counter
from hashlib import sha256

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.padding import pad, unpad
from veilmix.crypto.ristretto import IDENTITY, base_times, decoded_scalar
from veilmix.crypto.threshold import Sealer, Shape, TextLevel, open_groups
from veilmix.crypto.voprf import PROOF

# ppoprf/src/ppoprf.rs, tests `pk_serialization` and `proof_serialization`: bincode, base64.
PUBLIC_KEY = (
    "qvgkBOX3v6c1LOCT5Kq+gkNThdZKqHAJClbRqjYWmAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH2"
    "1zz6BGKHRL9pORR/hTW+FKDvE+OrKUQTF3tUHwjaCQJ4y7Cc0Y+Qgk+M41esYWMnb7xw31kKOFOtBW9K8W9mKwMMGFZGUxdw8a0Y"
    "R+AcaR4oHwziNgXQOiYl9+HURiPWKgSC7x8pf72mezXiE73bnAQ+Ydwj1TiaXpObtvV73UFFQQXqHR1+dcom/BojKL4hyvKQwXEy"
    "jBip91w+Akrlxwv8NAaOL9VPRsgI/LJ+qWvbblaC1onIB9giUBNgnKk4P5juHAfkpVyW6kyQjufMFaegMpo9P47w84s4Bo4AtMiz"
    "A3rcPw=="
)
PROOF_OF_7_AND_15 = (
    "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcPDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw=="
)


def test_multiples_of_the_generator_are_those_of_star() -> None:
    """The base key is 7..7 G, and that of tag i is 2i..2i G: the byte 32 times, little-endian."""
    data = b64decode(PUBLIC_KEY)
    assert data[:32] == base_times(bytes([7]) * 32)
    assert int.from_bytes(data[32:40], "little") == 8
    tags = [data[at : at + 33] for at in range(40, len(data), 33)]
    assert [tag[0] for tag in tags] == list(range(8))
    assert tags[0][1:] == IDENTITY
    for tag in tags:
        assert tag[1:] == base_times(bytes([2 * tag[0]]) * 32)


def test_a_proof_has_the_same_form() -> None:
    """Challenge, then response, 32 bytes each: both are scalars here too."""
    data = b64decode(PROOF_OF_7_AND_15)
    assert len(data) == PROOF
    assert decoded_scalar(data[:32]) == bytes([7]) * 32
    assert decoded_scalar(data[32:]) == bytes([15]) * 32


def test_ten_messages_of_threshold_2_open_as_there() -> None:
    """star/tests/e2e.rs, `star_no_aux_multiple_block`: who sends what, by number from 0 to 9."""
    texts = [
        b"hello world" if i % 3 == 0 else b"goodbye sweet prince" if i % 4 == 0 else bytes([i])
        for i in range(10)
    ]
    width = 32
    sealer = Sealer(Shape(2, (width,)))
    messages = [
        sealer.seal([TextLevel(sha256(text).digest(), pad(text, width))], SeededEntropy(i))
        for i, text in enumerate(texts)
    ]
    opened = open_groups(sealer.shape, messages)
    counts = Counter(unpad(texts[0]) for texts in opened.texts if texts)
    assert counts == {b"hello world": 4, b"goodbye sweet prince": 2}
    assert not opened.refused
    assert sorted(people for _, people in opened.closed) == [1, 1, 1, 1]
