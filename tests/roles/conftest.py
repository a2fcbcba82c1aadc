"""Parties say the same whatever network they talk over: in memory, or as processes over TLS.

Every test that plays sessions with `KIT.run` is run over both, but for those marked `memory`: they
look into objects of this process that a party would have to share with them, or play very often.
Over TLS `make test` plays one in PART of them, the same every time; `make long` plays the others.
"""

import hashlib

import pytest
import role_kit as KIT

PART = 3


def is_in_part(name: str) -> bool:
    """Whether a test is of the part that is played over TLS every time."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % PART == 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    plays = getattr(metafunc.module, "KIT", None) is KIT
    if plays and metafunc.definition.get_closest_marker("memory") is None:
        marks = [pytest.mark.slow, pytest.mark.tls]
        if not is_in_part(metafunc.definition.originalname):
            marks.append(pytest.mark.long)
        over_tls = pytest.param("tls", marks=marks)
        metafunc.parametrize("network", ["memory", over_tls], indirect=True)


@pytest.fixture(autouse=True)
def network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KIT, "stage", KIT.STAGES[getattr(request, "param", "memory")])
