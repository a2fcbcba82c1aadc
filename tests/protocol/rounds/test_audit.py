"""Audits: d changed layers are missed with 2^-d; what was not chosen, or not sent, is found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import protocol_kit as KIT
import pytest
from nacl.bindings import crypto_box_afternm, crypto_box_open_afternm
from scipy.stats import binomtest
from veilmix.crypto.box_key import P, box_key, provable
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.sealedbox import box_nonce
from veilmix.crypto.signing import Signer
from veilmix.errors import Refused, RoundBurned
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.challenge import accept
from veilmix.protocol.rounds.audit import (
    check_pairs,
    chosen,
    coin_of,
    draw_toss,
    due_of,
    input_hash,
    layer_hash,
    led_to,
    open_links,
)
from veilmix.protocol.rounds.ballots import submit
from veilmix.protocol.rounds.mixing import arrange, open_envelope, open_layers
from veilmix.protocol.rounds.registered_users import registry_root
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.audit_messages import Coin, Link, Opened, Toss, Traced
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import (
    Accepted,
    BallotMarks,
    Body,
    Mixed,
    Registry,
    Submission,
    Tally,
)
from veilmix.protocol.wire.parties import paired

MANY = 24
ROWS = [KIT.ROWS[i % len(KIT.ROWS)] for i in range(MANY)]
REGISTRY = Registry(tuple(Signer(SeededEntropy(i)).public for i in range(MANY)))
HELD = KIT.session(2, rules=Rules(audit=True), registry=registry_root(REGISTRY))
PLAN = HELD.plan(KIT.JOINT)
SECRETS = {hop: HELD.keys[f"shuffler-{hop}"].secret for hop in (1, 2)}


@dataclass
class Pair:
    """What came to both hops, and what they sent; every opening, made once."""

    envelopes: list[bytes]
    middle: tuple[bytes, ...]
    out: tuple[bytes, ...]

    def __post_init__(self) -> None:
        people = [
            accept(i, Submission(envelope, bytes(64))) for i, envelope in enumerate(self.envelopes)
        ]
        self.accepted = Accepted(tuple(people))
        self.traced = {
            hop: tuple(map(layer_hash, batch)) for hop, batch in ((1, self.middle), (2, self.out))
        }
        self.links = {
            hop: open_links(PLAN, hop, SECRETS[hop], SeededEntropy(9), list(enumerate(came)))
            for hop, came in ((1, self.envelopes), (2, self.middle))
        }

    def opened(self, tosses: Mapping[str, Toss]) -> dict[int, Opened]:
        """What both hops open, as the coins have it; the second whatever the first has shown."""
        openings: dict[int, Opened] = {}
        for hop in (1, 2):
            due = due_of(PLAN, hop, self.accepted, self.traced, tosses, openings)
            openings[hop] = Opened(hop, tuple(self.links[hop][place] for place in due))
        return openings

    def survives(self, seed: int) -> bool:
        """Whether nobody sees anything, with these coins."""
        tosses = toss(seed)
        try:
            check_pairs(PLAN, self.accepted, self.traced, tosses, self.opened(tosses))
        except RoundBurned:
            return False
        return True


def toss(seed: int) -> dict[str, Toss]:
    return {
        party: draw_toss(SeededEntropy(seed).fork(party))
        for party in ("shuffler-1", "shuffler-2", "analyst")
    }


def sealed(seed: int, row: Any = KIT.ROWS[0]) -> bytes:
    return submit(PLAN, row, SeededEntropy(seed)).envelope


def first(envelopes: list[bytes]) -> tuple[bytes, ...]:
    onions = [onion for e in envelopes for onion in open_envelope(PLAN, SECRETS[1], e)]
    return arrange(PLAN, onions)[0]


def second(middle: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return arrange(PLAN, open_layers(PLAN, 2, SECRETS[2], middle).inside)[0]


ENVELOPES = [sealed(i, row) for i, row in enumerate(ROWS)]
OWN = [sealed(1000 + i) for i in range(8)]
MIDDLE = first(ENVELOPES)
HONEST = Pair(ENVELOPES, MIDDLE, second(MIDDLE))


def cheated(hop: int, changes: int, what: str) -> Pair:
    """A pair one of whose hops has replaced or dropped so many layers."""
    own = OWN[:changes] if what == "replace" else []
    if hop == 1:
        middle = first([*ENVELOPES[changes:], *own])
        return Pair(ENVELOPES, middle, second(middle))
    return Pair(ENVELOPES, MIDDLE, second(tuple(sorted([*MIDDLE[changes:], *first(own)]))))


def test_honest_hops_pass_with_any_coins() -> None:
    assert all(HONEST.survives(seed) for seed in range(20))


RUNS = 200


@pytest.mark.slow
@pytest.mark.parametrize("what", ["replace", "drop"])
@pytest.mark.parametrize("hop", [1, 2])
@pytest.mark.parametrize("changes", [1, 2, 4, 8])
def test_changed_layers_are_missed_with_a_half_each(changes: int, hop: int, what: str) -> None:
    """benchmarks/audit.py has more runs, of whole sessions."""
    pair = cheated(hop, changes, what)
    missed = sum(pair.survives(seed) for seed in range(RUNS))
    interval = binomtest(missed, RUNS).proportion_ci(0.99)
    assert interval.low <= 2**-changes <= interval.high


def test_no_way_is_open_from_end_to_end_and_every_layer_at_one_hop() -> None:
    for seed in range(10):
        opened = HONEST.opened(toss(seed))
        ways = {
            layer_hash(open_envelope(PLAN, SECRETS[1], link.layer)[0]) for link in opened[1].links
        }
        between = {layer_hash(link.layer) for link in opened[2].links}
        assert not ways & between
        assert ways | between == set(HONEST.traced[1])


def test_coins_are_of_everybody_and_of_the_hop() -> None:
    mine = toss(1)
    places = chosen(PLAN, mine, 1, 200)
    assert 60 < len(places) < 140
    assert chosen(PLAN, mine, 3, 200) != places
    for party in mine:
        other = {**mine, party: Toss(bytes(32))}
        assert chosen(PLAN, other, 1, 200) != places


@pytest.mark.parametrize(("hops", "audited"), [(1, 0), (2, 2), (3, 2), (4, 4)])
def test_an_odd_last_hop_is_in_no_pair(hops: int, audited: int) -> None:
    assert paired(hops) == audited


def with_a_bad_layer() -> Pair:
    """One of the layers between them opens for nobody: its sender has made it so."""
    good = MIDDLE[0]
    bad = tuple(sorted([good[:-1] + bytes([good[-1] ^ 1]), *MIDDLE[1:]]))
    return Pair(ENVELOPES, bad, second(bad))


def of_second(pair: Pair, change: Any) -> tuple[bool, bool]:
    """Whether the second hop's openings pass, as they are and changed by a function of a link."""
    tosses = {}
    for seed in range(50):  # coins for which the bad layer is opened, and the first passes
        tosses = toss(seed)
        places = chosen(PLAN, tosses, 1, MANY)
        if not any(layer_hash(MIDDLE[0]) in _ways(pair, place) for place in places):
            break
    shown = {1: Opened(1, tuple(pair.links[1][place] for place in places))}
    return (
        _passes(pair, tosses, shown, lambda link: link),
        _passes(pair, tosses, shown, change),
    )


def _ways(pair: Pair, place: int) -> set[bytes]:
    return {layer_hash(onion) for onion in open_envelope(PLAN, SECRETS[1], pair.envelopes[place])}


def _passes(pair: Pair, tosses: Any, shown: dict[int, Opened], change: Any) -> bool:
    due = due_of(PLAN, 2, pair.accepted, pair.traced, tosses, shown)
    links = tuple(change(pair.links[2][place]) for place in due)
    try:
        check_pairs(PLAN, pair.accepted, pair.traced, tosses, {**shown, 2: Opened(2, links)})
    except RoundBurned:
        return False
    return True


def unproved(link: Link) -> Link:
    return replace(link, proof=b"")


def other_key(link: Link) -> Link:
    return replace(link, key=bytes(32))


def other_layer(link: Link) -> Link:
    return replace(link, layer=link.layer[:-1] + bytes([link.layer[-1] ^ 1]), proof=b"")


def of_no_group(envelope: bytes) -> bytes:
    """The same envelope under its sender's point plus one of order 2: the same key opens it."""
    u = int.from_bytes(envelope[1:33], "little")
    point, own = pow(u, -1, P).to_bytes(32, "little"), PLAN.hops[0].public
    key = box_key(SECRETS[1], envelope)
    plain = crypto_box_open_afternm(envelope[33:], box_nonce(envelope[1:33], own.raw), key)
    boxed = crypto_box_afternm(plain, box_nonce(point, own.raw), key)
    return envelope[:1] + point + boxed


def test_a_sender_cannot_have_an_honest_hop_blamed_for_a_point_outside_the_group() -> None:
    """No key of it can be proved, but it opens: so it is shown as all others are."""
    odd = of_no_group(ENVELOPES[0])
    assert not provable(odd)
    envelopes = [odd, *ENVELOPES[1:]]
    middle = first(envelopes)
    assert middle == MIDDLE
    pair = Pair(envelopes, middle, second(middle))
    assert all(pair.survives(seed) for seed in range(10))


@pytest.mark.parametrize("change", [unproved, other_key])
def test_what_does_not_open_is_proved(change: Any) -> None:
    assert of_second(with_a_bad_layer(), change) == (True, False)


@pytest.mark.parametrize("change", [other_key, other_layer])
def test_keys_are_of_layers_that_came(change: Any) -> None:
    assert of_second(HONEST, change) == (True, False)


def test_who_opens_others_than_the_coins_say_is_found() -> None:
    tosses = toss(3)
    opened = HONEST.opened(tosses)
    for hop in (1, 2):
        for links in (opened[hop].links[1:], opened[hop].links[:-1]):
            fewer = {**opened, hop: Opened(hop, links)}
            with pytest.raises(RoundBurned, match=f"shuffler-{hop} opened others"):
                check_pairs(PLAN, HONEST.accepted, HONEST.traced, tosses, fewer)


@pytest.mark.parametrize("at", [0, 15, 16, 31])
def test_an_opened_layer_came_to_the_last_byte_of_its_hash(at: int) -> None:
    links = HONEST.links[1]
    came = [bytearray(input_hash(1, link.layer)) for link in links]
    due = [link.place for link in links]
    sent = HONEST.traced[1]
    assert led_to(PLAN, 1, Opened(1, tuple(links)), due, list(map(bytes, came)), sent)
    came[-1][at] ^= 1
    with pytest.raises(RoundBurned, match="has not come"):
        led_to(PLAN, 1, Opened(1, tuple(links)), due, list(map(bytes, came)), sent)


def test_every_onion_of_an_opened_layer_was_sent_on() -> None:
    """The envelope of a round of three questions has three."""
    plan = HELD.plan(KIT.SINGLES)
    envelope = submit(plan, KIT.ROWS[0], SeededEntropy(5)).envelope
    opened = Opened(1, tuple(open_links(plan, 1, SECRETS[1], SeededEntropy(9), [(0, envelope)])))
    came = [input_hash(1, envelope)]
    sent = [layer_hash(onion) for onion in open_envelope(plan, SECRETS[1], envelope)]
    assert led_to(plan, 1, opened, [0], came, sent) == {*sent}
    assert len(sent) == 3
    for gone in sent:
        with pytest.raises(RoundBurned, match="has not sent on"):
            led_to(plan, 1, opened, [0], came, {*sent} - {gone})


def test_an_accepted_envelope_opens_or_the_first_shuffler_is_named() -> None:
    """A later hop may show that a layer does not open; the first has accepted this one."""
    link = Link(0, b"no envelope", bytes(32))
    with pytest.raises(RoundBurned, match="shuffler-1 has not shown"):
        led_to(PLAN, 1, Opened(1, (link,)), [0], [input_hash(1, link.layer)], ())


@pytest.mark.parametrize("hop", [1, 2])
def test_no_hop_sends_more_than_came(hop: int) -> None:
    tosses = toss(3)
    more = {**HONEST.traced, hop: (*HONEST.traced[hop], bytes(32))}
    opened = {**HONEST.opened(tosses)}
    with pytest.raises(RoundBurned, match=f"shuffler-{hop} sent more"):
        check_pairs(PLAN, HONEST.accepted, more, tosses, opened)


# --- the board ---

ROUND = HELD.plan()
THREE = [submit(ROUND, row, SeededEntropy(i)).envelope for i, row in enumerate(KIT.ROWS)]
TOSSES = {
    party: draw_toss(SeededEntropy(7).fork(party)) for party in ("shuffler-1", "shuffler-2")
} | {"curator": draw_toss(SeededEntropy(8))}
COINS: list[tuple[str, Body]] = [
    (party, coin_of(ROUND.session, 1, party, part)) for party, part in TOSSES.items()
]
PEOPLE = tuple(accept(i, Submission(envelope, bytes(64))) for i, envelope in enumerate(THREE))
ACCEPTED: tuple[str, Body] = ("shuffler-1", Accepted(PEOPLE))


def mixed(hop: int) -> tuple[str, Body]:
    people, came = (3, 3) if hop == 1 else (0, 9)
    return f"shuffler-{hop}", Mixed(hop, people, came, 9, {}, bytes(32))


def traced(hop: int, many: int = 9) -> tuple[str, Body]:
    return f"shuffler-{hop}", Traced(hop, tuple(bytes([hop, i]) * 16 for i in range(many)))


TOSSED: list[tuple[str, Body]] = list(TOSSES.items())
NOTHING: list[tuple[str, Body]] = [(f"shuffler-{hop}", Opened(hop, ())) for hop in (1, 2)]
TALLIED: tuple[str, Body] = ("curator", Tally((3, 3, 3), {}))
SENT = [*COINS, ACCEPTED, mixed(1), traced(1), mixed(2), traced(2)]
ALL = [*SENT, *TOSSED, *NOTHING, TALLIED]


def board(*posts: tuple[str, Body], held: Any = HELD) -> Board:
    """A board on which the first round has been called, with what is posted after."""
    registry = REGISTRY if held.announcement.registry else None
    return KIT.called(*posts, held=held, registry=registry)


def test_the_board_takes_them_in_their_order() -> None:
    full_board = board(*ALL)
    assert full_board.audited.tosses == {1: TOSSES}
    assert set(full_board.audited.traced[1]) == set(full_board.audited.opened[1]) == {1, 2}
    assert len(full_board.tallies) == 1


LINK = Link(0, bytes(ROUND.envelope), bytes(32))
SHORT = Opened(1, (replace(LINK, layer=bytes(9)),))
MANY_LINKS = Opened(1, tuple(replace(LINK, place=i) for i in range(4)))
SHORT_LAST = Opened(1, (LINK, replace(SHORT.links[0], place=1)))
SHORT_FIRST = Opened(1, (SHORT.links[0], replace(LINK, place=1)))
LONG = Opened(1, (replace(LINK, layer=bytes(ROUND.envelope + 1)),))


def other_coin(at: int) -> list[tuple[str, Body]]:
    """What is posted where a bit of one byte of the curator's coin is turned over."""
    author, coin = COINS[2]
    assert isinstance(coin, Coin)
    turned = coin.digest[:at] + bytes([coin.digest[at] ^ 1]) + coin.digest[at + 1 :]
    return [*COINS[:2], (author, Coin(turned)), *SENT[3:], *TOSSED]


WRONG: dict[str, list[tuple[str, Body]]] = {
    "a coin of who opens nothing": [("analyst", COINS[0][1])],
    "two coins": [COINS[0], COINS[0]],
    "two coins of the second": [*COINS[:2], COINS[1]],
    "traced of more": [*SENT[:5], traced(1, 10)],
    "a toss twice, of the second": [*SENT, *TOSSED[:2], TOSSED[1]],
    "a coin that begins otherwise": other_coin(0),
    "a coin that ends otherwise": other_coin(31),
    "opened twice, by the second": [*SENT, *TOSSED, *NOTHING, NOTHING[1]],
    "a last layer of another size": [*SENT, *TOSSED, ("shuffler-1", SHORT_LAST)],
    "a first layer of another size": [*SENT, *TOSSED, ("shuffler-1", SHORT_FIRST)],
    "opened before the first has tossed": [*SENT, *TOSSED[1:], NOTHING[0]],
    "layers that are longer": [*SENT, *TOSSED, ("shuffler-1", LONG)],
    "mixed before all have drawn coins": [*COINS[:2], ACCEPTED, mixed(1)],
    "mixed before anybody was accepted": [*COINS, mixed(1)],
    "traced for another": [*SENT[:5], ("shuffler-2", traced(1)[1])],
    "traced before it was accounted for": [*SENT[:6], traced(2)],
    "traced twice": [*SENT[:6], traced(1)],
    "traced of fewer": [*SENT[:5], traced(1, 8)],
    "a toss before all is traced": [*SENT[:-1], TOSSED[0]],
    "another toss": [*SENT, ("curator", TOSSES["shuffler-1"])],
    "a toss twice": [*SENT, TOSSED[0], TOSSED[0]],
    "opened before all have tossed": [*SENT, *TOSSED[:2], NOTHING[0]],
    "opened for another": [*SENT, *TOSSED, ("shuffler-2", NOTHING[0][1])],
    "opened twice": [*SENT, *TOSSED, NOTHING[0], NOTHING[0]],
    "layers of another size": [*SENT, *TOSSED, ("shuffler-1", SHORT)],
    "more layers than came": [*SENT, *TOSSED, ("shuffler-1", MANY_LINKS)],
    "a tally before all is opened": [*SENT, *TOSSED, NOTHING[0], TALLIED],
    "marks, without a challenge": [*SENT, *TOSSED, *NOTHING, ("curator", BallotMarks(()))],
}


@pytest.mark.parametrize("name", WRONG)
def test_the_board_refuses_a_wrong_post_of_an_audit(name: str) -> None:
    assert KIT.refuses(board, WRONG[name])


def test_where_there_is_no_audit_nobody_tosses() -> None:
    plain_board = board(held=KIT.session(2))
    with pytest.raises(Refused, match="unexpected"):
        plain_board.post("curator", Message(plain_board.session, 1, Coin(bytes(32))).encode())
