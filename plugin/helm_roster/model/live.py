"""What the cluster says of an operation now: plain API objects, sorted by group.

``cluster/`` fills it; policies and backends read it. Nothing here talks to an API server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from helm_roster import constants
from helm_roster.frozen import Frozen
from helm_roster.manifests.walk import Manifest


class LiveGroup(Frozen):
    """One group as it stands in the cluster: its workload object (None when it is gone) and its pods.

    ``template`` is the hash by which its controller labels the pods of the newest pod template; empty where it has no
    such hash, or none is known yet. ``makers`` are the uids of what makes the pods between them and the workload.
    ``fills`` are the Jobs for which its pods wait, by the connection that they fill. ``events`` are warnings about the
    pods and the objects that make them.
    """

    name: str
    workload: Manifest | None
    pods: Sequence[Manifest] = ()
    template: str = ""
    makers: Sequence[str] = ()
    fills: Mapping[str, Manifest] = MappingProxyType({})
    events: Sequence[Manifest] = ()

    @property
    def gang(self) -> str:
        """Return the gang that the workload's annotation names, or an empty string."""
        return self._annotation(constants.GANG_ANNOTATION)

    @property
    def autoscaler(self) -> str:
        """Return who else than the values sets the replicas (hpa, external), or an empty string."""
        return self._annotation(constants.AUTOSCALER_ANNOTATION)

    @property
    def is_halted(self) -> bool:
        """Return whether its workload is a Job that is suspended."""
        return ((self.workload or {}).get("spec") or {}).get("suspend") is True

    def _annotation(self, key: str) -> str:
        annotations = ((self.workload or {}).get("metadata") or {}).get("annotations") or {}
        return str(annotations.get(key) or "")


class Live(Frozen):
    """One operation as it stands in the cluster."""

    name: str
    namespace: str
    groups: Mapping[str, LiveGroup]
    grouping: Sequence[Manifest] = ()
