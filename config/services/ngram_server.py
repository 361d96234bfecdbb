"""An OpenAI-compatible embedding server of character n-grams, for systems without a model's wheel.

python -m config.services.ngram_server --port 8080
"""

import argparse
import base64
import logging
from typing import Any

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from config.services.embeddings import NGRAM_NOTICE, EmbeddedNgrams
from config.services.ngram_vectors import embed_by_ngrams

logger = logging.getLogger(__name__)

MODEL = EmbeddedNgrams.model
MAX_BODY_BYTES = 8 * 1024 * 1024
MAX_TEXTS = 2_048


class _RefusedError(Exception):
    """A request that is not served; its text is for the client."""


def make_application() -> Starlette:
    """The server's ASGI application."""
    routes = [
        Route("/v1/embeddings", _embed, methods=["POST"]),
        Route("/v1/models", _list_models),
        Route("/health", _report_health),
    ]
    return Starlette(routes=routes)


async def _embed(request: Request) -> Response:
    try:
        asked = _read_request(await _read_body(request))
    except _RefusedError as error:
        problem = {"message": str(error), "type": "invalid_request_error", "code": None}
        return _json({"error": problem}, status=400)
    return Response(await run_in_threadpool(_answer, asked), media_type="application/json")


async def _list_models(request: Request) -> Response:
    return _json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})


async def _report_health(request: Request) -> Response:
    return _json({"status": "ok", "model": MODEL})


async def _read_body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise _RefusedError(f"the request must have at most {MAX_BODY_BYTES} bytes")
    return body


def _read_request(body: bytes) -> dict[str, Any]:
    """The request, its `input` as a list of texts."""
    try:
        asked = orjson.loads(body)
    except orjson.JSONDecodeError:
        asked = None
    if not isinstance(asked, dict):
        raise _RefusedError("the request must be a JSON object")
    texts = asked.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _RefusedError("input must be a text or a list of texts")
    if not 1 <= len(texts) <= MAX_TEXTS or not all(text.strip() for text in texts):
        raise _RefusedError(f"input must have 1 to {MAX_TEXTS} texts, none of them empty")
    return asked | {"input": texts}


def _answer(asked: dict[str, Any]) -> bytes:
    as_base64 = asked.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _encode(text, as_base64=as_base64)}
        for index, text in enumerate(asked["input"])
    ]
    # There are no tokens; characters are what this model reads.
    characters = sum(map(len, asked["input"]))
    usage = {"prompt_tokens": characters, "total_tokens": characters}
    return orjson.dumps({"object": "list", "data": data, "model": MODEL, "usage": usage})


def _encode(text: str, *, as_base64: bool) -> str | list[float]:
    vector = embed_by_ngrams(text)
    if as_base64:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return [float(number) for number in vector]


def _json(content: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")


def main() -> None:
    """Serve on this machine only, until a signal."""
    parser = argparse.ArgumentParser(description="Vectors of character n-grams, OpenAI-compatible")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8080, help="port to listen on")
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logger.warning(NGRAM_NOTICE)
    uvicorn.run(
        make_application(),
        host=arguments.host,
        port=arguments.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


if __name__ == "__main__":
    main()
