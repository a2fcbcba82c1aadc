"""The citation of a run: the version, the scenario, the digest, and the seed with its label."""

from dataclasses import dataclass

# the label of every seeded run, because its keys and noise follow from the seed
SEEDED = "reproducible, NOT secret"


@dataclass(frozen=True, slots=True)
class Citation:
    """The facts that identify a run in a publication; `str` returns a sentence with them.

    Attributes:
        version: the version of veilmix that played the run.
        scenario: the name of the scenario.
        mode: real (with messages) or ideal (without).
        users: number of participants.
        seed: the seed of all randomness; None if system randomness was used.
        digest: a hash that identifies the run; equal for equal seeds.
    """

    version: str
    scenario: str
    mode: str
    users: int
    seed: int | None
    digest: str

    @property
    def randomness(self) -> str:
        """The origin of the randomness, with the label of a seeded run."""
        if self.seed is None:
            return "system randomness (not reproducible)"
        return f"seed {self.seed} ({SEEDED})"

    def __str__(self) -> str:
        """Return a sentence that cites the run."""
        return (
            f"veilmix {self.version}, scenario {self.scenario}, {self.mode} run, "
            f"{self.users:,} people, {self.randomness}, digest {self.digest}"
        )
