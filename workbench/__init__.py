"""The page of `veilmix open`: a table of one's own in six steps, on this computer alone.

Here live the choices of a user, the work that they ask for, the state that the page shows, and its
server. May import all rooms that a report may, and the report. Must never compute a number of its
own: every number comes from the functions of `score` and `advise`.
"""
