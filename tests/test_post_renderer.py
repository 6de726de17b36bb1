"""The post-renderer as each Helm starts it: what it leaves alone, what it refuses, how errors reach a person."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from helm_roster.render import stream

from tests.support.roster import CHART, EXAMPLES, HELM4_PLUGINS, POSTRENDER, PlainHelm, given
from tests.support.runner import Runner

GANG = EXAMPLES / "02-gang-training" / "values.yaml"
RL = EXAMPLES / "03-rl-separated" / "values.yaml"
PLAIN = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"
PATCHED = EXAMPLES / "06-patches" / "values.yaml"
GATEWAY = "patches.gateway.x.json[0]"
NAMED = re.compile(r"^kind: (\w+)$.*?^  name: (\S+)$", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"^kind: (Job|StatefulSet|PostRendererRequired|Workload|PodGroup|CompositePodGroup)$", re.MULTILINE)


def recording(helm: Runner, folder: Path) -> tuple[Runner, tuple[str, ...]]:
    """Return Helm and flags for a renderer that keeps what went in and what came out in `folder`."""
    flag = "--helm4" if helm.major == 4 else ""
    script = folder / "recording.sh"
    script.write_text(f'#!/bin/sh\ntee "{folder}/in" | "{POSTRENDER}" {flag} | tee "{folder}/out"\n')
    script.chmod(0o755)
    if helm.major == 3:
        return helm, ("--post-renderer", str(script))
    plugin = folder / "plugins" / "recording"
    plugin.mkdir(parents=True)
    manifest = {
        "apiVersion": "v1",
        "type": "postrenderer/v1",
        "name": "recording",
        "version": "0.1.0",
        "runtime": "subprocess",
        "runtimeConfig": {"platformCommand": [{"command": str(script)}]},
    }
    (plugin / "plugin.yaml").write_text(yaml.safe_dump(manifest))
    return helm.with_env(HELM_PLUGINS=str(folder / "plugins")), ("--post-renderer", "recording")


def whole(path: Path) -> list[str]:
    return [document.text for document in stream.split(path.read_bytes().decode())]


def documents(path: Path) -> list[str]:
    return [text for text in whole(path) if not OURS.search(text)]


def test_documents_that_are_not_ours_come_out_byte_for_byte(helm: Runner, tmp_path: Path) -> None:
    """P9, on the streams that Helm really makes."""
    runner, flags = recording(helm, tmp_path)
    runner("template", "rl", CHART, "-f", RL, *flags)
    kept = documents(tmp_path / "in")
    assert len(kept) == 6  # two Services of each group
    assert documents(tmp_path / "out") == kept


def with_hook(folder: Path) -> Path:
    """Return a copy of the chart that also has a hook, of the same kind and name as the gang's workload."""
    chart = folder / "chart"
    shutil.copytree(CHART, chart)
    hook = {"helm.sh/hook": "pre-install"}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train-worker", "annotations": hook}}
    (chart / "templates" / "hook.yaml").write_text(yaml.safe_dump(job))
    return chart


def claiming(folder: Path) -> Path:
    """Write values of a gang whose pods have claims of all kinds, of which a patch adds one and takes one away."""
    requests = {"devices": {"requests": [{"name": "nics", "exactly": {"deviceClassName": "nic", "count": 8}}]}}
    claimed = {"accelerator": {"model": "H200", "claim": {"deviceClassName": "gpu.nvidia.com"}}}
    claims = {"imex": {"computeDomain": {}}, "nics": {"spec": requests}, "pool": {"spec": requests, "shared": True}}
    container = {"name": "main", "resources": {"claims": [{"name": "more"}, {"$patch": "delete", "name": "nics"}]}}
    named = [{"name": "more", "resourceClaimName": "theirs"}, {"$patch": "delete", "name": "nics"}]
    patch = {"merge": {"spec": {"resourceClaims": named, "containers": [container]}}}
    worker = {"presets": ["h200"], "accelerators": 8, "claims": [*claims], "container": {"image": "example/app:1"}}
    values = folder / "claims.yaml"
    values.write_text(
        yaml.safe_dump({
            "presets": {"h200": claimed}, "claims": claims, "groups": {"worker": worker},
            "patches": {"worker": {"more": patch}},
            "scheduling": {"placement": {"backend": "native"}, "gangs": {"step": {"members": {"worker": {}}}}},
        })
    )  # fmt: skip
    return values


def test_objects_of_claims_come_out_byte_for_byte_and_patches_may_change_what_pods_claim(
    helm: Runner, tmp_path: Path
) -> None:
    runner, flags = recording(helm, tmp_path)
    runner("template", "rl", CHART, "-f", claiming(tmp_path), *flags)
    assert documents(tmp_path / "in") == documents(tmp_path / "out")
    kinds = {match[1] for text in documents(tmp_path / "out") for match in NAMED.finditer(text)}
    assert {"ComputeDomain", "ResourceClaim", "ResourceClaimTemplate"} <= kinds
    (workload,) = (text for text in whole(tmp_path / "out") if "kind: StatefulSet" in text)
    pod = yaml.safe_load(workload)["spec"]["template"]["spec"]
    wired = ["imex", "pool", "accelerators", "more"]
    assert sorted(entry["name"] for entry in pod["resourceClaims"]) == sorted(wired)
    assert sorted(entry["name"] for entry in pod["containers"][0]["resources"]["claims"]) == sorted(wired)


def test_a_hook_of_the_workloads_name_is_left_as_it_is(helm: Runner, tmp_path: Path) -> None:
    """Helm 4 sends hooks through the renderer, with its file annotation; Helm 3 keeps them to itself."""
    runner, flags = recording(helm, tmp_path)
    printed = runner("template", "train", with_hook(tmp_path), "-f", GANG, *flags).stdout
    hooks = [text for text in whole(tmp_path / "in") if "helm.sh/hook" in text]
    assert len(hooks) == {3: 0, 4: 1}[helm.major]
    assert [text for text in whole(tmp_path / "out") if "helm.sh/hook" in text] == hooks
    assert (printed.count("helm.sh/hook"), printed.count("schedulingGroup")) == (1, 1)


def test_without_a_carrier_the_whole_stream_comes_out_byte_for_byte(helm: Runner, tmp_path: Path) -> None:
    runner, flags = recording(helm, tmp_path)
    runner("template", "serve", CHART, *given(PLAIN), *flags)
    assert (tmp_path / "in").read_bytes() == (tmp_path / "out").read_bytes() != b""


def test_patches_change_the_objects_that_they_name_and_no_other_byte(helm: Runner, tmp_path: Path) -> None:
    """P9 and P7 with patches, on the streams that Helm really makes."""
    runner, flags = recording(helm, tmp_path)
    runner("template", "op", CHART, "-f", PATCHED, *flags)
    given, made = whole(tmp_path / "in"), whole(tmp_path / "out")
    kept = [text for text in given if text in made]
    changed = sorted(NAMED.findall("".join(text for text in made if text not in given)))
    assert changed == [("Deployment", "op-server"), ("Service", "op-server-svc")]
    assert len(kept) == len(made) - 2 == len(given) - 3  # the carrier


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("patches.server.10-hugepages.target=Service", "target Service means 2 objects of group"),
        (
            "patches.gateway.x.target=workload,patches.gateway.x.merge.spec.replicas=2",
            "it changes /spec/replicas, which",
        ),
        (
            f"{GATEWAY}.op=add,{GATEWAY}.path=/spec/containers/main/livenessProbe,{GATEWAY}.value.httpGet.port=htp",
            'livenessProbe.httpGet.port: there is no port "htp" of this container (did you mean "http"?); known: http',
        ),
        (
            f"{GATEWAY}.op=replace,{GATEWAY}.path=/spec/containers/main/ports/http/containerPort,{GATEWAY}.value=81",
            "port 8080 of the pods is gone, and Service default/op-gateway would still send to it; ports are values",
        ),
    ],
)
def test_a_wrong_patch_reaches_the_user_in_words(helm: Runner, flag: str, words: str) -> None:
    done = PlainHelm(helm).attempt("template", "op", CHART, "-f", PATCHED, "--set", flag)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_patch_of_the_leader_changes_the_leaders_pod_alone(helm: Runner, tmp_path: Path) -> None:
    values = {
        "groups": {"a": {"podsPerReplica": 2, "container": {"image": "example/app:1"}}},
        "patches": {"a": {"x": {"target": "leader", "merge": {"spec": {"hostPID": True}}}}},
    }
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values))
    done = PlainHelm(helm)("template", "op", CHART, "-f", tmp_path / "values.yaml").stdout
    (spec,) = (one["spec"] for one in yaml.safe_load_all(done) if one and one["kind"] == "LeaderWorkerSet")
    pods = [spec["leaderWorkerTemplate"][part]["spec"] for part in ("leaderTemplate", "workerTemplate")]
    assert [pod.get("hostPID") for pod in pods] == [True, None]


def test_no_carrier_reaches_helm(helm: Runner) -> None:
    assert "PostRendererRequired" not in PlainHelm(helm)("template", "train", CHART, "-f", GANG).stdout


def test_an_error_reaches_the_user_in_words(helm: Runner) -> None:
    done = PlainHelm(helm).attempt("template", "rl", CHART, "-f", GANG, "--set", "scheduling.placement.backend=slurm")
    assert done.returncode != 0
    assert 'scheduling.placement.backend is "slurm", which this version does not know' in done.stderr
    assert "Traceback" not in done.stderr


def test_helm_4_says_so_when_the_renderer_is_not_on_path(helm4: Runner) -> None:
    runner = helm4.with_env(HELM_PLUGINS=str(HELM4_PLUGINS), PATH="/usr/bin:/bin")
    done = runner.attempt("template", "rl", CHART, "-f", GANG, "--post-renderer", "roster-postrender")
    assert done.returncode != 0
    assert "roster-postrender: it is not on PATH: install helm-roster with pip" in done.stderr


def render(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(POSTRENDER), *arguments], input=text, capture_output=True, text=True, check=False)


def test_on_helm_3_an_error_goes_to_stderr_and_nothing_to_stdout() -> None:
    done = render("apiVersion: helm-roster.dev/v1alpha1\nkind: PostRendererRequired\nmetadata: {}\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "schema" in done.stderr


def test_on_helm_4_an_error_is_one_block_scalar_on_stdout() -> None:
    done = render("apiVersion: helm-roster.dev/v1alpha1\nkind: PostRendererRequired\nmetadata: {}\n", "--helm4")
    assert done.returncode == 0
    assert "schema" in yaml.safe_load(done.stdout)
    assert done.stdout.startswith("|\n  roster-postrender: ")


def test_text_that_is_no_yaml_is_refused_with_its_line() -> None:
    done = render("kind: PostRendererRequired\n---\na: b\nkind: [PostRendererRequired\n")
    assert done.returncode == 1
    assert "line" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_argument_is_a_usage_error() -> None:
    done = render("", "--queue=research")
    assert done.returncode == 2
    assert "--queue=research" in done.stderr
