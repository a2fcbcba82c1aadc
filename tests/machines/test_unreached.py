"""Why one place does not reach another is found out, kept, and logged once."""

import datetime as dt
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from veilmix.crypto import identity
from veilmix.crypto.identity import Identity, fingerprint_of_digest, make_identity
from veilmix.errors import DataError
from veilmix.machines import tls
from veilmix.machines.directory import Directory, SessionPlace
from veilmix.machines.gauge import Gauge
from veilmix.machines.host import secured
from veilmix.machines.http import Client, HttpResponse, Request, Server, ServerLimits
from veilmix.machines.service import Site, tell_ready
from veilmix.machines.trouble import DATES, MOST_REASONS, TroubleKind, Troubles
from veilmix.protocol.board.board import Board
from veilmix.scenarios.deployment.status import read_status

OWN, OTHER, STRANGER = make_identity("curator"), make_identity("shuffler-1"), make_identity("x")
LIMITS = ServerLimits(1024)


async def answer(_request: Request) -> HttpResponse:
    """Answer all there is to ask."""
    await trio.lowlevel.checkpoint()
    return HttpResponse(204)


@asynccontextmanager
async def listening(who: Identity, knows: Identity, troubles: Troubles) -> AsyncIterator[int]:
    """Serve as somebody who knows one other; gives the port."""
    certificates = {"curator": knows.public.certificate}
    serve = secured(
        Server(answer, print, LIMITS),
        tls.server_context(who, certificates),
        tls.names(certificates),
        troubles,
    )
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def asked(own: Identity, place: SessionPlace) -> None:
    """Ask a place for anything."""
    stream = await trio.open_tcp_stream(place.host, place.port)
    context = tls.client_context(own, place.certificate)
    client = Client(await tls.connected(stream, context, tls.digest(place.certificate)), place.name)
    try:
        assert (await client.ask("GET", "/"))[0] == 204
    finally:
        await client.close()


async def told(
    answers: Identity, knows: Identity, expected: Identity, refused: int
) -> tuple[Troubles, Troubles, list[str]]:
    """Ask twice where somebody answers who may be another; what both ends keep, and log.

    refused: how many connections the other end refuses; it is waited for.
    """
    here: list[str] = []
    ours = Troubles(here.append, {"curator": OWN.public.certificate})
    theirs = Troubles(here.append, {})
    async with listening(answers, knows, theirs) as port:
        place = SessionPlace("shuffler-1", expected.public.certificate, port=port)
        for _ in range(2):
            try:
                await asked(OWN, place)
            except (OSError, trio.BrokenResourceError) as wrong:
                await ours.failed(place, wrong, long=False)
        while theirs.turned_away.total() < refused:  # noqa: ASYNC110 - there is no event of it
            await trio.sleep(0.01)
    return ours, theirs, here


def print_of(who: Identity) -> str:
    """Give the fingerprint of somebody's certificate."""
    return fingerprint_of_digest(tls.digest(who.public.certificate))


def test_who_answers_in_the_place_of_another_is_named_once() -> None:
    ours, theirs, here = trio.run(told, STRANGER, OWN, OTHER, 4)
    assert ours.now["shuffler-1"].kind is TroubleKind.SOMEBODY_ELSE
    (logged,) = [line for line in here if "somebody else" in line]
    assert print_of(STRANGER) in logged
    assert "calls itself 'x'" in logged
    assert f"{print_of(OTHER)} is expected" in logged
    assert logged == ours.text()["shuffler-1"]
    assert not any(f"{print_of(OWN)}" in line for line in here)
    assert theirs.turned_away == {tls.NO_HANDSHAKE: 4}  # nobody showed it a certificate


def test_another_place_of_the_session_is_named() -> None:
    ours, _, _ = trio.run(told, OWN, OWN, OTHER, 4)
    assert "the certificate of curator; " in ours.text()["shuffler-1"]


def test_a_certificate_that_is_not_accepted_is_told_at_both_ends() -> None:
    ours, theirs, here = trio.run(told, OTHER, STRANGER, OTHER, 2)
    assert ours.now["shuffler-1"].kind is TroubleKind.NOT_ACCEPTED
    assert sum("does not accept our certificate" in line for line in here) == 1
    assert theirs.turned_away == {tls.UNKNOWN: 2}
    refused = [line for line in here if "was refused" in line]
    assert refused == [f"a connection from 127.0.0.1 was refused: {tls.UNKNOWN}"]


def test_who_does_not_answer_is_logged_when_it_is_away_for_long() -> None:
    async def alone() -> list[str]:
        here: list[str] = []
        ours = Troubles(here.append, {})
        async with listening(OTHER, OWN, ours) as port:
            place = SessionPlace("shuffler-1", OTHER.public.certificate, port=port)
            await asked(OWN, place)
        for long in (False, True, True):
            try:
                await asked(OWN, place)
            except OSError as wrong:
                await ours.failed(place, wrong, long=long)
            here.append("tried")
        assert ours.by_kind() == {"nobody answers": 1}
        ours.reached("shuffler-1")
        ours.reached("shuffler-1")
        assert ours.by_kind() == {}
        return [line.replace(f":{port}", "") for line in here]

    away = "shuffler-1 at 127.0.0.1 does not answer: Connection refused"
    again = "shuffler-1 is reached again"
    assert trio.run(alone) == ["tried", away, "tried", "tried", again]


def test_a_flood_of_refused_connections_fills_no_log() -> None:
    here: list[str] = []
    troubles = Troubles(here.append, {})
    for at in range(MOST_REASONS + 10):
        troubles.turn_away(f"10.0.0.{at}", trio.BrokenResourceError())
    assert len(here) == MOST_REASONS
    assert troubles.turned_away.total() == MOST_REASONS + 10


@pytest.mark.parametrize(("begins", "ends"), [(12, -1), (-1, 10)])
def test_no_date_of_a_certificate_is_compared_but_it_is_said(
    monkeypatch: pytest.MonkeyPatch, begins: int, ends: int
) -> None:
    """A certificate that has ended a year ago, and one that begins in a year."""
    with monkeypatch.context() as patched:
        patched.setattr(identity, "SLACK", dt.timedelta(days=365 * begins))
        patched.setattr(identity, "YEARS", ends)
        old = make_identity("shuffler-1")
    ours, theirs, here = trio.run(told, old, OWN, old, 0)
    assert (ours.now, theirs.turned_away, here) == ({}, {}, [])

    said: list[str] = []
    places = {
        who.public.name: SessionPlace(who.public.name, who.public.certificate) for who in (OWN, old)
    }
    site = Site("curator", OWN, Directory(places), {}, lambda *words: said.append(words[-1]))
    tell_ready(site)
    (note,) = [line for line in said if line.endswith(DATES)]
    assert note.startswith("the certificate of shuffler-1 is from ")
    assert said[0] == f"{print_of(OWN)}; identity {OWN.public.fingerprint}"


def test_status_and_metrics_have_the_reasons() -> None:
    ours, theirs, _ = trio.run(told, STRANGER, OWN, OTHER, 4)
    own, other = (Gauge("curator", print, troubles) for troubles in (ours, theirs))
    status = own.status(Board())
    assert status.unreached == ours.text()
    assert 'veilmix_unreached{reason="another certificate answers"} 1' in (
        own.metrics(Board()).decode()
    )
    assert 'veilmix_turned_away_total{reason="no TLS handshake"} 4' in (
        other.metrics(Board()).decode()
    )


def test_status_of_another_board_says_who_answers() -> None:
    async def look() -> str:
        async with listening(STRANGER, OWN, Troubles(print, {})) as port:
            url = f"https://127.0.0.1:{port}"
            with pytest.raises(DataError) as wrong:
                await trio.to_thread.run_sync(read_status, url, OTHER.public)
            return str(wrong.value)

    said = trio.run(look)
    assert "no board of shuffler-1 answers there" in said
    assert f"somebody else answers, certificate {print_of(STRANGER)}" in said
