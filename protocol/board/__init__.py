"""The bulletin board of a session: its posts, their legal order, and the checks of their content.

Here live the board (a public append-only log), the table of legal messages, and the curator's
strategies. So do the check that exposure stays within the promised bound, and the checks of alarms
about lost ballots and wrong sums. May import `wire` and `rounds`. Must not read inside an envelope.
"""
