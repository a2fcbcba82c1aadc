"""Results as text and files: JSON, decisions, transcripts, files that are written whole or not.

May import `errors` and plain data. Must never know what a run is.
"""
