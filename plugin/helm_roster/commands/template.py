"""``helm roster template``: what ``helm template`` prints with the post-renderer, on either Helm."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import errors
from helm_roster.commands import applying, rendering, value_files
from helm_roster.helm import find, flags


def run(release: str, helm_args: Sequence[str], *, chart: str) -> None:
    """Print the manifests; nothing else goes to stdout.

    Raises:
        RosterError: As ``rendering.render``, or Helm fails.
        RefusedError: ``--output-dir`` with Helm 3, which writes its files before it calls a post-renderer.
    """
    flags.refuse_post_renderer(helm_args)
    if flags.value(helm_args, "--output-dir") is not None and not find.find().is_helm4:
        msg = "Helm 3 writes --output-dir before the post-renderer runs: redirect stdout to a file, or use Helm 4"
        raise errors.RefusedError(msg)
    with value_files.opened(helm_args) as given:
        rendering.render(release, given, chart)
        applying.helm("template", release, given.args, chart)
