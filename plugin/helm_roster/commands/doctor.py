"""``helm roster doctor``: is everything there, on this machine and in the cluster, for these values or for any?

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Doctor", "healthy": …, "checks": [{check, state, found,
remedy}]}``. ``state`` is ``ok``, ``warning``, ``failed`` or ``skipped`` (it could not be asked); ``healthy`` is false
where one failed, and so is the exit code 1. ``remedy`` says what to do, and is empty where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from helm_roster import constants, errors
from helm_roster.cluster import capabilities, client
from helm_roster.cluster.client import Client
from helm_roster.commands import doctor_cluster, doctor_here, doctor_scheduling, options, rendering, value_files
from helm_roster.commands import smoke_test as trying
from helm_roster.commands.rendering import Rendering
from helm_roster.helm import flags
from helm_roster.helm import run as helm
from helm_roster.model.wording import counted
from helm_roster.policy import diagnosis
from helm_roster.policy.diagnosis import Finding
from helm_roster.report import console, doctor_table

_NO_CLUSTER = ("namespace", "kinds", "rights")

_Look: TypeAlias = Callable[[], Finding | Sequence[Finding]]


def run(helm_args: Sequence[str], *, chart: str, output: str, smoke_test: bool = False) -> int:
    """Print what was found; return 1 where something failed. With ``smoke_test`` gangs are tried in the cluster.

    Raises:
        BadInputError: A values file cannot be read as one.
    """
    flags.refuse_post_renderer(helm_args)
    found = _here(chart)
    made = None
    if flags.gives_values(helm_args):
        values, made = _values(helm_args, chart)
        found.append(values)
    found += _cluster(made, smoke_test=smoke_test)
    healthy = all(finding.state != "failed" for finding in found)
    if output == "table":
        console.show(doctor_table.table(found))
    else:
        checks = [vars(finding) for finding in found]
        document = {"apiVersion": constants.API_VERSION, "kind": "Doctor", "healthy": healthy, "checks": checks}
        console.document(document, output)
    return 0 if healthy else 1


def _here(chart: str) -> list[Finding]:
    return _tried({
        "helm": doctor_here.helm,
        "plugins": doctor_here.plugins,
        "post-renderer": doctor_here.post_renderer,
        "versions": lambda: doctor_here.versions(chart),
    })  # fmt: skip


def _values(helm_args: Sequence[str], chart: str) -> tuple[Finding, Rendering | None]:
    try:
        with value_files.opened(helm_args) as given:
            made = rendering.render(options.NO_RELEASE, given, chart)
    except errors.RosterError as error:
        return Finding(check="values", state="failed", found=str(error)), None
    operation = made.plan.operation
    admission = [f"admission {operation.admission_backend}"] if operation.asks_for_quota else []
    told = [counted(len(operation.groups), "group"), *admission, f"placement {operation.placement_backend}"]
    return Finding(check="values", state="ok", found=", ".join(told)), made


def _cluster(made: Rendering | None, *, smoke_test: bool) -> list[Finding]:
    """Look at the cluster, and at kubectl, which should fit to it; what cannot be asked there is skipped."""
    try:
        connected = client.connect()
        version = capabilities.version(connected)
    except errors.RosterError as error:
        lost = [Finding(check=check, state="skipped", found="no cluster was reached") for check in _NO_CLUSTER]
        failed = Finding(check="cluster", state="failed", found=str(error))
        return [doctor_here.kubectl(None), failed, *lost]
    return [
        doctor_here.kubectl(version),
        diagnosis.kubernetes(version),
        *_asked(connected, made, smoke_test=smoke_test),
    ]


def _asked(connected: Client, made: Rendering | None, *, smoke_test: bool) -> list[Finding]:
    try:
        name = helm.namespace()
    except errors.RosterError as error:
        return [Finding(check="namespace", state="failed", found=str(error))]
    looks: dict[str, _Look] = {
        "namespace": lambda: doctor_cluster.namespace(connected, name),
        "kinds": lambda: doctor_cluster.kinds(connected, made),
        "rights": lambda: doctor_cluster.rights(connected, made, name),
    }
    if made:
        looks["feature gates"] = lambda: doctor_cluster.gates(connected, made)
    looks["records"] = doctor_cluster.records_outside
    if made:
        looks["schedulers"] = lambda: doctor_scheduling.processes(connected, made, name)
        looks["placement"] = lambda: doctor_scheduling.inspected(connected, made)
        looks["references"] = lambda: doctor_cluster.named(connected, made, name)
    else:
        looks["backends"] = lambda: doctor_scheduling.backends(connected)
    if smoke_test:
        looks[diagnosis.SMOKE_TEST] = lambda: trying.run(connected, made)
    return _tried(looks)


def _tried(looks: Mapping[str, _Look]) -> list[Finding]:
    """Look at one thing after another; what cannot be told of one hides none of the others."""
    found: list[Finding] = []
    for check, look in looks.items():
        try:
            told = look()
        except errors.RosterError as error:
            told = Finding(check=check, state="failed", found=str(error))
        found += [told] if isinstance(told, Finding) else told
    return found
