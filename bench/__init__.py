"""What the post-renderer costs, beside other ways to do its work; `make bench` runs it."""
