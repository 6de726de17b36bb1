"""Keyed patches: one patch and one manifest in, the changed manifest out; no stream, no scheduler's name.

``apply`` is the way in. ``merge`` and ``json_ops`` are the two forms of a patch, ``pointers`` how they find what is
meant (entries of lists by name, with ``manifests.lists``), ``protected`` what no patch may change, ``fields`` what the
API takes, ``undoing`` what only takes back earlier changes, ``pods`` what must fit together after all. Manifests are
plain data here (``door.to_plain``). Imported only by a render that has patches.
"""
