"""Pages and static files travel compressed."""

import gzip
import zlib
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient, Client

from tests.access.calls import make_calls

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
@pytest.mark.parametrize("address", ["/audit/export/", "/calls/export/"])
def test_file_that_is_sent_while_it_is_read_is_one_stream(address: str) -> None:
    user = User.objects.create_superuser("admin")
    make_calls(3)
    client = AsyncClient()

    async def read() -> tuple[str, bytes]:
        await client.aforce_login(user)
        response: Any = await client.get(address, headers=GZIP)
        packed = b"".join([part async for part in response])
        return response["Content-Encoding"], packed

    encoding, packed = async_to_sync(read)()

    # As browsers do, which take what follows the first stream for nothing.
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    text = reader.decompress(packed).decode()
    assert (encoding, reader.eof, reader.unused_data) == ("gzip", True, b"")
    assert text.count("\r\n") > 1
