"""YAML that Go and PyYAML read differently, or that a careless writer changes: what the door is held to.

``FRAGMENTS`` are the end of a ConfigMap (see ``document``), ``WHOLE`` are documents of their own, ``REFUSED`` are
fragments that Kubernetes does not take.
"""

from __future__ import annotations

from typing import Final

HEADER: Final = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"

FRAGMENTS: Final[dict[str, str]] = {
    # Words that are booleans to Go, plain and quoted.
    "plain-y-n": "v: [y, Y, n, N]\n",
    "quoted-y-n": "v: [\"y\", \"Y\", 'n', 'N']\n",
    "plain-yes-no": "v: [yes, Yes, YES, no, No, NO, yEs]\n",
    "quoted-yes-no": "v: ['yes', \"no\", 'YES']\n",
    "plain-on-off": "v: [on, On, ON, off, Off, OFF, oN]\n",
    "quoted-on-off": 'v: ["on", "off"]\n',
    "plain-true-false": "v: [true, True, TRUE, false, False, FALSE, tRUE]\n",
    "quoted-true-false": "v: ['true', \"false\"]\n",
    # Null in all its forms.
    "null-words": "v: [null, Null, NULL, ~, nULL]\n",
    "null-empty": "v:\nw: {a: , b: }\n",
    "null-in-list": "v:\n-\n- a\n-\n",
    "quoted-null": 'v: ["null", "~", "", \'\']\n',
    # Whole numbers.
    "leading-zero": "v: [08, 09, 0777, 0123, 00, 007]\n",
    "quoted-leading-zero": 'v: ["08", "0777", \'00\']\n',
    "octal": "v: [0o17, 0O17, -0o17, 0o8, 0o]\n",
    "quoted-octal": 'v: ["0o14", "0O14"]\n',
    "hexadecimal": "v: [0x1F, 0X1f, -0x1F, 0x, 0xG]\n",
    "quoted-hexadecimal": "v: ['0x1F', '0X1F']\n",
    "binary": "v: [0b11, 0B11, -0b101, 0b2]\n",
    "quoted-binary": "v: ['0b11', '0B11']\n",
    "underscores": "v: [1_000, 1__0, 1_, _1, 0x_1F, 1_0.5]\n",
    "quoted-underscores": 'v: "1_000"\n',
    "signs": "v: [+5, -5, -0, +0, --5, +-5, +, -]\n",
    "int64-edges": "v: [9007199254740991, -9007199254740991]\n",
    "int64-limits": "v: [9223372036854775807, -9223372036854775808, 18446744073709551615]\n",
    "beyond-uint64": "v: [36893488147419103232, -36893488147419103232]\n",
    "digits-and-letters": "v: [12e, 1a, 123e4567, 9f86d081, 1.2.3, 1-2]\n",
    "quoted-digits": 'v: ["1", "-1", "+1", "1.0"]\n',
    # Floats.
    "floats": "v: [1.5, -1.5, +1.5, 1., .5, -.5, +.5, 0.0]\n",
    "quoted-floats": 'v: ["1.5", "-.5", "+.5", ".5"]\n',
    "exponents": "v: [1e3, 1E3, 12e5, 1e+06, 1.5e3, 1e-3, .5e1, 1e, e3]\n",
    "quoted-exponents": 'v: ["1e3", "1E3", "12e5", "1e+06", "1.5e3"]\n',
    "whole-float": "v: [1.0, 100.00, -2.0]\n",
    "float-out-of-range": "v: [1e999, -1e999]\n",
    "not-quite-floats": "v: [., .., ..., .a, .e3, 1..2, ._5, .1_0, .1__0, .1_]\n",
    "quoted-infinity": 'v: [".inf", "-.Inf", ".nan"]\n',
    "infinity-words": "v: [inf, Infinity, nan, NaN]\n",
    # What YAML 1.1 has besides.
    "sexagesimal": "v: [1:30, 22:22, 12:30:45, 190:20:30, -1:30]\n",
    "quoted-sexagesimal": "v: ['1:30', \"12:30:45\"]\n",
    "date": "v: [2001-01-01, 2001-1-1, 2001-13-45]\n",
    "timestamp": "v: [2001-01-01T00:00:00Z, 2001-12-14t21:59:43.10-05:00]\n",
    "timestamp-with-blank": "v: 2001-12-14 21:59:43.10 -5\n",
    "equals-sign": "v: [=, ==, a=b]\n",
    "plain-merge-word": "v: <<\n",
    "merge-word-in-list": "v: [<<, '<<']\n",
    "quoted-merge-key": '"<<": {a: 1}\nv: 1\n',
    # Keys.
    "key-y": "v: {y: 1, n: 2}\n",
    "key-quoted-y": "v: {\"y\": 1, 'n': 2}\n",
    "key-on": "on: [push]\n",
    "keys-y-and-quoted-y": 'v:\n  y: 1\n  "y": 2\n',
    "key-number": "v: {1: a, 08: b, 0x10: c}\n",
    "key-exponent": "v: {1e3: a, 1.5: b, 1e6: c, 100.0: d}\n",
    "key-quoted-number": 'v: {"1": a, "1e3": b}\n',
    "key-sexagesimal": "v: {1:30: a}\n",
    "key-date": "v: {2001-01-01: a}\n",
    "key-quoted-null": 'v: {"null": 1, "~": 2, "": 3}\n',
    "key-with-blank": 'v:\n  a b: 1\n  "a: b": 2\n  "#c": 3\n',
    "key-with-slash": "v:\n  app.kubernetes.io/name: x\n  example.com/a_b: y\n",
    "key-duplicate": "v: {a: 1, a: 2}\nw: 1\nw: 2\n",
    "key-explicit": "? v\n: 1\n? w\n",
    "key-long": f"v:\n  {'k' * 200}: 1\n",
    "key-alias": "v: &k name\nw: {*k : 1}\n",
    # Quoted and plain text.
    "single-quotes": "v: 'it''s'\n",
    "escapes": 'v: "a\\tb\\n\\x41\\u00e9\\U0001F600\\0\\e"\n',
    "line-break-escapes": 'v: "\\N \\L \\P \\_"\n',
    "backslash": "v: ['a\\b', a\\b, \"a\\\\b\"]\n",
    "windows-line-break-escape": 'v: "a\\r\\nb"\n',
    "plain-folded": "v: one\n  two\n\n  three\n",
    "double-folded": 'v: "one\n  two\n\n  three \\\n  four"\n',
    "single-folded": "v: 'one\n  two\n\n  three'\n",
    "number-folded": "v: 1\n  2\n",
    "plain-with-colon": "v:\n- a:b\n- http://x/y?z=1\n- :a\n- a::b\n",
    "plain-with-hash": "v: a#b # comment\nw: '#a'\n",
    "plain-with-dash": "v: [-a, a-, ---a]\n",
    "plain-with-marks": "v: [a*b, a&b, a!b, a%b, a@b, a`b, a|b, a>b]\n",
    "quoted-marks": "v: ['*a', '&a', '!a', '%a', '@a', '`a', '|', '>', '- a', '? a', ': a', '[a', '{a']\n",
    "helm-leftovers": "v: '{{ .Values.x }}'\nw: \"{{ `y` }}\"\n",
    "blank-edges": "v: [' a', 'a ', \"\\ta\"]\n",
    "unicode": 'v: [é, 漢字, "日本", emoji 😀]\n',
    "non-breaking-blank": "v: 'a\u00a0b'\n",
    "next-line-character": "v: 'a\u0085b'\n",
    "line-separator-character": "v: 'a\u2028b'\n",
    "byte-order-mark-inside": 'v: "\\ufeffa"\n',
    # Block text.
    "literal": "v: |\n  one\n  two\n",
    "literal-strip": "v: |-\n  one\n  two\n",
    "literal-keep": "v: |+\n  one\n\nw: 1\n",
    "literal-indented": "v: |2\n    one\n  two\n",
    "literal-tabs": "v: |\n  a\tb\n  \tc\n",
    "literal-trailing-blanks": "v: |\n  a  \n  b\n",
    "literal-with-separator": "v: |\n  a\n  ---\n  b: 1\n  ...\n",
    "literal-with-comment": "v: |\n  #!/bin/sh\n  # a\n  exit 0\n",
    "literal-empty": "v: |\nw: 1\n",
    "literal-blank-lines": "v: |\n\n\n  a\n\n\n  b\n",
    "literal-number": "v: |-\n  08\n",
    "folded": "v: >\n  one\n  two\n\n  three\n",
    "folded-deeper": "v: >-\n  one\n    more\n  two\n",
    "literal-in-list": "v:\n- |\n  a\n  b\n- |-\n  c\n",
    "long-line": f"v: {'word ' * 60}end\nw: '{'word ' * 60}end'\n",
    # Anchors, aliases, merges.
    "alias-scalar": "v: &a 08\nw: *a\n",
    "alias-quoted-scalar": 'v: &a "08"\nw: *a\n',
    "alias-map": "v: &a {x: 1e3}\nw: *a\nz: [*a, *a]\n",
    "anchor-twice": "v: &a 1\nw: *a\nx: &a 2\ny1: *a\n",
    "merge": "v: &a {x: 1, y1: 2}\nw:\n  <<: *a\n  y1: 3\n",
    "merge-after-key": "v: &a {x: 1, y1: 2}\nw:\n  y1: 3\n  <<: *a\n",
    "merge-list": "v: [&a {x: 1}, &b {x: 2, z: 3}]\nw:\n  <<: [*a, *b]\n",
    "merge-inline": "v:\n  <<: {a: 1}\n  b: 2\n",
    "merge-of-merge": "a: &a {x: 1}\nb: &b {<<: *a, z: 2}\nc: {<<: *b, w: 3}\n",
    # Shapes.
    "empty-collections": "v: {}\nw: []\nx: {a: {}, b: [[], {}]}\n",
    "nested-lists": "v:\n- - a\n  - b\n- - - c\n",
    "map-in-list": "v:\n- a: 1\n  b: 2\n-   c: 3\n",
    "indented-list": "v:\n  - a\n  - b\nw:\n- c\n",
    "flow-over-lines": "v: {a: 1,\n  b: [2,\n  3],\n  }\n",
    "json-inside": 'v: {"a": "b", "c": [1, true, null], "d":"e"}\n',
    "comments-everywhere": "# a\nv: # b\n  # c\n  x: 1 # d\n# e\n",
    "carriage-returns": "v: a\r\nw: |\r\n  b\r\n  c\r\n",
    "end-mark": "v: 1\n...\n",
    # Explicit tags.
    "tag-str-number": "v: !!str 1\nw: !!str\n",
    "tag-int-quoted": 'v: !!int "1"\nw: !!int 0x10\n',
    "tag-float-int": "v: !!float 1\nw: !!float '1.5'\n",
    "tag-bool-quoted": 'v: !!bool "yes"\n',
    "tag-null": 'v: !!null ""\n',
    "tag-timestamp": "v: !!timestamp 2001-01-01\n",
    "tag-binary": "v: !!binary aGVsbG8=\n",
    "tag-merge-key": "v: &a {x: 1}\nw:\n  !!merge <<: *a\n",
    "tag-merge-value": "v: !!merge <<\n",
    "tag-own": "v: !own bar\nw: !own {a: 1}\nx: !own [1]\n",
    "tag-own-number": "v: !own 1\n",
    "tag-not-specific": 'v: ! "08"\nw: ! a\n',
    "tag-not-specific-plain": "v: ! 08\n",
    "tag-collections": "v: !!map {a: 1}\nw: !!seq [1]\nx: !!set {a, b}\n",
    "tag-str-key": "v: {!!str 1: a, !!str y: b}\n",
}

WHOLE: Final[dict[str, str]] = {
    "json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "json"}, "v": ["08", 1e3, "y", null]}\n',
    "json-pretty": '{\n  "apiVersion": "v1", "kind": "ConfigMap",\n  "metadata": {"name": "p"},\n  "v": "\\u00e9"\n}\n',
    "flow": "{apiVersion: v1, kind: ConfigMap, metadata: {name: flow}, v: [y, 08, on]}\n",
    "indented-root": "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: indented}\n  v: y\n",
    "quoted-keys": '"apiVersion": "v1"\n"kind": "ConfigMap"\n"metadata": {"name": "quoted"}\n',
    "list-with-anchor": (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: &l {on: y}}}\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: *l}}\n"
    ),
}

REFUSED: Final[dict[str, str]] = {
    "null-key": "v: {~: 1}\n",
    "list-as-key": "v: {[a]: 1}\n",
    "map-as-key": "v:\n  ? {a: 1}\n  : 2\n",
    "unknown-alias": "v: *nowhere\n",
    "alias-in-itself": "v: &a [*a]\n",
    "merge-of-scalar": "v:\n  <<: 1\n",
    "tag-int-word": "v: !!int abc\n",
    "tag-binary-broken": "v: !!binary '*'\n",
    "tab-indentation": "v:\n\ta: 1\n",
    "reserved-mark": "v: @a\n",
    "colon-in-plain": "v: a: b\n",
    "unclosed-list": "v: [a\n",
    "unclosed-quote": 'v: "a\n',
    "control-character": "v: a\x01b\n",
    "laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(
        f"{new}: &{new} [*{old},*{old},*{old},*{old},*{old},*{old},*{old},*{old},*{old}]\n"
        for old, new in zip("abcdefg", "bcdefgh", strict=True)
    ),
}


def document(name: str, fragment: str) -> str:
    """Return the fragment as a whole ConfigMap, so that kubectl takes it."""
    return HEADER.format(name=name) + fragment


def readable() -> dict[str, str]:
    """Return every document that Kubernetes takes, by the name of its case."""
    return {name: document(name, text) for name, text in FRAGMENTS.items()} | WHOLE
