#!/bin/sh
# Install and update hook of the plugin when it comes from git or from a checkout: gives it a virtual environment of its
# own, unless the same version of helm-roster is on PATH.
# Named interpreters are tried in turn; set HELM_ROSTER_PYTHON to choose one.
set -u
folder=${HELM_PLUGIN_DIR:?the plugin folder is not named}
if [ -d "$folder/.venv" ] && [ ! -e "$folder/.venv/.made-by-plugin" ]; then
  if [ -x "$folder/.venv/bin/helm-roster" ]; then
    echo "$folder is a checkout with an environment of its own: the plugin uses it" >&2
    exit 0
  fi
  echo "Error: $folder/.venv is not this plugin's, and holds no helm-roster: run 'make setup' in $folder first" >&2
  exit 1
fi
if [ ! -e "$folder/.venv/.made-by-plugin" ] && [ -z "${HELM_ROSTER_PYTHON:-}" ] && command -v helm-roster >/dev/null; then
  wanted=$(sed -n 's/^version: *//p' "$folder/plugin.yaml")
  found=$(helm-roster --version 2>/dev/null)
  if [ "${found##* }" = "$wanted" ]; then
    echo "helm-roster is on PATH already ($(command -v helm-roster)): the plugin uses it" >&2
    exit 0
  fi
fi
again="run helm plugin uninstall roster, then install it again"
set -- python3 python3.14 python3.13 python3.12 python3.11
if [ -n "${HELM_ROSTER_PYTHON:-}" ]; then set -- "$HELM_ROSTER_PYTHON"; fi
for python in "$@"; do
  if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "making a virtual environment for helm-roster in $folder/.venv with $python, and installing it with pip …" >&2
    "$python" -m venv "$folder/.venv" && touch "$folder/.venv/.made-by-plugin" &&
      "$folder/.venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "$folder" >&2 && exit 0
    echo "Error: the installation into $folder/.venv failed (see above): mend that, $again" >&2
    exit 1
  fi
done
echo "Error: no Python 3.11 or newer with venv was found: install one, or name it in HELM_ROSTER_PYTHON; $again" >&2
exit 1
