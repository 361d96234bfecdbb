"""The program of one script process: closes its sandbox, then answers requests until it is ended."""

import json
import os
import resource
import sys
from collections.abc import Callable, Mapping
from contextvars import Context
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import NoReturn, Protocol, Self

from core.errors import ToolboxError
from core.messages import message
from core.toolspec import JsonValue
from gateways.scripts.messages import (
    FrameBuffer,
    Reply,
    decode_request,
    encode_greeting,
    encode_reply,
)
from gateways.scripts.sandbox import enter_sandbox
from gateways.scripts.sandbox_proof import find_leak

COMPILED_SCRIPTS = 200
REQUEST_LIMIT = 64_000_000
CHANNEL = 0
# A process is replaced before the kernel would end it for its processor time in the middle of a call.
CPU_S = 7_200
SPENT_CPU_S = 3_600
# How much a call may have grown the process, in KiB, before its memory is given back with it.
SPENT_KIB = 32_768

_PIECE = 65_536


class Script(Protocol):
    """A script that can be run, as `gateways.scripts.language` makes them."""

    def evaluate(self, arguments: Mapping[str, object]) -> JsonValue:
        """The result as JSON. Raises ToolboxError."""


Compile = Callable[[str, tuple[str, ...]], Script]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """`language` is the module whose `compile_script(text, names)` is used; limits are in bytes.

    `asteval` is the path of the one installed package that a process may import.
    """

    language: str
    asteval: str
    memory_bytes: int
    answer_limit: int

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))

    def load_compiler(self) -> Compile:
        """The language's compiler, which keeps what it compiled last."""
        # No other installed package can be imported: not numpy either, which asteval would take.
        spec = spec_from_file_location("asteval", self.asteval)
        if spec and spec.loader:
            sys.modules["asteval"] = module_from_spec(spec)
            spec.loader.exec_module(sys.modules["asteval"])
        return lru_cache(COMPILED_SCRIPTS)(import_module(self.language).compile_script)


def become_worker(options: WorkerOptions, compile_script: Compile, parent_pid: int) -> NoReturn:
    """Close this process in, greet, and serve the channel, which is file descriptor 0, to its end."""
    enter_sandbox(
        channel=CHANNEL, memory_bytes=options.memory_bytes, cpu_s=CPU_S, parent_pid=parent_pid
    )
    _send(encode_greeting(find_leak(options.memory_bytes)))
    baseline_kib = _usage().ru_maxrss
    while True:
        reply = _answer(compile_script, _receive(), options.memory_bytes)
        usage = _usage()
        is_spent = (
            usage.ru_maxrss - baseline_kib > SPENT_KIB
            or usage.ru_utime + usage.ru_stime > SPENT_CPU_S
        )
        spent = Reply(result=reply.result, error=reply.error, is_spent=is_spent)
        _send(encode_reply(spent, options.answer_limit))


def _answer(compile_script: Compile, payload: bytes, memory_bytes: int) -> Reply:
    try:
        text, values = decode_request(payload)
        script = compile_script(text, tuple(values))
        # An empty context: the decimal context that one script gets is not what another left.
        return Reply(result=Context().run(script.evaluate, values))
    except ToolboxError as error:
        return Reply(error=error.message)
    except MemoryError:
        return Reply(
            error=message(
                "script.needed_memory",
                "the script needed more memory than a script may take ({size} MB)",
                size=memory_bytes // 1_000_000,
            )
        )
    except RecursionError:
        return Reply(error=message("script.nests_too_deeply", "the script nests too deeply"))


def _usage() -> resource.struct_rusage:
    return resource.getrusage(resource.RUSAGE_SELF)


def _receive() -> bytes:
    frames = FrameBuffer(REQUEST_LIMIT)
    while piece := os.read(CHANNEL, _PIECE):
        if (frame := frames.add(piece)) is not None:
            return frame
    os._exit(0)


def _send(frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(CHANNEL, rest) :]
