"""Changed messages of every kind, from anybody, at any moment: taken, or refused with a reason."""

import changed_frames
import pytest
from veilmix.errors import Reason

NEW = {"roster", "head", "registry", "mint", "issued", "alarm"}  # kinds of posts


@pytest.mark.slow
def test_whatever_comes_is_taken_or_refused() -> None:
    """A board that refuses is as it was; anything but Refused would surface (tools/)."""
    heard = changed_frames.run(4000, 1)
    assert heard.refused.total() + heard.taken.total() == 4000
    assert set(heard.refused) <= set(Reason)
    assert heard.taken.total() > 200
    taken = {kind.partition(" ")[2] for kind in heard.taken}
    assert len(NEW & taken) > 4
    assert {"ask", "submission"} <= taken
