"""What messages say, in the JSON of the wire vectors."""

from typing import Any

from veilmix.errors import Reason
from veilmix.protocol.announcement import Announcement
from veilmix.protocol.audit_messages import Coin, Opened, Toss, Traced
from veilmix.protocol.frames import Message
from veilmix.protocol.hiding import Hiding, Mask, Redact
from veilmix.protocol.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Batch,
    Burned,
    Call,
    Closed,
    Consent,
    Decision,
    Head,
    Key,
    Mixed,
    Receipts,
    Registry,
    Roster,
    Submission,
    Tally,
)
from veilmix.protocol.peer_messages import (
    Accusation,
    Agreed,
    FoundBallots,
    Relay,
    Share,
    ShareSecret,
)
from veilmix.protocol.token_messages import Ask, Evaluated, Grant, Issued, Mint, Query, Roll
from wire_examples import Vector


def shown(message: Message) -> Vector:  # noqa: C901 - a case a message
    """Say in JSON what a message says."""
    body: Vector
    match message.body:
        case Key(key):
            body = {"key": key.encode().hex()}
        case Announcement() as told:
            body = shown_announcement(told)
        case Consent(session):
            body = {"session": session.hex()}
        case Call(number, reader, asks, hidden):
            body = {"round": number, "reader": reader.value, "asks": [list(ask) for ask in asks]}
            body |= {"hidden": [shown_hiding(rule) for rule in hidden]}
        case Submission(envelope, signature, witness):
            body = {"envelope": envelope.hex(), "signature": signature.hex()}
            body |= {"witness": witness.hex()}
        case Batch(layers):
            body = {"layers": [layer.hex() for layer in layers]}
        case Mixed(hop, people, received, forwarded, refused, digest):
            body = {"hop": hop, "people": people, "received": received, "forwarded": forwarded}
            body |= {"refused": in_order(refused), "digest": digest.hex()}
        case Tally(totals, refused, counts):
            body = {"totals": list(totals), "refused": in_order(refused), "counts": None}
            if counts is not None:
                body["counts"] = [[[list(c), count[c]] for c in sorted(count)] for count in counts]
        case Decision(kept, proof, hidden):
            body = {"kept": list(kept), "rule": proof.rule, "k": proof.k, "n": proof.n}
            body |= {"people": proof.people, "thresholds": list(proof.thresholds)}
            body |= {"pivot": proof.pivot, "slack": proof.slack, "proof": proof.proof.hex()}
            body |= {"hidden": [shown_hiding(rule) for rule in hidden]}
        case Burned(why):
            body = {"why": why}
        case Closed():
            body = {}
        case Registry(keys):
            body = {"keys": [key.hex() for key in keys]}
        case Receipts(root, hashes):
            body = {"root": root.hex(), "hashes": [digest.hex() for digest in hashes]}
        case Alarm(number, cause, evidence):
            body = {"round": number, "cause": cause.value, "evidence": evidence.hex()}
        case Relay(step, bags, refused):
            said = [[to, [layer.hex() for layer in layers]] for to, layers in bags]
            body = {"step": step, "bags": said, "refused": in_order(refused)}
        case FoundBallots(step, sealed, refused):
            body = {"step": step, "sealed": [ballot.hex() for ballot in sealed]}
            body |= {"refused": in_order(refused)}
        case Agreed(step, digest):
            body = {"step": step, "digest": digest.hex()}
        case Accusation(step, against, inside, draw):
            body = {"step": step, "against": against, "inside": inside.hex(), "draw": draw.hex()}
        case Share(public, proof):
            body = {"public": public.hex(), "proof": proof.hex()}
        case ShareSecret(step, secret):
            body = {"step": step, "secret": secret.hex()}
        case Roster(opening, board, curator, analyst, shufflers, randomness):
            body = {"opening": opening.hex(), "board": board.hex(), "curator": curator.hex()}
            body |= {"analyst": analyst.hex(), "shufflers": [key.hex() for key in shufflers]}
            body |= {"randomness": randomness.hex()} if randomness else {}
        case Head(place, state, signature):
            body = {"place": place, "state": state.hex(), "signature": signature.hex()}
        case Mint(key):
            body = {"key": key.hex()}
        case Ask(elements, signature):
            body = {
                "elements": [element.hex() for element in elements],
                "signature": signature.hex(),
            }
        case Grant(elements, check):
            body = {"elements": [element.hex() for element in elements], "check": check.hex()}
        case Query(elements):
            body = {"elements": [element.hex() for element in elements]}
        case Evaluated(elements, proof):
            body = {"elements": [element.hex() for element in elements], "proof": proof.hex()}
        case Issued(people):
            body = {"people": people}
        case Roll(people):
            body = {"people": list(people)}
        case Accepted(people):
            each = [
                [person.person, person.digest.hex(), person.signature.hex()] for person in people
            ]
            body = {"people": each}
        case Coin(digest):
            body = {"digest": digest.hex()}
        case Toss(value):
            body = {"value": value.hex()}
        case Traced(hop, hashes):
            body = {"hop": hop, "hashes": [digest.hex() for digest in hashes]}
        case Opened(hop, links):
            each = [[x.place, x.layer.hex(), x.key.hex(), x.proof.hex()] for x in links]
            body = {"hop": hop, "links": each}
        case BallotMarks(hashes):
            body = {"hashes": [digest.hex() for digest in hashes]}
    said = {"kind": message.kind.name.lower(), "session": message.session.hex()}
    said |= {"round": message.round, "body": body, "seal": None}
    if message.seal is not None:
        sealed = message.seal
        said["seal"] = {"witness": sealed.witness.hex(), "signature": sealed.signature.hex()}
    return said


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
        "receipts": told.rules.receipts,
        "tokens": told.rules.tokens,
        "challenge": told.rules.challenge,
        "audit": told.rules.audit,
        "flaws": [flaw.value for flaw in told.rules.flaws],
        "shufflers": [key.encode().hex() for key in told.shufflers],
        "curator": told.curator.encode().hex(),
        "analyst": told.analyst.encode().hex(),
        "registry": told.registry.hex(),
    }
