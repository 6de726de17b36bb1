#!/bin/sh
# Starts the post-renderer for Helm 4. `helm roster` names its own one in HELM_ROSTER_POSTRENDER, or its interpreter
# in HELM_ROSTER_POSTRENDER_PYTHON where no script stands beside it; plain Helm takes the one that set the plugin up, or
# roster-postrender from PATH.
# -P keeps Python from importing what happens to lie in the current folder.
if [ -z "${HELM_ROSTER_POSTRENDER:-}" ] && [ -n "${HELM_ROSTER_POSTRENDER_PYTHON:-}" ]; then
  exec "$HELM_ROSTER_POSTRENDER_PYTHON" -P -m helm_roster.postrender --helm4 "$@"
fi
beside="${0%/*}/roster-postrender"
[ -x "$beside" ] || beside=roster-postrender
program="${HELM_ROSTER_POSTRENDER:-$beside}"
if command -v "$program" >/dev/null; then
  exec "$program" --helm4 "$@"
fi
# Helm 4 swallows stderr, and quotes a block scalar that it cannot take for a manifest.
printf '|\n  %s: it is not on PATH: install helm-roster with pip, or name it in HELM_ROSTER_POSTRENDER\n' "$program"
