"""Finding and running Helm, either major."""
