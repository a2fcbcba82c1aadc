"""The bodies of messages of peers, as bytes.

relay       u8 step, many of (u16 receiver, items), refused
found       u8 step, items, refused
agreed      u8 step, 32 bytes
accusation  u8 step, u16 against, blob inside, 32 bytes draw
share       32 bytes element, 64 bytes proof
shown       u8 step, 32 bytes scalar
"""

from ...crypto.joint_key import PROOF
from ...crypto.ristretto import ELEMENT, SCALAR
from .peer_messages import DRAW, HASH, Accusation, Agreed, FoundBallots, Relay, Share, ShareSecret
from .refusals import read_refused, write_refused
from .wire import Reader, Writer


def write_relay(out: Writer, relay: Relay) -> None:
    """Write a relay."""
    out.u8(relay.step).structures(relay.bags, lambda w, bag: w.u16(bag[0]).items(bag[1]))
    write_refused(out, relay.refused)


def read_relay(data: Reader) -> Relay:
    """Read a relay."""
    step = data.u8()
    bags = data.structures(lambda r: (r.u16(), tuple(r.items())))
    return Relay(step, bags, read_refused(data))


def write_found(out: Writer, ballots: FoundBallots) -> None:
    """Write found ballots."""
    out.u8(ballots.step).items(ballots.sealed)
    write_refused(out, ballots.refused)


def read_found(data: Reader) -> FoundBallots:
    """Read found ballots."""
    return FoundBallots(data.u8(), tuple(data.items()), read_refused(data))


def write_agreed(out: Writer, agreed: Agreed) -> None:
    """Write a digest."""
    out.u8(agreed.step).raw(agreed.digest)


def read_agreed(data: Reader) -> Agreed:
    """Read a digest."""
    return Agreed(data.u8(), data.raw(HASH))


def write_accusation(out: Writer, accusation: Accusation) -> None:
    """Write an accusation."""
    out.u8(accusation.step).u16(accusation.against).blob(accusation.inside).raw(accusation.draw)


def read_accusation(data: Reader) -> Accusation:
    """Read an accusation."""
    return Accusation(data.u8(), data.u16(), data.blob(), data.raw(DRAW))


def write_share(out: Writer, share: Share) -> None:
    """Write a share of a round's key."""
    out.raw(share.public).raw(share.proof)


def read_share(data: Reader) -> Share:
    """Read a share of a round's key."""
    return Share(data.raw(ELEMENT), data.raw(PROOF))


def write_shown(out: Writer, share_secret: ShareSecret) -> None:
    """Write the secret of a share."""
    out.u8(share_secret.step).raw(share_secret.secret)


def read_shown(data: Reader) -> ShareSecret:
    """Read the secret of a share."""
    return ShareSecret(data.u8(), data.raw(SCALAR))
