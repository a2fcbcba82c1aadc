"""`cascade`: several shufflers, of which a single honest shuffler prevents linking.

With `audit`, both shufflers of a pair must be honest.
"""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.shufflers",
    on=3,
    off=1,
    held_in=("roles/shuffler.py",),
    guards=(
        "one honest shuffler, or pair if audited, keeps honest-but-curious parties from linking "
        "anybody"
    ),
    price="none: a layer for every answer and shuffler",
)
