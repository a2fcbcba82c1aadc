"""The live page answers by its whole name, and changes something for the page itself alone."""

import pytest
from veilmix.machines.http import Request
from veilmix.theatre.http import checked

PORT = 8765
HOSTS = (f"127.0.0.1:{PORT}", f"localhost:{PORT}")
# names that begin as a right one does, end as it does, have it inside, or are another's
WRONG = (
    *("", "127.0.0.1", "localhost", "127.0.0.1:876", "127.0.0.1:87650", "27.0.0.1:8765"),
    *("127.0.0.1:8765.a.example", "a.127.0.0.1:8765", "localhost:8766", "a.example:8765"),
    *("0.0.0.0:8765", "127.0.0.2:8765", "[::1]:8765", "LOCALHOST:8765", ",".join(HOSTS)),
)


def status(method: str, **headers: str) -> int:
    answer = checked(Request(method, "/again", headers), PORT)
    return 200 if answer is None else answer.status


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("host", WRONG)
def test_another_name_is_not_answered(host: str, method: str) -> None:
    assert status(method, host=host) == 421
    assert status(method, host=host, origin=f"http://{HOSTS[0]}") == 421


def test_no_name_is_not_answered() -> None:
    assert status("GET") == 421


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize(
    "origin", ["null", *(f"http://{host}" for host in WRONG), f"https://{HOSTS[0]}", HOSTS[0]]
)
def test_another_page_is_not_answered(origin: str, method: str) -> None:
    assert status(method, host=HOSTS[0], origin=origin) == 403


def test_a_method_that_begins_like_a_safe_one_is_not_safe() -> None:
    assert status("GETX", host=HOSTS[0]) == 403


@pytest.mark.parametrize("host", HOSTS)
def test_the_page_itself_is_answered(host: str) -> None:
    for method in ("GET", "HEAD", "POST"):
        assert status(method, host=host, origin=f"http://{host}") == 200
    assert [status(method, host=host) for method in ("GET", "HEAD", "POST", "PUT", "DELETE")] == [
        *(200, 200, 403, 403, 403)
    ]
