"""What a program alone finds: the base of one record a program, which a tagged union holds."""

from ..serialization.record import Record


class Findings(Record, frozen=True, tag_field="program"):
    """What a program alone finds in a session: the base of one record a program, with its own tag.

    It is part of an outcome and, under `findings`, of result.json.
    """

    @property
    def counted(self) -> tuple[int, ...]:
        """People who were counted, in each round but the release; () where marginals tell it."""
        return ()

    @property
    def short(self) -> str:
        """What was found, in a clause; empty where the columns kept say it."""
        return ""

    @property
    def largest_error(self) -> float | None:
        """How far the worst estimate is from the truth; None where nothing is estimated."""
        return None
