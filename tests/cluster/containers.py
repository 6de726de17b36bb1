"""How a kubelet starts a pod's main container and asks its probes, for programs on this machine.

Variables in arguments are expanded, and downward fields and the service account's token are what a kubelet gives. The
program is the real one out of PyPI where the container starts a router that we know. Pods share this machine's network,
which is the one difference: 0.0.0.0, and localhost in a probe, become the pod's address.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.support import routers

# What images start of themselves, by their repository, where the container gives no command.
ENTRYPOINTS = {"lightseekorg/smg": ["python3", "-m", "smg.launch_router"], "lmcache/lmstack-router": ["vllm-router"]}
MODULES = {
    "smg.launch_router": routers.SMG,
    "sglang_router.launch_router": routers.SGLANG_ROUTER,
    "vllm_router.launch_router": routers.VLLM_ROUTER,
}
TIMEOUT = 2.0


def main(pod: Json) -> Json:
    """Return the pod's first container."""
    found: Json = pod["spec"]["containers"][0]
    return found


def command(pod: Json, address: str) -> list[str]:
    """Return the command and arguments that the main container is started with on the address."""
    container, known = main(pod), environment(pod)
    words = container.get("command") or ENTRYPOINTS.get(container["image"].rpartition(":")[0], [])
    everything = [expand(word, known) for word in [*words, *container.get("args", [])]]
    return [word.replace("0.0.0.0", address) for word in everything]  # noqa: S104


def program(words: Sequence[str]) -> list[str]:
    """Return the command line of the real program on this machine, or nothing where none is needed."""
    if words[:1] == ["vllm-router"]:
        return [str(routers.stack_router()), *words[1:]]
    if words[1:2] == ["-m"] and words[2] in MODULES:
        return [str(routers.python(MODULES[words[2]])), *words[1:]]
    return []


def flag(words: Sequence[str], name: str) -> str:
    """Return the value of `--name=value` or `--name value`, or nothing; the last one counts."""
    pairs = [*(word.partition("=")[::2] for word in words), *itertools.pairwise(words)]
    return ["", *(value for key, value in pairs if key == name)][-1]


def ports(words: Sequence[str]) -> list[int]:
    """Return where an engine of this command line listens: where it serves, and where decode workers find prefill."""
    prefill = flag(words, "--disaggregation-mode") == "prefill"
    named = [flag(words, "--port"), flag(words, "--disaggregation-bootstrap-port") if prefill else ""]
    return [int(port) for port in named if port]


def environment(pod: Json) -> dict[str, str]:
    """Return the main container's variables: values, in which earlier ones may be named, and fields of the pod."""
    known: dict[str, str] = {}
    for entry in main(pod).get("env", []):
        path = entry.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
        known[entry["name"]] = field(pod, path) if path else expand(entry.get("value", ""), known)
    return known


def expand(text: str, known: Mapping[str, str]) -> str:
    """Put variables in as a kubelet does: `$(NAME)` where NAME is known, and `$$` for one dollar."""
    replaced = lambda found: "$" if found[0] == "$$" else known.get(found[1], found[0])  # noqa: E731
    return re.sub(r"\$\$|\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)", replaced, text)


def field(pod: Json, path: str) -> str:
    """Return a downward field: metadata.namespace, metadata.labels['…'], status.podIP and so on."""
    if found := re.fullmatch(r"metadata\.(labels|annotations)\['(.+)'\]", path):
        return str(pod["metadata"].get(found[1], {}).get(found[2], ""))
    value: Any = pod
    for part in path.split("."):
        value = value[part]
    return str(value)


def credentials(namespace: Namespace, pod: Json, folder: Path) -> dict[str, str]:
    """Return the variable that leads to the service account's token, if the pod gets one."""
    if pod["spec"].get("automountServiceAccountToken") is False:
        return {}
    account = pod["spec"].get("serviceAccountName") or "default"
    path = folder / f"{pod['metadata']['name']}.kubeconfig"
    path.write_text(json.dumps(kubeconfig(namespace, account)))
    return {"KUBECONFIG": str(path)}


def kubeconfig(namespace: Namespace, account: str) -> Json:
    """Return a kubeconfig with a fresh token of a service account."""
    where = f"{namespace.path('v1', 'ServiceAccount', account)}/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    config: Json = json.loads(namespace.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": namespace.api.post(where, asked)["status"]["token"]}
    return config


def answers(pod: Json, address: str, name: str) -> bool:
    """Ask a probe of the main container, which listens on the address, once; one that is not there is well."""
    probe = main(pod).get(name)
    if probe is None:
        return True
    timeout = float(probe.get("timeoutSeconds", 1))
    if asked := probe.get("httpGet"):
        return get(f"http://{address}:{port(pod, asked['port'])}{asked.get('path', '/')}", timeout)
    words = [word.replace("127.0.0.1", address).replace("localhost", address) for word in probe["exec"]["command"]]
    words[0] = sys.executable if words[0] == "python3" else words[0]
    return subprocess.run(words, env=environment(pod), capture_output=True, timeout=30, check=False).returncode == 0


def get(url: str, timeout: float = TIMEOUT) -> bool:
    """Tell whether a GET ends well, as a kubelet counts it: from 200 up to 399."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:  # noqa: S310 - on loopback
            return bool(HTTPStatus.OK <= answer.status < HTTPStatus.BAD_REQUEST)
    except (OSError, urllib.error.URLError):
        return False


def port(pod: Json, named: str | int) -> int:
    """Return the number of a port of the main container."""
    numbers = {entry.get("name"): entry["containerPort"] for entry in main(pod).get("ports", [])}
    return int(numbers.get(named, named))
