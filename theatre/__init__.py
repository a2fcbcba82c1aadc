"""The theatre: a web page that replays a run, event by event, as the chosen parties see it.

A move is an event of a run as the page shows it, such as a message between parties. Here live the
moves with their sentences, the page and its scripts, and the server of the live page. This package
may import all packages of veilmix but `report` and `cli`. It must never know how a bound is
computed or a layer opened. A coalition's view is computed by `protocol/knowledge/view.py`, and its
leakage by `analysis.trust`.
"""
