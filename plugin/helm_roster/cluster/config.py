"""Finds and opens the way to the API server exactly as Helm does: kubeconfig files and Helm's own variables.

The only module that imports ``kubernetes``, and only when it is called (the import alone takes 0.3 s). The client is
used as transport: it loads kubeconfigs, tokens, certificates and exec plugins, and makes the connection pool.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from helm_roster import errors
from helm_roster.manifests import door, walk

_DEFAULT_FILE: Final = "~/.kube/config"
_TRUE: Final = frozenset({"1", "t", "true"})


class Connection:
    """An open way to one API server: its address, a pool of connections, and the headers of each request."""

    def __init__(self, configuration: Any) -> None:  # noqa: ANN401  (kubernetes ships no types)
        from kubernetes.client import rest  # noqa: PLC0415

        self._configuration = configuration
        self.host: str = str(configuration.host).rstrip("/")
        self.pool: Any = rest.RESTClientObject(configuration).pool_manager

    def headers(self) -> list[tuple[str, str]]:
        """Return credentials (renewed where they expire) and impersonation, as header fields."""
        token = (self._configuration.auth_settings().get("BearerToken") or {}).get("value")
        found = [("Authorization", token)] if token else []
        if user := os.environ.get("HELM_KUBEASUSER"):
            found.append(("Impersonate-User", user))
            groups = os.environ.get("HELM_KUBEASGROUPS", "").split(",")
            found += [("Impersonate-Group", group) for group in groups if group]
        return found


def connect() -> Connection:
    """Open the cluster that Helm would talk to.

    Raises:
        BadInputError: A kubeconfig or context cannot be read.
        OperationFailedError: No cluster is configured.
    """
    import urllib3  # noqa: PLC0415
    from kubernetes.client import Configuration  # noqa: PLC0415

    # Who sets insecure-skip-tls-verify has decided; a warning for every request helps nobody.
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    configuration = Configuration()
    configuration.host = ""
    _load(configuration)
    _override(configuration)
    if not configuration.host:
        msg = "no cluster is configured: set KUBECONFIG, or pass --kubeconfig or --kube-apiserver"
        raise errors.OperationFailedError(msg)
    return Connection(configuration)


def _load(configuration: Any) -> None:  # noqa: ANN401
    from kubernetes import config as untyped  # noqa: PLC0415

    config: Any = untyped
    files = [path for path in _files() if path.is_file()]
    context = os.environ.get("HELM_KUBECONTEXT") or _current_context(files)
    paths = os.pathsep.join(map(str, files))
    try:
        if files and (context or not _given_host()):
            config.load_kube_config(paths, context, client_configuration=configuration, persist_config=False)
        elif not files and "KUBERNETES_SERVICE_HOST" in os.environ:
            config.load_incluster_config(client_configuration=configuration)
    except (config.ConfigException, OSError) as cause:
        msg = f"kubeconfig {paths or '(in the cluster)'}: {_one_line(cause)}; check KUBECONFIG and --kube-context"
        raise errors.BadInputError(msg) from cause


def _files() -> list[Path]:
    named = os.environ.get("KUBECONFIG") or _DEFAULT_FILE
    return [Path(part).expanduser() for part in named.split(os.pathsep) if part]


def _current_context(files: list[Path]) -> str | None:
    """Return the first current-context that is set, as client-go does (the Python client takes the last)."""
    for path in files:
        try:
            found = walk.get(door.load(path.read_text(encoding="utf-8")), "current-context")
        except (errors.BadInputError, OSError, UnicodeDecodeError) as cause:
            msg = f"kubeconfig {path} cannot be read: {_one_line(cause)}; check KUBECONFIG"
            raise errors.BadInputError(msg) from cause
        if found:
            return str(found)
    return None


def _given_host() -> str | None:
    return os.environ.get("HELM_KUBEAPISERVER")


def _override(configuration: Any) -> None:  # noqa: ANN401
    """Lay Helm's variables over what the kubeconfig says."""
    environ = os.environ
    if host := _given_host():
        configuration.host = host if "://" in host else f"https://{host}"
    if token := environ.get("HELM_KUBETOKEN"):
        _set_token(configuration, token)
    if authority := environ.get("HELM_KUBECAFILE"):
        configuration.ssl_ca_cert = authority
    if name := environ.get("HELM_KUBETLS_SERVER_NAME"):
        configuration.tls_server_name = name
    if environ.get("HELM_KUBEINSECURE_SKIP_TLS_VERIFY", "").lower() in _TRUE:
        configuration.verify_ssl = False


def _set_token(configuration: Any, token: str) -> None:  # noqa: ANN401
    """Set a bearer token under the names that old and new clients read it by."""
    configuration.refresh_api_key_hook = None
    for key in ("BearerToken", "authorization"):
        configuration.api_key_prefix.pop(key, None)
        configuration.api_key[key] = f"Bearer {token}"


def _one_line(cause: Exception) -> str:
    return " ".join(str(cause).split())
