"""Pure steps on plain data: a party processes its messages and returns the messages to send.

Modules that are central: view.py decides the view of a coalition by the rules of derivation.py;
crowd_limits.py has all limits on numbers of people; ballots.py salts and seals answers.

The package may import `errors` and `crypto`, and numpy only where the ideal functionality counts
a million people. It must not import trio, sockets or files, because its callers provide time,
transport and storage.
"""
