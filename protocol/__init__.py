"""Pure steps on plain data: a party processes its messages and returns the messages to send.

view.py decides the view of a coalition, by the rule of derivation.py; crowd_limits.py has every
limit on the smallest number of people; ballots.py salts and seals answers.

May import `errors` and `crypto`; numpy only where the ideal functionality counts a million people.
Must never know trio, sockets or files: time, transport and storage belong to its callers.
"""
