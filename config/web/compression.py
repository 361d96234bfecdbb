"""Compression of answers, those that are sent while they are made as one stream."""

import secrets
from collections.abc import AsyncIterator
from gzip import GzipFile
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.text import StreamingBuffer


class CompressionMiddleware(GZipMiddleware):
    """Django's, but for the parts of an asynchronous answer.

    Django makes a whole gzip file of each part, and browsers read no further than the first one.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_packed = response.has_header("Content-Encoding")
        if is_packed or not isinstance(response, StreamingHttpResponse) or not response.is_async:
            answer: HttpResponseBase = super().process_response(request, response)
            return answer
        parts = cast(AsyncIterator[bytes], response.streaming_content)
        super().process_response(request, response)
        if response.headers.get("Content-Encoding") == "gzip":
            response.streaming_content = _compress(parts, self.max_random_bytes)
        return response


async def _compress(parts: AsyncIterator[bytes], most_padding: int) -> AsyncIterator[bytes]:
    buffer = StreamingBuffer()
    # Of random length, as Django's.
    name = secrets.token_hex(secrets.randbelow(most_padding // 2 + 1))
    with GzipFile(name, mode="wb", compresslevel=6, fileobj=buffer, mtime=0) as packed:
        async for part in parts:
            packed.write(part)
            # What is there is sent: the answer goes out as it is made.
            packed.flush()
            yield buffer.read()
    yield buffer.read()
