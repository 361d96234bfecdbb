"""Pages and static files travel compressed."""

import gzip

import pytest
from django.test import Client

GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.parametrize("address", ["/static/web/app.css", "/static/vendor/codemirror.js"])
def test_static_file_is_compressed_once(client: Client, address: str) -> None:
    plain, packed = client.get(address), client.get(address, headers=GZIP)

    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.getvalue()) == plain.getvalue()


@pytest.mark.django_db
def test_page_is_compressed(client: Client) -> None:
    assert client.get("/sign-in/", headers=GZIP)["Content-Encoding"] == "gzip"
