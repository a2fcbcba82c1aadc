"""`audit`: half of the layers of every pair of shufflers are opened publicly.

All parties draw random bits together (common coins), which choose the opened layers. So a shuffler
that replaced layers is detected with high probability.
"""

from ..catalogue.guard import Guard, Requirement

REQUIREMENT_REASONS = {
    "defence.registered": "what came in is shown by what registered people sign",
    "mix.salt": "layers are told apart",
    "mix.pad": "layers are of one size",
    "defence.bind": "layers are of one round",
    "defence.dedupe": "repeats are dropped first",
    "defence.unbundle": "every answer is traced by itself",
    "defence.fresh_salt": "layers are told apart",
    "defence.fresh_key": "layers are told apart",
}

GUARD = Guard(
    key="defence.audit",
    on=True,
    off=False,
    held_in=("protocol/rounds/audit.py", "roles/audit.py"),
    guards="half of the layers of every pair of shufflers are opened in public",
    setting="half of the layers of every pair of shufflers are opened before everybody",
    price=(
        "by watching, a reader and one of every pair link half of the people, so one honest "
        "shuffler is not enough; with two shufflers each crowd is halved; all learn who takes "
        "part; a last odd shuffler is not audited"
    ),
    default=False,
    needs={"defence.registered": True},
    wanted=(
        *(Requirement.switched_on(key, why) for key, why in REQUIREMENT_REASONS.items()),
        Requirement("mix.order", "sorted", 'batches are sorted; say mix.order = "sorted"'),
        Requirement("mix.suite", "sealedbox", 'others open layers; say mix.suite = "sealedbox"'),
    ),
    shufflers=2,
    stops=("drop", "drop-people", "substitute", "surround", "tag"),
)
