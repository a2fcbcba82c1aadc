"""`tokens`: a ballot counts only with a token, a blind credential that a registered user gets."""

from ..catalogue.guard import Guard, Requirement

CAREFUL = ("mix.salt", "defence.bind", "defence.dedupe", "defence.unbundle", "defence.fresh_salt")

GUARD = Guard(
    key="defence.tokens",
    on=True,
    off=False,
    held_in=("protocol/rounds/tokens.py", "roles/mint.py"),
    guards="a ballot counts only with a token that its reader gave blindly to a registered person",
    setting="ballots carry tokens of registered people, and every token is spent",
    price=(
        "2.2 times the CPU of a run with `registered` (census, `make fast`); two messages a "
        "person and round; curator and analyst learn who takes part, all learn it of a person "
        "whose request was lost; a person who asks and sends nothing stops the round, as does "
        "losing all that a person sends"
    ),
    default=False,
    needs={"defence.registered": True},
    wanted=(
        Requirement(
            "defence.registered",
            True,
            "tokens are given to registered people; say registered = true",
        ),
        *(
            Requirement.switched_on(key, "a token stands on a salt and no design error")
            for key in (*CAREFUL, "defence.fresh_key")
        ),
    ),
)
