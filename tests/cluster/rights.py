"""Users with few rights, for tests: taken on with Helm's and our `--kube-as-user`."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from tests.cluster.namespaces import Namespace


def user(namespace: Namespace, *, but: AbstractSet[str], without: AbstractSet[str] = frozenset()) -> str:
    """Give a user every right in the namespace but those on the named kinds of core and apps; return the name.

    ``pods/log`` and ``*/scale`` are kinds here; ``without`` are whole API groups.
    """
    narrow = {"": "v1", "apps": "apps/v1"}
    kinds = {name: {item.plural for item in namespace.api.resources(served)} - but for name, served in narrow.items()}
    groups = [
        entry["name"] for entry in namespace.api.get("/apis")["groups"] if entry["name"] not in {*narrow, *without}
    ]
    rules = [
        {"apiGroups": list(narrow), "resources": sorted({"pods/log", "*/scale"} - but), "verbs": ["*"]},
        *({"apiGroups": [name], "resources": sorted(plurals), "verbs": ["*"]} for name, plurals in kinds.items()),
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
