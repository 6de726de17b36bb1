"""The only door to an API server; everything above works on plain data."""
