"""What the editor is made of: the committed bundle is the one that its sources give, and every module is mapped."""

import gzip
import hashlib
import json
import re

import pytest
from django.conf import settings
from django.template.loader import render_to_string

from config.web.bundles import find_bundle

ROOT = settings.BASE_DIR
FRONTEND = ROOT / "frontend"
BUNDLES = ["codemirror", "sql-formatter"]
BUNDLE = ROOT / "static/vendor/codemirror.js"
EDITING = ROOT / "static/toolbuilder/editing"
MODULES = [*sorted(EDITING.glob("*.js")), *sorted(EDITING.glob("asked/*.js"))]
MAP = "toolbuilder/editing/_editor_modules.html"
INPUTS = ["build.mjs", "codemirror.js", "package-lock.json", "package.json"]
IMPORT = re.compile(r'import\s*\{([^}]*)\}\s*from\s*"([^"]+)"')


def names_in(braces: str) -> set[str]:
    return set(re.findall(r"\w+", braces))


def used_of(bundle: str, text: str) -> set[str]:
    """What a module takes of the bundle: names in braces, or those of a namespace, a dialect's layout by its name."""
    used = {
        name
        for braces, module in IMPORT.findall(text)
        if module == bundle
        for name in names_in(braces)
    }
    for namespace in re.findall(rf'import \* as (\w+) from "{bundle}"', text):
        used.update(re.findall(rf"\b{namespace}\.(\w+)", text))
        assert f"{namespace}[dialectOf(dialect).layout]" in text
        used.update(re.findall(r'layout: "(\w+)"', (EDITING / "dialects.js").read_text()))
    return used


def test_bundle_was_built_from_the_committed_sources() -> None:
    inputs = b"".join((FRONTEND / name).read_bytes() for name in INPUTS)

    assert hashlib.sha256(inputs).hexdigest() in BUNDLE.read_text().splitlines()[0]


def test_compressed_bundle_is_the_bundle() -> None:
    assert gzip.decompress((BUNDLE.parent / "codemirror.js.gz").read_bytes()) == BUNDLE.read_bytes()


def test_bundle_needs_no_eval() -> None:
    assert re.findall(r"\beval\(|new Function\b", BUNDLE.read_text()) == []


def test_every_bundled_package_is_licensed_and_pinned() -> None:
    licences = (BUNDLE.parent / "codemirror.LICENSE.txt").read_text()
    packages = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    bundled = dict(re.findall(r"^(@[\w-]+/[\w-]+|[\w-]+) (\d+\.\d+\.\d+)$", licences, re.MULTILINE))

    assert len(bundled) >= 10
    assert bundled == {name: packages[f"node_modules/{name}"]["version"] for name in bundled}


def test_lock_names_no_host_and_keeps_every_digest() -> None:
    packages = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]

    assert [name for name, each in packages.items() if "resolved" in each] == []
    assert [name for name, each in packages.items() if name and "integrity" not in each] == []


def test_modules_are_all_in_the_import_map_by_their_own_name_or_as_their_bundle() -> None:
    mapped = re.findall(r'"([\w/]+\.js)": "/static/([\w/]+\.js)\?v=\w+"', render_to_string(MAP))
    names = [path.relative_to(ROOT / "static").as_posix() for path in MODULES]

    assert mapped == [(name, find_bundle(name) or name) for name in names]


@pytest.mark.parametrize("bundle", BUNDLES)
def test_bundle_exports_what_the_modules_import(bundle: str) -> None:
    entry = (FRONTEND / f"{bundle}.js").read_text()
    exported = names_in(" ".join(re.findall(r"export \{([^}]*)\}", entry)))

    assert {name for path in MODULES for name in used_of(bundle, path.read_text())} == exported


def test_modules_import_only_what_is_there() -> None:
    for path in MODULES:
        for braces, module in IMPORT.findall(path.read_text()):
            if module not in BUNDLES:
                source = (ROOT / "static" / module).read_text()
                declared = set(
                    re.findall(
                        r"^export (?:async )?(?:function|class|const) (\w+)", source, re.MULTILINE
                    )
                )
                assert names_in(braces) <= declared
