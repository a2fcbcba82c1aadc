"""Sweeps and repetitions: one scenario with many settings and seeds, their file and their tables.

May import `lab` and `records`. Must never know where its runs are played: the caller hands in an
executor.
"""
