"""Scenario files, the populations they name, and the runs of scenarios: scenario in, outcome out.

May import all rooms below it and `analysis`. Must never know terminals or browsers: progress goes
to the instruments it is handed, results are returned or written to a run folder.
"""
