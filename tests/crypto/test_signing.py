"""Signatures: RFC 8032's first vectors, and nothing accepted but what was signed."""

import pickle

import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import SIGNATURE, SIGNING_KEY, Signer, verify_signature
from veilmix.errors import ParameterError, Reason, Refused

# RFC 8032, section 7.1, tests 1 to 3: secret, public, message, signature
RFC8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


class Fixed:
    """An entropy that gives one secret key."""

    def __init__(self, secret: str) -> None:
        self.secret = bytes.fromhex(secret)

    def random(self, n: int) -> bytes:
        assert n == len(self.secret)
        return self.secret


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC8032)
def test_rfc_8032(secret: str, public: str, message: str, signature: str) -> None:
    signer = Signer(Fixed(secret))  # type: ignore[arg-type]
    assert signer.public.hex() == public
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    verify_signature(signer.public, bytes.fromhex(message), bytes.fromhex(signature))


def test_any_changed_bit_is_refused() -> None:
    signer = Signer(SeededEntropy(1))
    signature = signer.sign(b"a vote")
    for at in range(SIGNATURE):
        changed = bytearray(signature)
        changed[at] ^= 1
        with pytest.raises(Refused) as caught:
            verify_signature(signer.public, b"a vote", bytes(changed))
        assert caught.value.reason is Reason.UNREGISTERED


@pytest.mark.parametrize("signature", [b"", bytes(SIGNATURE - 1), bytes(SIGNATURE + 1)])
def test_what_has_another_size_is_no_signature(signature: bytes) -> None:
    with pytest.raises(Refused, match="unregistered"):
        verify_signature(Signer(SeededEntropy(1)).public, b"a vote", signature)


def test_another_key_or_message_is_refused() -> None:
    signer, two = Signer(SeededEntropy(1)), Signer(SeededEntropy(2))
    for public, message in ((two.public, b"a vote"), (signer.public, b"another")):
        with pytest.raises(Refused):
            verify_signature(public, message, signer.sign(b"a vote"))
    with pytest.raises(ParameterError, match="33 bytes"):
        verify_signature(signer.public + b"\0", b"a vote", signer.sign(b"a vote"))


def test_a_signer_does_not_show_or_copy_its_secret() -> None:
    signer = Signer(SeededEntropy(1))
    assert len(signer.public) == SIGNING_KEY
    assert repr(signer) == str(signer) == "Signer(secret hidden)"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(signer)
