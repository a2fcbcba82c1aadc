"""What messages say, in the JSON of the wire vectors."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from veilmix.crypto.keys import PublicKey
from veilmix.errors import Reason
from veilmix.protocol.wire.announcement import Announcement
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import Hiding, Mask, Redact
from veilmix.protocol.wire.messages import Decision, OpenedCertificate, Roster, Tally
from wire_examples import Vector


def shown(message: Message) -> Vector:
    """Say in JSON what a message says."""
    said = {"kind": message.kind.name.lower(), "session": message.session.hex()}
    said |= {"round": message.round, "body": shown_body(message.body), "seal": None}
    if message.seal is not None:
        sealed = message.seal
        said["seal"] = {"witness": sealed.witness.hex(), "signature": sealed.signature.hex()}
    return said


def shown_body(body: Any) -> Vector:
    """Say what is inside: the fields by their names, but for five kinds."""
    if isinstance(body, Announcement):
        return shown_announcement(body)
    said = named(body)
    match body:
        case Tally(counts=counts) if counts is not None:
            said["counts"] = [[[list(c), count[c]] for c in sorted(count)] for count in counts]
        case Decision(certificate=proof):
            said = {"kept": said["kept"], **named(proof), "hidden": said["hidden"]}
        case OpenedCertificate(certificate=proof):
            said = {"blind": said["blind"], **named(proof)}
        case Roster(randomness=b""):
            del said["randomness"]
    return said


def named(record: Any) -> Vector:
    """Say every field of a record by its name."""
    return {field.name: shown_value(getattr(record, field.name)) for field in fields(record)}


def shown_value(value: Any) -> Any:
    """Say a field: bytes in hexadecimal, a record inside another by its fields in order."""
    match value:
        case bytes():
            return value.hex()
        case PublicKey():
            return value.encode().hex()
        case Enum():
            return value.value
        case Mask() | Redact():
            return shown_hiding(value)
        case Mapping():
            return in_order(value)
        case tuple() | list():
            return [shown_value(each) for each in value]
    if is_dataclass(value):
        return [shown_value(getattr(value, field.name)) for field in fields(value)]
    return value


def shown_hiding(rule: Hiding) -> Vector:
    """Say in JSON what people do to the values of a column."""
    match rule:
        case Mask(column, said):
            return {"column": column, "mask": list(said)}
        case Redact(column, values, cover):
            return {"column": column, "redact": list(values), "cover": cover}


def in_order(refused: Any) -> dict[str, int]:
    """Name the refusals, in the order of the codes."""
    return {reason.value: refused[reason] for reason in Reason if reason in refused}


def shown_announcement(told: Announcement) -> Vector:
    """Say in JSON what an announcement says."""
    return {
        "title": told.title,
        "program": told.program.value,
        "nonce": told.nonce.hex(),
        "features": [
            {"name": f.name, "width": f.width, "values": f.values and list(f.values)}
            for f in told.schema.features
        ],
        "k": told.policy.k,
        "max_exposure": told.policy.max_exposure,
        "rule": told.policy.rule,
        "publish_marginals": told.policy.publish_marginals,
        "setting": told.policy.setting.value,
        "delta": told.policy.delta,
        **{name: getattr(told.rules, name) for name in ("deadline", "min_batch", "min_dropout")},
        **{name: getattr(told.rules, name) for name in ("padded", "salted", "ordered", "lesson")},
        "tokens": told.rules.tokens,
        "challenge": told.rules.challenge,
        "audit": told.rules.audit,
        "verified": told.rules.verified,
        "flaws": [flaw.value for flaw in told.rules.flaws],
        "shufflers": [key.encode().hex() for key in told.shufflers],
        "curator": told.curator.encode().hex(),
        "analyst": told.analyst.encode().hex(),
        "registry": told.registry.hex(),
    }
