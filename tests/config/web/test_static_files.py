"""Static files: what browsers may keep, and what they ask for again."""

import gzip
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client
from pytest_django.fixtures import Settings

from config.web.tags import preload_modules

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
# Another module's address comes from the import map, where its hash is.
RELATIVE_IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["']\.{0,2}/""")
# Each node that comes or goes would have the styles of everything below computed again.
ASKS_THE_PAGE = re.compile(
    r"(?:body|html|:root|\.shell|\.page|\.content|\.workbench)(?:\[[^]]*\])*:has\("
)
MODULES = sorted((settings.BASE_DIR / "static").rglob("*.js"))


@pytest.mark.parametrize("name", ["web/app.css", "vendor/codemirror.js", "web/icons.svg"])
def test_file_is_kept_for_ever_under_the_address_that_pages_give(client: Client, name: str) -> None:
    response = client.get(staticfiles_storage.url(name), headers=GZIP)

    assert response.status_code == 200
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["Content-Encoding"] == "gzip"


@pytest.mark.parametrize("address", ["web/app.css", "web/app.css?v=0123456789abcdef"])
def test_bare_name_and_hash_of_an_older_version_give_what_is_there_now(
    client: Client, address: str
) -> None:
    response = client.get(f"/static/{address}")

    assert response.content == client.get(staticfiles_storage.url("web/app.css")).content
    assert response["Cache-Control"] == "public, max-age=60"


@pytest.mark.parametrize("headers", [{}, GZIP], ids=["plain", "compressed"])
def test_what_was_sent_once_is_recognised(client: Client, headers: dict[str, str]) -> None:
    tag = client.get("/static/web/app.js", headers=headers)["ETag"]

    again = client.get("/static/web/app.js", headers={**headers, "If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "public, max-age=60"


def test_style_sheet_refers_to_files_by_their_hashes(client: Client) -> None:
    for name in ("web/app.css", "bundles/web.css"):
        style = client.get(staticfiles_storage.url(name)).text

        fonts = re.findall(r'url\("\.\./(web/fonts/[^"]+)"\)', style)
        assert fonts
        for font in fonts:
            assert f"/static/{font}" == staticfiles_storage.url(font.partition("?")[0])


def test_style_sheets_of_the_back_office_find_their_images(client: Client) -> None:
    style = client.get(staticfiles_storage.url("admin/css/base.css")).text

    images = set(re.findall(r"url\(\.\./(img/[^)]+)\)", style))
    assert images
    for image in images:
        assert f"/static/admin/{image}" == staticfiles_storage.url(
            f"admin/{image.partition('?')[0]}"
        )


def test_changed_file_has_another_address_at_once_while_developing(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.DEBUG, settings.STATICFILES_DIRS = True, [tmp_path]
    (tmp_path / "note.js").write_text("1")
    old = staticfiles_storage.url("note.js")
    (tmp_path / "note.js").write_text("2")

    new = staticfiles_storage.url("note.js")

    assert (new != old, client.get(new).content) == (True, b"2")


@pytest.mark.parametrize(
    "name", ["", "web", "web/none.js", "../manage.py", "web/../../manage.py", "%2e%2e/manage.py"]
)
@pytest.mark.django_db
def test_what_is_no_static_file_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


def test_static_files_are_only_read(client: Client) -> None:
    response = client.post("/static/web/app.css")

    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


def test_module_is_imported_by_the_name_that_the_import_map_has() -> None:
    assert MODULES
    assert [path.name for path in MODULES if RELATIVE_IMPORT.search(path.read_text())] == []


def test_compressed_file_is_the_file(client: Client) -> None:
    plain, packed = (client.get("/static/web/app.css", headers=each) for each in ({}, GZIP))

    assert gzip.decompress(packed.content) == plain.content


def test_module_is_fetched_as_a_script_first_so_that_compiled_code_is_taken() -> None:
    links = preload_modules("web/app.js")

    assert links.index('rel="preload" as="script" crossorigin') < links.index("modulepreload")


def test_no_style_asks_what_is_somewhere_in_the_page() -> None:
    styles = (settings.BASE_DIR / "static").rglob("*.css")

    assert [path.name for path in styles if ASKS_THE_PAGE.search(path.read_text())] == []
