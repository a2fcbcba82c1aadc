"""The noise that people added to their answers in a run, as a ledger entry records it."""

import msgspec


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The noise that people added to their answers in a run.

    Attributes:
        rule: the text of the announcement that describes the noise.
        columns: the names of the requested columns.
        asked: a digest of the values and coarsening rules of these columns. Memoized noise is
            reused only for answers with equal digests.
        epsilon: local epsilon of one report of one column, in nats.
        forever: local epsilon of all reports of a person about one column with memoized noise, in
            nats; None: the noise is drawn anew in each run.
        mechanism: the name of the mechanism in a scenario.
    """

    rule: str
    columns: tuple[str, ...]
    asked: str
    epsilon: float
    forever: float | None
    mechanism: str
