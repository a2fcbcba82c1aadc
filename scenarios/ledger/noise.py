"""What an entry of the ledger says of the noise that its people added."""

import msgspec


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What people added to their answers.

    Attributes:
        rule: as it was announced.
        columns: those asked about.
        asked: a digest of their values and of how they were made coarser: what is kept about one
            answer is not kept about another.
        epsilon: nats of one report of a column.
        forever: of all that a person makes about one answer, where it keeps noise; None: it keeps
            none.
        mechanism: by its name in a scenario.
    """

    rule: str
    columns: tuple[str, ...]
    asked: str
    epsilon: float
    forever: float | None
    mechanism: str
