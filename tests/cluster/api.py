"""A small client of the API server for tests: JSON in, JSON out, over one kept connection a thread.

Raw on purpose: a test of what the cluster holds must not see it through a library's models. Standard library only.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode, urlsplit

PATCHES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
POLL = 0.15
Json = dict[str, Any]
Seen = TypeVar("Seen")


class ApiError(Exception):
    """The API server refused: `status` is the HTTP code, `reason` and `message` are the server's."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status, self.reason, self.message = status, reason, message


class Resource(NamedTuple):
    """One kind as the API serves it; `prefix` is /api/v1 or /apis/<group>/<version>."""

    prefix: str
    plural: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]

    @property
    def api_version(self) -> str:
        """The apiVersion of its manifests."""
        return self.prefix.removeprefix("/apis/").removeprefix("/api/")

    def path(self, namespace: str = "", name: str = "") -> str:
        """Return the path of the collection, or of one object of it."""
        where = f"/namespaces/{quote(namespace)}" if self.namespaced and namespace else ""
        return f"{self.prefix}{where}/{self.plural}" + (f"/{quote(name)}" if name else "")


class Api:
    """The API server at `server`, spoken to with a bearer token; `authority` is the PEM file that signs its TLS."""

    def __init__(self, server: str, token: str, authority: Path) -> None:
        self.server, self._token = server, token
        self._address = urlsplit(server).netloc
        self._authority = authority
        self._local = threading.local()
        self._resources: dict[str, list[Resource]] = {}

    def as_user(self, token: str) -> Api:
        """Return the same server for another user's token."""
        return Api(self.server, token, self._authority)

    @functools.cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self._authority))

    def get(self, path: str, **query: str) -> Json:
        """Read one object by its path."""
        return self.request("GET", path, query=query)

    def items(self, path: str, **query: str) -> list[Json]:
        """Read the items of a collection; query: labelSelector, fieldSelector and so on."""
        found: list[Json] = self.request("GET", path, query=query)["items"] or []
        return found

    def post(self, path: str, body: Json) -> Json:
        """Create an object in a collection."""
        return self.request("POST", path, body=body)

    def patch(self, path: str, body: object, kind: str = "merge") -> Json:
        """Patch an object; `kind` is merge, json or strategic."""
        return self.request("PATCH", path, body=body, content_type=PATCHES[kind])

    def delete(self, path: str, **options: object) -> Json | None:
        """Delete an object, or what a collection holds; options: gracePeriodSeconds, propagationPolicy. Gone: None."""
        try:
            return self.request("DELETE", path, body={"kind": "DeleteOptions", "apiVersion": "v1", **options})
        except ApiError as error:
            if error.status == http.client.NOT_FOUND:
                return None
            raise

    def find(self, path: str) -> Json | None:
        """Read one object, or None when it does not exist."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == http.client.NOT_FOUND:
                return None
            raise

    def create(self, manifest: Json, namespace: str = "default") -> Json:
        """Create a manifest of any kind that the API serves."""
        where = manifest.get("metadata", {}).get("namespace", namespace)
        return self.post(self.path(manifest["apiVersion"], manifest["kind"], where), manifest)

    def path(self, api_version: str, kind: str, namespace: str = "", name: str = "") -> str:
        """Return the path of a kind's collection or of one object, as discovery names it."""
        for resource in self.resources(api_version):
            if resource.kind == kind:
                return resource.path(namespace, name)
        msg = f"the API server does not serve {api_version} {kind}"
        raise LookupError(msg)

    def resources(self, api_version: str) -> list[Resource]:
        """Return the kinds that one group and version serves; what does not exist serves none."""
        if not self._resources.get(api_version):
            prefix = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            found = (self.find(prefix) or {}).get("resources", [])
            self._resources[api_version] = [
                Resource(prefix, item["name"], item["kind"], item["namespaced"], tuple(item["verbs"]))
                for item in found
                if "/" not in item["name"]
            ]
        return self._resources[api_version]

    def everything(self, namespace: str) -> Iterator[Json]:
        """Yield every object of a namespace, of every kind that can be listed, by each group's preferred version.

        Kinds that a group serves in another version only (CompositePodGroup) are listed there.
        """
        for resource in self._listable():
            for item in self.items(resource.path(namespace)):
                yield {"apiVersion": resource.api_version, "kind": resource.kind, **item}

    def _listable(self) -> Iterator[Resource]:
        groups = self.get("/apis")["groups"]
        seen = set()
        for group, versions in [("", ["v1"]), *((group["name"], _versions(group)) for group in groups)]:
            for version in versions:
                for resource in self.resources(version):
                    if resource.namespaced and "list" in resource.verbs and (group, resource.plural) not in seen:
                        seen.add((group, resource.plural))
                        yield resource

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        content_type: str = "application/json",
    ) -> Json:
        """Send one request; return the answer's JSON, or raise ApiError."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", "Content-Type": content_type}
        url = f"{path}?{urlencode(query)}" if query else path
        status, text = self._exchange(method, url, None if body is None else json.dumps(body), headers)
        answer: Json = json.loads(text) if text.startswith(b"{") else {"message": text.decode(errors="replace")}
        if status >= http.client.BAD_REQUEST:
            raise ApiError(status, answer.get("reason", ""), answer.get("message", ""))
        return answer

    def _exchange(self, method: str, url: str, body: str | None, headers: dict[str, str]) -> tuple[int, bytes]:
        kept = getattr(self._local, "connection", None)
        for connection in [kept, None] if kept else [None]:  # A kept one may have been closed meanwhile.
            current = connection or http.client.HTTPSConnection(self._address, context=self._tls, timeout=30)
            try:
                current.request(method, url, body=body, headers=headers)
                response = current.getresponse()
                self._local.connection = current
                return response.status, response.read()
            except (http.client.HTTPException, OSError):
                current.close()
                self._local.connection = None
                if connection is None:
                    raise
        raise AssertionError

    def close(self) -> None:
        """Close this thread's connection."""
        with contextlib.suppress(AttributeError):
            self._local.connection.close()


def _versions(group: Json) -> list[str]:
    preferred = group["preferredVersion"]["groupVersion"]
    return [preferred, *(item["groupVersion"] for item in group["versions"] if item["groupVersion"] != preferred)]


def wait_for(look: Callable[[], Seen], timeout: float, what: str, *, until: Callable[[Seen], object] = bool) -> Seen:
    """Look again and again until `until(seen)` is true, and return what was seen; else fail with what was last seen.

    `timeout` is in seconds; `what` says in words what is waited for.
    """
    deadline = time.monotonic() + timeout
    while True:
        began = time.monotonic()
        seen = look()
        if until(seen):
            return seen
        if time.monotonic() > deadline:
            msg = f"waited {timeout:g} s for {what}; last seen: {_brief(seen)}"
            raise AssertionError(msg)
        time.sleep(max(POLL, time.monotonic() - began))  # A look that costs a lot is not taken all the time.


def stays(look: Callable[[], Seen], seconds: float, what: str, *, until: Callable[[Seen], object] = bool) -> Seen:
    """Look for the given seconds and fail as soon as `until(seen)` is false: for what must not happen."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if not until(seen):
            msg = f"{what} did not hold for {seconds:g} s; seen: {_brief(seen)}"
            raise AssertionError(msg)
        if time.monotonic() > deadline:
            return seen
        time.sleep(POLL)


def _brief(seen: object) -> str:
    text = seen if isinstance(seen, str) else json.dumps(seen, default=str)
    return text if len(text) <= 4000 else f"{text[:4000]} … ({len(text)} characters)"
