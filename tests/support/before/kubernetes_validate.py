"""Keeps the package of this name from our command line: tests have it, users do not.

The client of Kubernetes imports it wherever it is found, which takes a quarter of a command's time.
"""

msg = "not for the command line"
raise ImportError(msg)
