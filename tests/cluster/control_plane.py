"""A real control plane of Kubernetes as five plain processes on free loopback ports.

etcd, kube-apiserver, kube-scheduler and kube-controller-manager are the real programs with the native gang
scheduling gates on; kwok plays the nodes' kubelets. No container runtime, no probes, no network of pods.

The service-account key is made here: an elliptic-curve private key is 32 random bytes in a fixed DER frame, and
all three users of it take the one file, so no openssl is needed. The API server makes its own serving certificate;
its authority goes into the kubeconfig, so that clients verify TLS as they would elsewhere.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import http.client
import json
import secrets
import shutil
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.cluster import fates, logs, processes
from tests.cluster.api import Api, ApiError
from tests.cluster.components import Component, Components, Note
from tests.cluster.processes import Record

GATES = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true"
SERVED = "scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true"
TOKEN = "roster-test"
Programs = Mapping[str, Path]


@dataclasses.dataclass(frozen=True, kw_only=True)
class ControlPlane:
    """A running control plane: its folder, the kubeconfig of an administrator, the client, its programs."""

    folder: Path
    kubeconfig: Path
    api: Api
    components: Components

    @property
    def records(self) -> list[Record]:
        """What names the running processes."""
        return self.components.records

    def without_api(self) -> contextlib.AbstractContextManager[None]:
        """End the API server for the time of the block, and start it again after it, with the same data."""
        return self.components.without("kube-apiserver")

    def stop(self) -> None:
        """End the processes and drop the data; logs stay in the folder."""
        self.api.close()
        self.components.stop()
        shutil.rmtree(self.folder / "etcd", ignore_errors=True)

    def freeze(self) -> None:
        """Hold all of it where it is: while no test needs it, it takes no time from those that run."""
        self.api.close()
        processes.freeze(reversed(self.components.records))

    def thaw(self) -> None:
        """Let it go on."""
        processes.thaw(self.components.records)

    @property
    def certificate(self) -> Path:
        """The API server's certificate: self-signed, for 127.0.0.1."""
        return _authority(self.folder)

    def lay_certificate(self, folder: Path) -> None:
        """Copy the certificate and its key to where a program looks for a pair."""
        for source, name in ((self.certificate, "tls.crt"), (self.certificate.with_suffix(".key"), "tls.key")):
            shutil.copy(source, folder / name)
            (folder / name).chmod(0o600)

    def check(self) -> None:
        """Raise ComponentError, with the end of the log, if a component has died."""
        self.components.check()

    def write_kubeconfig(self, path: Path, namespace: str) -> Path:
        """Write a kubeconfig for the same cluster with another default namespace."""
        return _write_kubeconfig(path, self.api.server, _authority(self.folder), namespace)


def start(folder: Path, programs: Programs, *, note: Note = lambda _: None) -> ControlPlane:
    """Start everything in `folder` (created; must be empty) and wait until each component is healthy.

    `note` is called with the records after each start, so that they can be kept where others find them.
    Raises ComponentError when a component is not healthy; then nothing is left running.
    """
    folder.mkdir(parents=True, exist_ok=True)
    starter = _Starter(folder, programs, note)
    try:
        return starter.run()
    except BaseException:
        starter.give_up()
        raise


def load(folder: Path, records: list[Record], *, note: Note = lambda _: None) -> ControlPlane:
    """Return the control plane that another program started in `folder`."""
    kubeconfig = folder / "kubeconfig"
    server = json.loads(kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
    api = Api(server, TOKEN, _authority(folder))
    return ControlPlane(folder=folder, kubeconfig=kubeconfig, api=api, components=Components(folder, note, records))


class _Starter:
    """The order of the start: etcd and API server together, the rest once the API is ready."""

    def __init__(self, folder: Path, programs: Programs, note: Note) -> None:
        names = ("etcd", "peer", "api", "scheduler", "controllers", "kwok")
        self.ports = dict(zip(names, processes.free_ports(len(names)), strict=True))
        self.folder, self.programs = folder, programs
        self.components = Components(folder, note)
        self.server = f"https://127.0.0.1:{self.ports['api']}"
        self.api = Api(self.server, TOKEN, _authority(folder))
        self.kubeconfig = folder / "kubeconfig"

    def run(self) -> ControlPlane:
        self._start_api()
        _write_kubeconfig(self.kubeconfig, self.server, _authority(self.folder), "default")
        self._start_others()
        return ControlPlane(folder=self.folder, kubeconfig=self.kubeconfig, api=self.api, components=self.components)

    def give_up(self) -> None:
        self.api.close()
        self.components.stop()

    def _start_api(self) -> None:
        (self.folder / "service-account.key").write_text(_private_key())
        (self.folder / "tokens.csv").write_text(f'{TOKEN},admin,1,"system:masters"\n')
        etcd = f"http://127.0.0.1:{self.ports['etcd']}"
        self._begin("etcd", self._etcd(), lambda: answers(etcd, "/health"))
        self._begin("kube-apiserver", self._apiserver(), lambda: _authority(self.folder).exists() and _ready(self.api))
        for name in ("kube-apiserver", "etcd"):
            self.components.wait(name)

    def _start_others(self) -> None:
        stages = self.folder / "stages.yaml"
        stages.write_text(fates.stages() + logs.config(self.folder))
        flags = {
            "kube-scheduler": ("https", "scheduler", self._scheduler()),
            "kube-controller-manager": ("https", "controllers", self._controllers()),
            "kwok": ("http", "kwok", self._kwok(stages)),
        }
        for name, (scheme, port, line) in flags.items():
            url = f"{scheme}://127.0.0.1:{self.ports[port]}"
            self._begin(name, line, functools.partial(answers, url, "/healthz"))
        for name in flags:
            self.components.wait(name)

    def _begin(self, name: str, flags: list[str], healthy: Callable[[], object]) -> None:
        self.components.begin(Component(name, [self.programs[name], *flags], healthy))

    def _etcd(self) -> list[str]:
        client, peer = (f"http://127.0.0.1:{self.ports[name]}" for name in ("etcd", "peer"))
        return [
            f"--data-dir={self.folder}/etcd",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}",
            "--unsafe-no-fsync",
        ]  # fmt: skip

    def _apiserver(self) -> list[str]:
        key = f"{self.folder}/service-account.key"
        return [
            f"--etcd-servers=http://127.0.0.1:{self.ports['etcd']}",
            "--bind-address=127.0.0.1", f"--secure-port={self.ports['api']}", f"--cert-dir={self.folder}/certs",
            "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none", "--allow-privileged=true",
            f"--service-account-issuer={self.server}",
            f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
            f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            f"--feature-gates={GATES}", f"--runtime-config={SERVED}",
            "--enable-priority-and-fairness=false",  # a tenth of what requests cost, and no test asks for it
            "--kubelet-preferred-address-types=InternalIP",  # the names of played nodes lead nowhere
        ]  # fmt: skip

    def _scheduler(self) -> list[str]:
        return [
            f"--kubeconfig={self.kubeconfig}", "--leader-elect=false",
            "--bind-address=127.0.0.1", f"--secure-port={self.ports['scheduler']}",
            f"--authentication-kubeconfig={self.kubeconfig}", f"--authorization-kubeconfig={self.kubeconfig}",
            f"--feature-gates={GATES}",
        ]  # fmt: skip

    def _controllers(self) -> list[str]:
        return [
            f"--kubeconfig={self.kubeconfig}", "--leader-elect=false",
            "--bind-address=127.0.0.1", f"--secure-port={self.ports['controllers']}",
            f"--feature-gates={GATES}",
            f"--service-account-private-key-file={self.folder}/service-account.key",
            "--controllers=*,-node-lifecycle-controller",  # it would taint nodes whose kubelet is played
        ]  # fmt: skip

    def _kwok(self, stages: Path) -> list[str]:
        return [
            "--kubeconfig", str(self.kubeconfig), "--manage-all-nodes", "--config", str(stages),
            "--node-lease-duration-seconds", "40", "--server-address", f"127.0.0.1:{self.ports['kwok']}",
            "--node-ip", "127.0.0.1", "--node-port", str(self.ports["kwok"]),  # where the API server asks for logs
            "--tls-cert-file", f"{self.folder}/certs/apiserver.crt",
            "--tls-private-key-file", f"{self.folder}/certs/apiserver.key",
        ]  # fmt: skip


def _private_key() -> str:
    """Return a P-256 private key in PEM (RFC 5915): version 1, the scalar, the curve's name; readers derive the rest.

    The first byte is below 0x80, so the scalar is below the order of the curve.
    """
    scalar = bytes([secrets.randbelow(0x7F) + 1]) + secrets.token_bytes(31)
    frame = bytes.fromhex("30310201010420") + scalar + bytes.fromhex("a00a06082a8648ce3d030107")
    return f"-----BEGIN EC PRIVATE KEY-----\n{base64.encodebytes(frame).decode()}-----END EC PRIVATE KEY-----\n"


def _authority(folder: Path) -> Path:
    return folder / "certs" / "apiserver.crt"


def _write_kubeconfig(path: Path, server: str, authority: Path, namespace: str) -> Path:
    """Write the kubeconfig as JSON, which is YAML too."""
    certificate = base64.b64encode(authority.read_bytes()).decode()
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": server, "certificate-authority-data": certificate}}],
        "users": [{"name": "admin", "user": {"token": TOKEN}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin", "namespace": namespace}}],
        "current-context": "test",
    }
    path.write_text(json.dumps(content, indent=2) + "\n")
    path.chmod(0o600)
    return path


def _ready(api: Api) -> bool:
    try:
        api.get("/readyz")
    except (ApiError, OSError, http.client.HTTPException):
        return False
    return True


def answers(url: str, path: str) -> bool:
    """Ask a component's endpoint for its health; their self-signed certificates are not looked at."""
    scheme, _, address = url.partition("://")
    if scheme == "https":
        unverified = ssl._create_unverified_context()  # noqa: S323 - a health check on loopback
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(address, context=unverified, timeout=5)
    else:
        connection = http.client.HTTPConnection(address, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
