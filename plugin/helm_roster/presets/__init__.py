"""Presets as files: where they are, what each selects, what is wrong with one, and which nodes it fits. Pure."""
