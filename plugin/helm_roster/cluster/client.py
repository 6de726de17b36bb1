"""A small client for any kind of the Kubernetes API: plain JSON in and out, one-line errors.

It knows no kinds. What a cluster serves is asked of the cluster (``resources``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from helm_roster import errors
from helm_roster.cluster import config
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

# Helm's name as a manager of fields, both majors; and ours.
HELM_MANAGER: Final = "helm"
OWN_MANAGER: Final = "helm-roster"
_PAGE: Final = 500
_TIMEOUT_SECONDS: Final = 30
_CHUNK: Final = 1 << 16
_MERGE_PATCH: Final = "application/merge-patch+json"
_NOT_FOUND: Final = (404, 405)
_GONE: Final = 410
# Versions that every API server serves: who does not find them there is a proxy, or a server that starts.
_ALWAYS_SERVED: Final = frozenset({"v1", "apps/v1"})
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
# Sizes of a page, one for each try: a list whose `continue` has expired is begun anew, at last in one piece.
_TRIES: Final = (_PAGE, _PAGE, 0)
_METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
# Aggregated discovery: stable from Kubernetes 1.30, on by default from 1.27.
_DISCOVERY: Final = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
)


class UnreachableError(errors.OperationFailedError):
    """No answer came from the API server."""


class ApiError(errors.OperationFailedError):
    """The API server said no.

    ``status`` is the HTTP status, ``said`` its own sentence, ``causes`` its reasons one by one, where it gives them.
    """

    def __init__(self, msg: str, status: int, causes: Sequence[Mapping[str, Any]] = (), said: str = "") -> None:
        self.status = status
        self.causes = causes
        self.said = said
        super().__init__(msg)

    @property
    def is_forbidden(self) -> bool:
        """Return whether you are known to the cluster, and lack the right."""
        return self.status == _FORBIDDEN

    @property
    def is_refused(self) -> bool:
        """Return whether it is about who you are or what you may, whatever is asked of."""
        return self.status in {_UNAUTHORIZED, _FORBIDDEN}


def is_passing(error: Exception) -> bool:
    """Return whether an error is that of a server which starts, ends or has too much to do: it may pass by itself."""
    if isinstance(error, ApiError):
        return error.status == 429 or error.status >= 500  # noqa: PLR2004  (HTTP: too many requests; the server's fault)
    return isinstance(error, UnreachableError)


@dataclass(frozen=True, kw_only=True, order=True)
class Resource:
    """A kind as the API serves it: enough to list and delete its objects."""

    api_version: str
    kind: str
    plural: str
    verbs: tuple[str, ...] = ()

    @property
    def long_name(self) -> str:
        """Return the name that tells it from all others, as kubectl writes it (``deployments.apps``)."""
        group = self.api_version.rpartition("/")[0]
        return f"{self.plural}.{group}" if group else self.plural

    def path(self, namespace: str, name: str = "") -> str:
        """Return the URL path of all objects in a namespace (in all of them where it is empty), or of one."""
        root = f"/api/{self.api_version}" if "/" not in self.api_version else f"/apis/{self.api_version}"
        where = f"/namespaces/{quote(namespace)}" if namespace else ""
        return f"{root}{where}/{self.plural}" + (f"/{quote(name)}" if name else "")


PODS: Final = Resource(api_version="v1", kind="Pod", plural="pods")
NODES: Final = Resource(api_version="v1", kind="Node", plural="nodes")
SERVICES: Final = Resource(api_version="v1", kind="Service", plural="services")
EVENTS: Final = Resource(api_version="v1", kind="Event", plural="events")
SECRETS: Final = Resource(api_version="v1", kind="Secret", plural="secrets")
CONFIG_MAPS: Final = Resource(api_version="v1", kind="ConfigMap", plural="configmaps")
REPLICA_SETS: Final = Resource(api_version="apps/v1", kind="ReplicaSet", plural="replicasets")
CLAIMS: Final = Resource(api_version="v1", kind="PersistentVolumeClaim", plural="persistentvolumeclaims")
DEPLOYMENTS: Final = Resource(api_version="apps/v1", kind="Deployment", plural="deployments")
STATEFUL_SETS: Final = Resource(api_version="apps/v1", kind="StatefulSet", plural="statefulsets")
JOBS: Final = Resource(api_version="batch/v1", kind="Job", plural="jobs")
OWN_WORKLOADS: Final = (DEPLOYMENTS, STATEFUL_SETS, JOBS)
# What a cluster has only where somebody installed it: who runs none of it need not have a right to it.
SPANNING: Final = Resource(api_version="leaderworkerset.x-k8s.io/v1", kind="LeaderWorkerSet", plural="leaderworkersets")
WORKLOADS: Final = (*OWN_WORKLOADS, SPANNING)


class Client:
    """Talks to one API server. Every method raises ApiError, one line, when the server says no."""

    def __init__(self, connection: config.Connection) -> None:
        self._connection = connection
        self._known: dict[str, list[Any]] = {}

    def select(
        self, resource: Resource, namespace: str, *, labels: str = "", fields: str = "", metadata_only: bool = False
    ) -> list[Manifest]:
        """Return the objects that the selectors match, each with apiVersion and kind; none for an unknown kind."""
        selectors = {"labelSelector": labels, "fieldSelector": fields}
        query = {key: text for key, text in selectors.items() if text}
        accept = _METADATA_LIST if metadata_only else "application/json"
        found = self._list(resource, namespace, query, accept)
        return [item | {"apiVersion": resource.api_version, "kind": resource.kind} for item in found]

    def select_if_allowed(
        self, resource: Resource, namespace: str, *, labels: str = "", fields: str = "", metadata_only: bool = False
    ) -> list[Manifest] | None:
        """Return what ``select`` does; None where the user may not list that kind."""
        try:
            return self.select(resource, namespace, labels=labels, fields=fields, metadata_only=metadata_only)
        except ApiError as error:
            if not error.is_forbidden:
                raise
            return None

    def delete(self, resource: Resource, namespace: str, name: str, *, uid: str = "") -> None:
        """Delete one object and, after it, what it owns. An absent one is fine, and so is a newer one of that name."""
        body: dict[str, Any] = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        if uid:
            body["preconditions"] = {"uid": uid}
        path = resource.path(namespace, name)
        try:
            self._request("DELETE", path, what=f"delete {resource.plural}", body=body)
        except ApiError as error:
            if error.status != 409:  # noqa: PLR2004  (Conflict: the uid is another one's by now)
                raise

    def get(self, resource: Resource, namespace: str, name: str) -> Manifest | None:
        """Return one object, or None."""
        return self._request("GET", resource.path(namespace, name), what=f"read {resource.plural}")

    def try_apply(self, resource: Resource, namespace: str, manifest: Manifest, *, force: bool) -> Manifest | None:
        """Return what the object would be after Helm applied the manifest; nothing is changed (dry run).

        None where its kind is not served. Raises ApiError with status 409 and the conflicts as ``causes`` where others
        set some of its fields and ``force`` is off.
        """
        name = str(walk.get(manifest, "metadata", "name"))
        query = {"fieldManager": HELM_MANAGER, "force": str(force).lower(), "dryRun": "All"}
        path = f"{resource.path(namespace, name)}?{urlencode(query)}"
        return self._request(
            "PATCH",
            path,
            what=f"try {resource.kind} {name}",
            body=manifest,
            content_type="application/apply-patch+yaml",
        )

    def try_create(self, resource: Resource, namespace: str, manifest: Manifest) -> Manifest | None:
        """Return what the server would make of the object, if it would; nothing is made (dry run).

        None where its kind or namespace is not there.

        Raises:
            ApiError: It would not: also where it is there already, or has a field that the server does not know.
        """
        query = {"fieldManager": HELM_MANAGER, "fieldValidation": "Strict", "dryRun": "All"}
        path = f"{resource.path(namespace)}?{urlencode(query)}"
        return self._request("POST", path, what=f"try {resource.kind} {walk.identity(manifest).name}", body=manifest)

    def change(self, resource: Resource, namespace: str, name: str, patch: Manifest) -> Manifest | None:
        """Change one object by a merge patch and return it as it is then; None where it is gone."""
        path = f"{resource.path(namespace, name)}?{urlencode({'fieldManager': OWN_MANAGER})}"
        what = f"change {resource.plural}"
        return self._request("PATCH", path, what=what, body=patch, content_type=_MERGE_PATCH)

    def set_replicas(self, resource: Resource, namespace: str, name: str, count: int) -> None:
        """Set a workload's replicas through its scale subresource, as an autoscaler does.

        Raises:
            ApiError: The server says no, or the workload is gone by now.
        """
        path = f"{resource.path(namespace, name)}/scale?{urlencode({'fieldManager': OWN_MANAGER})}"
        body, what = {"spec": {"replicas": count}}, f"scale {resource.plural}"
        if self._request("PATCH", path, what=what, body=body, content_type=_MERGE_PATCH) is None:
            msg = f"{resource.kind} {name} cannot be scaled, since it is gone: its replicas are not set to {count}"
            raise ApiError(msg, _NOT_FOUND[0])

    def served(self, api_version: str) -> list[Any]:
        """Return the API server's own entries of what it serves in a version; it is asked once, unless there are none.

        Parts of kinds (``pods/log``) are among them.
        """
        if not self._known.get(api_version):
            root = "/api" if "/" not in api_version else "/apis"
            answer = self._request("GET", f"{root}/{api_version}", what=f"read what {api_version} serves") or {}
            self._known[api_version] = walk.sequence(answer, "resources")
        return self._known[api_version]

    def find(self, api_version: str, kind: str) -> Resource | None:
        """Return the namespaced resource of that kind, or None where it is not served."""
        for entry in self.served(api_version):
            if entry.get("kind") == kind and entry.get("namespaced") and "/" not in str(entry.get("name")):
                return Resource(api_version=api_version, kind=kind, plural=str(entry["name"]))
        return None

    def resources(self) -> list[Resource]:
        """Return every namespaced kind that is served, each once, in the version that the server prefers.

        Kinds of an extension server that does not answer are absent, as they are for kubectl.
        """
        found: dict[tuple[str, str], Resource] = {}
        for root in ("/api", "/apis"):
            answer = self._request("GET", root, what="read what the cluster serves", accept=_DISCOVERY) or {}
            if "APIGroupDiscoveryList" not in str(answer.get("kind")):
                msg = (
                    f"{self._connection.host} does not list its kinds in one answer: Kubernetes 1.27 or newer is needed"
                )
                raise errors.OperationFailedError(msg)
            for group, resource in _discovered(answer):
                found.setdefault((group, resource.plural), resource)
        return sorted(found.values())

    def read(self, path: str, *, what: str) -> Manifest | None:
        """Return what stands at a path of the API; None where nothing does. ``what`` we do is told in errors."""
        return self._request("GET", path, what=what)

    def text(self, path: str, *, what: str) -> str:
        """Return what stands at a path that does not answer in JSON; empty where nothing does."""
        status, data = self._send("GET", path, accept="text/plain", body=None)
        if status >= 400:  # noqa: PLR2004  (HTTP: from 400 on it is an error)
            _answer(status, data, what)
            return ""
        return data.decode(errors="replace")

    def lines(self, path: str, *, what: str, follow: bool = False) -> Iterator[bytes]:
        """Yield the lines that stand at a path, as they come, without their ends; none where nothing stands there.

        With ``follow`` the server may be silent as long as it likes.
        """
        import urllib3  # noqa: PLC0415

        timeout = urllib3.Timeout(connect=_TIMEOUT_SECONDS, read=None if follow else _TIMEOUT_SECONDS)
        answer = self._open("GET", path, {"Accept": "*/*"}, timeout=timeout, preload_content=False)
        try:
            if answer.status >= 400:  # noqa: PLR2004  (HTTP: from 400 on it is an error)
                _answer(int(answer.status), answer.read(), what)
                return
            yield from _split(answer.stream(_CHUNK))
        except urllib3.exceptions.HTTPError as cause:
            raise UnreachableError(self._unreachable(cause)) from cause
        finally:
            answer.close()

    def post(self, path: str, body: Manifest, *, what: str) -> Manifest:
        """Send a document to a path of the API and return the answer."""
        return self._request("POST", path, what=what, body=body) or {}

    def _list(self, resource: Resource, namespace: str, query: dict[str, str], accept: str) -> list[Manifest]:
        """Return all pages of a list; one that expires between its pages (410 Gone) is begun anew."""
        for size in _TRIES:
            try:
                pages = self._pages(resource, namespace, query | {"limit": str(size)}, accept)
                return [item for page in pages for item in page]
            except ApiError as error:
                if error.status != _GONE or not size:
                    raise
        raise AssertionError

    def _pages(
        self, resource: Resource, namespace: str, query: dict[str, str], accept: str
    ) -> Iterator[list[Manifest]]:
        path, what = resource.path(namespace), f"list {resource.plural}"
        token = ""
        while True:
            page = query | ({"continue": token} if token else {})
            answer = self._request("GET", f"{path}?{urlencode(page)}", what=what, accept=accept)
            if answer is None and resource.api_version in _ALWAYS_SERVED:
                msg = f"what answers at {self._connection.host} is no API server (HTTP 404 to {what})"
                raise UnreachableError(msg)
            yield walk.sequence(answer, "items")
            token = walk.get(answer, "metadata", "continue", default="")
            if not token:
                return

    def _request(
        self,
        method: str,
        path: str,
        *,
        what: str,
        accept: str = "application/json",
        body: object = None,
        content_type: str = "application/json",
    ) -> Manifest | None:
        answer = self._send(method, path, accept=accept, body=body, content_type=content_type)
        return _answer(*answer, what)

    def _send(
        self, method: str, path: str, *, accept: str, body: object, content_type: str = "application/json"
    ) -> tuple[int, bytes]:
        payload = None if body is None else json.dumps(body)
        answer = self._open(method, path, {"Accept": accept, "Content-Type": content_type}, body=payload)
        return int(answer.status), bytes(answer.data)

    def _open(self, method: str, path: str, fields: Mapping[str, str], **how: Any) -> Any:  # noqa: ANN401  (urllib3's)
        """Send a request; return urllib3's answer, whatever its status."""
        import urllib3  # noqa: PLC0415  (comes with the kubernetes client)

        headers = urllib3.HTTPHeaderDict(fields)
        for field, value in self._connection.headers():
            headers.add(field, value)
        how = {"timeout": _TIMEOUT_SECONDS, "retries": urllib3.Retry(connect=1, read=1, redirect=2)} | how
        try:
            return self._connection.pool.request(method, f"{self._connection.host}{path}", headers=headers, **how)
        except urllib3.exceptions.HTTPError as cause:
            raise UnreachableError(self._unreachable(cause)) from cause

    def _unreachable(self, cause: Exception) -> str:
        reason = getattr(cause, "reason", None) or cause
        words = " ".join(str(reason).split()).rpartition(": ")[2]
        return (
            f"the cluster at {self._connection.host} cannot be reached ({words}): check --kube-context and KUBECONFIG"
        )


def connect() -> Client:
    """Return a client for the cluster that Helm would talk to (see ``config.connect``)."""
    return Client(config.connect())


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text that comes in pieces; the last one need not end."""
    rest: list[bytes] = []
    for chunk in chunks:
        *whole, last = chunk.split(b"\n")
        if whole:
            yield b"".join([*rest, whole[0]])
            yield from whole[1:]
            rest = []
        if last:
            rest.append(last)
    if rest:
        yield b"".join(rest)


def _answer(status: int, data: bytes, what: str) -> Manifest | None:
    if status in _NOT_FOUND:
        return None
    try:
        answer = json.loads(data or b"{}")
    except ValueError:
        answer = {}
    parsed: Mapping[str, Any] = answer if isinstance(answer, dict) else {}
    if status < 400:  # noqa: PLR2004  (HTTP: from 400 on it is an error)
        return dict(parsed)
    said = " ".join(str(parsed.get("message") or data[:200].decode(errors="replace")).split())
    if status == _UNAUTHORIZED:
        msg = f"the cluster does not accept your credentials (to {what}): log in again"
    elif status == _FORBIDDEN:
        msg = f"you may not {what}: {said}"
    else:
        msg = f"the cluster refused to {what} (HTTP {status}): {said}"
    raise ApiError(msg, status, walk.sequence(parsed, "details", "causes"), said)


def _discovered(answer: Manifest) -> Iterator[tuple[str, Resource]]:
    """Yield each namespaced resource with its API group, versions in the server's order of preference."""
    for group in walk.sequence(answer, "items"):
        name = str(walk.get(group, "metadata", "name", default=""))
        for version in walk.sequence(group, "versions"):
            api_version = f"{name}/{version['version']}" if name else str(version["version"])
            for entry in walk.sequence(version, "resources"):
                if entry.get("scope") == "Namespaced":
                    yield (
                        name,
                        Resource(
                            api_version=api_version,
                            kind=str(walk.get(entry, "responseKind", "kind", default="")),
                            plural=str(entry["resource"]),
                            verbs=tuple(walk.sequence(entry, "verbs")),
                        ),
                    )
