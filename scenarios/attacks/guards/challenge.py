"""`challenge`: no ballot is opened before every user has checked that its messages arrived."""

from ..catalogue.guard import Guard, Requirement

REQUIREMENT_REASONS = {
    "defence.registered": "who was accepted is shown by what registered people sign",
    "mix.salt": "ballots that nobody could guess are looked for",
    "mix.pad": "a missing ballot is proved by layers of one size",
    "defence.bind": "a proof is of one round",
    "defence.dedupe": "as many as were sent may come, and no more",
    "defence.unbundle": "every ballot is looked for by itself",
    "defence.fresh_salt": "every ballot is looked for by itself",
    "defence.fresh_key": "every ballot is looked for by itself",
}

LOCKED = (
    *(Requirement.switched_on(key, why) for key, why in REQUIREMENT_REASONS.items()),
    Requirement("mix.order", "sorted", 'batches are sorted; say mix.order = "sorted"'),
    Requirement("mix.suite", "sealedbox", 'a proof seals layers again; say suite = "sealedbox"'),
)
HELD_IN = ("protocol/board/challenge.py", "roles/challenge.py")

GUARD = Guard(
    key="defence.challenge",
    on=True,
    off=False,
    held_in=HELD_IN,
    guards="no ballot is opened before everybody has looked whether what was sent has come",
    setting="nothing is opened before people have looked whether theirs has come",
    price=(
        "three deadlines to look; all learn who takes part; an accepted person who has sealed "
        "nothing stops the round"
    ),
    default=False,
    needs={"defence.registered": True},
    wanted=LOCKED,
    stops=(
        "drop",
        "drop-people",
        "substitute",
        "subtract",
        "surround",
        "swap",
        "tag",
    ),
)
