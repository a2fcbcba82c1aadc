"""Sessions between machines: the file that everybody has, and what each place does with it.

May import the scenario model, programs, how they are announced, and identity files. Must never know
terminals: what happens is told to a log.
"""
