"""A topology of a slice, against the counts of the groups that take it."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, Values, layered


def under(topology: str | None, per_node: int | None, group: Values, *, job: bool = False) -> Values:
    """Return values of one group under a preset of that topology."""
    tpu = {"resource": "google.com/tpu", "model": "TPU", "perNode": per_node, "topology": topology}
    return layered(group, tpu={"accelerator": tpu}) | ({"operation": {"kind": "job"}} if job else {})


@pytest.mark.parametrize(
    "values",
    [
        under("2x4", 8, {"accelerators": 8}),
        under("2x4", 8, {"accelerators": 8, "workload": "StatefulSet"}),
        under("2x2", 8, {"accelerators": 4}),
        under("2x4", 8, {}),
        under("4x4", 4, {"accelerators": 4, "podsPerReplica": 4, "replicas": 3}),
        under("4x4", 4, {"accelerators": 4, "podsPerReplica": 8}),
        under("4x4", 4, {"accelerators": 4, "podsPerReplica": 5, "leader": {"accelerators": 0}}),
        under("4x4", 4, {"accelerators": 2, "sidecars": {"x": {"accelerators": 2}}, "podsPerReplica": 4}),
        under("4x8x8", 4, {"accelerators": 4, "replicas": 64}, job=True),
        under("4x8x8", 4, {"accelerators": 4, "replicas": 0}, job=True),
        under("2x4", 8, {"lifecycle": "auxiliary", "accelerators": 8}, job=True) | {"groups": {
            "a": {"lifecycle": "auxiliary", "accelerators": 8, "presets": ["image", "tpu"]},
            "b": {"presets": ["image"]},
        }},
    ],
)  # fmt: skip
def test_counts_of_whole_slices_are_rendered(chart4: Chart, values: Values) -> None:
    assert chart4.render(values).workload()


FOUR = "4x4 is 16 chips on 4 hosts of 4"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            under("4x4", 4, {"accelerators": 4, "podsPerReplica": 2}),
            f"groups.a: {FOUR}, but podsPerReplica 2 x accelerators 4 is 8; set podsPerReplica: 4",
        ),
        (
            under("4x4", 4, {"accelerators": 4}),
            f"groups.a: {FOUR}, but podsPerReplica 1 x accelerators 4 is 4; set podsPerReplica: 4",
        ),
        (
            under("4x4", 4, {"accelerators": 4, "workload": "StatefulSet"}),
            f"groups.a: {FOUR}, but podsPerReplica 1 x accelerators 4 is 4; set podsPerReplica: 4",
        ),
        (
            under("4x4", 4, {"accelerators": 4, "podsPerReplica": 4, "leader": {"accelerators": 0}}),
            (
                f"groups.a: {FOUR}, but accelerators of the leader 0 + 3 x 4 of the others is 12; set "
                "podsPerReplica: 5"
            ),
        ),
        (
            under("4x8x8", 4, {"accelerators": 4, "replicas": 32}, job=True),
            "groups.a: 4x8x8 is 256 chips on 64 hosts of 4, but replicas 32 x accelerators 4 is 128; set replicas: 64",
        ),
        (
            under("4x8x8", 4, {"accelerators": 4, "replicas": 128}, job=True),
            "groups.a: 4x8x8 is 256 chips on 64 hosts of 4, but replicas 128 x accelerators 4 is 512; set replicas: 64",
        ),
        (
            under("4x4", 4, {"accelerators": 2, "podsPerReplica": 8}),
            f"groups.a: {FOUR}, and a pod has all of its host, but here it has 2; set accelerators: 4",
        ),
        (
            under("4x4", 4, {"accelerators": 1, "sidecars": {"x": {"accelerators": 2}}, "podsPerReplica": 4}),
            (
                f"groups.a: {FOUR}, and a pod has all of its host, but here it has 3; let all containers of a pod have "
                "4 together"
            ),
        ),
        (
            under("4x4", 4, {"accelerators": 4, "podsPerReplica": 4, "leader": {"accelerators": 1}}),
            f"groups.a.leader: {FOUR}, and a pod has all of its host, but here it has 1; set accelerators: 4",
        ),
        (
            under("2x2", 8, {"accelerators": 8}),
            "groups.a: 2x2 is 4 chips on 1 host of 4, and a pod has all of its host, but here it has 8; set",
        ),
        (
            under("4x4", None, {"accelerators": 4}),
            "groups.a: its preset has accelerator.topology 4x4, but does not say how many accelerators a host has;",
        ),
    ],
)  # fmt: skip
def test_counts_of_parts_of_a_slice_are_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


@pytest.mark.parametrize("topology", ["4", "4x", "0x4", "4X4", "2x2x2x2x2"])
def test_a_topology_is_a_product(chart4: Chart, topology: str) -> None:
    assert "at '/presets/tpu/accelerator/topology'" in chart4.schema_refusal(under(topology, 4, {}))
