"""The command `veilmix ...`: one file a command, tables for people, JSON and CSV for programs.

May import everything. Must never know protocol details: it calls `scenarios` and prints. Heavy
libraries are imported inside the commands, so that `--help` answers at once.
"""
