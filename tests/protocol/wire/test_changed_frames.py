"""Changed messages of every kind, from anybody, at any moment: taken, or refused with a reason."""

import changed_frames
import changed_verified
import pytest
from veilmix.errors import Reason

NEW = {"roster", "head", "registry", "mint", "issued", "alarm"}  # kinds of posts


@pytest.mark.slow
def test_whatever_comes_is_taken_or_refused() -> None:
    """A board that refuses is as it was; anything but Refused would surface (tools/)."""
    heard = changed_frames.run(4000, 1, changed_frames.usual_ears())
    assert heard.refused.total() + heard.taken.total() == 4000
    assert set(heard.refused) <= set(Reason)
    assert heard.taken.total() > 200
    taken = {kind.partition(" ")[2] for kind in heard.taken}
    assert len(NEW & taken) > 4
    assert {"ask", "submission"} <= taken


@pytest.mark.slow
def test_records_of_a_verified_mix_are_refused_proved_or_disproved() -> None:
    """Lists and shares whose proofs hold are those that were played (tools/)."""
    heard = changed_frames.run(1000, 1, changed_verified.ears())
    assert heard.refused.total() + heard.taken.total() == 1000
    records = {"handed", "shared", "shuffled"}
    assert {f"{verdict} {kind}" for verdict in ("proved", "disproved") for kind in records} <= {
        *heard.taken
    }
    assert {"proved keys", "proved checked", "letter submission"} <= {*heard.taken}
