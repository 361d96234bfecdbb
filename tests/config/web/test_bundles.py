"""Bundles of modules and of style sheets: what is in them, and that they say where it comes from."""

import json
import re

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string
from django.test import Client
from pytest_django.fixtures import Settings

from config.web.bundles import (
    BUNDLES,
    STYLES,
    encode_vlq,
    find_bundle,
    find_modules,
    join_modules,
    map_lines,
    order_modules,
)
from config.web.tags import style_links

SOURCES = {
    "a/first.js": 'import { two as other } from "a/second.js";\nimport { x } from "codemirror";\n\nother(x);\n',
    "a/second.js": "// What the first needs.\nexport function two(x) {\n  return x;\n}\n",
}


@pytest.mark.parametrize("name", [*BUNDLES, *STYLES])
def test_bundle_is_kept_for_ever(client: Client, name: str) -> None:
    response = client.get(staticfiles_storage.url(name))

    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["Content-Type"].startswith("text/")


def test_module_comes_after_those_that_it_imports_and_keeps_its_lines() -> None:
    order = order_modules(SOURCES)
    lines = join_modules(order, SOURCES).split("\n")

    assert order == ["a/second.js", "a/first.js"]
    assert lines[0] == 'import * as $$2 from "codemirror";'
    assert lines[1] == "const $$0 = (() => { // What the first needs."
    assert lines[2:5] == ["function two(x) {", "  return x;", "}"]
    assert "const { two: other } = $$0;" in lines[7]
    assert lines[-1] == "export const { two } = $$0;"


def test_source_map_has_an_entry_for_each_line_of_the_files() -> None:
    order = order_modules(SOURCES)
    written = map_lines("a.js", order, SOURCES)

    # Five lines of the second module, then the first one's: one file on, four lines back.
    assert written["sources"] == ["../a/second.js", "../a/first.js"]
    assert written["mappings"] == ";AAAA;AACA;AACA;AACA;AACA;;ACJA;AACA;AACA;AACA;AACA;"
    assert [encode_vlq(value) for value in (0, 1, -1, 16, -512)] == ["A", "C", "D", "gB", "hgB"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("export default 1;", "cannot be bundled"),
        ('import "codemirror";', "cannot be bundled"),
        ("export const two = 2;", "the same name"),
    ],
)
def test_module_of_another_form_is_refused(source: str, reason: str) -> None:
    sources = {**SOURCES, "a/third.js": source}

    with pytest.raises(ValueError, match=reason):
        join_modules(order_modules(sources), sources)


def test_all_names_of_a_bundle_lead_to_it_so_that_a_module_is_there_once() -> None:
    scripts = render_to_string("web/_scripts.html")

    address = staticfiles_storage.url("bundles/web.js")
    mapped = re.findall(rf'"(web/\w+\.js)": "{re.escape(address)}"', scripts)
    assert sorted(mapped) == find_modules("web")
    assert scripts.count(f'href="{address}"') == 2


def test_modules_and_styles_stay_apart_while_developing(settings: Settings) -> None:
    settings.DEBUG = True

    assert find_bundle("web/toast.js") is None
    assert '"web/toast.js": "/static/web/toast.js?v=' in render_to_string("web/_scripts.html")
    assert style_links("bundles/editor.css").count("<link ") == len(STYLES["bundles/editor.css"])


def test_source_map_leads_to_the_files_that_are_sent(client: Client) -> None:
    (address,) = re.findall(
        r"sourceMappingURL=(.+)", client.get(staticfiles_storage.url("bundles/editor.js")).text
    )
    sources = json.loads(client.get(f"/static/bundles/{address}").content)["sources"]

    assert sorted(sources) == [f"../{name}" for name in find_modules("toolbuilder/editing")]
    assert all((settings.BASE_DIR / "static/bundles" / name).resolve().exists() for name in sources)
