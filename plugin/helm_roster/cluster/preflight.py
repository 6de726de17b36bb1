"""What must hold in the cluster before an operation is applied; rendering cannot know it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from helm_roster import all_backends, constants, errors
from helm_roster.backend_base import Ask, Backend, Finding, Need
from helm_roster.cluster import asking, capabilities, records
from helm_roster.cluster.client import PODS, Client
from helm_roster.cluster.live import grouping_resources
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import Plan
from helm_roster.model.wording import few
from helm_roster.policy import bringers, device_claims, pods

_SHOWN = 5


class Made(NamedTuple):
    """What will be applied: its kinds, each with its API version, and which groups have objects of a kind."""

    kinds: Sequence[tuple[str, str]] = ()
    groups_with: Callable[[str], Sequence[str]] = lambda _: ()


_NOTHING: Final = Made()


def check(
    client: Client,
    namespace: str,
    plan: Plan,
    backend: Backend,
    made: Made = _NOTHING,
    *,
    skip: bool = False,
    may_skip: bool = True,
    settled: bool = False,
) -> list[str]:
    """Check what ``backend`` needs for ``plan``, and what is there of the operation already; return its warnings.

    The kinds of ``made`` must be served besides. With ``skip`` only the operation's own
    objects are looked at, which refusals offer where it ``may_skip``. ``settled``: no pod is to be placed, so what
    would keep one from a place is but a warning.

    Raises:
        RefusedError: A kind is not served; or a grouping object of the same name is being deleted: what is applied
            onto it would vanish with it, and the pods would wait for ever, without a word; or the backend finds that
            the cluster cannot keep the plan.
    """
    refusals = [] if skip else _unserved(client, plan, backend, made)
    findings = [] if skip or refusals else found(plan, backend, asking.Asker(client))
    refusals += [finding.message for finding in findings if finding.state == "stops" and not settled]
    if findings and refusals and may_skip:
        refusals[-1] += f" ({constants.SKIP_CHECKS} applies it all the same)"
    grouping = backend.objects(plan)
    if grouping and not refusals:
        refusals = _terminating(client, namespace, plan, grouping)
    if refusals:
        raise errors.RefusedError("\n".join(refusals))
    return [finding.message for finding in findings]


def found(plan: Plan, backend: Backend, ask: Ask) -> list[Finding]:
    """Return what ``backend`` finds, and what admission that nobody asks for would do of itself."""
    return [*backend.inspect(plan, ask), *captured(plan, ask)]


def captured(plan: Plan, ask: Ask) -> list[Finding]:
    """Return what admission that the operation does not ask for would do with it."""
    asked = plan.operation.admission_backend
    others = (admits for name, admits in all_backends.ADMISSION.items() if name != asked)
    return [finding for admits in others for finding in admits.captures(plan, ask)]


def _unserved(client: Client, plan: Plan, backend: Backend, made: Made) -> list[str]:
    """Refuse kinds that are not served: those that the backend needs, then the others."""
    needs = {(need.kind.api_version, need.kind.kind): need for need in backend.needs(plan)}
    needed = {kind: f"which this needs: {need.remedy}" for kind, need in needs.items()}
    claimed = device_claims.kinds(plan.operation)
    others = dict.fromkeys([*claimed, *made.kinds], "")
    return [
        f"the cluster does not serve {_missing(client, api_version, kind, needs.get((api_version, kind)))}, "
        f"{why or _why(api_version, made.groups_with(kind))}"
        for (api_version, kind), why in (needed | others | needed).items()
        if kind not in capabilities.served(client, api_version)
    ]


def _why(api_version: str, groups: Sequence[str]) -> str:
    return (
        f"of which these values make an object: "
        f"{bringers.remedy(api_version, groups) or 'install what brings it, or leave it out'}"
    )


def _missing(client: Client, api_version: str, kind: str, need: Need | None) -> str:
    return capabilities.missing(client, api_version, kind, need.versions if need else {})


def _terminating(client: Client, namespace: str, plan: Plan, made: Sequence[Manifest]) -> list[str]:
    """Refuse what would be applied onto an object that is being deleted; one list for each kind that is made."""
    wanted = [walk.identity(manifest) for manifest in made]
    kinds = {(identity.api_version, identity.kind) for identity in wanted}
    going = {
        (resource.kind, str(walk.get(found, "metadata", "name")))
        for resource in grouping_resources()
        if (resource.api_version, resource.kind) in kinds
        for found in client.select(resource, namespace, labels=constants.OPERATION_LABEL, metadata_only=True)
        if pods.is_terminating(found)
    }
    leaving = [f"{identity.kind} {identity.name}" for identity in wanted if (identity.kind, identity.name) in going]
    return [_refusal(leaving, plan.operation.release, client, namespace)] if leaving else []


def _refusal(leaving: Sequence[str], release: str, client: Client, namespace: str) -> str:
    labels = f"{constants.INSTANCE_LABEL}={release},{constants.GROUP_LABEL}"
    holders = client.select(PODS, namespace, labels=labels, metadata_only=True)
    named = sorted(str(walk.get(pod, "metadata", "name")) for pod in holders)
    runs = not all(map(pods.is_terminating, holders)) and records.find(client, namespace, release) is not None
    first = (
        f"finish what was begun (helm roster upgrade {release} with the values that it has, and {constants.RECREATE})"
    )
    return (
        f"{', '.join(leaving)} of an earlier {release} {'is' if len(leaving) == 1 else 'are'} still being deleted"
        f"{f', held by pod {few(named, _SHOWN)}' if named else ''}; what is applied now would go with it: "
        f"{first if runs else 'wait'}, or run helm roster cancel {release}, which returns when all is gone"
    )
