"""Studies, which run a scenario many times: repetitions, sweeps, the attack matrix, curves, costs.

May import `play`, `records`, `verification` and the packages below them. Must never know terminals:
callers give the executor and the function that reports progress.
"""
