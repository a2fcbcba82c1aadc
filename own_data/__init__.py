"""Users' own tables: reading, scores of disclosure risk, coarser values, and written files.

May import `populations` and the packages below it, and the numbers of `analysis`. Must never know
parties or rounds: this package sends no message.
"""
