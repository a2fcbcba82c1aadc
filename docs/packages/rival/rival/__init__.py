"""A program, an attack, a population, a randomizer, a score and a figure for veilmix."""
