"""The program `local-suppression`: values blanked by rules, with random covers (paper 000, 8.1).

May import what `programs` may. Must never know other programs.
"""
