"""The theatre: one page that replays a run, move by move, through the eyes one chooses.

Here live the moves of a run in words, the page and its scripts, and the server of the live page. It
may import everything but `report` and `cli`. It must never know how a bound is computed or a layer
opened: what eyes see is the rule of `protocol/view.py`, and what that is worth `analysis.trust`.
"""
