"""The bulletin board of a session: the posts, their legal order, the promise and the complaints.

Here live the board (a public append-only log), the table of legal moves, the curator's strategies
and the checks of sums, challenges and alarms. May import `wire` and `rounds`. Must never know the
inside of an envelope.
"""
