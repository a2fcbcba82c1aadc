"""The program `local-suppression`: values suppressed by rules, with random covers (paper 000, 8.1).

A cover is a random suppression that hides which values are suppressed by a rule. May import the
same packages as `programs`. Must never know other programs.
"""
