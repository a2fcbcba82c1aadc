"""The web page of `veilmix open`: judge and release a table of your own, on this computer.

Here live the choices of a user in six steps, the work that they ask for, the state that the page
shows, and its server. May import all rooms that a report may, and the report. Must never compute a
number of its own: every number comes from the functions of `score` and `advise`.
"""
