"""Roster: AI workloads as named replica groups, through Helm.

Nothing is imported here: the post-renderer starts once for every ``helm`` call and must start fast.
"""

__version__ = "0.1.0"
