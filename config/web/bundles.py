"""Bundles of our own JavaScript modules and style sheets, made of the files when a page first names one; there is no build step.

Each module becomes a function that gives its exports, with every line of it as it was; a source map leads to the files.
"""

import json
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter

from django.conf import settings

# Each with the folder of static/ whose modules are in it.
BUNDLES = {"bundles/web.js": "web", "bundles/editor.js": "toolbuilder/editing"}
# In this order, since a later rule wins.
STYLES = {
    "bundles/web.css": ("web/app.css", "web/palette.css"),
    "bundles/editor.css": (
        "toolbuilder/editing/editor.css",
        "toolbuilder/editing/explorer.css",
        "toolbuilder/editing/result.css",
        "toolbuilder/editing/workbench.css",
        "toolbuilder/editing/http.css",
        "toolbuilder/history/versions.css",
        "toolbuilder/cases/cases.css",
    ),
}
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER_FORM = re.compile(r"^(?:import\b|export\b).*", re.MULTILINE)
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def find_modules(*folders: str) -> list[str]:
    """Names of our own modules in these folders of static/, such as `web/toast.js`, in order."""
    root = settings.BASE_DIR / "static"
    paths = [path for folder in folders for path in sorted(root.glob(f"{folder}/*.js"))]
    return [path.relative_to(root).as_posix() for path in paths]


def find_bundle(module: str) -> str | None:
    """The name of the bundle that holds a module; None if there is none, and of all while developing."""
    folder = module.rpartition("/")[0]
    names = (name for name, bundled in BUNDLES.items() if bundled == folder)
    return None if settings.DEBUG else next(names, None)


def write_bundle(name: str) -> bytes | None:
    """The text of a bundle, or of its source map, whose name ends in `.map`; None of another name."""
    root = settings.BASE_DIR / "static"
    if name in STYLES:
        return "\n".join(
            (root / style).read_text(encoding="utf-8") for style in STYLES[name]
        ).encode()
    folder = BUNDLES.get(name.removesuffix(".map"))
    if folder is None:
        return None
    sources = {
        module: (root / module).read_text(encoding="utf-8") for module in find_modules(folder)
    }
    order = order_modules(sources)
    file = name.removesuffix(".map").rpartition("/")[2]
    if name.endswith(".map"):
        return json.dumps(map_lines(file, order, sources)).encode()
    return f"{join_modules(order, sources)}\n//# sourceMappingURL={file}.map\n".encode()


def order_modules(sources: Mapping[str, str]) -> list[str]:
    """Names of these modules, each after those that it imports. Raises CycleError of a ring of imports."""
    graph = {
        name: [found[2] for found in _IMPORT.finditer(source) if found[2] in sources]
        for name, source in sources.items()
    }
    return list(TopologicalSorter(graph).static_order())


def join_modules(order: list[str], sources: Mapping[str, str]) -> str:
    """The modules as one, which exports what each of them does.

    Raises ValueError where two export the same name, or an import or an export has another form than ours.
    """
    imported = {found[2] for name in order for found in _IMPORT.finditer(sources[name])}
    outside = sorted(imported - set(order))
    places = {name: f"$${number}" for number, name in enumerate([*order, *outside])}
    parts, exports = [], []
    names = [found[1] for name in order for found in _EXPORT.finditer(sources[name])]
    if len(names) != len(set(names)):
        raise ValueError(f"two modules of a bundle export the same name: {sorted(names)}")
    for name in order:
        given = ", ".join(found[1] for found in _EXPORT.finditer(sources[name]))
        body = _EXPORT.sub(
            "", _IMPORT.sub(lambda found: _as_constant(found, places), sources[name])
        )
        if other := _OTHER_FORM.search(body):
            raise ValueError(f"{name} cannot be bundled: {other[0]}")
        # Lines stay as they are counted: see map_lines.
        parts.append(f"const {places[name]} = (() => {{ {body}\nreturn {{ {given} }}; }})();")
        exports.append(f"export const {{ {given} }} = {places[name]};" if given else "")
    heads = [f'import * as {places[name]} from "{name}";' for name in outside]
    return "\n".join(["".join(heads), *parts, "".join(exports)])


def map_lines(file: str, order: list[str], sources: Mapping[str, str]) -> dict[str, object]:
    """The source map of `join_modules`, which says of each line where it is in the files."""
    mappings, last_line = [""], 0
    for number, name in enumerate(order):
        count = sources[name].count("\n") + 1
        start = f"A{encode_vlq(int(number > 0))}{encode_vlq(-last_line)}A"
        mappings += [start, *["AACA"] * (count - 1), ""]
        last_line = count - 1
    return {
        "version": 3,
        "file": file,
        "sources": [f"../{name}" for name in order],
        "names": [],
        "mappings": ";".join(mappings),
    }


def encode_vlq(value: int) -> str:
    """A number as source maps write it: base 64, five bits in each digit, the sign in the lowest."""
    rest, digits = abs(value) << 1 | (value < 0), ""
    while rest >= 32:
        digits += _DIGITS[rest & 31 | 32]
        rest >>= 5
    return digits + _DIGITS[rest]


def _as_constant(found: re.Match[str], places: Mapping[str, str]) -> str:
    return f"const {found[1].replace(' as ', ': ')} = {places[found[2]]};"
