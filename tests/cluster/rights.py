"""Users with few rights, for tests: taken on with Helm's and our `--kube-as-user`."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from tests.cluster.namespaces import Namespace


def user(namespace: Namespace, *, but: AbstractSet[str]) -> str:
    """Give a user every right in the namespace but those on the named kinds of the core group; return the name."""
    core = {item.plural for item in namespace.api.resources("v1")} - but
    groups = [entry["name"] for entry in namespace.api.get("/apis")["groups"]]
    rules = [
        {"apiGroups": [""], "resources": sorted(core), "verbs": ["*"]},
        {"apiGroups": groups, "resources": ["*"], "verbs": ["*"]},
    ]
    name, role = f"{namespace.name}-user", {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "few"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}
    common = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "few"}}
    namespace.create(
        {**common, "kind": "Role", "rules": rules},
        {**common, "kind": "RoleBinding", "roleRef": role, "subjects": [subject]},
    )
    return name
