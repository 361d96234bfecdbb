"""A language that opens the sandbox of the processes that import it, as a kernel without filters would."""

from gateways.scripts import sandbox
from tests.gateways.scripts.any_python import compile_script

__all__ = ["compile_script"]

sandbox.filter_system_calls = lambda program: None
