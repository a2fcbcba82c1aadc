"""Who may mix for a class, and whose letters its computer takes: by whole names, one place each."""

from typing import Any

import msgspec
import pytest
import trio
from msgspec.structs import replace
from veilmix.crypto.identity import make_identity
from veilmix.errors import DataError, ParameterError
from veilmix.machines.http import Request
from veilmix.machines.inputs import ID, LetterInput, Parcel
from veilmix.poll import mix
from veilmix.poll import remote_shufflers as elsewhere
from veilmix.poll.enrolment import IdentityRecord, MixOffer, Papers, PartySeat
from veilmix.poll.mixers import SILENCE, Mixers
from veilmix.poll.questions import DEMO, read_questions, table_of
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.remote_shufflers import ClassIdentities, MixerLink
from veilmix.roles.compute.backend import LOCAL_WORKPLACE
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.network.memory_network import Network

ADA, BOB, EVE = (make_identity(name) for name in ("ada", "bob", "eve"))
ADA_AGAIN = make_identity("ada")
PEOPLE, CLASS = make_identity("people"), make_identity("class")
TABLE = table_of(read_questions(DEMO))


def offer(who: Any = ADA, party: str = "shuffler-1", port: int = 1) -> MixOffer:
    return MixOffer(party=party, who=IdentityRecord.from_identity(who.public), port=port)


def seat(who: Any, port: int = 1) -> PartySeat:
    return PartySeat(who=IdentityRecord.from_identity(who.public), host="127.0.0.1", port=port)


def papers(one: PartySeat | None = None, two: PartySeat | None = None) -> Papers:
    keys = [make_identity(name).public.key.hex() for name in ("board", "curator", "analyst")]
    return Papers(
        questions=TABLE,
        opening=bytes(16).hex(),
        signers=(keys[0], keys[1], keys[2]),
        desk=seat(CLASS),
        hall=seat(PEOPLE, 0),
        shufflers=(one or seat(ADA), two or seat(BOB)),
    )


async def refusal(mixers: Mixers, what: MixOffer, address: str = "127.0.0.1") -> str:
    """Give the words with which an offer is refused."""
    before = dict(mixers.present_seats)
    with pytest.raises(Unwelcome) as caught:
        await mixers.offer(what, address, 0)
    assert dict(mixers.present_seats) == before
    assert caught.value.status == 409
    return str(caught.value)


async def test_a_shuffler_that_is_not_asked_for_is_refused(autojump_clock: object) -> None:
    mixers = Mixers(2, lambda: None)
    for party in ("shuffler-3", "shuffler-10", "shuffler-11", "shuffler-20"):
        assert f"There is no {party} here" in await refusal(mixers, offer(party=party))
    assert mixers.missing == ("shuffler-1", "shuffler-2")


async def test_the_first_that_comes_is_the_one(autojump_clock: object) -> None:
    changes = list[int]()
    mixers = Mixers(2, lambda: changes.append(1))
    assert await mixers.offer(offer(), "127.0.0.1", 0) is None
    assert await mixers.offer(offer(), "127.0.0.1", 0) is None  # said again
    assert len(changes) == 1
    for other, address in ((offer(BOB), "127.0.0.1"), (offer(), "127.0.0.2"), (offer(port=2), "")):
        assert "ada at 127.0.0.1 is shuffler-1 already" in await refusal(mixers, other, address)
    await trio.sleep(SILENCE + 1)
    assert await mixers.offer(offer(BOB), "127.0.0.1", 0) is None  # ada has left


@pytest.mark.parametrize(
    "who", [ADA, ADA_AGAIN, PEOPLE, CLASS], ids=["key", "name", "hall", "desk"]
)
async def test_nobody_is_there_twice(who: Any, autojump_clock: object) -> None:
    mixers = Mixers(3, lambda: None)
    await mixers.offer(offer(), "127.0.0.1", 0)
    await mixers.offer(offer(EVE, "shuffler-2"), "127.0.0.1", 0)
    said = await refusal(mixers, offer(who, "shuffler-3"))
    assert "already; use another identity" in said


async def test_one_key_under_two_names_is_one_identity(autojump_clock: object) -> None:
    """The name of an identity is signed with its key; who has the key can sign another."""
    mixers = Mixers(2, lambda: None)
    await mixers.offer(offer(), "127.0.0.1", 0)
    twin = offer(EVE, "shuffler-2")
    twin = replace(twin, who=replace(twin.who, key=offer().who.key))
    assert "already; use another identity" in await refusal(mixers, twin)


async def test_who_comes_when_it_has_begun_is_too_late(autojump_clock: object) -> None:
    mixers = Mixers(2, lambda: None)
    mixers.begin(papers())
    assert await mixers.offer(offer(ADA), "127.0.0.1", 0) == mixers.papers
    await refusal(mixers, offer(EVE, "shuffler-2"))
    mixers = Mixers(3, lambda: None)
    mixers.papers = papers()
    mixers._party_names = ("shuffler-1", "shuffler-2")
    for party in ("shuffler-1", "shuffler-2"):
        await refusal(mixers, offer(EVE, party))


@pytest.mark.parametrize("field", ["name", "key", "certificate", "binding"])
def test_an_identity_that_its_holder_has_not_signed_is_no_offer(field: str) -> None:
    raw = msgspec.to_builtins(offer())
    assert MixOffer.read(msgspec.json.encode(raw)) == offer()
    for value in (getattr(IdentityRecord.from_identity(EVE.public), field), ""):
        raw = msgspec.to_builtins(offer())
        raw["who"][field] = value
        with pytest.raises(DataError, match="this identity is not accepted"):
            MixOffer.read(msgspec.json.encode(raw))


def mixing(party: str = "shuffler-1") -> mix._Mixing:
    address = "http://127.0.0.1:1/ABCDEF"
    return mix._Mixing(address, party, ADA, 0, lambda *_: None, lambda _: None, LOCAL_WORKPLACE)


def test_papers_with_ones_own_key_and_certificate_are_followed() -> None:
    mixing()._check(papers())
    mixing("shuffler-2")._check(papers(seat(BOB), seat(ADA)))


def test_papers_that_name_somebody_else_are_not_followed() -> None:
    """Nor the same certificate with other bytes."""
    ada = IdentityRecord.from_identity(ADA.public)
    certificates = (f"a comment\n{ada.certificate}", f"{ada.certificate}a comment\n")
    for party, given in (
        ("shuffler-1", papers(seat(EVE))),
        ("shuffler-1", papers(seat(ADA_AGAIN))),  # of the same name
        ("shuffler-1", papers(seat(BOB), seat(ADA))),
        ("shuffler-3", papers()),
        *(
            ("shuffler-1", papers(replace(seat(ADA), who=replace(ada, certificate=commented))))
            for commented in certificates
        ),
    ):
        with pytest.raises(DataError, match=f"names another computer as {party}"):
            mixing(party)._check(given)


@pytest.mark.parametrize(
    "address",
    [
        *("https://127.0.0.1:1/ABCDEF", "http:///ABCDEF", "http://127.0.0.1:1/AB/CDEF"),
        *("http://127.0.0.1:1/", "127.0.0.1:1/ABCDEF", "httpx://127.0.0.1:1/ABCDEF"),
        "sftp://127.0.0.1:1/ABCDEF",
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match="the class's address is accepted"):
        mix._Mixing(address, "shuffler-1", ADA, 0, lambda *_: None, lambda _: None, LOCAL_WORKPLACE)


class Carried(Network):
    """Keeps what it is given to carry."""

    came: list[tuple[str, str, bytes]]

    async def carry(self, sender: str, receiver: str, data: bytes) -> None:
        """Keep it."""
        self.came.append((sender, receiver, data))
        await trio.lowlevel.checkpoint()


def link() -> tuple[MixerLink, Carried]:
    """Give the class's computer where two others mix, and its network."""
    network = Carried(Instruments([], pytest.fail))
    network.came = []
    here = MixerLink(ClassIdentities(CLASS, PEOPLE), papers(), pytest.fail)
    here.joins(network)
    return here, network


async def sent(
    here: MixerLink, *letters: LetterInput, to: str = "curator", peer: str = "shuffler-2"
) -> int:
    """Give the status of the answer to letters."""
    body = Parcel(to, 0, 0.0, letters).encode()
    return (await here._answer(Request("POST", "/letters", {}, body, peer))).status


def letter(sender: str, number: int = 0) -> LetterInput:
    return LetterInput(sender, b"%d" % number, bytes([number]) * ID)


async def test_letters_of_who_mixes_are_taken_once() -> None:
    here, network = link()
    for _ in range(2):
        assert await sent(here, letter("shuffler-2"), letter("shuffler-2", 1)) == 204
    assert await sent(here, letter("shuffler-2", 2), to="analyst") == 204
    assert network.came == [
        ("shuffler-2", "curator", b"0"),
        ("shuffler-2", "curator", b"1"),
        ("shuffler-2", "analyst", b"2"),
    ]


@pytest.mark.parametrize("to", ["shuffler-1", "user-1", "curator-1", "cur", "board", ""])
async def test_letters_for_who_is_not_here_are_not_taken(to: str) -> None:
    here, network = link()
    assert await sent(here, letter("shuffler-2"), to=to) == 403
    assert not network.came


@pytest.mark.parametrize("sender", ["shuffler-1", "user-1", "curator", "shuffler-20", "shuffler-"])
async def test_letters_in_others_names_are_not_taken(sender: str) -> None:
    here, network = link()
    assert await sent(here, letter(sender), letter("shuffler-2", 1)) == 204
    assert network.came == [("shuffler-2", "curator", b"1")]


async def test_what_is_no_parcel_is_not_taken() -> None:
    here, network = link()
    good = Parcel("curator", 0, 0.0, (letter("shuffler-2"),)).encode()
    for body in (b"", good[:-1], good + b"x"):
        answer = await here._answer(Request("POST", "/letters", {}, body, "shuffler-2"))
        assert answer.status == 400
    assert not network.came


async def test_a_post_that_is_too_long_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "MOST_POST", 10)
    here, _ = link()
    for size, status in ((10, 400), (11, 413)):
        answer = await here._answer(Request("POST", "/posts", {}, bytes(size), "shuffler-2"))
        assert answer.status == status
