"""Pages and static files travel compressed."""

import gzip
import zlib
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import AsyncClient, Client

from tests.access.calls import make_call

GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.parametrize("address", ["/static/web/app.css", "/static/vendor/codemirror.js"])
def test_static_file_is_compressed_once(client: Client, address: str) -> None:
    plain, packed = client.get(address), client.get(address, headers=GZIP)

    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.getvalue()) == plain.getvalue()


@pytest.mark.django_db
def test_page_is_compressed(client: Client) -> None:
    assert client.get("/sign-in/", headers=GZIP)["Content-Encoding"] == "gzip"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["/calls/export/", "/audit/export/"])
async def test_file_that_is_sent_in_parts_is_one_compressed_file(address: str) -> None:
    user = await User.objects.acreate_superuser("root")
    await sync_to_async(make_call)()
    client = AsyncClient()
    await client.aforce_login(user)

    response: Any = await client.get(address, headers=GZIP)

    sent = b"".join([part async for part in response.streaming_content])
    # Browsers read the first of several gzip files, and leave out the others.
    reader = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert len(reader.decompress(sent).decode().splitlines()) > 1
    assert reader.eof
    assert reader.unused_data == b""
