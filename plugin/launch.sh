#!/bin/sh
# Starts helm-roster for `helm roster`: from the plugin's own environment, its checkout's, or PATH.
folder=$(dirname "$0")
for candidate in "${HELM_PLUGIN_DIR:-$folder}/.venv/bin/helm-roster" "$folder/../.venv/bin/helm-roster"; do
  if [ -x "$candidate" ]; then
    exec "$candidate" "$@"
  fi
done
if command -v helm-roster >/dev/null; then
  exec helm-roster "$@"
fi
echo "Error: helm-roster is not installed: install it with pip from a checkout, or install this plugin again" >&2
exit 1
