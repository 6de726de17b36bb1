"""The post-renderer proper: documents in, documents out; no cluster, no values."""
