"""The network in memory, the parties' view of the board, and the instruments that observe both.

Here live channels, delays and the order of events. May import `protocol`. Must never know the code
of a party: a message has an address here, and no meaning.
"""
