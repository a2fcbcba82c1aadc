"""`challenge`: no ballot is opened before every user has checked that its messages arrived."""

from ..catalogue.guard import Guard, Requirement

REQUIREMENT_REASONS = {
    "defence.registered": "registered people sign, which shows whose messages were accepted",
    "mix.salt": "users look for their own ballots, which no other party may be able to guess",
    "mix.pad": "a missing ballot can be proved only if all layers have one size",
    "defence.bind": "a proof of a lost ballot must hold for one round only",
    "defence.dedupe": "a round may not hold more ballots than users sent",
    "defence.unbundle": "users look for each ballot separately",
    "defence.fresh_salt": "users look for each ballot separately",
    "defence.fresh_key": "users look for each ballot separately",
}

LOCKED = (
    *(Requirement.switched_on(key, why) for key, why in REQUIREMENT_REASONS.items()),
    Requirement("mix.order", "sorted", 'proofs need sorted batches; say mix.order = "sorted"'),
    Requirement("mix.suite", "sealedbox", 'a proof seals layers again; say suite = "sealedbox"'),
)
HELD_IN = ("protocol/board/challenge.py", "roles/challenge.py")

GUARD = Guard(
    key="defence.challenge",
    on=True,
    off=False,
    held_in=HELD_IN,
    guards="no ballot is opened before all people have checked that their ballots arrived",
    setting="nothing is opened before people have looked whether theirs has come",
    price=(
        "three deadlines to check; all learn who takes part; an accepted person who has sealed "
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
