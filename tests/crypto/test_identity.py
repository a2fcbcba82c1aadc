"""Identities: bound to their certificates, silent about their secrets, fit for TLS."""

import copy
import pickle
import traceback

import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.identity import (
    SEED,
    Identity,
    PublicIdentity,
    check_name,
    fingerprint,
    make_identity,
)
from veilmix.errors import ParameterError

ADA = make_identity("ada", SeededEntropy(1))
BOB = make_identity("bob", SeededEntropy(2))


def test_the_identity_key_is_that_of_its_seed() -> None:
    again = make_identity("ada", SeededEntropy(1))
    assert again.public.key == ADA.public.key != BOB.public.key
    assert again.public.certificate != ADA.public.certificate  # a TLS key has no seed of ours
    assert fingerprint(ADA.public.key) == ADA.public.fingerprint != BOB.public.fingerprint
    assert len(ADA.public.fingerprint.split()) == 8


@pytest.mark.parametrize("name", ["a", "ada", "shuffler-1", "A.b_c-d", "x" * 64])
def test_names_of_parties_are_accepted(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "-a", "a-", "a b", "ä", "a/b", "../a", ".", "a\n", "x" * 65, "a\0b", None, 3]
)
def test_texts_that_are_no_names_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="name: found"):
        check_name(name)


def changed(public: PublicIdentity, **fields: object) -> dict[str, object]:
    told = {name: getattr(public, name) for name in ("name", "key", "certificate", "binding")}
    return told | fields


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": "eve"}, "has not signed"),
        ({"key": BOB.public.key}, "has not signed"),
        ({"certificate": BOB.public.certificate}, "has not signed"),
        ({"binding": BOB.public.binding}, "has not signed"),
        ({"binding": b""}, "has not signed"),
        ({"certificate": ""}, "certificate: found none"),
        ({"certificate": "-----BEGIN CERTIFICATE-----"}, "certificate: found none"),
        ({"certificate": ADA.public.certificate + " " * 10_000}, "certificate: found none"),
        ({"key": b"short"}, "found 5 bytes"),
    ],
)
def test_a_public_part_is_what_its_holder_signed(fields: dict[str, object], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        PublicIdentity(**changed(ADA.public, **fields))  # type: ignore[arg-type]


def test_an_identity_may_have_no_certificate() -> None:
    bare = PublicIdentity("ada", ADA.public.key)
    assert Identity(bare, ADA.seed, "").signer.public == ADA.public.key
    with pytest.raises(ParameterError, match="another certificate"):
        Identity(bare, ADA.seed, ADA.tls_key)


def test_secrets_belong_to_the_public_part() -> None:
    for seed, tls_key, why in (
        (BOB.seed, ADA.tls_key, "another identity key"),
        (bytes(SEED - 1), ADA.tls_key, "not 32 bytes"),
        (ADA.seed, BOB.tls_key, "another certificate"),
        (ADA.seed, "", "another certificate"),
        (ADA.seed, "no key", "another certificate"),
    ):
        with pytest.raises(ParameterError, match=why) as caught:
            Identity(ADA.public, seed, tls_key)
        told = "".join(traceback.format_exception(caught.value))
        assert seed.hex() not in told
        assert not tls_key or tls_key == "no key" or tls_key not in told


def test_an_identity_shows_and_copies_no_secret() -> None:
    told = f"{ADA!r} {ADA} {ADA.signer!r} {ADA.public!r}"
    assert ADA.seed.hex() not in told
    assert repr(ADA.seed) not in told
    assert "PRIVATE" not in told
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled"):
            take(ADA)
