"""`cascade`: one honest shuffler is enough for nobody to be linked by those who watch."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.shufflers",
    on=3,
    off=1,
    guards="one honest shuffler is enough for nobody to be linked by those who watch",
    price="a layer to seal and to open for every answer and shuffler",
)
