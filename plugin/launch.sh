#!/bin/sh
# Starts helm-roster for `helm roster`: the one that set the plugin up, that of the plugin's own environment or of its
# checkout, or the one on PATH.
folder=$(dirname "$0")
for candidate in "$folder/helm-roster" "${HELM_PLUGIN_DIR:-$folder}/.venv/bin/helm-roster" \
  "$folder/../.venv/bin/helm-roster"; do
  if [ -x "$candidate" ]; then
    exec "$candidate" "$@"
  fi
done
if command -v helm-roster >/dev/null; then
  exec helm-roster "$@"
fi
echo "Error: helm-roster is not installed: install it with pip from a checkout and run helm-roster setup, or install this plugin again" >&2
exit 1
