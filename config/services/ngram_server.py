"""An OpenAI-compatible embedding server of character n-grams, for systems without a model's wheel.

python -m config.services.ngram_server --port 8080
"""

import argparse
import base64
import logging
import unicodedata
from typing import Any

import numpy as np
import orjson
import uvicorn
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from config.services.embeddings import NGRAM_NOTICE, EmbeddedNgrams

logger = logging.getLogger(__name__)

MODEL = EmbeddedNgrams.model
MAX_BODY_BYTES = 8 * 1024 * 1024
MAX_TEXTS = 2_048
DIMENSION = 1_024
# By length of the n-gram. A single letter says little; a single ideograph or syllable is a word's part.
LATIN_WEIGHTS = {1: 0.1, 2: 0.6, 3: 1.0}
CJK_WEIGHTS = {1: 0.6, 2: 1.0, 3: 1.0}
FIRST_CJK = 0x2E80
BLANK = ord(" ")
# The multipliers of splitmix64, whose output bits all depend on all input bits.
MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
SIGN_SHIFT = np.uint64(63)


class _RefusedError(Exception):
    """A request that is not served; its text is for the client."""


def make_application() -> Starlette:
    """The server's ASGI application."""
    models = [{"id": MODEL, "object": "model"}]
    routes = [
        Route("/v1/embeddings", _embed, methods=["POST"]),
        Route("/v1/models", lambda _request: _json({"object": "list", "data": models})),
        Route("/health", lambda _request: _json({"status": "ok", "model": MODEL})),
    ]
    return Starlette(routes=routes)


async def _embed(request: Request) -> Response:
    try:
        fields = _read_request(await _read_body(request))
    except _RefusedError as error:
        problem = {"message": str(error), "type": "invalid_request_error", "code": None}
        return _json({"error": problem}, status=400)
    return Response(await run_in_threadpool(_answer, fields), media_type="application/json")


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
        fields = orjson.loads(body)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict):
        raise _RefusedError("the request must be a JSON object")
    texts = fields.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _RefusedError("input must be a text or a list of texts")
    if not 1 <= len(texts) <= MAX_TEXTS or not all(text.strip() for text in texts):
        raise _RefusedError(f"input must have 1 to {MAX_TEXTS} texts, none of them empty")
    return fields | {"input": texts}


def _answer(fields: dict[str, Any]) -> bytes:
    is_base64 = fields.get("encoding_format") == "base64"
    data = []
    for index, text in enumerate(fields["input"]):
        vector = embed_by_ngrams(text)
        packed = base64.b64encode(vector.astype("<f4").tobytes()).decode() if is_base64 else None
        embedding = packed or [float(number) for number in vector]
        data.append({"object": "embedding", "index": index, "embedding": embedding})
    # There are no tokens; characters are what this model reads.
    characters = sum(map(len, fields["input"]))
    usage = {"prompt_tokens": characters, "total_tokens": characters}
    return orjson.dumps({"object": "list", "data": data, "model": MODEL, "usage": usage})


def embed_by_ngrams(text: str) -> NDArray[np.float32]:
    """A vector of unit length, (1024,), the same on every machine; zeros for a blank text.

    Texts that are written alike are alike. Signed feature hashing, Weinberger et al. 2009, of damped
    counts of 1- to 3-grams; words are bounded by blanks.
    """
    words = unicodedata.normalize("NFKC", text).casefold().split()
    bounded = f" {' '.join(words)} ".encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(bounded, dtype="<u4").astype(np.uint64)
    vector = np.zeros(DIMENSION)
    for length in (1, 2, 3):
        vector += _count_ngrams(codes, length)
    norm = float(np.linalg.norm(vector))
    return (vector / (norm or 1.0)).astype(np.float32)


def _count_ngrams(codes: NDArray[np.uint64], length: int) -> NDArray[np.float64]:
    count = len(codes) - length + 1
    windows = [codes[start : start + count] for start in range(length)]
    has_letter = np.any([window != BLANK for window in windows], axis=0)
    hashes = np.full(count, length, dtype=np.uint64)
    for window in windows:
        hashes ^= window
        for shift, multiplier in zip(SHIFTS[:2], MULTIPLIERS, strict=True):
            hashes = (hashes ^ (hashes >> shift)) * multiplier
        hashes ^= hashes >> SHIFTS[2]
    unique, first, times = np.unique(hashes[has_letter], return_index=True, return_counts=True)
    is_cjk = np.any([window >= FIRST_CJK for window in windows], axis=0)[has_letter][first]
    weights = np.where(is_cjk, CJK_WEIGHTS[length], LATIN_WEIGHTS[length]) * (1 + np.log(times))
    signs = np.where(unique >> SIGN_SHIFT, 1.0, -1.0)
    buckets = (unique % np.uint64(DIMENSION)).astype(np.intp)
    return np.bincount(buckets, weights * signs, DIMENSION).astype(np.float64)


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
