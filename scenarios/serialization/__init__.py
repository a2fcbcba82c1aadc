"""Results as text and files: JSON, decisions, transcripts, and atomic writing of files.

May import `errors` and plain data types. Must never know the meaning of a run.
"""
