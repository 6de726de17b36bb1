"""The resolved operation, its plan and its live state, as frozen values."""
