"""A request that the direct lane has taken, and the bytes of its answer."""

from msgspec import Struct

from access.calls import CallOrigin
from core.json_text import encode_json
from core.proxied import ProxiedAnswer, image_blocks, wire_content
from core.results import Answer, structured_json
from gateways.http_server.direct import DirectAnswer
from mcp_runtime.caller import Caller
from mcp_runtime.lane.requests import LaneRequest
from tools.builtin.tool import RefusedAnswer


def write_result(request_id: int | str, result: bytes) -> bytes:
    """The JSON-RPC answer with this result."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode_json(request_id), result)


class TakenRequest(Struct):
    """Who makes the request, from where, and what its answer repeats."""

    body: LaneRequest
    caller: Caller
    origin: CallOrigin
    # Lines of the answer's head.
    headers: bytes
    request_id: str
    # '' outside of sessions.
    session_id: str = ""
    # What a result of this version ends with.
    tail: bytes = b""
    # In which its client reads tools, '' the default texts.
    language: str = ""

    def answer(self, result: bytes) -> DirectAnswer:
        """The JSON-RPC answer with this result."""
        return DirectAnswer(self.headers, write_result(self.body.id, result))

    def answer_call(self, answer: Answer) -> DirectAnswer:
        """The answer to a call that has run."""
        if isinstance(answer, ProxiedAnswer):
            content = encode_json(wire_content(answer))[1:-1]
        else:
            texts = [b'{"type":"text","text":%b}' % encode_json(text) for text in answer.texts]
            texts += map(encode_json, image_blocks(answer))
            structured = structured_json(answer)
            content = b'"content":[%b],"structuredContent":%b' % (b",".join(texts), structured)
        is_error = b"true" if isinstance(answer, RefusedAnswer) else b"false"
        return self.answer(b'{%b,"isError":%b%b}' % (content, is_error, self.tail))

    def answer_list(self, tools: bytes) -> DirectAnswer:
        """The answer to `tools/list`; each caller's is its own, and none is good for later."""
        hint = b',"ttlMs":0,"cacheScope":"private"' if self.tail else b""
        return self.answer(b'{"tools":%b%b%b}' % (tools, hint, self.tail))

    def answer_error(self, text: str) -> DirectAnswer:
        """The answer to a call that the tool refuses or fails at."""
        content = b'{"type":"text","text":%b}' % encode_json(text)
        return self.answer(b'{"content":[%b],"isError":true%b}' % (content, self.tail))

    def answer_cancelled(self) -> DirectAnswer:
        """What the SDK says of a request that its client has cancelled."""
        error = b'{"code":-32800,"message":"Request cancelled"}'
        body = b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (encode_json(self.body.id), error)
        return DirectAnswer(self.headers, body)
