#!/bin/sh
# Install hook of the plugin when it comes from git: gives it a virtual environment of its own, once per version.
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
if command -v helm-roster >/dev/null && [ -z "${HELM_ROSTER_PYTHON:-}" ]; then
  echo "helm-roster is on PATH already ($(command -v helm-roster)): the plugin uses it" >&2
  exit 0
fi
for python in ${HELM_ROSTER_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
  if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "making a virtual environment for helm-roster in $folder/.venv with $python, and installing it with pip …" >&2
    "$python" -m venv "$folder/.venv" && touch "$folder/.venv/.made-by-plugin" &&
      "$folder/.venv/bin/python" -m pip install --quiet --disable-pip-version-check "$folder" >&2 && exit 0
    echo "Error: the installation into $folder/.venv failed (see above): install helm-roster with pip from a checkout instead" >&2
    exit 1
  fi
done
echo "Error: no Python 3.11 or newer with venv was found: install one, or name it in HELM_ROSTER_PYTHON" >&2
exit 1
