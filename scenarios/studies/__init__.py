"""Studies, which run a scenario many times: repetitions, sweeps, the attack matrix, curves, costs.

May import `play`, `records`, `verification` and below. Must never know terminals: executors and
progress are handed in.
"""
