"""`cascade`: one honest shuffler is enough to link nobody."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.shufflers",
    on=3,
    off=1,
    guards="one honest shuffler is enough to link nobody",
    price="a layer to seal and to open for every answer and shuffler",
)
