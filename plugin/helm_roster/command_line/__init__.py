"""The verbs of the command line, by what they work on: options and help, and one call into ``commands``."""
