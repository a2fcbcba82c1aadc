"""Parties say the same whatever network they talk over: in memory, or as processes over TLS.

Every test that plays sessions with `KIT.run` is run over both, but for those marked `memory`: they
look into objects of this process that a party would have to share with them, or play very often.
"""

import pytest
import role_kit as KIT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    plays = getattr(metafunc.module, "KIT", None) is KIT
    if plays and metafunc.definition.get_closest_marker("memory") is None:
        slow = pytest.param("tls", marks=(pytest.mark.slow, pytest.mark.tls))
        metafunc.parametrize("network", ["memory", slow], indirect=True)


@pytest.fixture(autouse=True)
def network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KIT, "stage", KIT.STAGES[getattr(request, "param", "memory")])
