"""Scenario files, the populations they name, and playing one: scenario in, outcome out.

May import everything below it and `analysis`. Must never know terminals or browsers: progress goes
to the instruments it is handed, results are returned or written to a run folder.
"""
