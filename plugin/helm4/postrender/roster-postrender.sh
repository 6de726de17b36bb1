#!/bin/sh
# Starts the post-renderer for Helm 4. `helm roster` names its own one in HELM_ROSTER_POSTRENDER, or its interpreter
# in HELM_ROSTER_POSTRENDER_PYTHON where no script stands beside it; plain Helm takes roster-postrender from PATH.
# -P keeps Python from importing what happens to lie in the current folder.
if [ -z "${HELM_ROSTER_POSTRENDER:-}" ] && [ -n "${HELM_ROSTER_POSTRENDER_PYTHON:-}" ]; then
  exec "$HELM_ROSTER_POSTRENDER_PYTHON" -P -m helm_roster.postrender --helm4 "$@"
fi
exec "${HELM_ROSTER_POSTRENDER:-roster-postrender}" --helm4 "$@"
