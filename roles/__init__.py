"""The parties as trio actors, the network they talk over, and the instruments that watch it.

May import `errors`, `crypto` and `protocol`. Must never know analysis or files: the curator is
handed its decision rule, and what was seen is handed to whoever asks.
"""
