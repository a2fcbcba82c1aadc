r"""Audits: half of the layers of every pair of hops are opened in public, chosen by common coins.

A coin is a party's commitment to its random bytes; the toss reveals these bytes. Keyholders are the
shufflers, and the curator or analyst that counts the round.

    coin      SHA-256("veilmix coin 1\0" || session || round || party || toss), before people answer
    traced    both hops of a pair post SHA-256("veilmix layer hash 1\0" || layer) of sent layers
    toss      all keyholders, when all have accounted for their batches
    bit i     of SHAKE-256("veilmix audit 1\0" || session || round || hop || tosses in hop order)
    opened    the first hop opens the inputs with bit 1; the second hop opens the inputs that
              are not outputs of opened inputs of the first

So no message can be followed through both hops of a pair. Every message is opened at one of the two
hops, each with probability 1/2. A shuffler that drops, changes or replaces d messages is undetected
with probability 2^-d (Jakobsson, Juels, Rivest 2002). The first shuffler's inputs are envelopes: an
opened envelope links all answers of a person up to the next hop. After the first pair, every party
distinguishes the chosen messages from the others: that halves the anonymity set of a message. A
later hop that opens no layers, or a second pair, mixes the halves again.

Repeats are dropped first, and no hop may send more layers than arrived (Khazaei, Wikstroem 2012).
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from ...crypto.box_key import box_key, check_key, open_with, provable, prove_key
from ...crypto.entropy import Entropy
from ...crypto.keys import SecretKey
from ...errors import Reason, Refused, RoundBurned
from ..wire.audit_messages import TOSS, Coin, Link, Opened, Toss, Traced
from ..wire.messages import Accepted
from ..wire.parties import paired
from .mixing import inside
from .round_context import Round

COIN_LABEL = b"veilmix coin 1\0"
HASH_LABEL = b"veilmix layer hash 1\0"
AUDIT_LABEL = b"veilmix audit 1\0"


def draw_toss(entropy: Entropy) -> Toss:
    """Shuffler, curator or analyst: draw its secret random bytes for the audit of a round."""
    return Toss(entropy.random(TOSS))


def coin_of(session: bytes, number: int, party: str, toss: Toss) -> Coin:
    """Any party: return the commitment to a party's random bytes, posted before users answer.

    number: the round. toss: the random bytes.
    """
    place = COIN_LABEL + session + bytes([number]) + party.encode() + b"\0"
    return Coin(hashlib.sha256(place + toss.value).digest())


def layer_hash(layer: bytes) -> bytes:
    """Any party: return the hash that names a layer in an audit."""
    return hashlib.sha256(HASH_LABEL + layer).digest()


def trace(hop: int, batch: Iterable[bytes]) -> Traced:
    """Shuffler: return the hashes of the layers that it forwards, without repeats.

    Their number must equal the number of forwarded layers that it posts. hop: the shuffler's
    number.
    """
    return Traced(hop, tuple(dict.fromkeys(map(layer_hash, batch))))


def chosen(plan: Round, tosses: Mapping[str, Toss], hop: int, count: int) -> list[int]:
    """Any party: return the indices of the inputs that the first shuffler of a pair must open.

    They are about half of the inputs, chosen by the random bytes of all parties (`tosses`). hop:
    the shuffler's number. count: the number of inputs.
    """
    seed = AUDIT_LABEL + plan.session + bytes([plan.call.round, hop])
    seed += b"".join(tosses[party].value for party in plan.openers)
    bits = hashlib.shake_256(seed).digest((count + 7) // 8)
    return [at for at in range(count) if bits[at // 8] >> at % 8 & 1]


def open_links(
    plan: Round,
    hop: int,
    secret: SecretKey,
    entropy: Entropy,
    layers: Sequence[tuple[int, bytes]],
) -> list[Link]:
    """Shuffler: open layers for an audit; return index, layer and layer key of each.

    If a layer's key does not open it, a proof shows that the key is right. secret: the shuffler's
    private key. layers: index and bytes of each layer to open.
    """
    return [_link(plan, hop, secret, entropy, place, layer) for place, layer in layers]


def _link(
    plan: Round, hop: int, secret: SecretKey, entropy: Entropy, place: int, layer: bytes
) -> Link:
    """Return the opening of one layer: its key, and a proof of the key if the layer is invalid.

    Zeros stand in place of the key if the layer has no key, or if no proof is possible.

    hop: the number of the shuffler that opens the layer, from 1. secret: its private key.
    place: the index of the layer among the shuffler's inputs, from 0.
    """
    try:
        key, at = box_key(secret, layer), plan.hops[hop - 1]
    except Refused:  # the layer is malformed, so it has no key; zeros stand in place of the key
        return Link(place, layer, bytes(TOSS))
    if _inner_onions(plan, hop, layer, open_with(key, at.public, layer, at.context)) is not None:
        return Link(place, layer, key)
    if not provable(layer):
        return Link(place, layer, bytes(TOSS))
    return Link(place, layer, key, prove_key(secret, layer, entropy))


def _inner_onions(
    plan: Round, hop: int, layer: bytes, plain: bytes | None
) -> Sequence[bytes] | None:
    """Return the onions in a layer that an honest shuffler forwards; None for an invalid layer.

    hop: the number of the shuffler; shuffler 1 opens envelopes with several onions. plain: the
    decrypted content of the layer; None if it did not decrypt.
    """
    if hop > 1:
        right = plain is not None and len(layer) == plan.inner[hop]
        return [plain] if right and plain is not None else None
    onions = inside(plan, layer, plain)
    return None if isinstance(onions, Reason) else onions


def led_to(
    plan: Round,
    hop: int,
    opened: Opened,
    due: Sequence[int],
    input_hashes: Sequence[bytes],
    output_hashes: Iterable[bytes],
) -> set[bytes]:
    """Any party: check the layers that a shuffler opened; return the hashes of the contents.

    The contents must be among the shuffler's outputs. due: the indices to open. input_hashes,
    output_hashes: hashes of the shuffler's inputs and outputs. RoundBurned, with the shuffler's
    name, if it opened other places, or did not forward the content of an opened layer.
    """
    party, output_set, hashes = plan.openers[hop - 1], frozenset(output_hashes), set[bytes]()
    if [link.place for link in opened.links] != list(due):
        raise RoundBurned(f"{party} opened others of its layers than the coins have chosen")
    for link in opened.links:
        if input_hash(hop, link.layer) != input_hashes[link.place]:
            raise RoundBurned(f"{party} opened a layer that has not come to it")
        hashes |= _outputs(plan, hop, link, output_set)
    return hashes


def input_hash(hop: int, layer: bytes) -> bytes:
    """Any party: return the hash that names an input of a shuffler in an audit.

    Inputs of shuffler 1 are envelopes, with the hash in the posted list of accepted envelopes.
    Inputs of later shufflers are layers.
    """
    return hashlib.sha256(layer).digest() if hop == 1 else layer_hash(layer)


def _outputs(plan: Round, hop: int, link: Link, output_hashes: frozenset[bytes]) -> set[bytes]:
    """Return the hashes of the onions in an opened layer; empty if the shuffler rightly refused it.

    RoundBurned, with the shuffler's name, if the content was not forwarded. link: the opened layer
    with its key. output_hashes: hashes of the layers that the shuffler forwarded.
    """
    at, party = plan.hops[hop - 1], plan.openers[hop - 1]
    plain = open_with(link.key, at.public, link.layer, at.context)
    inner_onions = _inner_onions(plan, hop, link.layer, plain)
    if inner_onions is None:
        if hop > 1 and _refusable(plan, hop, link):
            return set()
        raise RoundBurned(f"{party} has not shown that a layer does not open")
    hashes = {layer_hash(onion) for onion in inner_onions}
    if not hashes <= output_hashes:
        raise RoundBurned(f"{party} has not sent on what was in one of its layers")
    return hashes


def _refusable(plan: Round, hop: int, link: Link) -> bool:
    """Whether a shuffler may have refused a layer that it opened in an audit, and that is invalid.

    It may if the layer has the wrong size, or if no proof about its key is possible. Otherwise the
    posted proof must show that the posted key is right, although it does not open the layer. link:
    the layer with its key and proof.
    """
    if not provable(link.layer) or len(link.layer) != plan.inner[hop]:
        return True
    try:
        check_key(link.key, plan.hops[hop - 1].public, link.layer, link.proof)
    except Refused:
        return False
    return True


def inputs_of(
    hop: int, accepted: Accepted, traced: Mapping[int, tuple[bytes, ...]]
) -> Sequence[bytes]:
    """Any party: return hashes of a shuffler's inputs: envelopes, or the last shuffler's outputs.

    accepted: the envelopes that entered the mix. traced: hashes of forwarded layers, by shuffler.
    """
    return [envelope.digest for envelope in accepted.people] if hop == 1 else traced[hop - 1]


def due_of(
    plan: Round,
    hop: int,
    accepted: Accepted,
    traced: Mapping[int, tuple[bytes, ...]],
    tosses: Mapping[str, Toss],
    opened: Mapping[int, Opened],
) -> list[int]:
    """Any party: return the indices of the inputs that a shuffler must open in an audit.

    Audited shufflers come in pairs: 1 and 2, 3 and 4. RoundBurned if the shuffler is the second of
    its pair, and the first has opened wrong layers. accepted: the envelopes that entered the mix.
    traced: hashes of forwarded layers, by shuffler. tosses: the random bytes of all parties.
    opened: openings so far, by shuffler.
    """
    input_hashes = inputs_of(hop, accepted, traced)
    if hop % 2:
        return chosen(plan, tosses, hop, len(input_hashes))
    earlier_inputs = inputs_of(hop - 1, accepted, traced)
    places = chosen(plan, tosses, hop - 1, len(earlier_inputs))
    opened_hashes = led_to(plan, hop - 1, opened[hop - 1], places, earlier_inputs, input_hashes)
    return [place for place, digest in enumerate(input_hashes) if digest not in opened_hashes]


def check_pairs(
    plan: Round,
    accepted: Accepted,
    traced: Mapping[int, tuple[bytes, ...]],
    tosses: Mapping[str, Toss],
    opened: Mapping[int, Opened],
) -> None:
    """Any party: RoundBurned unless every opened layer of an audit was forwarded.

    The message names the shuffler at fault. accepted: the envelopes that entered the mix. traced:
    hashes of forwarded layers, by shuffler. tosses: the random bytes of all parties. opened: the
    openings, by shuffler.
    """
    for hop in range(1, paired(len(plan.hops) - 1) + 1):
        input_hashes = inputs_of(hop, accepted, traced)
        max_outputs = len(input_hashes) * (plan.slots if hop == 1 else 1)
        if len(traced[hop]) > max_outputs:
            raise RoundBurned(f"{plan.openers[hop - 1]} sent more layers than came to it")
        # `due_of` checks the first shuffler of a pair, too, so only second shufflers are checked
        # here
        if hop % 2 == 0:
            due = due_of(plan, hop, accepted, traced, tosses, opened)
            led_to(plan, hop, opened[hop], due, input_hashes, traced[hop])
