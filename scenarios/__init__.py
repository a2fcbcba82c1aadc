"""Scenario files, the populations they name, and the runs of scenarios: scenario in, outcome out.

May import `analysis`, `roles` and all packages that `roles` may import. Must never know terminals
or browsers: progress goes to the instruments that the caller hands in, results are returned or
written to a run folder.
"""
