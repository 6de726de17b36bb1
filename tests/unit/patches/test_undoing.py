"""What a change takes back of earlier ones, told from what it changes besides."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from helm_roster.patches import undoing

from tests.unit.patches.objects import POD, Json


def with_pod(**fields: Any) -> Json:
    return {**POD, "spec": {**POD["spec"], **fields}}


def with_main(**fields: Any) -> Json:
    main, *others = copy.deepcopy(POD["spec"]["containers"])
    return with_pod(containers=[{**main, **fields}, *others])


LOG = {"name": "log", "image": "log:1"}
MAIN, PROXY = POD["spec"]["containers"]
TABLE: list[tuple[str, Json, Json, str | None]] = [
    ("a field", with_pod(hostPID=True), POD, "/spec/hostPID"),
    ("one of two fields", with_pod(hostPID=True, hostIPC=True), with_pod(hostIPC=True), "/spec/hostPID"),
    ("a value", with_main(image="e:2", tty=True), with_main(tty=True), "/spec/containers/main/image"),
    ("a plain list", with_main(args=["a"], tty=True), with_main(tty=True), "/spec/containers/main/args"),
    ("a deletion", with_main(args=None), POD, "/spec/containers/main/args"),
    ("an entry", with_pod(containers=[MAIN, LOG, PROXY], hostPID=True), with_pod(hostPID=True), "/spec/containers/log"),
    ("an order", with_pod(containers=[PROXY, MAIN]), POD, "/spec/containers"),
    ("a value for another", with_main(image="e:2"), with_main(image="e:3"), None),
    ("a field, and adds one", with_pod(hostPID=True), with_pod(hostIPC=True), None),
    ("nothing, in a new order", POD, with_pod(containers=[PROXY, MAIN]), None),
    ("an entry, but at another place", with_pod(containers=[PROXY]), with_pod(containers=[PROXY, MAIN]), None),
    ("an entry beside moved ones", with_pod(containers=[PROXY, MAIN, LOG]), with_pod(containers=[PROXY, MAIN]),
     "/spec/containers/log"),
    ("nothing of an earlier change", with_pod(hostPID=True), with_pod(hostPID=True, hostIPC=True), None),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "path"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_it_takes_back(before: Json, after: Json, path: str | None) -> None:
    assert next(iter(undoing.taken_back(POD, before, after)), None) == path


def test_the_order_of_fields_says_nothing() -> None:
    spec = POD["spec"]
    turned = {**POD, "spec": dict(reversed([*spec.items(), ("hostPID", True)]))}
    assert undoing.taken_back(POD, turned, POD) == ["/spec/hostPID"]
