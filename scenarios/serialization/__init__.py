"""Results as text and files: JSON, decisions, transcripts, files written whole or not at all.

May import `errors` and plain data. Must never know the meaning of a run.
"""
