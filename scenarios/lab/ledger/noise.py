"""The noise of a run's people, as an entry of the ledger keeps it."""

import msgspec


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The noise that people added to their answers in a run.

    Attributes:
        rule: the noise, in the words of the announcement.
        columns: the columns asked about.
        asked: a digest of their values and coarsening rules: noise that is kept about an answer is
            not kept about another.
        epsilon: nats of one report of a column.
        forever: nats of all reports of a person about one answer, where it keeps noise; None: it
            keeps no noise.
        mechanism: the name of the mechanism in a scenario.
    """

    rule: str
    columns: tuple[str, ...]
    asked: str
    epsilon: float
    forever: float | None
    mechanism: str
