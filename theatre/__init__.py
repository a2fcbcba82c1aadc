"""The theatre: a page that replays a run, move by move, as the chosen parties see it.

Here live the moves of a run in words, the page and its scripts, and the server of the live page. It
may import all rooms but `report` and `cli`. It must never know how a bound is computed or a layer
opened: a coalition's view is the rule of `protocol/knowledge/view.py`, and its leakage that of
`analysis.trust`.
"""
