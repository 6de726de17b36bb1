"""Kubernetes manifests as data: the YAML door, walking, quantities."""
