"""Patched objects on a real API server: it accepts and holds them, and what is refused never reaches it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cluster import operations
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, EXAMPLES, PlainHelm
from tests.support.runner import Runner

PATCHED = EXAMPLES / "06-patches" / "values.yaml"
OUTDATED = EXAMPLES / "07-patch-that-no-longer-fits" / "values.yaml"


def deployment(namespace: Namespace, name: str) -> dict[str, Any]:
    found = namespace.get("apps/v1", "Deployment", name)
    assert found is not None
    return found


def test_the_api_server_holds_what_patches_made(namespace: Namespace, helm3: Runner) -> None:
    PlainHelm(helm3)("install", "patches", CHART, "-f", PATCHED)
    spec = deployment(namespace, "patches-server")["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    assert container["args"][1:] == ["--port=8000", "--enable-log-requests"]
    assert container["resources"]["limits"]["hugepages-2Mi"] == "16Gi"
    assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"
    assert spec["template"]["spec"]["volumes"] == [{"name": "hugepages", "emptyDir": {"medium": "HugePages"}}]
    assert spec["revisionHistoryLimit"] == 10
    service = namespace.get("v1", "Service", "patches-server-svc")
    assert service is not None
    assert service["spec"]["trafficDistribution"] == "PreferSameZone"


def test_a_patch_that_no_longer_fits_applies_nothing(namespace: Namespace, helm4: Runner) -> None:
    done = PlainHelm(helm4).attempt("install", "engine", CHART, "-f", OUTDATED)
    assert done.returncode != 0
    assert 'expected "example/engine:1.3.0", found "example/engine:1.4.0"' in done.stderr
    assert namespace.everything() == []


def test_a_new_patch_of_one_group_leaves_the_others_as_they_are(
    namespace: Namespace, helm: Runner, tmp_path: Path
) -> None:
    groups = {name: operations.group(namespace, 1) for name in ("decode", "prefill")}
    patches = {"decode": {"shared": {"merge": {"spec": {"shareProcessNamespace": True}}}}}
    helm("install", "op", CHART, "-f", operations.write(tmp_path, operations.values(groups)))
    before = deployment(namespace, "op-prefill")
    values = operations.write(tmp_path, operations.values(groups, patches=patches))
    PlainHelm(helm)("upgrade", "op", CHART, "-f", values)
    assert deployment(namespace, "op-decode")["spec"]["template"]["spec"]["shareProcessNamespace"] is True
    assert deployment(namespace, "op-prefill")["metadata"]["generation"] == before["metadata"]["generation"] == 1
