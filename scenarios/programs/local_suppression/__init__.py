"""The program `local-suppression`: values suppressed by rules, with random covers (paper 000, 8.1).

May import the same rooms as `programs`. Must never know other programs.
"""
