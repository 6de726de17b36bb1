"""Scheduling backends, one module each; nothing outside this folder names a scheduler."""
