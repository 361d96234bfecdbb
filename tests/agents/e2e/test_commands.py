"""The commands that people type, as processes of their own, on the running installation."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents.conftest import PROJECT, Installation, free_ports, wait_until
from tests.agents.demo_llm.variants import MODEL_NAME
from tests.agents.e2e.runs import query, read_csv

QUESTION = "How many orders are in each status?"
# A dollar sign and quotes are the question's, not make's or the shell's.
ODD_QUESTION = f"""{QUESTION} '$' "x" """
ADK = Path(sys.executable).with_name("adk")
AGENT = (sys.executable, "-m", "agents.data_search", QUESTION)
MAKE = ("make", "--silent", "agent")
# Ctrl-C is to end it, and not its own patience.
NEVER = {"LLM_MODEL": "demo-never-answers", "LLM_TIMEOUT_S": "600"}
TIME_LIMIT_S = 400


@dataclass
class Command:
    """A program that runs in the project's folder, and what it has written so far."""

    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def out(self) -> str:
        return (self.folder / "out").read_text()

    @property
    def err(self) -> str:
        return (self.folder / "err").read_text()

    def wait(self, limit_s: float = TIME_LIMIT_S) -> int:
        """Its exit code."""
        return self.process.wait(limit_s)


@pytest.fixture(scope="module")
def commands(
    installation: Installation, model_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Command]]:
    """All of them side by side, since each takes seconds to import ADK."""
    nowhere = f"http://127.0.0.1:{free_ports(1)[0]}/mcp"
    folder = tmp_path_factory.mktemp("commands")
    settings = {"MCP_URL": installation.mcp, "MCP_API_KEY": installation.api_key}
    scripted = {"LLM_BASE_URL": model_url, "LLM_MODEL": MODEL_NAME}
    adk_run = (ADK, "run", "--in_memory", "agents/data_search", QUESTION)
    started = {
        "make": start(folder / "make", settings, *MAKE, f"Q={QUESTION}"),
        "odd": start(folder / "odd", settings | scripted, *MAKE, f"Q={ODD_QUESTION}"),
        "adk": start(folder / "adk", settings, *adk_run),
        "other": start(folder / "other", settings, *AGENT[:-1], "A question of my own"),
        "down": start(folder / "down", {"MCP_URL": nowhere}, *AGENT),
        "never": start(folder / "never", settings | scripted | NEVER, *AGENT),
    }
    yield started
    for command in started.values():
        command.process.kill()
        command.process.wait()


def start(folder: Path, settings: dict[str, str], *words: str | Path) -> Command:
    """The program, without a language model unless the settings name one."""
    folder.mkdir()
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONUTF8": "1",
        "AGENT_ARTIFACTS_DIR": str(folder / "artifacts"),
        **settings,
    }
    # In a background job of a shell Ctrl-C is ignored, and would be by what is started there.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            list(map(str, words)),
            cwd=PROJECT,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
    return Command(process, folder)


def test_make_agent_answers_and_saves_the_files(
    installation: Installation, commands: dict[str, Command]
) -> None:
    command = commands["make"]

    assert command.wait() == 0, command.err
    assert "6 rows" in command.out
    assert "no language model: replies recorded for the demo's questions" in command.err
    files = (path for path in command.folder.rglob("*.csv") if path.is_file())
    [saved] = [data for path in files if (data := path.read_bytes())[:3] == b"\xef\xbb\xbf"]
    sql = "SELECT status::text, count(*) FROM orders GROUP BY 1"
    assert sorted(read_csv(saved)) == sorted(query(installation.demo_dsn, sql))


def test_make_hands_quotes_and_dollar_signs_on(commands: dict[str, Command]) -> None:
    command = commands["odd"]

    assert command.wait() == 0, command.err
    assert "6 rows" in command.out
    assert "no language model" not in command.err


def test_question_that_is_not_recorded_is_refused(commands: dict[str, Command]) -> None:
    command = commands["other"]

    assert command.wait() == 1
    assert "set LLM_BASE_URL and LLM_MODEL" in command.out
    assert f"- {QUESTION}\n" in command.out


def test_adk_run_answers(commands: dict[str, Command]) -> None:
    command = commands["adk"]

    assert command.wait() == 0, command.err
    assert "| cancelled |" in command.out


def test_server_that_is_down_is_one_line_and_exit_code_1(commands: dict[str, Command]) -> None:
    command = commands["down"]

    assert command.wait() == 1
    assert "The tool server does not answer" in command.out + command.err
    assert "Traceback" not in command.err


def test_ctrl_c_ends_a_run_at_once(commands: dict[str, Command]) -> None:
    command = commands["never"]
    # The files' folder is the last thing said before the question is asked.
    wait_until(lambda: "files go to" in command.err, TIME_LIMIT_S)

    command.process.send_signal(signal.SIGINT)

    assert command.wait() == 130
    assert command.err.endswith("cancelled\n")
    assert "Traceback" not in command.err
