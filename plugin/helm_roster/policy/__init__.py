"""Pure decisions: gangs, names, totals, health; no YAML text, no scheduler."""
