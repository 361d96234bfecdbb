"""Answers travel compressed; such as are sent in parts, as one gzip file too."""

import zlib
from collections.abc import AsyncIterator
from typing import Any, cast

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

_AS_GZIP = 16 + zlib.MAX_WBITS


class CompressionMiddleware(GZipMiddleware):
    """Django's, which pads at random, so that lengths tell nothing of secrets in a page.

    It makes each part of an asynchronous stream a gzip file of its own, and browsers read the first alone.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """The answer, compressed for those who take it."""
        parts: Any = None
        if isinstance(response, StreamingHttpResponse) and response.is_async:
            parts = response.streaming_content
        answer: Any = super().process_response(request, response)
        if parts is not None and answer.get("Content-Encoding") == "gzip":
            answer.streaming_content = _compress(parts)
        return cast(HttpResponseBase, answer)


async def _compress(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    packer = zlib.compressobj(wbits=_AS_GZIP)
    async for part in parts:
        # What there is so far is sent at once.
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
