"""Every vector of the messages is read alike by veilmix and by a reader that shares no code."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import independent_wire
import make_wire_vectors
import protocol_kit as KIT
import pytest
import wire_in_json
from hypothesis import given, settings
from hypothesis import strategies as st
from imports_kit import imported_by
from veilmix.crypto.joint_key import check_share, check_shown, open_jointly, total
from veilmix.crypto.keys import PublicKey, SecretKey
from veilmix.crypto.ristretto import base_times
from veilmix.crypto.suites import suite
from veilmix.errors import Reason, Refused, VerificationError
from veilmix.protocol.board.board import replay
from veilmix.protocol.peers.accounting import result_digest
from veilmix.protocol.peers.agreement import Agreement, PeerRound, open_peer_round, share_context
from veilmix.protocol.peers.onions import pass_on, read_plain, seal_again
from veilmix.protocol.rounds.ballots import read_ballot
from veilmix.protocol.rounds.mixing import batch_digest, open_envelope, open_layers
from veilmix.protocol.rounds.registered_users import check_senders, registry_root
from veilmix.protocol.rounds.round_context import Round, layer_context, open_round
from veilmix.protocol.wire.announcement import decode_announcement
from veilmix.protocol.wire.commitment import open_commitment, unsealed
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import (
    Call,
    CommittedDecision,
    Kind,
    OpenedCertificate,
    Registry,
    Submission,
    Tally,
)
from veilmix.protocol.wire.signed_posts import Fork

HERE = Path(__file__).parents[1]
ROOT = HERE.parent.parent
FILES = sorted((HERE / "vectors").glob("*.json"))

Inputs = dict[str, Any]


def unhex(value: str) -> bytes:
    return bytes.fromhex(value)


def asked(inputs: Inputs) -> Call:
    body = decode_message(unhex(inputs["call"])).body
    assert isinstance(body, Call)
    return body


def playing(inputs: Inputs) -> tuple[Round, SecretKey]:
    told = decode_announcement(unhex(inputs["announcement"]))
    plan = open_round(told, told.digest(), asked(inputs))
    return plan, suite().keypair_from(unhex(inputs["secret"])).secret


def read_message(inputs: Inputs) -> Inputs:
    message = decode_message(unhex(inputs["data"]))
    assert message.encode().hex() == inputs["data"]
    said: Inputs = wire_in_json.shown(message)
    return said


def read_session(inputs: Inputs) -> Inputs:
    told = decode_announcement(unhex(inputs["announcement"]))
    assert told.encode().hex() == inputs["announcement"]
    return {"digest": told.digest().hex()}


def read_context(inputs: Inputs) -> Inputs:
    context = layer_context(unhex(inputs["session"]), asked(inputs), inputs["hop"])
    return {"context": context.hex()}


def read_envelope(inputs: Inputs) -> Inputs:
    plan, secret = playing(inputs)
    onions = open_envelope(plan, secret, unhex(inputs["envelope"]))
    return {"onions": [onion.hex() for onion in onions]}


def read_ballot_(inputs: Inputs) -> Inputs:
    plan, secret = playing(inputs)
    opened = open_layers(plan, len(plan.hops), secret, [unhex(inputs["layer"])])
    for reason in opened.refused:
        raise Refused(reason)
    ballot = read_ballot(plan, opened.inside[0])
    salt = opened.inside[0][1:17].hex()
    return {"ask": ballot.ask, "salt": salt, "values": list(ballot.values)}


def read_batch(inputs: Inputs) -> Inputs:
    return {"digest": batch_digest(map(unhex, inputs["layers"])).hex()}


def read_board(inputs: Inputs) -> Inputs:
    board = replay([(author, unhex(data)) for author, data in inputs["posts"]])
    return {"head": board.head.hex(), "digest": board.digest().hex()}


def read_committed(inputs: Inputs) -> Inputs:
    decided, opening = (decode_message(unhex(inputs[name])) for name in ("decision", "opening"))
    said, session = decided.body, decided.session
    assert isinstance(said, CommittedDecision)
    assert isinstance(opening.body, OpenedCertificate)
    opened = unsealed(session, said, suite().keypair_from(unhex(inputs["secret"])).secret)
    open_commitment(session, said, opened)
    open_commitment(session, said, opening.body)
    shown: Inputs = wire_in_json.shown_body(opening.body)
    return shown


def read_root(inputs: Inputs) -> Inputs:
    keys = tuple(unhex(entry) for entry in inputs["entries"])
    return {"root": registry_root(Registry(keys)).hex()}


def read_signed(inputs: Inputs) -> Inputs:
    message = decode_message(unhex(inputs["data"]))
    assert isinstance(message.body, Submission)
    called = SimpleNamespace(round=message.round)
    place = SimpleNamespace(session=message.session, call=called, witness=message.body.witness)
    registry = Registry((unhex(inputs["key"]),))
    (wrong,) = check_senders(cast(Round, place), registry, [("user-1", message.body)])
    if wrong:
        raise Refused(wrong)
    return {}


def read_fork(inputs: Inputs) -> Inputs:
    fork = Fork.decode(unhex(inputs["fork"]))
    assert fork.encode().hex() == inputs["fork"]
    try:
        fork.check(unhex(inputs["board"]))
    except VerificationError:
        raise Refused(Reason.UNREGISTERED) from None
    return {}


def among_peers(inputs: Inputs) -> tuple[Agreement, dict[int, PublicKey]]:
    told = Agreement.decode(unhex(inputs["agreement"]))
    assert told.encode().hex() == inputs["agreement"]
    return told, {number: PublicKey.decode(unhex(key)) for number, key in inputs["keys"]}


def read_peers(inputs: Inputs) -> Inputs:
    told, keys = among_peers(inputs)
    return {"session": told.session(keys).hex()}


def read_peer_layer(inputs: Inputs) -> Inputs:
    told, keys = among_peers(inputs)
    call = decode_message(unhex(inputs["call"])).body
    assert isinstance(call, Call)
    plan = open_peer_round(told, told.session(keys), keys, call)
    step, peer, layer = inputs["step"], inputs["peer"], unhex(inputs["layer"])
    secret = suite().keypair_from(unhex(inputs["secret"])).secret
    passed = pass_on(plan, peer, secret, step, [layer])
    held = [(to, layers[0]) for to, layers in passed.bags] + [
        (0, envelope) for envelope in passed.sealed
    ]
    ((then, inside),) = held
    again = seal_again(plan, step, peer, then.to_bytes(2, "big") + inside, unhex(inputs["draw"]))
    assert again == layer
    return {"next": then, "inside": inside.hex()}


def read_peer_share(inputs: Inputs) -> Inputs:
    place = share_context(unhex(inputs["session"]), inputs["round"], inputs["peer"])
    check_share(unhex(inputs["public"]), unhex(inputs["proof"]), place)
    check_shown(unhex(inputs["secret"]), unhex(inputs["public"]))
    return {}


def read_peer_ballot(inputs: Inputs) -> Inputs:
    told, keys = among_peers(inputs)
    call = decode_message(unhex(inputs["call"])).body
    assert isinstance(call, Call)
    secret = total([unhex(share) for share in inputs["secrets"]])
    plan = replace(open_peer_round(told, told.session(keys), keys, call), joint=base_times(secret))
    plain = open_jointly(secret, plan.joint, unhex(inputs["sealed"]), plan.ballots)
    return {"plain": plain.hex(), "blank": read_plain(plan, plain) is None}


def read_agree(inputs: Inputs) -> Inputs:
    message = decode_message(unhex(inputs["data"]))
    assert isinstance(message.body, Tally)
    assert message.body.counts is not None
    place = SimpleNamespace(session=message.session, call=SimpleNamespace(round=message.round))
    digest = result_digest(cast(PeerRound, place), message.body.counts, None)
    return {"digest": digest.hex()}


READERS: dict[str, Callable[[Inputs], Inputs]] = {
    "message": read_message,
    "session": read_session,
    "context": read_context,
    "envelope": read_envelope,
    "ballot": read_ballot_,
    "batch": read_batch,
    "board": read_board,
    "committed": read_committed,
    "root": read_root,
    "signed": read_signed,
    "peers": read_peers,
    "peer-layer": read_peer_layer,
    "peer-share": read_peer_share,
    "peer-ballot": read_peer_ballot,
    "agree": read_agree,
    "fork": read_fork,
}


def vector(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_veilmix_reads_it(path: Path) -> None:
    case = vector(path)
    outcome: Inputs
    try:
        outcome = {"result": READERS[case["kind"]](case["input"])}
    except Refused as refusal:
        outcome = {"refused": refusal.reason.value}
    assert outcome == case["expect"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_independent_reader_agrees(path: Path) -> None:
    case = vector(path)
    try:
        outcome = {"result": independent_wire.read(case["kind"], case["input"])}
    except independent_wire.Rejected as rejection:
        outcome = {"refused": str(rejection)}
    assert outcome == case["expect"]


@settings(max_examples=150, deadline=None)
@given(KIT.messages())
def test_the_independent_reader_reads_any_message(message: Any) -> None:
    theirs = independent_wire.message(message.encode())
    assert theirs == wire_in_json.shown(message)


@settings(max_examples=150, deadline=None)
@given(KIT.messages(), st.data())
def test_both_readers_refuse_the_same(message: Any, data: Any) -> None:
    changed = bytearray(message.encode())
    changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode_message(bytes(changed))
    except Refused:
        assert not independent_wire.accepts(bytes(changed))
    else:
        assert independent_wire.accepts(bytes(changed))


def test_every_kind_of_message_has_accepted_and_refused_vectors() -> None:
    read = {path.stem: vector(path) for path in FILES}
    messages = [entry for entry in read.values() if entry["kind"] == "message"]
    accepted = {
        message["expect"]["result"]["kind"] for message in messages if "result" in message["expect"]
    }
    assert accepted == {kind.name.lower() for kind in Kind}
    refused = {
        int(message["input"]["data"][6:8], 16)
        for message in messages
        if "refused" in message["expect"] and len(message["input"]["data"]) > 74
    }
    assert set(Kind) <= refused
    for kind in ("envelope", "ballot", "committed"):
        assert {tuple(entry["expect"]) for entry in read.values() if entry["kind"] == kind} == {
            ("result",),
            ("refused",),
        }


def test_no_two_vectors_are_alike() -> None:
    inputs = [json.dumps(vector(path)["input"], sort_keys=True) for path in FILES]
    assert len(set(inputs)) == len(inputs)


def test_the_wire_vectors_are_what_the_script_makes() -> None:
    assert make_wire_vectors.main(["--check"]) == 0


def test_the_example_has_every_byte_of_its_vector() -> None:
    head, *lines = make_wire_vectors.example().splitlines()
    path, size = head.split(";")[0], int(head.split()[-2])
    fields = "".join(line.split()[-1] for line in lines)
    shown = json.loads((ROOT / path).read_text(encoding="utf-8"))
    assert fields == shown["input"]["data"]
    assert len(fields) == 2 * size


def test_the_independent_wire_reader_imports_nothing_from_veilmix() -> None:
    imported = imported_by(independent_wire)
    assert "hashlib" in imported
    assert not any("veilmix" in name for name in imported)
