"""Finds and opens the way to the API server exactly as Helm does: kubeconfig files and Helm's own variables.

The kubernetes client is used as transport, and imported only when it is called: it loads kubeconfigs, tokens,
certificates and exec plugins, and makes the connection pool.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from helm_roster import errors
from helm_roster.cluster import transport
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Manifest

_DEFAULT_FILE: Final = "~/.kube/config"
_TRUE: Final = frozenset({"1", "t", "true"})


class Connection:
    """An open way to one API server: its address, a pool of connections, and the headers of each request."""

    def __init__(self, configuration: Any) -> None:  # noqa: ANN401  (kubernetes ships no types)
        self._configuration = configuration
        self.host: str = str(configuration.host).rstrip("/")
        self.pool: Any = transport.load().rest.RESTClientObject(configuration).pool_manager

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

    # Who sets insecure-skip-tls-verify has decided; a warning for every request helps nobody.
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    configuration = transport.load().configuration()
    configuration.host = ""
    _load(configuration)
    _override(configuration)
    if not configuration.host:
        msg = "no cluster is configured: set KUBECONFIG, or pass --kubeconfig or --kube-apiserver"
        raise errors.OperationFailedError(msg)
    return Connection(configuration)


def _load(configuration: Any) -> None:  # noqa: ANN401
    config = transport.load().config
    files = [path for path in _files() if path.is_file()]
    if not files and not _in_pod() and not _given_host():
        _refuse_absent()
    context = _context(files)
    paths = os.pathsep.join(map(str, files)) if context else "(in the cluster)"
    try:
        if context:
            config.load_kube_config(paths, context, client_configuration=configuration, persist_config=False)
        elif _in_pod() and not _given_host():
            config.load_incluster_config(client_configuration=configuration)
    except (config.ConfigException, OSError) as cause:
        msg = f"kubeconfig {paths}: {_one_line(cause)}; check KUBECONFIG and --kube-context"
        raise errors.BadInputError(msg) from cause


def _files() -> list[Path]:
    named = os.environ.get("KUBECONFIG") or _DEFAULT_FILE
    return [Path(part).expanduser() for part in named.split(os.pathsep) if part]


def _refuse_absent() -> None:
    """Refuse a kubeconfig that is named and not there; Helm would try port 8080 of this machine."""
    absent = [str(path) for path in _files() if not path.exists()] if os.environ.get("KUBECONFIG") else []
    if absent:
        msg = f"kubeconfig {os.pathsep.join(absent)} is not there: correct KUBECONFIG or --kubeconfig"
        raise errors.BadInputError(msg)


def _context(files: list[Path]) -> str | None:
    """Return the context to use; None where none is chosen, and there is another way to a cluster, or no kubeconfig.

    Of several files the first current-context that is set counts, as for client-go (the Python client takes the last).
    Where none is, client-go takes a pod's own account (clientcmd, ``DeferredLoadingClientConfig``).
    """
    contents = [_content(path) for path in files]
    known = [str(walk.get(entry, "name")) for content in contents for entry in walk.sequence(content, "contexts")]
    named = os.environ.get("HELM_KUBECONTEXT")
    current = next((str(found) for content in contents if (found := walk.get(content, "current-context"))), None)
    context = named or current
    if context in known or not (named or files) or ((_given_host() or _in_pod()) and not context):
        return context
    place = f"kubeconfig {os.pathsep.join(map(str, files))}" if files else "any kubeconfig"
    told = f'context "{context}" is not in {place}' if context else f"{place} names no current-context"
    there = f"it holds {', '.join(known)}" if known else "it holds none"
    msg = f"{told} ({there}): correct {'--kube-context' if named else 'it, or pass --kube-context'}"
    raise errors.BadInputError(msg)


def _content(path: Path) -> Manifest:
    try:
        found = door.to_plain(door.load(path.read_text(encoding="utf-8")))
    except (errors.BadInputError, OSError, UnicodeDecodeError) as cause:
        raise _unreadable(path, _one_line(cause)) from cause
    content: Manifest = {} if found is None else found
    if why := _misshapen(content):
        raise _unreadable(path, why)
    return content


def _unreadable(path: Path, why: str) -> errors.BadInputError:
    return errors.BadInputError(f"kubeconfig {path} cannot be read: {why}; check KUBECONFIG")


def _misshapen(content: object) -> str:
    """Return what has not the shape of a kubeconfig, where the Python client would stumble; never what it holds."""
    if not isinstance(content, dict):
        return "it is no mapping"
    for key in ("clusters", "users", "contexts"):
        entries = content.get(key) or []
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            return f"{key} is no list of mappings"
        for place, entry in enumerate(entries):
            inner = entry.get(key.removesuffix("s")) or {}
            if not isinstance(inner, dict):
                return f"{key}.{place}.{key.removesuffix('s')} is no mapping"
            if not isinstance(inner.get("server", ""), str):
                return f"{key}.{place}.cluster.server is no text"
    return ""


def _in_pod() -> bool:
    return "KUBERNETES_SERVICE_HOST" in os.environ


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
