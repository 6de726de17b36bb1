"""Tests of the YAML door, walking and quantities."""
