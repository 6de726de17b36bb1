"""What happens to running pods when the number of replicas passes from the values to an autoscaler; pure.

An autoscaled workload is applied without ``replicas``. Where the release that runs holds the field, Helm takes it
away, and the API server fills in 1: Helm 3 always, Helm 4 unless somebody else has set it meanwhile (measured on
both, Deployments and StatefulSets). The autoscaler raises it again, but the other pods are gone by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, groups_of


def resets(before: Sequence[Manifest], plan: Plan, live: Mapping[str, int], *, way_out: str) -> list[str]:
    """Return a refusal for each group whose pods an upgrade would cut down to one.

    ``before`` are the manifests that the release holds now, ``live`` the replicas that groups have in the cluster;
    where it is silent they have what the release holds. ``way_out`` says, in the words of who asks, how to have it done
    all the same. A group whose workload's kind or name changes is not cut down but replaced, and one of a single
    replica or none has nothing to lose.
    """
    held = {walk.identity(manifest): walk.get(manifest, "spec", "replicas") for manifest in before}
    return [
        _refusal(group, replicas, way_out)
        for group in groups_of(plan)
        if group.autoscaling
        and (replicas := held.get(walk.identity(plan.workloads[group.name]))) is not None
        and int(live.get(group.name, replicas)) > 1
    ]


def _refusal(group: Group, replicas: object, way_out: str) -> str:
    return (
        f'group "{group.name}": autoscaling takes "replicas: {replicas}" out of {group.workload}, and what runs would '
        f"be reset to 1 until the autoscaler raises it: {way_out}, or leave autoscaling out"
    )
