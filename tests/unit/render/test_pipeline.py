"""The renderer as a function of text; Helm's own streams go through it in tests/cluster and tests/test_examples."""

from __future__ import annotations

import re
from typing import Any

import pytest

from helm_roster import all_backends, errors
from helm_roster.backend_base import ApiKind
from helm_roster.manifests import door
from helm_roster.render import pipeline, stream

from tests.unit.builders import carrier_spec, gang, group, plan, workload

UNTOUCHED = (
    '---\n# Source: c/t/config.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name:   odd}\ndata: {a: "on"}\n'
)
GROUPS = {"worker": group(4), "proxy": group(1)}
GANGS = {"train": gang(worker=(4, False))}


def document(data: dict[str, Any]) -> str:
    return f"---\n# Source: c/templates/x.yaml\n{door.dump(data)}"


def carrier(spec: dict[str, Any] | None = None, *, version: str = "helm-roster.dev/v1alpha1") -> str:
    metadata = {"name": "use-helm-roster-or-post-renderer-roster-postrender"}
    spec = spec or carrier_spec(GROUPS, GANGS)
    return document({"apiVersion": version, "kind": "PostRendererRequired", "metadata": metadata, "spec": spec})


def workloads() -> dict[str, str]:
    return {name: document(workload(f"op-{name}", entry)) for name, entry in GROUPS.items()}


def kinds(text: str) -> list[str]:
    return [str(door.load(entry.text)["kind"]) for entry in stream.split(text) if not entry.is_blank]


def test_text_without_a_carrier_comes_out_as_it_went_in() -> None:
    text = UNTOUCHED + "# a comment that says PostRendererRequired\r\n"
    assert pipeline.render(text).text == text


def test_an_empty_stream_without_a_carrier_stays_empty() -> None:
    assert pipeline.render("").text == ""


def test_the_carrier_is_replaced_by_the_grouping_objects() -> None:
    text = workloads()["worker"] + workloads()["proxy"] + carrier()
    assert kinds(pipeline.render(text).text) == ["StatefulSet", "StatefulSet", "PodGroup"]


def test_documents_that_need_no_change_keep_every_byte() -> None:
    text = UNTOUCHED + workloads()["worker"] + workloads()["proxy"] + carrier()
    rendered = pipeline.render(text).text
    assert rendered.startswith(UNTOUCHED)
    assert workloads()["proxy"] in rendered
    assert workloads()["worker"] not in rendered


def test_what_is_in_no_gang_is_not_even_read() -> None:
    broken = workloads()["proxy"] + "  broken: [\n"
    assert broken in pipeline.render(workloads()["worker"] + broken + carrier()).text


def test_a_whole_plan_has_every_workload() -> None:
    text = workloads()["worker"] + workloads()["proxy"] + carrier()
    plans = [pipeline.render(text, whole=whole).plan for whole in (True, False)]
    assert [sorted(plan.workloads) for plan in plans if plan] == [["proxy", "worker"], ["worker"]]


@pytest.mark.parametrize("name", ['"op-w\\x6frker"', "|-\n    op-worker"], ids=["escaped", "on the next line"])
def test_a_member_whose_name_does_not_stand_in_plain_sight_is_found(name: str) -> None:
    odd = workloads()["worker"].replace("name: op-worker", f"name: {name}")
    assert odd != workloads()["worker"]
    assert pipeline.render(odd + workloads()["proxy"] + carrier()).text.count("schedulingGroup") == 1


def test_a_member_is_stamped_and_says_so() -> None:
    rendered = pipeline.render(workloads()["worker"] + workloads()["proxy"] + carrier()).text
    member = door.to_plain(door.load(stream.split(rendered)[0].text))
    assert member["metadata"]["annotations"]["helm-roster.dev/placement"] == "native"
    assert member["spec"]["template"]["spec"]["schedulingGroup"]["podGroupName"].startswith("op-train-")


def test_the_source_comment_of_a_changed_document_stays() -> None:
    rendered = pipeline.render(workloads()["worker"] + workloads()["proxy"] + carrier()).text
    assert rendered.startswith("---\n# Source: c/templates/x.yaml\n")


def test_grouping_objects_carry_our_labels() -> None:
    rendered = pipeline.render(workloads()["worker"] + workloads()["proxy"] + carrier()).text
    labels = door.to_plain(door.load(stream.split(rendered)[-1].text))["metadata"]["labels"]
    assert labels == {
        "app.kubernetes.io/instance": "op",
        "helm-roster.dev/operation": "op",
        "helm-roster.dev/gang": "train",
    }


def test_a_carrier_that_comes_first_without_a_separator_is_replaced_cleanly() -> None:
    text = carrier().removeprefix("---\n") + workloads()["worker"] + workloads()["proxy"]
    assert kinds(pipeline.render(text).text) == ["PodGroup", "StatefulSet", "StatefulSet"]


def test_helm_4_file_annotations_stay_and_new_objects_get_the_carriers() -> None:
    filed = carrier().replace(
        "metadata:\n", "metadata:\n  annotations: {postrenderer.helm.sh/postrender-filename: c/t.yaml}\n"
    )
    rendered = pipeline.render(workloads()["worker"] + workloads()["proxy"] + filed).text
    metadata = door.to_plain(door.load(stream.split(rendered)[-1].text))["metadata"]
    assert metadata["annotations"] == {
        "postrenderer.helm.sh/postrender-filename": "c/t.yaml",
        "helm-roster.dev/gang-spec": '{"backend":"native","members":{"worker":{"min":4}}}',
    }


def test_an_object_of_another_api_with_the_same_kind_and_name_is_left_alone() -> None:
    other = document(workload("op-worker", GROUPS["worker"]) | {"apiVersion": "apps.example/v1"})
    rendered = pipeline.render(workloads()["worker"] + other + workloads()["proxy"] + carrier()).text
    assert other in rendered
    assert rendered.count("schedulingGroup") == 1


def test_labels_and_annotations_of_the_carrier_stand_on_grouping_objects() -> None:
    given = carrier().replace("metadata:\n", "metadata:\n  labels: {team: a}\n  annotations: {cost: b}\n")
    rendered = pipeline.render(workloads()["worker"] + workloads()["proxy"] + given).text
    metadata = door.to_plain(door.load(stream.split(rendered)[-1].text))["metadata"]
    assert (metadata["labels"]["team"], metadata["annotations"]["cost"]) == ("a", "b")


def test_a_hook_of_the_same_name_is_left_alone() -> None:
    entry = workload("op-worker", GROUPS["worker"])
    entry["metadata"]["annotations"] = {"helm.sh/hook": "pre-install"}
    hook = document(entry)
    rendered = pipeline.render(hook + workloads()["worker"] + workloads()["proxy"] + carrier()).text
    assert rendered.startswith(hook)


BAD = [
    pytest.param(carrier() * 2, "2 operations that need the post-renderer", id="two carriers"),
    pytest.param(carrier(carrier_spec({}) | {"schema": 2}), "newer chart", id="newer schema"),
    pytest.param(carrier(), "StatefulSet op-worker is not among", id="workload missing"),
    pytest.param(workloads()["worker"] * 2 + workloads()["proxy"] + carrier(), "rendered 2 times", id="workload twice"),
    pytest.param(carrier(carrier_spec({}, backend="slurm")), 'backend is "slurm"', id="unknown backend"),
    pytest.param(carrier(carrier_spec({})), "nothing but the carrier", id="no objects"),
    pytest.param(carrier({"schema": 1}), "cannot be read", id="spec incomplete"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_what_cannot_be_rendered_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(errors.RosterError, match=words):
        pipeline.render(text)


def test_a_backends_refusal_names_the_gang() -> None:
    spec = carrier_spec({"a": group(4), "b": group(4)}, {"step": gang(a=(2, True), b=(2, True))})
    text = document(workload("op-a", group(4))) + document(workload("op-b", group(4))) + carrier(spec)
    with pytest.raises(errors.RefusedError, match='gang "step": two elastic members'):
        pipeline.render(text)


BEFORE = [(name, kind) for name, backend in all_backends.PLACEMENT.items() for kind in backend.BEFORE]
of_each_backend = pytest.mark.parametrize(
    ("backend", "kind"), BEFORE, ids=[f"{one[0]}-{one[1].kind}" for one in BEFORE]
)


def beside(backend: str, kind: ApiKind, **fields: Any) -> str:
    """Return a stream of an operation that a backend places, with an object of that kind beside it."""
    metadata = {"name": "team-a", "annotations": fields.pop("annotations", {})}
    made = document({"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": {}, **fields})
    return made + "".join(workloads().values()) + carrier(carrier_spec(GROUPS, GANGS, backend=backend))


@of_each_backend
def test_what_must_be_there_before_may_not_be_of_the_same_release(backend: str, kind: ApiKind) -> None:
    with pytest.raises(errors.RefusedError, match=rf"{kind.kind} team-a stands in the release .* make it before"):
        pipeline.render(beside(backend, kind))


@pytest.mark.parametrize(
    "fields", [{"annotations": {"helm.sh/hook": "pre-install"}}, {"apiVersion": "other.example/v1"}],
    ids=["hook", "other API"],
)  # fmt: skip
@of_each_backend
def test_a_hook_and_what_only_has_the_kinds_name_may_be(backend: str, kind: ApiKind, fields: dict[str, Any]) -> None:
    assert "PodGroup" in kinds(pipeline.render(beside(backend, kind, **fields)).text)


def test_a_carrier_of_a_newer_api_version_is_still_ours_and_is_not_passed_on() -> None:
    with pytest.raises(errors.BadInputError, match="newer chart"):
        pipeline.render(carrier(carrier_spec({}) | {"schema": 9}, version="helm-roster.dev/v1beta1"))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Kai", 'does not know; did you mean "kai"? known: '),
        ("kia", 'does not know; did you mean "kai"? known: '),
        ("VOLCANO", 'does not know; did you mean "volcano"? known: '),
        ("slurm", "does not know; known: "),
        ("kueue", "does not know; scheduling.admission.backend knows it; known: "),
    ],
)
def test_a_backend_that_is_not_known_is_refused_with_the_nearest(asked: str, told: str) -> None:
    operation = plan({"a": group(1)}, backend=asked).operation
    with pytest.raises(errors.RefusedError, match=re.escape(told)):
        pipeline.backend_of(operation)


def test_who_asks_for_admission_by_what_places_is_told_where_that_is_asked_for() -> None:
    operation = plan({"a": group(1)}, admission={"backend": "volcano", "queue": "team"}).operation
    with pytest.raises(
        errors.RefusedError, match=r"does not know; scheduling\.placement\.backend knows it; known: none"
    ):
        pipeline.backend_of(operation)
