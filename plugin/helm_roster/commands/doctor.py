"""``helm roster doctor``: is everything there, on this machine and in the cluster, for these values or for any?

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Doctor", "healthy": …, "checks": [{check, state, found,
remedy}]}``. ``state`` is ``ok``, ``warning``, ``failed`` or ``skipped`` (it could not be asked); ``healthy`` is false
where one failed, and so is the exit code 1. ``remedy`` says what to do, and is empty where there is nothing to do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from helm_roster import constants, errors
from helm_roster.cluster import capabilities, client
from helm_roster.cluster.client import Client
from helm_roster.commands import doctor_cluster, doctor_here, options, rendering, value_files
from helm_roster.commands.rendering import Rendering
from helm_roster.helm import flags
from helm_roster.helm import run as helm
from helm_roster.policy import diagnosis
from helm_roster.policy.diagnosis import Finding
from helm_roster.report import console, doctor_table

_NO_CLUSTER = ("namespace", "kinds", "rights")


def run(helm_args: Sequence[str], *, chart: str, output: str) -> int:
    """Print what was found; return 1 where something failed.

    Raises:
        BadInputError: A values file cannot be read as one.
    """
    flags.refuse_post_renderer(helm_args)
    found = list(_here(chart))
    made = None
    if flags.gives_values(helm_args):
        values, made = _values(helm_args, chart)
        found.append(values)
    found += _cluster(made)
    healthy = all(finding.state != "failed" for finding in found)
    if output == "table":
        console.show(doctor_table.table(found))
    else:
        checks = [vars(finding) for finding in found]
        document = {"apiVersion": constants.API_VERSION, "kind": "Doctor", "healthy": healthy, "checks": checks}
        console.document(document, output)
    return 0 if healthy else 1


def _here(chart: str) -> Iterator[Finding]:
    yield _try("helm", doctor_here.helm)
    yield _try("plugins", doctor_here.plugins)
    yield _try("post-renderer", doctor_here.post_renderer)
    yield _try("versions", functools.partial(doctor_here.versions, chart))


def _values(helm_args: Sequence[str], chart: str) -> tuple[Finding, Rendering | None]:
    try:
        with value_files.opened(helm_args) as given:
            made = rendering.render(options.NO_RELEASE, given, chart)
    except errors.RosterError as error:
        return Finding(check="values", state="failed", found=str(error)), None
    groups = len(made.plan.operation.groups)
    told = f"{groups} group{'s' if groups != 1 else ''}, placement {made.plan.operation.placement_backend}"
    return Finding(check="values", state="ok", found=told), made


def _cluster(made: Rendering | None) -> list[Finding]:
    """Look at the cluster, and at kubectl, which should fit to it; what cannot be asked there is skipped."""
    try:
        connected = client.connect()
        version = capabilities.version(connected)
    except errors.RosterError as error:
        lost = [Finding(check=check, state="skipped", found="no cluster was reached") for check in _NO_CLUSTER]
        failed = Finding(check="cluster", state="failed", found=str(error))
        return [doctor_here.kubectl(None), failed, *lost]
    return [doctor_here.kubectl(version), diagnosis.kubernetes(version), *_asked(connected, made)]


def _asked(connected: Client, made: Rendering | None) -> list[Finding]:
    try:
        name = helm.namespace()
        found = [doctor_cluster.namespace(connected, name), *doctor_cluster.needs(connected, made, name)]
        return [*found, *(doctor_cluster.named(connected, made, name) if made else ())]
    except errors.RosterError as error:
        return [Finding(check="cluster", state="failed", found=str(error))]


def _try(check: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except errors.RosterError as error:
        return Finding(check=check, state="failed", found=str(error))
